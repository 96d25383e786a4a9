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

/* --- the parts that are needed where a record was lost, or before the trace begins --- */

void ensure_announced(struct model *s, struct M *m, struct G *g, uint8_t status);
void ensure_some_p(struct model *s, struct M *m);
void ensure_assist_ends(struct model *s, struct M *m);
void ensure_leaves(struct model *s, struct M *m);
struct G *ensure_runs(struct model *s, struct M *m, uint64_t goid);
void ensure_waits(struct model *s, struct M *m, struct G *g);
void ensure_wakes(struct model *s, struct M *m, struct G *g);
struct G *ensure_enters(struct model *s, struct M *m, uint64_t goid);

/* --- */

/* The goroutine @goid. If no record announced it, the model gets it with @status. @m acts. */
static inline struct G *ensure_known(struct model *s, struct M *m, uint64_t goid, uint8_t status)
{
	struct G *g = g_put(s, goid);

	if (g->status == STATUS_UNKNOWN)
		ensure_announced(s, m, g, status);
	return g;
}

/*
 * May all Ps be looked at once more in this generation? Each time costs as much as there are Ps: a
 * program that forges records has 8,192, and each record can need a look.
 */
bool ensure_looks_at_ps(struct model *s);
/* @m holds a P. */
static inline void ensure_p(struct model *s, struct M *m)
{
	if (!m->p && s->started)
		ensure_some_p(s, m);
}

/* The P of @m is one of GOMAXPROCS: events of the collector's work need such a one. */
void ensure_p_counts(struct model *s, struct M *m);
/* Likewise, if @g, which runs or will run there, does GC work. */
static inline void ensure_p_takes(struct model *s, struct M *m, const struct G *g)
{
	if (g->assist || g->gc_work)
		ensure_p_counts(s, m);
}

/* ensure_p() and ensure_p_takes(). */
void ensure_p_both(struct model *s, struct M *m, const struct G *g);
static inline void ensure_p_for(struct model *s, struct M *m, const struct G *g)
{
	if (!m->p | g->assist | g->gc_work)
		ensure_p_both(s, m, g);
}

/* Nobody stops the world. */
void ensure_world_runs(struct model *s);

/* The goroutine of @m, which ends or leaves its thread, is in no mark assist. */
static inline void ensure_no_assist(struct model *s, struct M *m)
{
	if (m->g->assist)
		ensure_assist_ends(s, m);
}

/* The goroutine of @m, which leaves its thread or enters a syscall, does not stop the world. */
static inline void ensure_no_stop(struct model *s, struct M *m)
{
	if (s->stw && s->stw == m->g)
		ensure_world_runs(s);
}

/* Both of these: it ends, or enters a syscall. */
static inline void ensure_may_leave(struct model *s, struct M *m)
{
	ensure_no_stop(s, m);
	ensure_no_assist(s, m);
}

/* @m may create a goroutine: it holds a P and is in no syscall. */
void ensure_may_create(struct model *s, struct M *m);

/* @m runs no goroutine. */
static inline void ensure_no_g(struct model *s, struct M *m)
{
	if (m->g)
		ensure_leaves(s, m);
}

/* @m runs goroutine @goid, with a P; returns it. */
static inline struct G *ensure_running(struct model *s, struct M *m, uint64_t goid)
{
	struct G *g = m->g;

	if (!g || g->id != goid || g->status != G_RUNNING)
		return ensure_runs(s, m, goid);
	ensure_p_for(s, m, g);
	return g;
}

/* @g is off its thread, waiting; @m acts. */
static inline void ensure_waiting(struct model *s, struct M *m, struct G *g)
{
	if (g->status != G_WAITING)
		ensure_waits(s, m, g);
}

/* @g is off its thread, runnable; @m acts. */
static inline void ensure_runnable(struct model *s, struct M *m, struct G *g)
{
	if (g->status != G_RUNNABLE)
		ensure_wakes(s, m, g);
}

/* Goroutine @goid is in a syscall on @m; returns it. */
static inline struct G *ensure_syscall(struct model *s, struct M *m, uint64_t goid)
{
	struct G *g = m->g;

	return g && g->id == goid && g->status == G_SYSCALL ? g : ensure_enters(s, m, goid);
}

/* No thread holds @p; @m acts. A P in a syscall is stolen, which is no repair. */
void ensure_p_idle(struct model *s, struct M *m, struct P *p);

#endif
