// SPDX-License-Identifier: Apache-2.0
/* samples: see samples.h. */
#include "unit/samples.h"

#include <string.h>

#include "base/map64.h"
#include "read/view.h"
#include "why/place.h"

enum { SAMPLED_FUNCTIONS = 4096 };

struct sampled {
	const char *root, *function, *file;
	uint64_t n;
	/* a majority vote for the line */
	uint64_t line, votes;
};

static struct sampled *samples_row_of(struct unit_samples *m, const char *root, const char *func)
{
	uint64_t key = hash64_seeded(hash64_seeded((uint64_t)(uintptr_t)root) ^
				     (uint64_t)(uintptr_t)func);
	uint64_t *found = map64_get(&m->by_key, key);

	if (found)
		return vec_at(&m->list, struct sampled, *found);
	if (m->list.len == SAMPLED_FUNCTIONS)
		return NULL;
	*map64_put(&m->by_key, key, NULL) = m->list.len;
	return vec_push(&m->list, sizeof(struct sampled));
}

static void samples_vote(struct sampled *row, uint64_t line)
{
	if (!row->votes)
		row->line = line;
	row->votes += row->line == line ? 1 : (uint64_t)-1;
}

static void samples_on_sample(void *ctx, const struct trace_event *ev, uint32_t stack)
{
	struct unit_samples *m = ctx;
	const struct goroutine *g = spans_goroutine(m->s, ev->g);
	const struct stack_frame *f = place_frame(spans_stacks(m->s), stack);
	struct sampled *row = g && *g->name && f ? samples_row_of(m, g->name, f->func) : NULL;

	if (!row)
		return;
	row->root = g->name;
	row->function = f->func;
	row->file = f->file;
	row->n++;
	samples_vote(row, f->line);
}

void samples_init(struct unit_samples *m, struct spans *s)
{
	*m = (struct unit_samples){ .s = s };
	spans_visit(s, &(struct spans_visitor){ .ctx = m, .sample = samples_on_sample });
}

void samples_free(struct unit_samples *m)
{
	vec_free(&m->list);
	map64_free(&m->by_key);
}

/* Returns the row of @root with most samples that comes after @than in that order; NULL: none. */
static const struct sampled *samples_next(const struct unit_samples *m, const char *root,
					  const struct sampled *than)
{
	const struct sampled *best = NULL, *row;
	size_t i;

	for (i = 0; i < m->list.len; i++) {
		row = vec_at(&m->list, struct sampled, i);
		if (strcmp(row->root, root) ||
		    (than && (row->n > than->n || (row->n == than->n && row <= than))))
			continue;
		if (!best || row->n > best->n)
			best = row;
	}
	return best;
}

static uint64_t samples_all(const struct unit_samples *m, const char *root)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < m->list.len; i++)
		if (!strcmp(vec_at(&m->list, struct sampled, i)->root, root))
			n += vec_at(&m->list, struct sampled, i)->n;
	return n;
}

size_t samples_of(const struct unit_samples *m, const char *root, struct samples_row *rows,
		  size_t most)
{
	double all = (double)samples_all(m, root);
	const struct sampled *row = NULL;
	size_t n = 0;

	while (n < most && (row = samples_next(m, root, row))) {
		const char *base = strrchr(row->file, '/');

		rows[n++] = (struct samples_row){ row->function, base ? base + 1 : row->file,
						  row->line, (double)row->n / all };
	}
	return n;
}
