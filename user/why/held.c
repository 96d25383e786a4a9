// SPDX-License-Identifier: Apache-2.0
/* held: see held.h. */
#include "why/held.h"

#include <string.h>

enum {
	/* kept stays, at most: more than the Ps of any machine */
	ACTIVE = 1024,
	HOLDERS = 1 << 16,	/* functions with sums, at most */
};

struct held_stay {
	int64_t from, to;
	const char *name;
	uint64_t procs;		/* TRAIL_PROCS: GOMAXPROCS */
	uint64_t g;
	const char *reason;
	uint32_t stack;
	uint32_t parts;		/* newest part of the thread, for parts_before() */
	uint8_t kind;
};

/* The path, and the step for which records are read; step is NULL at the begin of a path. */
struct window {
	struct held *h;
	struct step *step;
	struct path *path;
};

static uint64_t held_overlap(const struct held_stay *s, const struct step *step)
{
	int64_t from = s->from > step->from ? s->from : step->from,
		to = s->to < step->to ? s->to : step->to;

	return from < to ? (uint64_t)to - (uint64_t)from : 0;
}

static void add_to(struct map64 *sums, const char *name, uint64_t ns)
{
	uint64_t key = (uint64_t)(uintptr_t)name, *found = map64_get(sums, key);

	if (!found && sums->len >= HOLDERS)
		return;
	*(found ? found : map64_put(sums, key, NULL)) += ns;
}

/* Adds the states in Linux of the thread of @s during the step. */
static void held_add_threads(struct held *h, struct held_stay *s, struct step *step)
{
	struct parts *split = trail_parts(h->trail);
	int64_t from = s->from > step->from ? s->from : step->from,
		t = s->to < step->to ? s->to : step->to;

	while (split->oncpu && t > from) {
		struct thread_part part = parts_before(split, &s->parts, t, from);
		uint64_t ns = (uint64_t)(t - part.from);

		step->threads[part.state] += ns;
		if (part.state != THREAD_RUNNING && part.state != THREAD_UNKNOWN)
			add_to(&h->off, s->name, ns);
		t = part.from;
	}
}

static void held_add_up(struct held *h, struct held_stay *s, struct step *step)
{
	uint64_t ns = held_overlap(s, step);

	if (!ns)
		return;
	if (s->kind == TRAIL_PROCS) {
		__uint128_t all = (__uint128_t)ns * s->procs;

		step->procs = all > UINT64_MAX - step->procs ? UINT64_MAX :
							       step->procs + (uint64_t)all;
		return;
	}
	step->held += ns;
	add_to(&h->sums, s->name, ns);
	held_add_threads(h, s, step);
}

static bool held_counts(uint8_t kind)
{
	return kind == TRAIL_RUNNING || kind == TRAIL_SYSCALL || kind == TRAIL_PROCS ||
	       kind == TRAIL_STOPPED;
}

/* --- records --- */

static void held_keep(struct vec *stays, const struct held_stay *s, struct path *path)
{
	if (stays->len < ACTIVE)
		*(struct held_stay *)vec_push(stays, sizeof(*s)) = *s;
	else if (s->kind != TRAIL_PROCS && s->kind != TRAIL_STOPPED)
		path->cut_holders += (uint64_t)(s->to - s->from);
}

static void held_take(void *ctx, const struct trail_rec *r)
{
	struct window *w = ctx;
	struct held_stay s = {
		.from = r->from,
		.to = r->to,
		.name = r->name,
		.kind = r->kind,
		.g = r->g,
		.procs = r->g,
		.reason = r->reason,
		.stack = r->stack,
		.parts = r->parts,
	};

	if (!held_counts(r->kind) || (w->step && r->from >= w->step->to))
		return;
	if (r->kind == TRAIL_STOPPED)
		held_keep(&w->h->stops, &s, w->path);
	else if (w->step && r->from >= w->step->from)
		held_add_up(w->h, &s, w->step);
	else
		held_keep(&w->h->active, &s, w->path);
}

/*
 * Reads all records that end after the begin of the step. A record with TRAIL_LATE is read with its
 * neighbours, although it ends earlier.
 */
static void read_back(struct held *h, struct window *w)
{
	struct store *store = trail_store(h->trail);

	while (h->next) {
		const struct trail_rec *r = store_at(store, h->next - 1);

		if (r->to <= w->step->from && !(r->flags & TRAIL_LATE))
			break;
		h->next--;
		h->read++;
		held_take(w, r);
	}
}

