// SPDX-License-Identifier: Apache-2.0
/* units: see unit.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/causes.h"
#include "unit/choose.h"
#include "unit/candidates.h"
#include "unit/errors.h"
#include "unit/explain.h"
#include "unit/samples.h"
#include "unit/snapshot.h"
#include "unit/walked.h"
#include "why/sides.h"
#include "why/group.h"

/* SAMPLE: instances of a unit with a path, evenly by duration; SLOW_FROM: percentile */
enum { SAMPLE = 96, SLOW_FROM = 99 };

struct units {
	struct candidates candidates;
	struct unit_samples samples;
	struct unit_snapshot snapshot;
	struct spans *s;	/* of the second reading */
	struct trail *trail;
	struct walk walk;
	struct held held;
	struct sides *sides;	/* NULL: no other traces are read */
	struct instances chosen;
	struct unit units[1 + UNITS_ROUTES];
	struct unit_spot spots[1 + UNITS_ROUTES];
	size_t n;
	struct dist waited;	/* the wait of @snapshot */
	struct path *walked;	/* of one of unit.walked; NULL: none are wanted */
	struct error failed;
};

struct units *units_new(void)
{
	return xcalloc(1, sizeof(struct units));
}

static void units_free_walked(struct unit *unit)
{
	size_t i;

	for (i = 0; i < unit->nwalked; i++)
		walked_free(&unit->walked[i]);
	free(unit->walked);
	vec_free(&unit->instances);
}

void units_free(struct units *u)
{
	size_t i, k;

	if (!u)
		return;
	for (i = 0; i < u->n; i++) {
		path_free(&u->units[i].groups[0].path);
		path_free(&u->units[i].groups[1].path);
		free(u->units[i].groups);
		path_free(u->units[i].slowest_path);
		free(u->units[i].slowest_path);
		for (k = 0; k < u->units[i].ncauses; k++)
			buf_free(&u->units[i].causes[k].text);
		units_free_walked(&u->units[i]);
	}
	if (u->walked)
		path_free(u->walked);
	free(u->walked);
	candidates_free(&u->candidates);
	samples_free(&u->samples);
	snapshot_free(&u->snapshot);
	dist_free(&u->waited);
	instances_free(&u->chosen);
	held_free(&u->held);
	vec_free(&u->walk.frames);
	sides_free(u->sides);
	trail_free(u->trail);
	spans_free(u->s);
	free(u);
}

void units_collect(struct units *u, struct spans *s)
{
	candidates_init(&u->candidates, s);
	samples_init(&u->samples, s);
	snapshot_init(&u->snapshot, s);
}

void units_label(struct units *u, const struct labelled *l)
{
	u->candidates.label = l;
}

void units_expect(struct units *u, const char *trigger, int64_t time)
{
	u->snapshot.want = time;
	snprintf(u->snapshot.wanted, sizeof(u->snapshot.wanted), "%s", trigger);
}

void units_collected(struct units *u)
{
	spans_leave(u->candidates.s, &u->candidates);
	spans_leave(u->samples.s, &u->samples);
	spans_leave(u->snapshot.s, &u->snapshot);
}

/* --- the choice --- */

static int units_by_time(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->g < y->g ? -1 : x->g > y->g;
}

static void units_pick(struct units *u, const struct instance *in, size_t group)
{
	struct instance *picked = vec_push(&u->chosen.picked, sizeof(*picked));

	*picked = *in;
	picked->group = (uint16_t)group;
}

static bool units_has(const struct vec *list, size_t first, const struct instance *in)
{
	size_t i;

	for (i = first; i < list->len; i++)
		if (!units_by_time(vec_at(list, struct instance, i), in))
			return true;
	return false;
}

/* Chooses instances that are not among the slow ones from @first on, evenly by rank. */
static void units_sample_rest(struct units *u, struct vec *kept, const struct vec *slow,
			      size_t first, size_t unit)
{
	size_t i, n = 0;

	vec_sort(kept, sizeof(struct instance), units_by_time);
	for (i = 0; i < kept->len; i++)
		if (!units_has(slow, first, vec_at(kept, struct instance, i)))
			*vec_at(kept, struct instance, n++) = *vec_at(kept, struct instance, i);
	for (i = 0; i < n && i < SAMPLE; i++)
		units_pick(u, vec_at(kept, struct instance, n > SAMPLE ? i * n / SAMPLE : i),
			   2 * unit);
}

/*
 * Chooses the instances that get a path: the slowest hundredth, and a sample of the others. No
 * instance is in both groups.
 */
