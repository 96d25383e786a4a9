/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps: the single legal steps of the machine, each of which passes one event to
 * the sink and changes the state as a reader of that event would. Preconditions are the
 * caller's affair (see ensure.h); while the trace has not begun, a step only
 * changes the state.
 */
#ifndef GOTAP_SCHED_STEPS_H
#define GOTAP_SCHED_STEPS_H

#include "sched/state.h"

/*
 * Emits event @ev of thread @m, or of no thread if it is NULL. Texts are given by SINK_TEXT, stacks
 * by key.
 */
void step_emit_args(struct model *s, struct M *m, enum tracev2_event ev, int nargs,
		    const uint64_t *args);
#define step_emit(s, m, ev, ...)                                                         \
	step_emit_args(s, m, ev, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,                \
		       (const uint64_t[]){ __VA_ARGS__ })
#define step_emit0(s, m, ev) step_emit_args(s, m, ev, 0, NULL)

/* g->waits: why, if it is @blocked and that is known. */
void step_go_create(struct model *s, struct M *m, struct G *g, bool blocked, uint64_t start_pc,
		    uint64_t stack);
void step_go_start(struct model *s, struct M *m, struct G *g);
/*
 * The trace has @reason; the goroutine waits for @waits (NULL: not known), at the object @object,
 * which is that of g->object (NULL: none, or not known).
 */
void step_go_block(struct model *s, struct M *m, const char *reason, const char *waits,
		   uint64_t stack, const struct trace_wait *object);
void step_go_stop(struct model *s, struct M *m, const char *reason, uint64_t stack);
void step_go_destroy(struct model *s, struct M *m);
/* @m is the thread that makes it runnable; NULL: no thread of the program does. */
void step_go_unblock(struct model *s, struct M *m, struct G *g, uint64_t stack);
void step_go_switch(struct model *s, struct M *m, struct G *next, bool dies);

/*
 * No record has the end of a sweep: the sweep of @m, if the trace has its begin, ended at its last
 * span.
 */
void step_sweep_end(struct model *s, struct M *m);
/*
 * GOMAXPROCS becomes @procs: the same on each P beyond, on which viewers take no end of a sweep
 * then.
 */
void step_sweep_end_beyond(struct model *s, uint64_t procs);

/* A note, at once: @m runs a goroutine with a P. */
void step_note(struct model *s, struct M *m, const char *text);
/* A log event that says which program the trace is of. */
void step_origin(struct model *s, struct M *m, const char *text);

/* The goroutine that stopped the world ends the stop; it runs and has a P. */
void step_stw_end(struct model *s);

void step_sys_begin(struct model *s, struct M *m, uint64_t stack);
void step_sys_end(struct model *s, struct M *m);
void step_sys_end_blocked(struct model *s, struct M *m);
void step_sys_create(struct model *s, struct M *m, struct G *g);
void step_sys_destroy(struct model *s, struct M *m);

void step_p_start(struct model *s, struct M *m, struct P *p);
void step_p_stop(struct model *s, struct M *m);
/*
 * ProcsChange, if @m (which may be NULL) has a P and a goroutine in @status; else false.
 * Readers take it from a goroutine that runs, and from one in a syscall as well.
 */
bool step_procs(struct model *s, struct M *m, uint8_t status);
/* @m takes @p out of the syscall of the thread that holds it (which may be @m). */
void step_p_steal(struct model *s, struct M *m, struct P *p);

/* The state of a G or P at the begin of a generation. */
void step_go_status(struct model *s, struct G *g);
void step_p_status(struct model *s, struct P *p);

#endif