/*
 * Adds the kept stays, which reach back from this step or from steps later in time. A stay that
 * begins after this step is dropped: earlier steps cannot overlap it, either.
 */
static void look_at_active(struct held *h, struct step *step)
{
	size_t i;

	for (i = 0; i < h->active.len; ) {
		struct held_stay *s = vec_at(&h->active, struct held_stay, i);

		if (s->from >= step->to) {
			*s = *vec_at(&h->active, struct held_stay, --h->active.len);
			continue;
		}
		held_add_up(h, s, step);
		i++;
	}
}

void held_begin(struct held *h, struct trail *t, int64_t time, struct path *path)
{
	struct window w = { .h = h, .path = path };

	h->trail = t;
	h->active.len = h->stops.len = 0;
	trail_open(t, time, held_take, &w);
	h->next = store_len(trail_store(t));
}

void held_free(struct held *h)
{
	vec_free(&h->active);
	vec_free(&h->stops);
	map64_free(&h->sums);
	map64_free(&h->off);
}

/* --- steps --- */

static void put_holder(struct step *step, const char *name, uint64_t ns, uint64_t off)
{
	int i = STEP_HOLDERS;

	while (i && step->holders[i - 1].ns < ns)
		i--;
	if (i == STEP_HOLDERS)
		return;
	memmove(&step->holders[i + 1], &step->holders[i],
		sizeof(step->holders[0]) * (size_t)(STEP_HOLDERS - 1 - i));
	step->holders[i] = (struct holder){ name, ns, off };
}

static void held_sum_up(struct held *h, struct step *step, struct path *path)
{
	size_t i;

	for (i = 0; i < h->sums.made; i++) {
		const struct map64_slot *slot = &h->sums.slots[i];
		const uint64_t *off = slot->used ? map64_get(&h->off, slot->key) : NULL;

		if (!slot->used)
			continue;
		put_holder(step, (const char *)(uintptr_t)slot->key, slot->value, off ? *off : 0);
		add_to(&path->holders, (const char *)(uintptr_t)slot->key, slot->value);
		if (off)
			add_to(&path->off, (const char *)(uintptr_t)slot->key, *off);
	}
	map64_clear(&h->sums);
	map64_clear(&h->off);
	for (i = 0; i < THREAD_STATES; i++)
		path->threads[i] += step->threads[i];
	path->runnable += (uint64_t)(step->to - step->from);
	path->procs += step->procs;
	path->held += step->held;
}

/*
 * Returns the stop with the latest end of those that begin before @until. Drops the stops that
 * begin later.
 */
static const struct held_stay *last_stop(struct held *h, int64_t until)
{
	const struct held_stay *last = NULL;
	size_t i;

	for (i = 0; i < h->stops.len; ) {
		struct held_stay *s = vec_at(&h->stops, struct held_stay, i);

		if (s->from >= until) {
			*s = *vec_at(&h->stops, struct held_stay, --h->stops.len);
			continue;
		}
		if (!last || s->to > last->to)
			last = s;
		i++;
	}
	return last;
}

static void held_add_part(struct step *part, int64_t from, struct path *path)
{
	struct step added = *part;

	added.from = from;
	part->to = from;
	if (added.from == added.to)
		return;
	path_add(path, &added);
	part->procs = part->held = 0;	/* only one of the steps of a stay has the sums */
	memset(part->holders, 0, sizeof(part->holders));
	memset(part->threads, 0, sizeof(part->threads));
	part->via = VIA_NONE;
}

static void add_stopped(struct step *part, const struct held_stay *stop, struct path *path)
{
	struct step added = *part;

	added.from = stop->from > part->from ? stop->from : part->from;
	added.kind = STEP_STOPPED;
	added.reason = stop->reason;
	added.stack = stop->stack;
	added.end_stack = 0;
	added.procs = added.held = 0;
	memset(added.holders, 0, sizeof(added.holders));
	memset(added.threads, 0, sizeof(added.threads));
	path_add(path, &added);
	part->to = added.from;
	part->via = VIA_NONE;
}

void held_step(struct held *h, struct step *step, struct path *path)
{
	struct window w = { h, step, path };
	const struct held_stay *stop;

	read_back(h, &w);
	look_at_active(h, step);
	held_sum_up(h, step, path);
	while (step->to > step->from) {
		stop = last_stop(h, step->to);
		if (!stop || stop->to <= step->from) {
			held_add_part(step, step->from, path);
			break;
		}
		if (stop->to < step->to)
			held_add_part(step, stop->to, path);
		add_stopped(step, stop, path);
	}
}