static void units_sample(struct units *u, struct unit_list *list, size_t unit)
{
	struct vec slow = {0};
	size_t i, first, most = (size_t)ceil((double)list->n * (100 - SLOW_FROM) / 100);

	for (i = 0; i < list->nslowest; i++)
		*(struct instance *)vec_push(&slow, sizeof(struct instance)) = list->slowest[i];
	vec_sort(&slow, sizeof(struct instance), units_by_time);
	first = slow.len - (most < slow.len ? most : slow.len);
	for (i = first; i < slow.len; i++)
		units_pick(u, vec_at(&slow, struct instance, i), 2 * unit + 1);
	if (slow.len)
		u->units[unit].slowest = *vec_at(&slow, struct instance, slow.len - 1);
	units_sample_rest(u, &list->kept, &slow, first, unit);
	vec_free(&slow);
}

static int units_by_begin(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->g != y->g ? (x->g < y->g ? -1 : 1) : x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Keeps the instances of @list, each once: the slowest ones may be among the others. */
static void units_keep(struct unit *unit, const struct unit_list *list)
{
	struct vec *v = &unit->instances;
	size_t i, n = 0;

	for (i = 0; i < list->kept.len + list->nslowest; i++)
		*(struct instance *)vec_push(v, sizeof(struct instance)) =
			i < list->kept.len ? *vec_at(&list->kept, struct instance, i) :
					     list->slowest[i - list->kept.len];
	vec_sort(v, sizeof(struct instance), units_by_begin);
	for (i = 0; i < v->len; i++)
		if (!n || units_by_begin(vec_at(v, struct instance, n - 1),
					 vec_at(v, struct instance, i)))
			*vec_at(v, struct instance, n++) = *vec_at(v, struct instance, i);
	v->len = n;
}

/* Chooses the walked ones among the instances picked from number @first on. */
static void units_choose_walked(struct units *u, struct unit *unit, size_t first)
{
	const struct vec *v = &u->chosen.picked;

	if (!u->walked || v->len == first)
		return;
	unit->walked = xcalloc(WALKED_MOST, sizeof(*unit->walked));
	unit->nwalked = walked_choose(vec_at(v, struct instance, first), v->len - first,
				      unit->walked);
}

static void units_init_paths(struct units *u, struct unit *unit)
{
	unit->groups = xcalloc(2, sizeof(*unit->groups));
	path_init(&unit->groups[0].path, u->s, false);
	path_init(&unit->groups[1].path, u->s, false);
	unit->slowest_path = xcalloc(1, sizeof(*unit->slowest_path));
	path_init(unit->slowest_path, u->s, false);
}

static void units_make(struct units *u, struct unit_list *list)
{
	double wall = (double)(u->candidates.last - u->candidates.first);
	struct unit *unit = &u->units[u->n++];
	size_t first = u->chosen.picked.len;

	*unit = (struct unit){
		.kind = list->kind,
		.name = list->handler ? list->handler : list->root,
		.root = list->root,
		.n = list->n,
		.ns = list->ns,
		.dist = list->dist,
		.errors = errors_of(list, u->candidates.first, u->candidates.last),
		.seconds = wall / 1e9,
		.spread = wall > 0 ? (double)(list->last - list->first) / wall : 0,
	};
	u->spots[u->n - 1] =
		(struct unit_spot){ list->kind, list->root, list->handler, list->at };
	units_init_paths(u, unit);
	if (u->walked)
		units_keep(unit, list);
	units_sample(u, list, u->n - 1);
	units_choose_walked(u, unit, first);
}

/* The interval for which the trace was written is the only instance of its unit. */
static void units_make_trigger(struct units *u)
{
	const struct snapshot_stay *w = &u->snapshot.stay;
	struct unit *unit = &u->units[u->n];

	if (!u->snapshot.found || w->to == INT64_MAX || w->to <= w->from)
		return;
	dist_add(&u->waited, w->to - w->from);
	*unit = (struct unit){
		.kind = UNIT_TRIGGER,
		.name = w->name,
		.root = w->name,
		.n = 1,
		.ns = w->to - w->from,
		.dist = u->waited,
		.seconds = (double)(u->candidates.last - u->candidates.first) / 1e9,
		.slowest = { .from = w->from, .ns = w->to - w->from, .g = w->g,
			     .of = w->state == GO_WAITING ? WHY_WAIT : WHY_PART },
		.snapshot = &u->snapshot,
	};
	u->spots[u->n] = (struct unit_spot){ .kind = UNIT_TRIGGER, .root = w->name };
	units_init_paths(u, unit);
	units_pick(u, &unit->slowest, 2 * u->n++ + 1);
	if (u->walked)
		*(struct instance *)vec_push(&unit->instances, sizeof(struct instance)) =
			unit->slowest;
	units_choose_walked(u, unit, u->chosen.picked.len - 1);
}

static void units_walk_one(struct units *u, struct walked *w, const struct trail_rec *at)
{
	path_empty(u->walked);
	walk_interval(&u->walk, u->walked, w->in.from, w->in.from + w->in.ns, at, &u->failed);
	w->g = at->g;
	walked_take(w, u->walked);
}

static void units_instance(void *ctx, const struct instance *in, const struct trail_rec *at)
{
	struct units *u = ctx;
	struct unit *unit = &u->units[in->group / 2];
	size_t i;

	for (i = 0; i < unit->nwalked; i++)
		if (!units_by_time(&unit->walked[i].in, in))
			units_walk_one(u, &unit->walked[i], at);
	group_add(&unit->groups[in->group % 2], &u->walk, in->from, in->from + in->ns, at,
		  &u->failed);
	if (units_by_time(&unit->slowest, in))
		return;
	unit->slowest_g = at->g;
	walk_interval(&u->walk, unit->slowest_path, in->from, in->from + in->ns, at, &u->failed);
}

void units_walk(struct units *u)
{
	u->walked = xcalloc(1, sizeof(*u->walked));
}

struct path *units_walked(struct units *u)
{
	return u->walked;
}

static size_t units_candidates(const struct units *u, const char *name, size_t *chosen)
{
	return choose_units(&u->candidates.lists, u->candidates.last - u->candidates.first, name,
			    chosen);
}

static struct unit_list *units_list(struct units *u, size_t i)
{
	return vec_at(&u->candidates.lists.lists, struct unit_list, i);
}

/* Prepares the second reading. */
static void units_begin_paths(struct units *u)
{
	u->s = spans_new();
	u->trail = trail_new(u->s);
	u->walk.trail = u->trail;
	u->walk.held = &u->held;
	instances_init(&u->chosen, u->s, u->trail, u, units_instance);
	if (u->walked)
		path_init(u->walked, u->s, true);
}

/* Makes units of @n chosen lists. */
static void units_take(struct units *u, const size_t *chosen, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		units_make(u, units_list(u, chosen[i]));
	instances_sort(&u->chosen);
}

size_t units_choose(struct units *u, const char *name)
{
	size_t chosen[UNITS_MOST], n = units_candidates(u, name, chosen);

	if (name && !n)
		return 0;
	units_begin_paths(u);
	if (!name)
		units_make_trigger(u);
	units_take(u, chosen, n);
	return u->n;
}

size_t units_choose_routes(struct units *u)
{
	size_t chosen[UNITS_ROUTES], n = choose_routes(&u->candidates.lists, chosen);

	if (!n)
		return 0;
	units_begin_paths(u);
	units_take(u, chosen, n);
	return u->n;
}

/* Chooses the first unit of @of, and the same one of @other. False: @other has not that unit. */
static bool units_choose_as(struct units *of, struct units *other)
{
	size_t chosen[UNITS_MOST], alike;

	if (!units_candidates(of, NULL, chosen))
		return false;
	alike = choose_alike(&other->candidates.lists, units_list(of, chosen[0]));
	if (alike == other->candidates.lists.lists.len)
		return false;
	units_begin_paths(of);
	units_begin_paths(other);
	units_take(of, chosen, 1);
	units_take(other, &alike, 1);
	return true;
}

bool units_choose_common(struct units *a, struct units *b)
{
	return units_choose_as(a, b) || units_choose_as(b, a);
}

/* --- the second reading --- */

struct spans *units_spans(struct units *u)
{
	return u->s;
}

void units_beside(struct units *u, struct trace_reader *const *readers, size_t n)
{
	u->sides = sides_new(u->s, u->trail, readers, n);
	u->walk.sides = u->sides;
}

int units_read(struct units *u, struct trace_reader *r, struct oncpu *o, struct error *err)
{
	size_t i;
	int ret;

	trail_parts(u->trail)->oncpu = o;
	instances_trace(&u->chosen, 0);
	ret = u->sides ? sides_read(u->sides, r, err) : spans_read(u->s, r, err);
	trail_parts(u->trail)->oncpu = NULL;
	if (!ret && u->failed.code) {
		*err = u->failed;
		ret = err->code;
	}
	for (i = 0; i < u->n && !u->failed.code; i++)
		unit_explain(&u->units[i], spans_stacks(u->s));
	return ret;
}

size_t units_count(const struct units *u)
{
	return u->n;
}

const struct unit *units_at(const struct units *u, size_t i)
{
	return &u->units[i];
}

struct unit_spot units_spot(const struct units *u, size_t i)
{
	return u->spots[i];
}

uint32_t units_line_at(struct units *u, uint32_t stack)
{
	return candidates_place(&u->candidates, stack).at;
}

const char *units_handler_at(struct units *u, uint32_t stack)
{
	return candidates_place(&u->candidates, stack).handler;
}

void units_explain(struct units *u, const struct vec *list)
{
	size_t i, k;

	for (k = 0; k < list->len; k++)
		for (i = 0; i < u->n; i++)
			explain_unit(&u->units[i], vec_at(list, struct finding, k), k + 1);
}

struct stack_set *units_stacks(const struct units *u)
{
	return spans_stacks(u->s);
}

int64_t units_begin(const struct units *u)
{
	return u->candidates.first;
}

const struct unit_snapshot *units_snapshot(const struct units *u)
{
	return &u->snapshot;
}

const struct unit_samples *units_samples(const struct units *u)
{
	return &u->samples;
}
