// SPDX-License-Identifier: Apache-2.0
/* tap_steps: changes the states of goroutines for one event. tap.c calls it for each event. */
#include <string.h>

#include "trace/tap_internal.h"

/*
 * Adds the goroutine of an event that creates one. If its id is in use, which only an error of the
 * model causes, the old goroutine ends.
 */
static struct tap_go *tap_create_go(struct tap *t, const struct sink_event *e)
{
	struct tap_go *old = tap_find(t, e->args[0]);

	if (old)
		tap_go_end(t, old, e->time);
	return tap_go_put(t, e->args[0], e->time);
}

static void tap_made(struct tap *t, const struct tap_step *s, enum tap_state state)
{
	const struct sink_event *e = s->event;
	struct tap_go *g = tap_create_go(t, e);

	g->start = g->stack = e->args[1];
	g->born_before = t->leads;
	if (e->waits)
		g->reason = e->waits;
	tap_go_enter(t, g, state, s);
}

static void made_in_syscall(struct tap *t, const struct tap_step *s, struct tap_thread *m)
{
	struct tap_go *g = tap_create_go(t, s->event);

	tap_go_seat(g, m);
	tap_go_enter(t, g, TAP_SYSCALL, s);
}

static void tap_start(struct tap *t, const struct tap_step *s, struct tap_thread *m, uint64_t goid)
{
	struct tap_go *g = tap_go_put(t, goid, s->event->time);

	tap_go_leave(t, g, s->event->time, true);
	tap_go_seat(g, m);
	tap_go_enter(t, g, TAP_RUNNING, s);
}

/* The reasons of the model are constants. */
static const char *tap_constant(uint64_t arg)
{
	const struct sink_text *text = sink_arg_text(arg);

	return text->constant && text->bytes ? text->bytes : "";
}

/*
 * The goroutine of the event's thread enters @state. @at: index of the argument with the stack, -1:
 * none.
 */
static void tap_move(struct tap *t, const struct tap_step *s, enum tap_state state, int at)
{
	struct tap_go *g = s->by;

	if (!g)
		return;
	tap_go_leave(t, g, s->event->time, true);
	if (at >= 0)
		g->stack = s->event->args[at];
	if (state == TAP_RUNNABLE)
		tap_go_seat(g, NULL);
	tap_go_enter(t, g, state, s);
}

static void tap_rest(struct tap *t, const struct tap_step *s, enum tap_state state)
{
	if (!s->by)
		return;
	tap_go_leave(t, s->by, s->event->time, true);
	s->by->reason = s->event->waits ? s->event->waits : tap_constant(s->event->args[0]);
	s->by->stack = s->event->args[1];
	tap_go_seat(s->by, NULL);
	tap_go_enter(t, s->by, state, s);
}

static void tap_unblock(struct tap *t, const struct tap_step *s)
{
	struct tap_go *g = tap_go_put(t, s->event->args[0], s->event->time);

	tap_go_leave(t, g, s->event->time, true);
	tap_go_seat(g, NULL);
	tap_go_enter(t, g, TAP_RUNNABLE, s);
}

static void tap_end(struct tap *t, const struct tap_step *s)
{
	if (s->by)
		tap_go_end(t, s->by, s->event->time);
}

static void change_over(struct tap *t, const struct tap_step *s, struct tap_thread *m, bool dies)
{
	if (dies) {
		tap_end(t, s);
	} else if (s->by) {
		tap_go_leave(t, s->by, s->event->time, true);
		s->by->reason = SINK_COROUTINE;
		s->by->stack = 0;
		tap_go_seat(s->by, NULL);
		tap_go_enter(t, s->by, TAP_WAITING, s);
	}
	tap_start(t, &(struct tap_step){ .event = s->event }, m, s->event->args[0]);
}

/*
 * False if a status after a gap shows the goroutine in another wait than before the gap, or on
 * another thread.
 */
static bool tap_is_same(const struct tap_go *g, enum tap_state state, const struct tap_thread *m,
			const struct sink_event *e)
{
	return g->state == state && g->m == m && (!e->waits || !strcmp(g->reason, e->waits));
}

/*
 * Takes the stack of the status event, if it has one. If it has none, a stack from before a gap is
 * dropped: the goroutine may have left that stack during the gap.
 */
static void status_stack(const struct tap *t, struct tap_go *g, const struct sink_event *e)
{
	if (e->nargs > 3)
		g->stack = e->args[3];
	else if (t->leads)
		g->stack = 0;
}

/*
 * Each generation begins with the statuses of all goroutines. The tap has the same states already,
 * except for a new goroutine, and after a gap.
 */
static void tap_status(struct tap *t, const struct tap_step *s)
{
	static const uint8_t states[] = {
		[G_RUNNABLE] = TAP_RUNNABLE,
		[G_RUNNING] = TAP_RUNNING,
		[G_SYSCALL] = TAP_SYSCALL,
		[G_WAITING] = TAP_WAITING,
	};
	const struct sink_event *e = s->event;
	enum tap_state state = e->args[2] < sizeof(states) ? states[e->args[2]] : TAP_NONE;
	struct tap_thread *m =
		state == TAP_RUNNING || state == TAP_SYSCALL ? tap_thread_put(t, e->args[1]) : NULL;
	struct tap_go *g;

	if (state == TAP_NONE)
		return;
	g = tap_go_put(t, e->args[0], e->time);
	if (e->start)
		g->start = e->start;
	status_stack(t, g, e);
	if (tap_is_same(g, state, m, e))
		return;
	tap_go_leave(t, g, e->time, false);
	g->born_before |= g->state == TAP_NONE;
	g->reason = e->waits ? e->waits : "";
	tap_go_seat(g, m);
	g->before = true;
	tap_go_take_state(t, g, state, s);
}

void tap_step(struct tap *t, const struct tap_step *s, struct tap_thread *m)
{
	if (sink_is_stand_in(s->event))
		return;
	switch (s->event->kind) {
	case EV_GoCreate:
		return tap_made(t, s, TAP_RUNNABLE);
	case EV_GoCreateBlocked:
		return tap_made(t, s, TAP_WAITING);
	case EV_GoCreateSyscall:
		return m ? made_in_syscall(t, s, m) : (void)0;
	case EV_GoStart:
		return m ? tap_start(t, s, m, s->event->args[0]) : (void)0;
	case EV_GoDestroy:
	case EV_GoDestroySyscall:
		return tap_end(t, s);
	case EV_GoStop:
		return tap_rest(t, s, TAP_RUNNABLE);
	case EV_GoBlock:
		return tap_rest(t, s, TAP_WAITING);
	case EV_GoUnblock:
		return tap_unblock(t, s);
	case EV_GoSyscallBegin:
		return tap_move(t, s, TAP_SYSCALL, 1);
	case EV_GoSyscallEnd:
		return tap_move(t, s, TAP_RUNNING, -1);
	case EV_GoSyscallEndBlocked:
		return tap_move(t, s, TAP_RUNNABLE, -1);
	case EV_GoSwitch:
	case EV_GoSwitchDestroy:
		return m ? change_over(t, s, m, s->event->kind == EV_GoSwitchDestroy) : (void)0;
	case EV_GoStatus:
	case EV_GoStatusStack:
		return tap_status(t, s);
	default:
		if (t->opts.wants[s->event->kind & 255] && !t->gap)
			t->opts.visitor->event(t->opts.ctx, s);
	}
}
