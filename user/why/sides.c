// SPDX-License-Identifier: Apache-2.0
/* sides: see sides.h. */
#include "why/sides.h"

#include <stdlib.h>

struct sides {
	struct spans *s;
	struct joins *joins;
	size_t n;
	struct spans_beside *others;
	struct trail **trails;		/* of all sides */
	struct held *held;		/* likewise; that of side 0 is not used */
};

struct sides *sides_new(struct spans *s, struct trail *t, struct trace_reader *const *readers,
			  size_t n)
{
	struct sides *b = xcalloc(1, sizeof(*b));
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

void sides_free(struct sides *b)
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

int sides_read(struct sides *b, struct trace_reader *r, struct error *err)
{
	return spans_read_beside(b->s, r, b->others, b->n, err);
}

const struct error *sides_fault(const struct sides *b, size_t i)
{
	return &b->others[i].fault;
}

struct trail *sides_trail(const struct sides *b, uint32_t side)
{
	return b->trails[side];
}

struct held *sides_held(struct sides *b, uint32_t side)
{
	return &b->held[side];
}

void sides_held_begin(struct sides *b, int64_t time, struct path *path)
{
	size_t i;

	for (i = 1; i <= b->n; i++)
		held_begin(&b->held[i], b->trails[i], time, path);
}
