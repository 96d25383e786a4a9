// SPDX-License-Identifier: Apache-2.0
/* detail_plan: decides on tracks, the finest level of each, and the windows. Part of detail.c. */
#include <stdlib.h>
#include <string.h>

#include "html/detail_internal.h"

/*
 * STAY_BYTES and RUN_BYTES: bytes of a stay and of a run in a deflated block, as measured with
 * traces of servers and of tests/prog/gc.go.
 */
enum { STAY_BYTES = 6, RUN_BYTES = 5, WINDOWS_MAX = 64, SPREAD = 8 };

/* Returns the bytes that the stays and runs of @level take. */
static double level_cost(const uint64_t classes[LEVELS], unsigned level, double tracks,
			 double whole)
{
	double below = 0, above = 0, most;
	unsigned i;

	for (i = 0; i < LEVELS; i++)
		*(i < level ? &below : &above) += (double)classes[i];
	if (!level)
		return STAY_BYTES * (double)classes[0];
	most = whole * tracks / (double)level_width(level) + above;
	return STAY_BYTES * (double)classes[level] + RUN_BYTES * (below < most ? below : most);
}

/*
 * Returns the finest level down to which all levels together take at most @room bytes. *@cost: the
 * bytes that they take.
 */
static uint8_t plan_finest(const uint64_t classes[LEVELS], double tracks, double whole, double room,
			   double *cost)
{
	int level;

	*cost = 0;
	for (level = LEVELS - 1; level >= 0; level--) {
		double more = level_cost(classes, (unsigned)level, tracks, whole);

		if (*cost + more > room)
			break;
		*cost += more;
	}
	return (uint8_t)(level + 1);
}

static void add_track(struct detail *d, enum plane plane, uint8_t level)
{
	struct level_track *t = vec_push(&d->tracks[plane], sizeof(*t));
	uint32_t number = (uint32_t)d->tracks[plane].len - 1;

	t->plane = plane;
	t->group = number / GROUP_TRACKS;
	t->place = number % GROUP_TRACKS;
	t->finest = level;
}

/* Adds as many tracks as @plane has to its PLANE_OFF plane. */
static void plan_off(struct detail *d, enum plane plane, uint8_t level)
{
	size_t i, n = d->tracks[plane].len;

	for (i = 0; i < n; i++)
		add_track(d, PLANE_OFF + plane, level);
}

static int plan_by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void plan_procs(struct detail *d, uint8_t level)
{
	const struct map64 *procs = &d->h->procs;
	size_t i;

	for (i = 0; i < procs->made; i++)
		if (procs->slots[i].used)
			*(uint64_t *)vec_push(&d->procs, sizeof(uint64_t)) = procs->slots[i].key;
	vec_sort(&d->procs, sizeof(uint64_t), plan_by_id);
	if (d->procs.len > DETAIL_PROCS)
		d->procs.len = DETAIL_PROCS;
	for (i = 0; i < d->procs.len; i++) {
		*map64_put(&d->proc_tracks, *vec_at(&d->procs, uint64_t, i), NULL) = i + 1;
		add_track(d, PLANE_P, level);
	}
}

static void plan_threads(struct detail *d, uint8_t level)
{
	size_t i;

	for (i = 0; i < d->h->threads.len && i < DETAIL_THREADS; i++)
		add_track(d, PLANE_M, level);
}

/*
 * Adds the tracks of goroutines. The levels of one goroutine may take a 48th of the remaining
 * bytes, or 1500 if that is more: a goroutine with a short life is kept whole.
 */
static void plan_goroutines(struct detail *d, double room)
{
	size_t i;

	for (i = 0; i < d->h->rows.len && i < DETAIL_GOROUTINES; i++) {
		const struct row *r = vec_at(&d->h->rows, struct row, i);
		uint64_t classes[LEVELS];
		double cost, part = room / 48 > 1500 ? room / 48 : 1500;
		unsigned c;
		uint8_t level;

		for (c = 0; c < LEVELS; c++)
			classes[c] = r->classes[c];
		level = plan_finest(classes, 1, (double)(r->to - r->from), part, &cost);
		if (cost > room)
			break;
		room -= cost;
		*map64_put(&d->goroutine_tracks, r->serial, NULL) = i + 1;
		add_track(d, PLANE_G, level);
	}
}

/* --- windows --- */

static void add_window(struct detail *d, double middle, double width)
{
	double end = (double)(d->h->last - d->h->first), from = middle - width / 2;

	if (d->windows.len >= WINDOWS_MAX)
		return;
	if (from + width > end)
		from = end - width;
	if (from < 0)
		from = 0;
	*(struct level_window *)vec_push(&d->windows, sizeof(struct level_window)) =
		(struct level_window){ (int64_t)from, (int64_t)(from + width) };
}

