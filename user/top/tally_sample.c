// SPDX-License-Identifier: Apache-2.0
/*
 * tally_sample: the copy of an interval, and the places of goroutines. See tally_internal.h and
 * sample.h.
 */
#include <stdlib.h>
#include <string.h>

#include "top/tally_internal.h"

static void sample_add_group(struct top_numbers *all, const struct group *g, struct dist *sched)
{
	int i;

	for (i = 0; i < TOP_STATES; i++) {
		all->now[i] += g->now[i];
		all->ns[i] += g->ns[i];
	}
	all->created += g->created;
	all->ended += g->ended;
	all->syscalls += g->syscalls;
	dist_merge(sched, &g->sched);
}

static void sample_sum_up(const struct tally *t, struct top_sample *s)
{
	struct dist sched = {0};
	size_t i;

	for (i = 0; i < t->groups.by_key.made; i++) {
		const struct group *g =
			(const struct group *)(uintptr_t)t->groups.by_key.slots[i].value;

		if (g)
			sample_add_group(&s->all, g, &sched);
	}
	s->all.sched = top_waits_of(&sched);
	dist_free(&sched);
}

static int sample_by_id(const void *a, const void *b)
{
	const struct top_proc *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void copy_procs(const struct tally *t, struct top_sample *s)
{
	size_t i;

	for (i = 0; i < t->procs.made; i++) {
		const struct tally_proc *p =
			(const struct tally_proc *)(uintptr_t)t->procs.slots[i].value;

		if (p && (!t->gomaxprocs || p->id < t->gomaxprocs || p->m))
			*(struct top_proc *)vec_push(&s->procs, sizeof(struct top_proc)) =
				(struct top_proc){
					p->id,
					p->ns[PROC_RUNS],
					p->ns[PROC_IN_SYSCALL],
					p->ns[PROC_HAS_THREAD],
				};
	}
	vec_sort(&s->procs, sizeof(struct top_proc), sample_by_id);
}

/* --- routes in the place of groups --- */

static void sample_put_routes(struct top_sample *s)
{
	size_t i;

	for (i = 0; i < s->requests.routes.len; i++) {
		const struct top_route *route = vec_at(&s->requests.routes, struct top_route, i);

		*(struct top_row *)vec_push(&s->rows, sizeof(struct top_row)) = (struct top_row){
			.key = route->key, .name = xstrdup(route->name), .route = route,
		};
	}
}

/* --- places --- */

/*
 * Limit on distinct places of all rows together: a program of a million goroutines may have a
 * million places.
 */
enum { PLACES_MAX = 8192 };

static bool sample_is_wanted(const struct tally *t, uint64_t row)
{
	size_t i;

	for (i = 0; i < t->wanted.len; i++)
		if (*vec_at(&t->wanted, uint64_t, i) == row)
			return true;
	return t->want_all;
}

static uint64_t place_key(const struct tap_go *g)
{
	const struct tally_go *of = tally_go_of(g);

	return hash64(g->stack ^
		      hash64(of->group->key ^ hash64(((uint64_t)of->reason << 8) | g->state)));
}

static void count_place(const struct tally *t, const struct tap_go *g, struct map64 *found,
			struct top_sample *s)
{
	const struct tally_go *of = tally_go_of(g);
	uint64_t key = place_key(g), *at = map64_get(found, key);

	if (!at && s->places.len >= PLACES_MAX)
		return;
	if (!at) {
		at = map64_put(found, key, NULL);
		*at = s->places.len;
		*(struct top_place *)vec_push(&s->places, sizeof(struct top_place)) =
			(struct top_place){
				of->group->key,
				tally_state(g),
				reasons_text(&t->reasons, of->reason),
				g->stack,
				0,
			};
	}
	vec_at(&s->places, struct top_place, *at)->now++;
}

static int by_row_and_number(const void *a, const void *b)
{
	const struct top_place *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->now != y->now)
		return x->now > y->now ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

void top_tally_places(const struct tally *t, struct top_sample *s)
{
	struct map64 found = {0};
	const struct tap_go *g;
	size_t at = 0;

	s->places.len = 0;
	if (s->by_route || (!t->want_all && !t->wanted.len))
		return;
	while ((g = tap_next(t->tap, &at)))
		if (sample_is_wanted(t, tally_go_of(g)->group->key))
			count_place(t, g, &found, s);
	vec_sort(&s->places, sizeof(struct top_place), by_row_and_number);
	map64_free(&found);
}

struct top_sample *top_tally_sample(struct tally *t, uint64_t to)
{
	struct top_sample *s = xcalloc(1, sizeof(*s));

	s->number = t->number;
	s->by = group_by_names[t->opts.by];
	s->from = t->from;
	s->to = to;
	s->unrecorded = t->unrecorded;
	s->system_now = t->system;
	s->runnable_max = t->runnable_max;
	s->gomaxprocs = t->gomaxprocs;
	s->gc = (struct top_gc){ t->gc.on,  t->gc_cycles,   t->gc.ns,	t->stw_count,
				 t->stw.ns, t->stw_longest, t->assists, t->assist_ns };
	memcpy(s->histograms, t->histograms, sizeof(s->histograms));
	s->heap = t->heap;
	s->machine.cpu = s->machine.cpu_probes = -1;
	s->machine.level = "";
	sample_sum_up(t, s);
	copy_procs(t, s);
	if (t->routes)
		top_routes_sample(t->routes, to, &s->requests);
	s->by_route = t->opts.by == BY_ROUTE;
	if (s->by_route)
		sample_put_routes(s);
	else
		groups_sample(&t->groups, &t->reasons, s);
	top_tally_waits_sample(t, s);
	top_tally_places(t, s);
	return s;
}
