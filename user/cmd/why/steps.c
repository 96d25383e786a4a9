// SPDX-License-Identifier: Apache-2.0
/* steps: see why.h. */
#include "cmd/why/why.h"

#include <stdlib.h>

enum {
	ALL = 40,		/* steps that are shown one by one */
	LONGEST = 20,		/* of more than these, so many */
	KINDS = 1 << 12,	/* causes of a line that are told apart */
};

struct shown {
	uint32_t number[LONGEST];	/* of the steps, in the order of the path */
	int64_t ns[LONGEST];
	unsigned n;
};

struct lines {
	struct path *path;
	struct why_line line;	/* of some: those since the last one */
	struct map64 causes;	/* of them -> ns */
	why_line_fn *fn;
	void *ctx;
};

static int64_t why_steps_length(const struct step *step)
{
	return step->to - step->from;
}

/* The @LONGEST longest ones; the shortest of them is the last one. */
static void find_longest(struct path *path, struct shown *shown)
{
	uint32_t i;
	unsigned at;

	for (i = 0; i < path->count; i++) {
		int64_t ns = why_steps_length(store_at(path->steps, i));

		if (shown->n == LONGEST && ns <= shown->ns[LONGEST - 1])
			continue;
		at = shown->n < LONGEST ? shown->n++ : LONGEST - 1;
		for (; at && shown->ns[at - 1] < ns; at--) {
			shown->ns[at] = shown->ns[at - 1];
			shown->number[at] = shown->number[at - 1];
		}
		shown->ns[at] = ns;
		shown->number[at] = i;
	}
}

static bool is_shown(const struct shown *shown, uint32_t number)
{
	unsigned i;

	for (i = 0; i < shown->n; i++)
		if (shown->number[i] == number)
			return true;
	return false;
}

static void one(struct lines *l, const struct step *step)
{
	struct why_line line = { .step = *step, .steps = 1, .from = step->from, .to = step->to };

	l->fn(l->ctx, &line);
}

static void end_some(struct lines *l)
{
	size_t i;

	for (i = 0; i < l->causes.made; i++) {
		const struct map64_slot *slot = &l->causes.slots[i];

		if (!slot->used || slot->value < l->line.mostly_ns)
			continue;
		l->line.mostly = (uint32_t)slot->key;
		l->line.mostly_ns = slot->value;
	}
	if (l->line.steps == 1)
		one(l, &l->line.step);
	else if (l->line.steps)
		l->fn(l->ctx, &l->line);
	l->line = (struct why_line){0};
	map64_clear(&l->causes);
}

static void add_some(struct lines *l, const struct step *step)
{
	uint32_t cause = path_cause(l->path, step);
	uint64_t *found = map64_get(&l->causes, cause);

	if (!l->line.steps++) {
		l->line.from = step->from;
		l->line.step = *step;
	}
	l->line.to = step->to;
	if (found || l->causes.len < KINDS)
		*(found ? found : map64_put(&l->causes, cause, NULL)) +=
			(uint64_t)why_steps_length(step);
}

void why_lines(struct path *path, bool full, why_line_fn *fn, void *ctx)
{
	struct lines l = { .path = path, .fn = fn, .ctx = ctx };
	bool all = full || path->count <= ALL;
	struct shown shown = {0};
	uint32_t i;

	if (!all)
		find_longest(path, &shown);
	for (i = path->count; i--; ) {
		struct step step = *(const struct step *)store_at(path->steps, i);

		if (!all && !is_shown(&shown, i)) {
			add_some(&l, &step);
			continue;
		}
		end_some(&l);
		one(&l, &step);
	}
	end_some(&l);
	map64_free(&l.causes);
}
