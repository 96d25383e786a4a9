// SPDX-License-Identifier: Apache-2.0
/* compare: two groups of instances, cause by cause. See why.h. */
#include <stdlib.h>

#include "why/why.h"

static int compare_text(const char *a, const char *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;	/* equal texts have one address */

	return x < y ? -1 : x > y;
}

static int compare_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_causes(const struct cause *a, const struct cause *b)
{
	int c = compare_number((uint64_t)a->kind << 8 | a->by, (uint64_t)b->kind << 8 | b->by);

	if (!c)
		c = compare_number((uint64_t)a->op << 32 | a->at, (uint64_t)b->op << 32 | b->at);
	if (!c)
		c = compare_number((uint64_t)a->thread << 8 | a->queued,
				   (uint64_t)b->thread << 8 | b->queued);
	if (!c)
		c = compare_text(a->comm, b->comm);
	if (!c)
		c = compare_text(a->name, b->name);
	return c ? c : compare_text(a->reason, b->reason);
}

bool why_same_cause(const struct cause *a, const struct cause *b)
{
	return !compare_causes(a, b);
}

static int by_causes(const void *a, const void *b)
{
	const struct why_row *x = a, *y = b;
	int c = compare_causes(&x->root, &y->root);

	if (!c)
		c = compare_causes(&x->wait, &y->wait);
	return c ? c : compare_causes(&x->leaf, &y->leaf);
}

static int by_difference(const void *a, const void *b)
{
	const struct why_row *x = a, *y = b;
	double dx = x->ns[1] - x->ns[0], dy = y->ns[1] - y->ns[0];

	return dx != dy ? (dx > dy ? -1 : 1) : by_causes(a, b);
}

static size_t compare_add_group(const struct why_group *group, int g, struct why_row *rows)
{
	const struct path *p = &group->path;
	size_t i;

	for (i = 0; i < p->parts.len; i++) {
		const struct part *part = vec_at(&p->parts, struct part, i);

		rows[i].root = *vec_at(&p->causes, struct cause, part->root);
		rows[i].wait = *vec_at(&p->causes, struct cause, part->wait);
		rows[i].leaf = *vec_at(&p->causes, struct cause, part->leaf);
		rows[i].ns[g] = (double)part->ns / (double)group->looked;
	}
	return i;
}

/* Adds up rows with equal causes, which are adjacent. */
static size_t compare_merge(struct why_row *rows, size_t len)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		if (!n || by_causes(&rows[n - 1], &rows[i])) {
			rows[n++] = rows[i];
			continue;
		}
		rows[n - 1].ns[0] += rows[i].ns[0];
		rows[n - 1].ns[1] += rows[i].ns[1];
	}
	return n;
}

struct why_row *why_compare(const struct why_answer *a, size_t *n)
{
	size_t max = a->groups[0].path.parts.len + a->groups[1].path.parts.len, len;
	struct why_row *rows = xcalloc(max + 1, sizeof(*rows));

	len = compare_add_group(&a->groups[0], 0, rows);
	len += compare_add_group(&a->groups[1], 1, rows + len);
	qsort(rows, len, sizeof(*rows), by_causes);
	*n = compare_merge(rows, len);
	qsort(rows, *n, sizeof(*rows), by_difference);
	return rows;
}
