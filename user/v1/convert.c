// SPDX-License-Identifier: Apache-2.0
/*
 * convert: writes an ordered and checked v1 trace as a v2 trace: each v1 event goes to its handler,
 * which takes steps in the simulated reader.
 */
#include "v1/convert.h"

#include <errno.h>

#include "v1/convert_internal.h"
#include "v1/internal.h"

/* v2 time of the first event: later than the sync batch, which readers show first. */
enum { TIME_BASE = 1000, SYNC_TIME = 1 };

static convert_fn *const handlers[V1_TYPES] = {
	[V1_GOMAXPROCS] = convert_gomaxprocs,
	[V1_PROC_START] = convert_proc_start,
	[V1_PROC_STOP] = convert_proc_stop,
	[V1_GC_START] = convert_gc_start,
	[V1_GC_DONE] = convert_gc_done,
	[V1_STW_START] = convert_stw_start,
	[V1_STW_DONE] = convert_stw_done,
	[V1_SWEEP_START] = convert_sweep_start,
	[V1_SWEEP_DONE] = convert_sweep_done,
	[V1_GO_CREATE] = convert_go_create,
	[V1_GO_START] = convert_go_start,
	[V1_GO_START_LABEL] = convert_go_start,
	[V1_GO_END] = convert_go_end,
	[V1_GO_STOP] = convert_go_block,
	[V1_GO_SCHED] = convert_go_sched,
	[V1_GO_PREEMPT] = convert_go_sched,
	[V1_GO_SLEEP] = convert_go_block,
	[V1_GO_BLOCK] = convert_go_block,
	[V1_GO_UNBLOCK] = convert_go_unblock,
	[V1_GO_BLOCK_SEND] = convert_go_block,
	[V1_GO_BLOCK_RECV] = convert_go_block,
	[V1_GO_BLOCK_SELECT] = convert_go_block,
	[V1_GO_BLOCK_SYNC] = convert_go_block,
	[V1_GO_BLOCK_COND] = convert_go_block,
	[V1_GO_BLOCK_NET] = convert_go_block,
	[V1_GO_SYSCALL] = convert_go_syscall,
	[V1_GO_SYSEXIT] = convert_go_sysexit,
	[V1_GO_SYSBLOCK] = convert_go_sysblock,
	[V1_GO_WAITING] = convert_go_waiting,
	[V1_GO_IN_SYSCALL] = convert_go_in_syscall,
	[V1_HEAP_ALLOC] = convert_heap_alloc,
	[V1_HEAP_GOAL] = convert_heap_goal,
	[V1_GO_BLOCK_GC] = convert_go_block,
	[V1_ASSIST_START] = convert_assist_start,
	[V1_ASSIST_DONE] = convert_assist_done,
	[V1_TASK_CREATE] = convert_task_create,
	[V1_TASK_END] = convert_task_end,
	[V1_REGION] = convert_region,
	[V1_LOG] = convert_log,
	[V1_CPU_SAMPLE] = convert_sample,
};

/* Sets the facts about goroutines that must be known before their first event. */
static void v1_convert_look_ahead(struct convert *c)
{
	const struct map64 *before = &c->t->before;
	size_t i;

	for (i = 0; i < before->cap; i++) {
		const struct map64_slot *slot = &before->slots[i];
		struct sim_g *g;

		if (!slot->used)
			continue;
		g = sim_g(&c->sim, slot->key);
		g->declared = slot->value & V1_DECLARED;
		/* In a damaged trace the begin of the assist may be lost. */
		g->assist_before = !c->t->resumed && slot->value & V1_IN_ASSIST;
	}
}

/*
 * Without a Gomaxprocs, the trace's initial part ends at the first event of another kind than those
 * with which a trace begins.
 */
static bool ends_start(const struct convert *c, const struct v1_event *ev)
{
	if (c->t->has_gomaxprocs)
		return false;
	switch (ev->type) {
	case V1_GO_CREATE:
		return ev->g != 0;
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
	case V1_PROC_START:
	case V1_GO_START:
		return false;
	default:
		return true;
	}
}

/* Stops the goroutine on the event's P: an event that stopped it may be lost in damage. */
static void stop_unknown(struct convert *c, const struct v1_event *ev)
{
	struct sim_p *p = convert_p(c, ev);

	if (p && p->m && p->m->g && p->m->g->status == SIM_RUNNING)
		sim_g_make_runnable(&c->sim, p->m->g);
}

static void convert_event(struct convert *c, const struct v1_event *ev)
{
	size_t added;

	c->sim.now = (uint64_t)ev->time + TIME_BASE;
	if (c->starting && ends_start(c, ev))
		convert_end_start(c);
	if (c->t->resumed)
		convert_have_proc(c, ev);
	added = c->sim.counts.added;
	if (ev->fresh)
		stop_unknown(c, ev);
	if (!ev->senseless && handlers[ev->type] && handlers[ev->type](c, ev))
		c->sim.counts.converted++;
	else
		c->sim.counts.dropped++;
	if (ev->fresh || ev->repaired)
		c->sim.counts.joined += c->sim.counts.added - added;
}

static void convert_all(struct convert *c)
{
	const struct v1_event *ev;
	struct v1_iter it;

	v1_convert_look_ahead(c);
	c->starting = true;
	v1_iter_init(&it, c->t);
	while ((ev = v1_iter_next(&it)))
		convert_event(c, ev);
	v1_iter_release(&it);
	if (c->starting)
		convert_end_start(c);
	c->sim.counts.futile = c->t->futile_cut;
	c->sim.counts.dropped += c->sim.pending.len;
	c->sim.counts.converted -= c->sim.pending.len;
}

/*
 * v1 has no wall clock, but readers require one from headers 1.25 and 1.26: they get the first
 * second of 1970, in every conversion.
 */
static const struct trace_clock no_clock = {
	.time = SYNC_TIME,
	.mono_ns = SYNC_TIME,
	.wall_sec = 1,
};

int v1_convert(const struct v1_trace *t, int fd, int version, struct v1_convert_counts *counts,
	       struct error *err)
{
	struct convert c = { .t = t };
	struct tracefile_opts opts = { .version = version,
				       .frames = convert_frames_get, .ctx = &c.frames };
	struct tracefile *tf;
	int ret = tracefile_new(&tf, fd, &opts, err);

	if (ret)
		return ret;
	convert_frames_init(&c.frames, t);
	sim_init(&c.sim, tf);
	tracefile_gen_begin(tf);
	convert_all(&c);
	if (c.sim.emitted)
		ret = tracefile_gen_end(tf, &no_clock, err);
	else
		ret = error_set(err, -ENODATA, "the trace has no event that v2 can show");
	c.sim.counts.written = c.sim.emitted;
	c.sim.counts.cut_texts += c.frames.cut_names;
	c.sim.counts.cut_stacks = c.frames.cut_stacks;
	if (counts)
		*counts = c.sim.counts;
	sim_release(&c.sim);
	vec_free(&c.held_back);
	convert_frames_release(&c.frames);
	tracefile_free(tf);
	return ret;
}
