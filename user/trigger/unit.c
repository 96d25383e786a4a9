// SPDX-License-Identifier: Apache-2.0
/*
 * unit: unit:NAME>T and unit-p99:NAME>T: the pieces of work that goroutines do in function NAME.
 *
 * A unit begins when a goroutine begins, or when a wait ends that is not in NAME; it ends at the
 * next wait that is not in NAME, or with the goroutine. It counts if NAME was on a stack of the
 * goroutine meanwhile: where it waited, was preempted, or began a system call. So the request of a
 * connection is a unit of its handler, and a goroutine that begins with NAME is one. The loop of
 * such a goroutine may come back to one place to receive, to select or to wait for a condition:
 * from the second such wait on each ends a unit.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trigger/p99.h"

/* The unit of a goroutine: bits of unit_mark(). */
enum {
	UNIT_OPEN = 1,		/* it has begun, at stay_of()->since */
	UNIT_SEEN = 2,		/* NAME was on a stack */
	UNIT_TOLD = 4,		/* it is longer than T, and counted */
	UNIT_ASK = 8,		/* the stack of the current state was not looked at yet */
};

struct unit_rule {
	struct p99 *p99;	/* NULL: unit:NAME>T */
	/* goid -> a bit for each place at which it received, by the hash of the stack's key */
	struct map64 visits;
};

/* The second struct stay of a goroutine is in no list: its @since has the bits. */
static uint64_t *unit_mark(const struct rule *r, struct tap_go *g)
{
	return &stay_of(r, g)[1].since;
}

static void unit_begin(struct rule *r)
{
	struct unit_rule *u = xcalloc(1, sizeof(*u));

	r->enters = 1u << TAP_WAITING | 1u << TAP_RUNNABLE | 1u << TAP_SYSCALL;
	r->leaves = r->enters;
	u->p99 = r->is->kind == TRIGGER_UNIT_P99 ? p99_new() : NULL;
	r->more = u;
}

static void unit_end(struct rule *r)
{
	struct unit_rule *u = r->more;

	map64_free(&u->visits);
	free(u->p99);
	free(u);
}

/* --- one unit --- */

static void unit_starts(struct rule *r, struct tap_go *g, uint64_t time)
{
	stay_remove(stay_of(r, g));
	stay_add(&r->stays, stay_of(r, g), time);
	*unit_mark(r, g) = UNIT_OPEN;
}

static void unit_fire(struct rule *r, struct tap_go *g, uint64_t until)
{
	uint64_t since = stay_of(r, g)->since;
	struct fact_place place = { .time = since + r->is->limit, .since = since,
				    .until = until, .g = g };

	fire(r, &place, "goroutine %" PRIu64 " works in %.100s for %s", g->id, r->is->name,
	     span_text(until - since).text);
}

/* The unit of @g is longer than T. */
static void unit_is_long(struct rule *r, struct tap_go *g, uint64_t until)
{
	struct unit_rule *u = r->more;

	*unit_mark(r, g) |= UNIT_TOLD;
	if (u->p99)
		p99_count(u->p99, true);
	else
		unit_fire(r, g, until);
}

static void unit_stops(struct rule *r, struct tap_go *g, uint64_t time)
{
	struct unit_rule *u = r->more;
	uint64_t *mark = unit_mark(r, g);
	bool counts = *mark & UNIT_OPEN && *mark & UNIT_SEEN && !(*mark & UNIT_TOLD);

	if (counts && time > stay_of(r, g)->since + r->is->limit)
		unit_is_long(r, g, time);
	else if (counts && u->p99)
		p99_count(u->p99, false);
	stay_remove(stay_of(r, g));
	*mark = 0;
}

/* --- waits between units --- */

static bool unit_is_for_work(const char *reason)
{
	static const char *const reasons[] = { "chan receive", "select", "sync.(*Cond).Wait" };
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(reason, reasons[i]))
			return true;
	return false;
}

/* Does the loop of a goroutine that began with NAME come back to this place? */
static bool unit_is_loop(struct rule *r, struct tap_go *g)
{
	struct unit_rule *u = r->more;
	uint64_t bit = place_bit(g), *visits;
	bool again;

	if (!unit_is_for_work(g->reason) || !starts_with(r, g, r->is->name))
		return false;
	visits = map64_put(&u->visits, g->id, NULL);
	again = *visits & bit || g->born_before;
	*visits |= bit;
	return again;
}

/* --- the family --- */

static void unit_born(struct rule *r, struct tap_go *g)
{
	if (!g->born_before)
		unit_starts(r, g, g->born);
}

static void unit_enter(struct rule *r, struct tap_go *g, const struct tap_step *s)
{
	*unit_mark(r, g) |= UNIT_ASK;
}

/*
 * Looks at the stack of the current state, as late as that is possible: the record of a new stack
 * follows the event that has its key.
 */
static void unit_look(struct rule *r, struct tap_go *g, uint64_t time)
{
	uint64_t *mark = unit_mark(r, g);
	bool inside;

	if (!(*mark & UNIT_ASK))
		return;
	inside = stack_has(r, g->stack, r->is->name);
	*mark = (*mark & ~(uint64_t)UNIT_ASK) | (inside ? UNIT_SEEN : 0);
	if (g->state == TAP_WAITING && (!inside || unit_is_loop(r, g)))
		unit_stops(r, g, g->since);
	else if (*mark == (UNIT_OPEN | UNIT_SEEN) && time > stay_of(r, g)->since + r->is->limit)
		unit_is_long(r, g, time);
}

static void unit_leave(struct rule *r, struct tap_go *g, uint64_t time, bool known)
{
	uint64_t *mark = unit_mark(r, g);

	unit_look(r, g, time);
	if (!known) {
		stay_remove(stay_of(r, g));
		*mark = 0;
	} else if (g->state == TAP_WAITING && !(*mark & UNIT_OPEN)) {
		unit_starts(r, g, time);
	}
}

static void unit_gone(struct rule *r, struct tap_go *g, uint64_t time)
{
	struct unit_rule *u = r->more;

	unit_stops(r, g, time);
	map64_del(&u->visits, g->id);
}

/*
 * A unit in which NAME was not seen up to T is not looked at again until its goroutine leaves a
 * state: that shows whether it is one.
 */
static void unit_seen(struct rule *r, uint64_t time)
{
	struct unit_rule *u = r->more;
	struct stay *s;

	while (time > r->is->limit && (s = stay_take(&r->stays, time - r->is->limit))) {
		struct tap_go *g = go_of(r, s);

		unit_look(r, g, time);
		if (*unit_mark(r, g) == (UNIT_OPEN | UNIT_SEEN))
			unit_is_long(r, g, time);
	}
	if (u->p99)
		p99_pass(u->p99, r, time, "units");
}

static void unit_gap(struct rule *r, uint64_t time)
{
	struct unit_rule *u = r->more;

	if (u->p99)
		p99_forget(u->p99);
}

const struct family family_unit = {
	.begin = unit_begin,
	.born = unit_born,
	.enter = unit_enter,
	.leave = unit_leave,
	.gone = unit_gone,
	.seen = unit_seen,
	.gap = unit_gap,
	.end = unit_end,
	.stays = 2,
	.stream = true,
	.lasts = true,
};
