// SPDX-License-Identifier: Apache-2.0
/*
 * guess: which changes are worth a replay: those that are about most of the time. If functions have
 * nearly the same effect, only the one with least time is left, since it says most.
 */
#include "whatif/internal.h"

#include <math.h>

#include "release/release.h"
#include "why/place.h"

/* GUESSES_MOST: changes that are tried; GUESS_OPS: ops of all replays, which limits the time. */
enum { GUESSES_MOST = 24, GUESSES_LEAST = 4, GUESS_OPS = 60000000 };

/* A change of less time than this part of the trace is not tried. */
#define GUESS_LEAST 0.01
/* Effects that differ less are equal. */
#define GUESS_EQUAL 0.03
/* A smaller effect is not shown. */
#define GUESS_WORTH 1.02

struct guess {
	struct whatif_change change;
	double ns;
};

struct guesses {
	struct vec list;	/* struct guess */
	struct map64 by_key;
};

static const uint8_t guess_kinds[CLASS_KINDS] = {
	[CLASS_RUN] = 1 + WHATIF_FUNCTION, [CLASS_SLEEP] = 1 + WHATIF_SLEEP,
	[CLASS_NETWORK] = 1 + WHATIF_NETWORK, [CLASS_SYSCALL] = 1 + WHATIF_SYSCALL,
};

static void guess_add(struct guesses *g, enum whatif_kind kind, const char *name, double by,
		      double ns)
{
	uint64_t *at;
	bool is_new;

	at = map64_put(&g->by_key, hash64_seeded((uintptr_t)name) ^ (uint64_t)kind, &is_new);
	if (is_new) {
		*at = g->list.len;
		*(struct guess *)vec_push(&g->list, sizeof(struct guess)) =
			(struct guess){ .change = { kind, name, by } };
	}
	vec_at(&g->list, struct guess, *at)->ns += ns;
}

/* The functions that a class of running parts can belong to. */
static void guess_runs(struct guesses *g, const struct classes *c, uint32_t class, double by)
{
	const struct class *k = class_at(c, class);
	uint8_t i;

	if (k->samples >= CLASS_SAMPLES_LEAST)
		return;
	for (i = 0; i < k->nnames; i++)
		guess_add(g, WHATIF_FUNCTION, k->names[i], by, (double)k->ns);
}

/* Functions that unlock what others waited for. */
static void guess_locks(struct guesses *g, const struct programs *p, double by)
{
	size_t i;

	for (i = 1; i < p->ops.len; i++) {
		const struct op *op = op_at(p, (uint32_t)i);
		const struct stack_frame *at = op->kind == OP_POST && op->flags & OP_OF_LOCK ?
			place_frame(p->classes.stacks, op->stack) : NULL;

		/* the time that others waited says how much can be gained */
		if (at && *at->func)
			guess_add(g, WHATIF_LOCK, at->func, by,
				  (double)op_at(p, op->partner)->ns);
	}
}

static void guess_sampled(struct guesses *g, const struct classes *c, double by)
{
	size_t i;

	for (i = 1; i < c->sampled.len; i++) {
		const struct class_sampled *s = vec_at(&c->sampled, struct class_sampled, i);
		const struct class *k = class_at(c, s->class);

		if (k->kind == CLASS_RUN && k->samples >= CLASS_SAMPLES_LEAST &&
		    !release_is_std(s->function))
			guess_add(g, WHATIF_FUNCTION, s->function, by,
				  (double)k->ns * (double)s->n / (double)k->samples);
	}
}

static void guess_collect(struct guesses *g, const struct programs *p, double by)
{
	const struct classes *c = &p->classes;
	uint32_t i;

	for (i = 1; i < c->list.len; i++) {
		const struct class *k = class_at(c, i);

		if (k->kind == CLASS_RUN)
			guess_runs(g, c, i, by);
		else if (guess_kinds[k->kind] && !k->pace)
			guess_add(g, (enum whatif_kind)(guess_kinds[k->kind] - 1), k->names[0], by,
				  (double)k->ns);
	}
	guess_sampled(g, c, by);
	guess_locks(g, p, by);
}

static int guess_by_time(const void *a, const void *b)
{
	const struct guess *x = a, *y = b;

	return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : 0;
}

/* --- their effects --- */

static double guess_effect(const struct whatif_prediction *p)
{
	const struct whatif_range *r = &p->value[ROUNDS_RATE];
	double rate = r->low * r->high, time = p->value[ROUNDS_P50].low * p->value[ROUNDS_P50].high;

	if (p->reasons.len || isnan(rate))
		return 0;
	/* what leaves the rate as it is can still shorten the unit */
	return sqrt(rate) + (isnan(time) ? 0 : (1 / sqrt(time) - 1) / 100);
}

static int guess_by_effect(const void *a, const void *b)
{
	double x = guess_effect(a), y = guess_effect(b);

	return x != y ? (x > y ? -1 : 1) : 0;
}

/* Returns the one of the first @n that has the effect of @q, NULL: none has it. */
static struct whatif_prediction *guess_like(const struct vec *list, size_t n,
					    const struct whatif_prediction *q)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct whatif_prediction *p = vec_at(list, struct whatif_prediction, i);

		if (p->change.kind == q->change.kind &&
		    guess_effect(p) - guess_effect(q) <= GUESS_EQUAL * guess_effect(p))
			return p;
	}
	return NULL;
}

/* Leaves the first @most that are predicted; of those with one effect the one with least time. */
static void guess_choose(struct vec *list, size_t most)
{
	size_t i, n = 0;

	vec_sort(list, sizeof(struct whatif_prediction), guess_by_effect);
	for (i = 0; i < list->len; i++) {
		struct whatif_prediction *p = vec_at(list, struct whatif_prediction, i), spare;
		struct whatif_prediction *like = guess_like(list, n, p);

		if (like && !p->reasons.len && p->seconds < like->seconds) {
			spare = *like;
			*like = *p;
			*p = spare;
		}
		if (n == most || p->reasons.len || like || guess_effect(p) < GUESS_WORTH)
			whatif_prediction_free(p);
		else
			*vec_at(list, struct whatif_prediction, n++) = *p;
	}
	list->len = n;
}

void whatif_guess(struct whatif *w, double by, size_t most)
{
	struct guesses g = {0};
	size_t i, room;
	struct whatif_prediction *p;

	if (w->answer.reasons.len)
		return;
	guess_collect(&g, w->p, by);
	vec_sort(&g.list, sizeof(struct guess), guess_by_time);
	room = GUESS_OPS / (RERUN_VARIANTS * w->p->ops.len);
	room = room > GUESSES_MOST ? GUESSES_MOST : room < GUESSES_LEAST ? GUESSES_LEAST : room;
	for (i = 0; i < g.list.len && i < room; i++) {
		const struct guess *guess = vec_at(&g.list, struct guess, i);

		if (guess->ns < GUESS_LEAST * w->answer.seconds * 1e9)
			break;
		p = vec_push(&w->answer.predictions, sizeof(*p));
		*p = whatif_ask(w, &guess->change);
	}
	p = vec_push(&w->answer.predictions, sizeof(*p));
	*p = whatif_ask(w, &(struct whatif_change){ WHATIF_GC, NULL, 1 });
	guess_choose(&w->answer.predictions, most);
	vec_free(&g.list);
	map64_free(&g.by_key);
}
