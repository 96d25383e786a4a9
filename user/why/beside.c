// SPDX-License-Identifier: Apache-2.0
/* beside: see beside.h. */
#include "why/beside.h"

#include <stdlib.h>

struct beside {
	struct spans *s;
	struct joins *joins;
	size_t n;
	struct spans_beside *others;
	struct trail **trails;		/* of all sides */
	struct held *held;		/* likewise; that of side 0 is not used */
};

struct beside *beside_new(struct spans *s, struct trail *t, struct trace_reader *const *readers,
			  size_t n)
{
	struct beside *b = xcalloc(1, sizeof(*b));
	size_t i;

	b->s = s;
	b->n = n;
	b->joins = joins_new();
	b->others = xcalloc(n + 1, sizeof(*b->others));
	b->trails = xcalloc(n + 1, sizeof(*b->trails));
	b->held = xcalloc(n + 1, sizeof(*b->held));
	b->trails[0] = t;
	for (i = 0; i < n; i++) {
		b->others[i].s = spans_new_beside(s);
		b->others[i].reader = readers[i];
		b->trails[i + 1] = trail_new(b->others[i].s);
	}
	for (i = 0; i <= n; i++)
		trail_join(b->trails[i], b->joins, b->trails, n + 1);
	return b;
}

void beside_free(struct beside *b)
{
	size_t i;

	if (!b)
		return;
	trail_part(b->trails[0]);
	for (i = 0; i < b->n; i++) {
		held_free(&b->held[i + 1]);
		trail_free(b->trails[i + 1]);
		spans_free(b->others[i].s);
	}
	joins_free(b->joins);
	free(b->held);
	free(b->trails);
	free(b->others);
	free(b);
}

int beside_read(struct beside *b, struct trace_reader *r, struct error *err)
{
	return spans_read_beside(b->s, r, b->others, b->n, err);
}

const struct error *beside_fault(const struct beside *b, size_t i)
{
	return &b->others[i].fault;
}

const struct joins *beside_joins(const struct beside *b)
{
	return b->joins;
}

struct trail *beside_trail(const struct beside *b, uint32_t side)
{
	return b->trails[side];
}

struct held *beside_held(struct beside *b, uint32_t side)
{
	return &b->held[side];
}

void beside_held_begin(struct beside *b, int64_t time, struct path *path)
{
	size_t i;

	for (i = 1; i <= b->n; i++)
		held_begin(&b->held[i], b->trails[i], time, path);
}