static int by_from(const void *a, const void *b)
{
	const struct level_window *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void join_windows(struct vec *v)
{
	size_t i, n = 0;

	if (!v->len)
		return;
	vec_sort(v, sizeof(struct level_window), by_from);
	for (i = 1; i < v->len; i++) {
		struct level_window *last = vec_at(v, struct level_window, n);
		struct level_window *next = vec_at(v, struct level_window, i);

		if (next->from > last->to)
			*vec_at(v, struct level_window, ++n) = *next;
		else if (next->to > last->to)
			last->to = next->to;
	}
	v->len = n + 1;
}

/*
 * Adds windows at the places of findings, at the ends of the longest waits for a P and stops of the
 * world, and SPREAD evenly distributed ones.
 */
static void plan_windows(struct detail *d, const struct html_about *about, double width)
{
	const struct html *h = d->h;
	double whole = (double)(h->last - h->first);
	size_t i;

	for (i = 0; i < about->nplaces && i < WINDOWS_MAX / 4; i++) {
		add_window(d, (double)(about->places[i].from - h->first), width);
		add_window(d, (double)(about->places[i].to - h->first), width);
	}
	for (i = 0; i < LONGEST / 2; i++) {
		add_window(d, (double)(h->longest[PAGE_RUNNABLE][i].to - h->first), width);
		add_window(d, (double)(h->stw[i].to - h->first), width);
	}
	for (i = 0; i < SPREAD; i++)
		add_window(d, whole * ((double)i + 0.5) / SPREAD, width);
	join_windows(&d->windows);
}

void detail_plan(struct detail *d, const struct html_about *about, size_t room)
{
	const struct html *h = d->h;
	double whole = (double)(h->last - h->first) + 1, bytes = (double)room, cost, all = 0, none;
	double procs = (double)h->procs.len, threads = (double)h->threads.len;
	enum plane plane;
	uint8_t p, m, off;

	p = plan_finest(h->proc_classes, procs, whole, bytes * 0.4, &cost);
	bytes -= cost;
	m = plan_finest(h->thread_classes, threads, whole, bytes * 0.2, &cost);
	bytes -= cost;
	/* each stay off the CPU is on three planes */
	off = plan_finest(h->off_classes, procs + threads, whole, bytes * 0.05, &cost);
	bytes -= 3 * cost;
	plan_procs(d, p);
	plan_threads(d, m);
	plan_goroutines(d, bytes * 0.7);
	for (plane = 0; plane < PLANE_OFF; plane++)
		plan_off(d, plane, off);
	plan_finest(h->off_classes, procs + threads, whole, 1e18, &none);
	all += 3 * none;
	plan_finest(h->proc_classes, procs, whole, 1e18, &none);
	all += none;
	plan_finest(h->thread_classes, threads, whole, 1e18, &none);
	all += none + (double)h->span_count * (STAY_BYTES + RUN_BYTES);
	if (all > (double)room)
		plan_windows(d, about, whole * (bytes * 0.3 / all) / 32);
}

/* --- blocks of the page --- */

struct choice {
	struct block *block;
	double rank;
};

/*
 * Returns the rank of a block; low ranks come first. Ps and coarse levels come first, then
 * goroutines in their order and finer levels. A block in a window ranks higher: as the same level
 * of the first goroutines.
 */
static double rank_of(const struct block *b, int64_t whole)
{
	unsigned plane = b->plane % PLANE_OFF;
	double depth = 0, group = plane == PLANE_P ? b->group * 0.5 :
				  plane == PLANE_M ? 4 + b->group :
						     b->group;
	int64_t width = level_width(b->level);

	while (width < whole / 512 && width < (int64_t)1 << 44) {
		depth++;
		width = width ? width * 4 : 4096;
	}
	return group + depth * 2 - (b->in_window ? 6 : 0);
}

static int by_rank(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->block->from < y->block->from ? -1 : x->block->from > y->block->from;
}

void detail_choose(struct detail *d, size_t room)
{
	size_t n = d->blocks.blocks.len, i;
	struct choice *all = xcalloc(n + 1, sizeof(*all));

	for (i = 0; i < n; i++) {
		all[i].block = vec_at(&d->blocks.blocks, struct block, i);
		all[i].rank = rank_of(all[i].block, d->h->last - d->h->first);
	}
	qsort(all, n, sizeof(*all), by_rank);
	for (i = 0; i < n; i++) {
		size_t size = all[i].block->size + 56;

		if (size > room)
			continue;
		room -= size;
		all[i].block->kept = true;
	}
	free(all);
}
