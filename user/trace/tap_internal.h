/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tap_internal: state and functions that the files of the tap (tap.c, tap_tables.c, tap_steps.c)
 * share.
 */
#ifndef GOTAP_TRACE_TAP_INTERNAL_H
#define GOTAP_TRACE_TAP_INTERNAL_H

#include "base/map64.h"
#include "base/vec.h"
#include "trace/tap.h"

struct tap {
	struct tap_opts opts;
	trace_frames_fn *frames;
	void *frames_ctx;
	struct map64 gos;	/* goid -> struct tap_go * */
	struct map64 threads;	/* id -> struct tap_thread * */
	struct tap_thread *last;	/* thread of the previous event; may be NULL */
	struct tap_go *spare;
	bool open;		/* a generation is open */
	/* in a gap; the next generation gives the states after it */
	bool gap;
	/* until the next seen(): events change the states before a gap into those after it */
	bool leads;
	uint64_t time;
};

/* The goroutine @goid. If it is new, it is added in TAP_NONE, born at @time. */
struct tap_go *tap_go_put(struct tap *t, uint64_t goid, uint64_t time);
/*
 * To be called when the goroutine leaves its state, if it has one. The caller then calls
 * tap_go_take_state(), tap_go_enter() or tap_go_end().
 */
static inline void tap_go_leave(struct tap *t, struct tap_go *g, uint64_t time, bool known)
{
	if (g->state != TAP_NONE && t->opts.visitor->leave)
		t->opts.visitor->leave(t->opts.ctx, g, time, known && !t->gap);
}

/* The goroutine is in @state from the time of the event on. The caller has set g->before. */
static inline void tap_go_take_state(struct tap *t, struct tap_go *g, enum tap_state state,
				     const struct tap_step *s)
{
	const struct tap_visitor *v = t->opts.visitor;

	if (g->state == TAP_NONE && v->born)
		v->born(t->opts.ctx, g, s);
	g->state = (uint8_t)state;
	g->since = s->event->time;
	if (v->enter)
		v->enter(t->opts.ctx, g, s);
}

/*
 * As tap_go_take_state(), and sets g->before: if the event leads to the first states after a gap,
 * the goroutine may have been in @state before the event.
 */
static inline void tap_go_enter(struct tap *t, struct tap_go *g, enum tap_state state,
				const struct tap_step *s)
{
	g->before = t->leads;
	tap_go_take_state(t, g, state, s);
}

/* The goroutine has left its state and has ended: calls gone() of the visitor, then frees it. */
void tap_go_end(struct tap *t, struct tap_go *g, uint64_t time);
/*
 * Sets the thread on which the goroutine runs, or is in a syscall. @m NULL: no thread, or not
 * known.
 */
void tap_go_seat(struct tap_go *g, struct tap_thread *m);

/*
 * The thread @id, which is added if it is new; NULL for TRACEV2_NO_ID. Valid until
 * tap_thread_drop().
 */
struct tap_thread *tap_thread_put(struct tap *t, uint64_t id);
/* Calls thread_gone() of the visitor, then removes the thread. */
void tap_thread_drop(struct tap *t, uint64_t id);

void tap_tables_free(struct tap *t);

/*
 * Changes the states of goroutines for @s->event, or passes the event to the visitor. @m: its
 * thread, NULL: none.
 */
void tap_step(struct tap *t, const struct tap_step *s, struct tap_thread *m);

#endif
