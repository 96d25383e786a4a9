// SPDX-License-Identifier: Apache-2.0
/* sink_proc: v2 events of Ps, of the collector, and what the program says of itself. See sink.h. */
#include "v1write/sink_internal.h"

/* --- Ps --- */

void sink_procs_change(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	/* v2 repeats the number of Ps in each generation. */
	if (e->args[0] != v->s.procs)
		v1_gomaxprocs(&v->s, sink_place(v, m), e->args[0], sink_stack(v, m, e->args[1]));
}

/* Takes the P from the thread that had it, if no event has shown that the thread gave it away. */
static void v1_sink_proc_take_from(struct v1_sink *v, struct v1_p *p)
{
	struct v1_m *m = sink_thread(v, p->thread);

	if (m->p == p)
		m->p = NULL;
}

void sink_proc_start(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_p *p = v1_p(&v->s, e->args[0]);

	v1_sink_proc_take_from(v, p);
	m->p = p;
	v1_proc_start(&v->s, p, m->id);
}

/* Stops @p. A goroutine that is in a system call on @p goes on without a P. */
static void v1_sink_proc_stop(struct v1_sink *v, struct v1_p *p)
{
	if (p->g && p->g->syscall)
		v1_go_sysblock(&v->s, p->g);
	v1_proc_stop(&v->s, p);
}

void sink_proc_stop(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	if (m->p)
		v1_sink_proc_stop(v, m->p);
	m->p = NULL;
}

void sink_proc_steal(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_p *p = v1_p(&v->s, e->args[0]);

	v1_sink_proc_take_from(v, p);
	v1_sink_proc_stop(v, p);
}

/* --- the collector --- */

/* v1 has one stop of the world at a time: one that begins inside another is left out. */
void sink_stw_begin(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_text reason = sink_words(e->args[0]);
	struct v1_p *p = sink_place(v, m);

	if (v->stops++) {
		v1_leave_out(&v->s, V1_LEFT_STOPS);
		return;
	}
	v->stop = v1_stw_start(&v->s, p, reason.s, reason.n) ? p : NULL;
	if (v->stop && e->args[1])
		v1_leave_out(&v->s, V1_LEFT_STOP_STACKS);
}

/* Up to Go 1.9 a stop of the world ends on the P where it began. */
void sink_stw_end(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	if (!v->stops) {
		v1_leave_out(&v->s, V1_LEFT_RANGE_ENDS);
		return;
	}
	if (--v->stops || !v->stop)
		return;
	v1_stw_done(&v->s, v->s.version < 10 ? v->stop : sink_place(v, m));
	v->stop = NULL;
}

/*
 * Runtimes before Go 1.22 began no trace while a collection went on, so that v1 has no such event.
 */
void sink_gc_active(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	if (v->s.gc)
		return;
	v1_leave_out(&v->s, V1_ADDED_COLLECTIONS);
	v1_gc_start(&v->s, sink_place(v, m), 0);
}

void sink_gc_begin(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_gc_start(&v->s, sink_place(v, m), sink_stack(v, m, e->args[1]));
}

void sink_gc_end(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_gc_done(&v->s, sink_place(v, m));
}

void sink_sweep_active(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_p *p = v1_p(&v->s, e->args[0]);

	if (p->sweeps)
		return;
	v1_leave_out(&v->s, V1_ADDED_COLLECTIONS);
	v1_sweep_start(&v->s, p, 0);
}

void sink_sweep_begin(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_sweep_start(&v->s, sink_place(v, m), sink_stack(v, m, e->args[0]));
}

void sink_sweep_end(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_sweep_done(&v->s, sink_place(v, m), e->args[0], e->args[1]);
}

/* A mark assist that went on when the trace began has only its end in the result. */
void sink_assist_active(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
}

void sink_assist_begin(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_assist(&v->s, sink_place(v, m), V1_ASSIST_START, sink_stack(v, m, e->args[0]));
}

void sink_assist_end(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_assist(&v->s, sink_place(v, m), V1_ASSIST_DONE, 0);
}

void sink_heap_alloc(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_heap(&v->s, sink_place(v, m), V1_HEAP_ALLOC, e->args[0]);
}

void sink_heap_goal(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_heap(&v->s, sink_place(v, m), V1_HEAP_GOAL, e->args[0]);
}

/* --- what the program says of itself --- */

void sink_task_begin(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	uint64_t parent = e->args[1] == TRACEV2_NO_ID ? 0 : e->args[1];

	v1_task_create(&v->s, sink_place(v, m), e->args[0], parent, sink_words(e->args[2]),
		       sink_stack(v, m, e->args[3]));
}

void sink_task_end(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_task_end(&v->s, sink_place(v, m), e->args[0], sink_stack(v, m, e->args[1]));
}

void sink_region_begin(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_region_begin(&v->s, sink_place(v, m), e->args[0], sink_words(e->args[1]),
			sink_stack(v, m, e->args[2]));
}

void sink_region_end(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_region_end(&v->s, sink_place(v, m), e->args[0], sink_words(e->args[1]),
		      sink_stack(v, m, e->args[2]));
}

void sink_log(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_log(&v->s, sink_place(v, m), e->args[0], sink_words(e->args[1]), sink_words(e->args[2]),
	       sink_stack(v, m, e->args[3]));
}
