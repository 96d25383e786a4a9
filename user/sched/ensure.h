/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ensure: brings the machine into the state that the next step needs. When
 * nothing was lost these do nothing; each step they have to insert is a
 * repair, counted by kind. Before the trace begins they set the state that
 * the record proves and count nothing.
 */
#ifndef GOTAP_SCHED_ENSURE_H
#define GOTAP_SCHED_ENSURE_H

#include "sched/state.h"

/* The goroutine @goid. If no record announced it, the model gets it with @status. @m acts. */
struct G *ensure_known(struct model *s, struct M *m, uint64_t goid, uint8_t status);
/* @m holds a P. */
void ensure_p(struct model *s, struct M *m);
/* The P of @m is one of GOMAXPROCS: events of the collector's work need such a one. */
void ensure_p_counts(struct model *s, struct M *m);
/* Likewise, if @g, which runs or will run there, does GC work. */
void ensure_p_takes(struct model *s, struct M *m, const struct G *g);
/* The goroutine of @m, which ends or leaves its thread, is in no mark assist. */
void ensure_no_assist(struct model *s, struct M *m);
/* The goroutine of @m, which leaves its thread or enters a syscall, does not stop the world. */
void ensure_no_stop(struct model *s, struct M *m);
/* Both of these: it ends, or enters a syscall. */
void ensure_may_leave(struct model *s, struct M *m);
/* @m may create a goroutine: it holds a P and is in no syscall. */
void ensure_may_create(struct model *s, struct M *m);
/* @m runs no goroutine. */
void ensure_no_g(struct model *s, struct M *m);
/* @m runs goroutine @goid, with a P; returns it. */
struct G *ensure_running(struct model *s, struct M *m, uint64_t goid);
/* @g is off its thread, waiting; @m acts. */
void ensure_waiting(struct model *s, struct M *m, struct G *g);
/* @g is off its thread, runnable; @m acts. */
void ensure_runnable(struct model *s, struct M *m, struct G *g);
/* Nobody stops the world. */
void ensure_world_runs(struct model *s);
/* Goroutine @goid is in a syscall on @m; returns it. */
struct G *ensure_syscall(struct model *s, struct M *m, uint64_t goid);
/* No thread holds @p; @m acts. A P in a syscall is stolen, which is no repair. */
void ensure_p_idle(struct model *s, struct M *m, struct P *p);

#endif
