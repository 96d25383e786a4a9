// SPDX-License-Identifier: Apache-2.0
/*
 * linux: the time that goroutines were on threads, split by the states of the threads in Linux
 * (user/oncpu), as stays in addition to those from Go's events. Part of tables.c.
 */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

void tables_threads(struct tables *t, struct oncpu *o)
{
	t->oncpu = t->forgot ? NULL : o;
}

/* Is @span on a thread? *@stay: the first one of the stays into which it is split. */
static bool linux_is_split(const struct span *span, uint32_t *stay)
{
	*stay = span->state == GO_RUNNING ? STAY_LINUX : STAY_LINUX_CALL;
	return span->state == GO_RUNNING || span->state == GO_SYSCALL;
}

void linux_each_part(struct tables *t, const struct span *span, int64_t to, stay_fn *fn, void *ctx)
{
	const struct oncpu_part *parts;
	uint32_t stay;
	size_t n, i;

	if (!linux_is_split(span, &stay))
		return;
	parts = oncpu_parts(t->oncpu, span->m, span->from, to, &n);
	for (i = 0; i < n; i++)
		fn(ctx, stay + split_of(&parts[i]), parts[i].from, parts[i].to);
}

static struct open_split *open_split(struct tables *t, const struct goroutine *g)
{
	struct tally *tally = tables_tally_of(t, g);

	if (!tally->split)
		tally->split = xcalloc(1, sizeof(*tally->split));
	if (tally->split->from != g->now.from || tally->split->upto < g->now.from)
		*tally->split = (struct open_split){ .from = g->now.from, .upto = g->now.from };
	return tally->split;
}

/*
 * The state of the last part may still change, as of a wait for a CPU that turns out to be
 * throttled: only parts before it are kept.
 */
void linux_add_open(struct tables *t, const struct goroutine *g, int64_t to, stay_fn *fn, void *ctx)
{
	const struct oncpu_part *parts;
	struct open_split *open;
	uint32_t stay;
	size_t n, i;

	if (!linux_is_split(&g->now, &stay))
		return;
	open = open_split(t, g);
	parts = oncpu_parts(t->oncpu, g->now.m, open->upto, to, &n);
	for (i = 0; i + 1 < n; i++) {
		open->ns[split_of(&parts[i])] += parts[i].to - parts[i].from;
		open->upto = parts[i].to;
	}
	for (i = 0; i < SPLITS; i++)
		if (open->ns[i])
			fn(ctx, stay + (uint32_t)i, 0, open->ns[i]);
	if (n)
		fn(ctx, stay + split_of(&parts[n - 1]), parts[n - 1].from, parts[n - 1].to);
}

/* --- the file of threads was of another recording --- */

static void forget_row(struct function_row *row)
{
	uint32_t stay;

	for (stay = STAY_LINUX; stay < STAY_WAITS && stay < row->ndists; stay++) {
		if (row->dists[stay])
			dist_free(row->dists[stay]);
		free(row->dists[stay]);
		row->dists[stay] = NULL;
	}
}

static void forget_types(struct vec *rows)
{
	size_t i;
	uint32_t stay;

	for (i = 0; i < rows->len; i++) {
		struct stay_sums *s = &vec_at(rows, struct type_row, i)->sums;

		for (stay = STAY_LINUX; stay < STAY_WAITS && stay < s->n; stay++)
			s->ns[stay] = 0;
	}
}

void tables_forget_threads(struct tables *t)
{
	size_t i;
	uint32_t stay;

	for (i = 0; i < t->functions.len; i++)
		forget_row(vec_at(&t->functions, struct function_row, i));
	forget_types(&t->regions);
	forget_types(&t->tasks);
	for (stay = STAY_LINUX; stay < STAY_WAITS; stay++)
		t->stays[stay].moments.len = 0;
	t->split = false;
	t->forgot = true;
}
