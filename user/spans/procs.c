// SPDX-License-Identifier: Apache-2.0
/* procs: Ps with and without a thread, and system calls that lose their P. Part of spans.c. */
#include "spans/internal.h"

static struct proc *procs_add(struct spans *s, uint64_t id)
{
	struct proc *p = idtab_find(&s->procs, id);

	if (!p)
		p = idtab_add(&s->procs, id);
	p->alive = true;
	return p;
}

static void procs_end(struct spans *s, struct proc *p, int64_t time, bool open)
{
	p->now.to = time;
	p->now.open_end = open;
	SHOW(s, proc, &p->now);
}

/* --- system calls --- */

void spans_syscall_begin(struct spans *s, uint64_t m, uint64_t g)
{
	struct thread *thread = idtab_find(&s->threads, m);

	if (!thread)
		thread = idtab_add(&s->threads, m);
	thread->g = g;
}

void spans_syscall_end(struct spans *s, uint64_t m, uint64_t g)
{
	struct thread *thread = idtab_find(&s->threads, m);

	if (thread && thread->g == g)
		idtab_del(&s->threads, m);
}

/* P @p was taken from thread @m: a goroutine in a system call on @m loses it. */
static void procs_lose_p(struct spans *s, uint64_t m, uint64_t p, int64_t time)
{
	struct thread *thread = m == TRACEV2_NO_ID ? NULL : idtab_find(&s->threads, m);
	struct goroutine *g = thread ? spans_goroutine(s, thread->g) : NULL;

	if (g && g->now.state == GO_SYSCALL && g->now.p == p && g->now.p_until == INT64_MAX)
		g->now.p_until = time;
}

/* --- Ps --- */

/*
 * Takes a transition of a P. The thread of a running P is known from its status event only if the
 * P's own thread wrote this event.
 */
void spans_proc(struct spans *s, const struct trace_event *ev)
{
	struct trace_transition tr = event_transition(ev);
	struct proc *p = spans_find_proc(s, tr.id);
	bool found = !p;

	if (p && tr.from == tr.to)
		return;
	if (found)
		p = procs_add(s, tr.id);
	else
		procs_end(s, p, ev->time, false);
	if (tr.to == PROC_IDLE)
		procs_lose_p(s, ev->type == EV_ProcSteal ? p->now.m : ev->m, tr.id, ev->time);
	p->now = (struct proc_span){
		.p = tr.id, .running = tr.to == PROC_RUNNING, .open_begin = found,
		.m = tr.to == PROC_RUNNING ? ev->m : TRACEV2_NO_ID,
		.from = found ? s->sync : ev->time, .to = INT64_MAX,
	};
}

void spans_procs_end(struct spans *s)
{
	uint32_t i;

	for (i = 0; i < s->procs.made; i++) {
		struct proc *p = idtab_at(&s->procs, i);

		if (!p->alive)
			continue;
		procs_end(s, p, s->last, true);
		if (p->ranges)
			spans_end_ranges(s, p->ranges, s->last);
		p->alive = false;
	}
}

void spans_procs_free(struct spans *s)
{
	uint32_t i;

	for (i = 0; i < s->procs.made; i++)
		spans_vec_free(&((struct proc *)idtab_at(&s->procs, i))->ranges);
	idtab_free(&s->procs);
	idtab_free(&s->threads);
}
