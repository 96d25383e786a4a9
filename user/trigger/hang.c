// SPDX-License-Identifier: Apache-2.0
/*
 * hang: hang>T: nothing but timers ran for T. A goroutine that a timer woke or created
 * (time.AfterFunc) is idle until another goroutine or the network wakes it: such a goroutine does
 * periodic checks, as with a ticker. The runtime's own goroutines are idle, too. Any other
 * goroutine that runs does work. If no goroutine ended a wait, a timer ended it, unless it was a
 * wait for the network. gotap records nothing of C code: a call of C code counts as work until it
 * returns.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trigger/internal.h"

/*
 * Each goroutine has two struct stay. The first is its entry in the list of goroutines that run and
 * work (r->stays), or of goroutines in a system call (r->more). The second has only the flag
 * "idle", in @since.
 */
static bool hang_is_idle(struct rule *r, struct tap_go *g)
{
	return stay_of(r, g)[1].since;
}

static void set_idle(struct rule *r, struct tap_go *g, bool idle)
{
	stay_of(r, g)[1].since = idle;
}

static void hang_begin(struct rule *r)
{
	r->enters = 1u << TAP_RUNNABLE | 1u << TAP_RUNNING | 1u << TAP_WAITING | 1u << TAP_SYSCALL;
	r->leaves = 1u << TAP_RUNNING | 1u << TAP_SYSCALL;
	r->more = xcalloc(1, sizeof(struct stay_list));
	stay_list_init(r->more);
}

static void hang_end(struct rule *r)
{
	free(r->more);
}

static bool is_wake(const struct tap_step *s)
{
	return s->event->kind == EV_GoUnblock;
}

static bool is_new(const struct tap_step *s)
{
	return s->event->kind == EV_GoCreate || s->event->kind == EV_GoCreateBlocked;
}

/*
 * Decides whether @g is idle, from the event that made it runnable. The garbage collector stops
 * goroutines for a moment and wakes the goroutines that assist: its wake-up changes nothing. If the
 * wake-up or the creation fell into a gap (@g->before), its cause is not known, and @g counts as
 * not idle.
 */
static void note_cause(struct rule *r, struct tap_go *g, const struct tap_step *s)
{
	if (g->before)
		set_idle(r, g, false);
	else if (!s->by || !is_of_runtime(r, s->by))
		set_idle(r, g, !s->by && strcmp(g->reason, "network"));
}

static void hang_enter(struct rule *r, struct tap_go *g, const struct tap_step *s)
{
	if (is_new(s) || (is_wake(s) && strcmp(g->reason, "preempted")))
		note_cause(r, g, s);
	if ((g->state != TAP_RUNNING && g->state != TAP_SYSCALL) || hang_is_idle(r, g) ||
	    is_of_runtime(r, g))
		return;
	stay_add(g->state == TAP_RUNNING ? &r->stays : r->more, stay_of(r, g), g->since);
	if (g->state == TAP_RUNNING)
		r->above = false;
}

/*
 * Is the goroutine, which is in a system call, in C code? Called as late as possible, since the
 * record of its stack may come after the event.
 */
static bool is_in_c(struct rule *r, const struct tap_go *g)
{
	return stack_has(r, g->stack, "runtime.cgocall");
}

static void hang_leave(struct rule *r, struct tap_go *g, uint64_t time, bool known)
{
	struct stay *s = stay_of(r, g);

	if (!s->next)
		return;
	stay_remove(s);
	if (g->state == TAP_RUNNING || is_in_c(r, g))
		r->value = time;
}

static bool any_works(const struct rule *r)
{
	return r->stays.head.next != &r->stays.head;
}

static bool any_in_c(struct rule *r)
{
	struct stay_list *l = r->more;
	struct stay *s;

	for (s = l->head.next; s != &l->head; s = s->next)
		if (is_in_c(r, go_of(r, s)))
			return true;
	return false;
}

static void hang_seen(struct rule *r, uint64_t time)
{
	if (!r->value)		/* the time before is not known */
		r->value = time;
	if (r->above || any_works(r) || time <= r->value + r->is->limit)
		return;
	if (any_in_c(r)) {
		r->value = time;
		return;
	}
	r->above = true;
	fire(r, &(struct fact_place){ .time = r->value + r->is->limit },
	     "for %s nothing but timers ran, of %zu goroutines", span_text(time - r->value).text,
	     tap_live(r->triggers->tap));
}

static void hang_gap(struct rule *r, uint64_t time)
{
	r->value = time;
}

const struct family family_hang = {
	.begin = hang_begin,
	.enter = hang_enter,
	.leave = hang_leave,
	.seen = hang_seen,
	.gap = hang_gap,
	.end = hang_end,
	.stays = 2,
	.stream = true,
	.lasts = true,
};
