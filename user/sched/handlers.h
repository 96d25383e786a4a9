/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handlers: what model.c's table calls, one function per kind of record, and what
 * the files that have them do for one another.
 */
#ifndef GOTAP_SCHED_HANDLERS_H
#define GOTAP_SCHED_HANDLERS_H

#include "sched/state.h"

/* Kinds from struct rec_long on have more to say. */
static inline const struct rec_long *as_long(const struct rec *r)
{
	return (const struct rec_long *)r;
}

/* --- goroutines.c --- */

void go_start(struct model *s, struct M *m, const struct rec *r);
void go_park(struct model *s, struct M *m, const struct rec *r);
void go_preempt_park(struct model *s, struct M *m, const struct rec *r);
void go_stop(struct model *s, struct M *m, const struct rec *r);
void go_dead(struct model *s, struct M *m, const struct rec *r);
void go_ready(struct model *s, struct M *m, const struct rec *r);
void go_create(struct model *s, struct M *m, const struct rec *r);
void go_switch(struct model *s, struct M *m, const struct rec *r);

/* --- syscalls.c --- */

void sys_enter(struct model *s, struct M *m, const struct rec *r);
void sys_exit(struct model *s, struct M *m, const struct rec *r);
void sys_exit_nop(struct model *s, struct M *m, const struct rec *r);
void extra_enter(struct model *s, struct M *m, const struct rec *r);
void extra_leave(struct model *s, struct M *m, const struct rec *r);

/* --- procs.c --- */

void p_start(struct model *s, struct M *m, const struct rec *r);
void p_stop(struct model *s, struct M *m, const struct rec *r);
void p_steal(struct model *s, struct M *m, const struct rec *r);
void p_handoff(struct model *s, struct M *m, const struct rec *r);
void procs_change(struct model *s, struct M *m, const struct rec *r);
void stw_begin(struct model *s, struct M *m, const struct rec *r);
void stw_end(struct model *s, struct M *m, const struct rec *r);

/* The first generation begins: a goroutine that runs says what GOMAXPROCS is. */
void procs_tell_first(struct model *s);
/* A generation ends: the trace says what GOMAXPROCS is, if no goroutine has done so yet. */
void procs_tell(struct model *s);

/* --- ranges.c --- */

void gc_begin(struct model *s, struct M *m, const struct rec *r);
void gc_end(struct model *s, struct M *m, const struct rec *r);
void assist_begin(struct model *s, struct M *m, const struct rec *r);
void assist_end(struct model *s, struct M *m, const struct rec *r);
void heap_alloc(struct model *s, struct M *m, const struct rec *r);
void heap_goal(struct model *s, struct M *m, const struct rec *r);

/* The goroutine of @m ends: so does its assist. */
void assist_close(struct model *s, struct M *m);
/* A generation has begun and a thread can speak: a cycle or assists that go on are told. */
void gc_tell(struct model *s, struct M *m);
void assist_tell_all(struct model *s);

/* --- sweep.c --- */

void sweep_span(struct model *s, struct M *m, const struct rec *r);
void sweep_mark(struct model *s, struct M *m, const struct rec *r);
/* What @m was sweeping has ended: something else happens on it. */
void sweep_settle(struct model *s, struct M *m);
/* A generation has begun: sweeps that go on are told. */
void sweep_tell_all(struct model *s);

/* --- memory.c --- */

void span_alloc(struct model *s, struct M *m, const struct rec *r);
void span_free(struct model *s, struct M *m, const struct rec *r);
void gstack_alloc(struct model *s, struct M *m, const struct rec *r);
void gstack_free(struct model *s, struct M *m, const struct rec *r);
void snap_memory(struct model *s, struct M *m, const struct rec *r);
void snap_span(struct model *s, struct M *m, const struct rec *r);
void snap_gstack(struct model *s, struct M *m, const struct rec *r);
/* The trace has begun: what there is is told. */
void memory_tell_all(struct model *s);

/* --- snap.c --- */

void snap_p_name(struct model *s, struct M *m, const struct rec *r);
void snap_p(struct model *s, struct M *m, const struct rec *r);
void snap_g(struct model *s, struct M *m, const struct rec *r);
void snap_gc(struct model *s, struct M *m, const struct rec *r);
void snap_end(struct model *s, struct M *m, const struct rec *r);

/* --- gap.c --- */

/*
 * REC_GAP: nothing is known from here on; the generation ends. Returns the error
 * of the trace file. Nothing happens if the trace has not begun or the gap is open.
 */
int gap_record(struct model *s, const struct rec *r);
/* One that may begin later does if @m, or another thread, can tell it. */
int gap_begin_told(struct model *s, struct M *m);
/* Records are whole again; what they and a snapshot say counts. */
void gap_resume(struct model *s, struct M *m, const struct rec *r);
/* The snapshot was complete: the trace goes on in the states that are now. */
void gap_close(struct model *s);
/* The recording ends in the gap: the states are those of its begin. */
void gap_abandon(struct model *s);
/* Forgets what was known before the gap. */
void gap_drop(struct model *s);

/* --- notes.c --- */

void budget_changed(struct model *s, struct M *m, const struct rec *r);
void end_of_capture(struct model *s, struct M *m, const struct rec *r);
void records_lost(struct model *s, struct M *m, const struct rec *r);
/* Queues a text about the trace itself. */
void note_add(struct model *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes one at once: @m runs a goroutine with a P. */
void note_speak(struct model *s, struct M *m, const char *text);
/* A time as notes give it: seconds since the trace began. */
double note_seconds(const struct model *s, uint64_t time);
/* Writes them if @m, which may be NULL, or any other thread can speak. False if none can. */
bool notes_tell(struct model *s, struct M *m);

/* --- annotations.c --- */

void user_task_begin(struct model *s, struct M *m, const struct rec *r);
void user_task_end(struct model *s, struct M *m, const struct rec *r);
void user_region(struct model *s, struct M *m, const struct rec *r);
void user_log(struct model *s, struct M *m, const struct rec *r);
/* Regions of a goroutine that ended, or of all when the model does. */
void regions_drop(struct model *s, struct G *g);

#endif
