// SPDX-License-Identifier: Apache-2.0
/* nominal: see nominal.h. */
#include "whatif/nominal.h"

enum { NOMINAL_LEAST = 5, MS = 1000000 };

/* A timer can be so late without being of another length: a factor, and ns. */
#define NOMINAL_FACTOR 1.6
#define NOMINAL_NS 200000

struct nominal_wait {
	uint32_t class, op;
	int64_t ns, end;
};

static int nominal_by_ns(const void *a, const void *b)
{
	const struct nominal_wait *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->op < y->op ? -1 : x->op > y->op;
}

static int nominal_by_end(const void *a, const void *b)
{
	const struct nominal_wait *x = a, *y = b;

	return x->end != y->end ? (x->end < y->end ? -1 : 1) : (x->op < y->op ? -1 : x->op > y->op);
}

static int nominal_int(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t nominal_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t nominal_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Shortens those of the @n waits of one class that ended late. They are sorted by duration. */
static void nominal_shorten(struct programs *p, const struct nominal_wait *w, size_t n)
{
	bool alike = n >= NOMINAL_LEAST &&
		(double)w[n * 3 / 4].ns < NOMINAL_FACTOR * (double)w[n / 10].ns + NOMINAL_NS;
	size_t i, late = 0;

	for (i = 0; i < n; i++)
		late += (op_at(p, w[i].op)->flags & OP_LATE) != 0;
	for (i = 0; i < n; i++) {
		struct op *op = op_at(p, w[i].op);
		int64_t least = op->partner;

		if (!(op->flags & OP_LATE))
			continue;
		op->ns = nominal_max(least, nominal_min(op->ns, w[late > n * 8 / 10 ?
							n / 20 : n * 3 / 10].ns));
		if (alike)
			op->ns = nominal_min(op->ns, w[n * 4 / 10].ns);
	}
}

/* Do the waits end at regular times, and begin at others? Sorts them by their end. */
static bool nominal_is_clock(struct nominal_wait *w, size_t n)
{
	int64_t tenth = w[n / 10].ns, middle;
	struct vec gaps = {0};
	struct vec all = { .data = w, .len = n };
	bool is;
	size_t i;

	if (n < NOMINAL_LEAST)
		return false;
	vec_sort(&all, sizeof(*w), nominal_by_end);
	for (i = 1; i < n; i++)
		*(int64_t *)vec_push(&gaps, sizeof(int64_t)) = w[i].end - w[i - 1].end;
	vec_sort(&gaps, sizeof(int64_t), nominal_int);
	middle = *vec_at(&gaps, int64_t, gaps.len / 2);
	is = middle > 0 &&
	     (double)*vec_at(&gaps, int64_t, gaps.len / 10) > 0.7 * (double)middle &&
	     (double)*vec_at(&gaps, int64_t, gaps.len * 9 / 10) < 1.4 * (double)middle &&
	     (double)tenth < 0.97 * (double)middle;
	vec_free(&gaps);
	return is;
}

/*
 * The runtime's poller waits for whole ms: a sleep that took little more than some was not meant to
 * take longer than these.
 */
static int64_t nominal_whole(int64_t ns)
{
	int64_t rest = ns % MS;

	return ns > MS && rest < MS / 5 ? ns - rest : ns;
}

static void nominal_class(struct programs *p, struct nominal_wait *w, size_t n)
{
	struct class *k = class_at(&p->classes, w->class);
	size_t i;

	k->nominal = nominal_whole(w[n / 20].ns);
	nominal_shorten(p, w, n);
	if (k->kind == CLASS_SLEEP || !nominal_is_clock(w, n))
		return;
	for (i = 0; i < n; i++) {
		op_at(p, w[i].op)->by = ENDED_CLOCK;
		op_at(p, w[i].op)->ns = w[i].end - op_at(p, w[i].op)->time;
	}
}

void nominal_find(struct programs *p)
{
	struct vec waits = {0};
	size_t i, n;

	for (i = 1; i < p->ops.len; i++) {
		const struct op *op = op_at(p, (uint32_t)i);

		if (op->kind == OP_WAIT && op->by == ENDED_TIMER && op->class)
			*(struct nominal_wait *)vec_push(&waits, sizeof(struct nominal_wait)) =
				(struct nominal_wait){ op->class, (uint32_t)i, op->ns,
						       op->time + op->ns };
	}
	vec_sort(&waits, sizeof(struct nominal_wait), nominal_by_ns);
	for (i = 0; i < waits.len; i += n) {
		struct nominal_wait *first = vec_at(&waits, struct nominal_wait, i);

		for (n = 1; i + n < waits.len && first[n].class == first->class; n++)
			;
		nominal_class(p, first, n);
	}
	vec_free(&waits);
}
