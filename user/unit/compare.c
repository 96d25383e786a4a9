// SPDX-License-Identifier: Apache-2.0
/* compare: see compare.h. */
#include "unit/compare.h"

#include <math.h>

#include "base/map64.h"

/* A smaller part of the larger mean is no change. */
static const double compare_least = 0.02;

bool unit_pair_differs(const struct unit_pair *p)
{
	return fabs(p->value[1] - p->value[0]) > 2 * (p->error[0] + p->error[1]);
}

static double compare_mean(const struct unit *u)
{
	return u->n ? (double)u->ns / (double)u->n : 0;
}

static void compare_numbers(struct unit_compared *c)
{
	int k;

	for (k = 0; k < 2; k++) {
		const struct unit *u = c->side[k];
		const struct unit_errors *e = &u->errors;

		c->rate.value[k] = u->seconds > 0 ? (double)u->n / u->seconds : 0;
		c->rate.error[k] = e->rate;
		c->p50.value[k] = (double)dist_quantile(&u->dist, 0.5);
		c->p50.error[k] = e->p50;
		c->p90.value[k] = (double)dist_quantile(&u->dist, 0.9);
		c->p90.error[k] = e->p90;
		c->p99.value[k] = (double)dist_quantile(&u->dist, 0.99);
		c->p99.error[k] = e->p99;
		c->mean.value[k] = compare_mean(u);
		c->mean.error[k] = e->mean;
	}
}

/* Adds the causes of one side; causes with equal keys become one. */
static void compare_add(struct unit_compared *c, struct map64 *index, int k)
{
	const struct unit *u = c->side[k];
	struct unit_change *change;
	uint64_t *found;
	bool is_new;
	size_t i;

	for (i = 0; i < u->ncauses; i++) {
		found = map64_put(index, u->causes[i].key, &is_new);
		if (is_new) {
			*found = c->changes.len;
			vec_push(&c->changes, sizeof(*change));
		}
		change = vec_at(&c->changes, struct unit_change, *found);
		change->ns[k] += u->causes[i].share * compare_mean(u);
		if (!change->cause || (k && change->ns[1] > change->ns[0]))
			change->cause = &u->causes[i];
	}
}

static int compare_by_difference(const void *a, const void *b)
{
	const struct unit_change *x = a, *y = b;
	double dx = fabs(x->ns[1] - x->ns[0]), dy = fabs(y->ns[1] - y->ns[0]);

	return dx > dy ? -1 : dx < dy;
}

/* Drops the causes that did not change by more than chance may do. */
static void compare_drop(struct unit_compared *c)
{
	double larger = fmax(c->mean.value[0], c->mean.value[1]);
	double bound = fmax(compare_least * larger, 2 * (c->mean.error[0] + c->mean.error[1]));
	size_t i, n = 0;

	for (i = 0; i < c->changes.len; i++) {
		struct unit_change *change = vec_at(&c->changes, struct unit_change, i);

		if (fabs(change->ns[1] - change->ns[0]) > bound)
			*vec_at(&c->changes, struct unit_change, n++) = *change;
	}
	c->changes.len = n;
}

void unit_compare(struct unit_compared *c, const struct unit *a, const struct unit *b)
{
	struct map64 index = {0};

	*c = (struct unit_compared){ .side = { a, b } };
	compare_numbers(c);
	compare_add(c, &index, 0);
	compare_add(c, &index, 1);
	map64_free(&index);
	compare_drop(c);
	vec_sort(&c->changes, sizeof(struct unit_change), compare_by_difference);
}

void unit_compared_free(struct unit_compared *c)
{
	vec_free(&c->changes);
}
