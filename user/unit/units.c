// SPDX-License-Identifier: Apache-2.0
/* units: see unit.h. */
#include <math.h>
#include <stdlib.h>

#include "unit/causes.h"
#include "unit/choose.h"
#include "unit/candidates.h"
#include "why/group.h"

/* SAMPLE: instances of a unit with a path, evenly by duration; SLOW_FROM: percentile */
enum { SAMPLE = 96, SLOW_FROM = 99 };

struct units {
	struct candidates candidates;
	struct spans *s;	/* of the second reading */
	struct trail *trail;
	struct walk walk;
	struct held held;
	struct instances chosen;
	struct unit units[UNITS_MOST];
	size_t n;
	struct error failed;
};

struct units *units_new(void)
{
	return xcalloc(1, sizeof(struct units));
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
		for (k = 0; k < u->units[i].ncauses; k++)
			buf_free(&u->units[i].causes[k].text);
	}
	candidates_free(&u->candidates);
	instances_free(&u->chosen);
	held_free(&u->held);
	vec_free(&u->walk.frames);
	trail_free(u->trail);
	spans_free(u->s);
	free(u);
}

void units_collect(struct units *u, struct spans *s)
{
	candidates_init(&u->candidates, s);
}

void units_collected(struct units *u)
{
	spans_leave(u->candidates.s, &u->candidates);
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
	units_sample_rest(u, &list->kept, &slow, first, unit);
	vec_free(&slow);
}

static void units_make(struct units *u, size_t i, struct unit_list *list)
{
	double wall = (double)(u->candidates.last - u->candidates.first);
	struct unit *unit = &u->units[i];

	*unit = (struct unit){
		.kind = list->kind,
		.name = list->handler ? list->handler : list->root,
		.root = list->root,
		.n = list->n,
		.ns = list->ns,
		.dist = list->dist,
		.seconds = wall / 1e9,
		.groups = xcalloc(2, sizeof(*unit->groups)),
		.spread = wall > 0 ? (double)(list->last - list->first) / wall : 0,
	};
	path_init(&unit->groups[0].path, u->s, false);
	path_init(&unit->groups[1].path, u->s, false);
	units_sample(u, list, i);
}

static void units_instance(void *ctx, const struct instance *in, const struct trail_rec *at)
{
	struct units *u = ctx;

	group_add(&u->units[in->group / 2].groups[in->group % 2], &u->walk, in->from,
		  in->from + in->ns, at, &u->failed);
}

size_t units_choose(struct units *u)
{
	size_t chosen[UNITS_MOST], i;

	u->s = spans_new();
	u->trail = trail_new(u->s);
	u->walk.trail = u->trail;
	u->walk.held = &u->held;
	instances_init(&u->chosen, u->s, u->trail, u, units_instance);
	u->n = choose_units(&u->candidates.lists, u->candidates.last - u->candidates.first, chosen);
	for (i = 0; i < u->n; i++)
		units_make(u, i, vec_at(&u->candidates.lists.lists, struct unit_list, chosen[i]));
	instances_sort(&u->chosen);
	return u->n;
}

/* --- the second reading --- */

struct spans *units_spans(struct units *u)
{
	return u->s;
}

int units_read(struct units *u, struct trace_reader *r, struct oncpu *o, struct error *err)
{
	size_t i;
	int ret;

	trail_parts(u->trail)->oncpu = o;
	instances_trace(&u->chosen, 0);
	ret = spans_read(u->s, r, err);
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
