// SPDX-License-Identifier: Apache-2.0
/*
 * snap: the snapshot of the process that user space read when it attached. See handlers.h.
 * The state of a goroutine or P that had a record since then is newer than the snapshot, so
 * each of these only fills in states that are still unknown; snap_end lets the trace begin.
 */
#include "sched/generation.h"
#include "release/release.h"
#include "sched/handlers.h"
#include "sched/waits.h"

/* runtime/runtime2.go: g.atomicstatus, the same in all releases */
enum { GO_RUNNABLE = 1, GO_RUNNING = 2, GO_SYSCALL = 3, GO_WAITING = 4, GO_COPYSTACK = 8,
       GO_PREEMPTED = 9, GO_LEAKED = 10 };

void snap_p_name(struct model *s, struct M *m, const struct rec *r)
{
	p_put(s, r->id, r->ptr);
}

void snap_p(struct model *s, struct M *m, const struct rec *r)
{
	struct P *p = p_put(s, r->id, r->ptr);
	struct M *holder;

	if (s->started || p->status != STATUS_UNKNOWN)
		return;
	p->status = P_IDLE;
	if (!r->tid)
		return;
	holder = m_put(s, r->tid);
	if (!holder->p)
		p_bind(p, holder, r->sub ? P_SYSCALL : P_RUNNING);
}

/*
 * Waiting by its status, while its own thread works on it or for it on the
 * system stack: for a tracer it runs. Up to Go 1.20 the reason then is that of
 * its last wait, but only such a g still has its thread (dropg).
 */
static bool is_worked_on(const struct model *s, const struct rec *r)
{
	if (release_has(s->opts.minor, RELEASE_STALE_WAIT_REASON))
		return r->tid != 0;
	return release_wait_is_running(s->opts.minor, r->flags & 0xff);
}

static uint8_t snap_status(const struct model *s, const struct rec *r)
{
	switch (r->sub) {
	case GO_RUNNABLE:
		return G_RUNNABLE;
	case GO_RUNNING:
	case GO_COPYSTACK:
		return G_RUNNING;
	case GO_SYSCALL:
		return G_SYSCALL;
	case GO_WAITING:
		return is_worked_on(s, r) ? G_RUNNING : G_WAITING;
	case GO_PREEMPTED:
	case GO_LEAKED:
		return G_WAITING;
	}
	return STATUS_UNKNOWN;
}

void snap_g(struct model *s, struct M *m, const struct rec *r)
{
	uint8_t status = snap_status(s, r);
	struct G *g;
	struct M *on;

	s->snapped = 0;
	if (s->started || !r->id || status == STATUS_UNKNOWN || map64_get(&s->dead, r->id))
		return;
	g = g_put(s, r->id);
	if (g->labels_from == LABELS_UNKNOWN)
		g->labels_from = LABELS_SNAPSHOT;	/* none, unless a record of them follows */
	/* A goroutine keeps the reason of its last wait until it ends. */
	g->worker |= s->worker_waits[r->flags & 0xff];
	if (!g->start_pc)	/* does not change */
		g->start_pc = as_long(r)->arg;
	if (g->status != STATUS_UNKNOWN)
		return;
	g->stack = as_long(r)->stack;
	g->assist = r->flags >> 8;
	g->assist_depth = UINT64_MAX;
	g->status = status;
	if (r->sub == GO_WAITING || r->sub == GO_LEAKED)
		wait_snap(s, g, r);
	if (status != G_RUNNING && status != G_SYSCALL)
		return;
	on = r->tid ? m_put(s, r->tid) : NULL;
	if (on && !on->g)	/* the end of a syscall on Go 1.26+ may not name the goroutine */
		g_bind(g, on, on->left_syscall ? G_RUNNING : status);
	else
		g->status = G_WAITING;
}

/* A goroutine or P that had a record since the attach keeps the state of that record. */
void snap_gc(struct model *s, struct M *m, const struct rec *r)
{
	enum { GC_OFF = 0 };

	if (!s->started && !s->gc_known)
		s->gc_running = r->sub != GC_OFF;	/* GCEnd comes after mark termination */
}

void snap_end(struct model *s, struct M *m, const struct rec *r)
{
	if (s->gap.collecting)
		gap_close(s);
	else if (!s->started && !s->gap.open)
		generation_first(s);
}
