// SPDX-License-Identifier: Apache-2.0
/* rewrite: see rewrite.h. Goes through the original and opens and closes generations. */
#include "rewrite/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Headers from 1.25 on want a wall clock: the original's, if it has one. */
static struct trace_clock clock_of(const struct rewrite *c, const struct v2_generation *gen)
{
	struct trace_clock clock = { .time = c->sim.last + 1, .wall_sec = 1 };
	int64_t time = clock_ns(&gen->clock, gen->min_time);

	if (gen->clock.has_snapshot)
		time = clock_ns(&gen->clock, gen->clock.snap_time);
	if (time > 0 && (uint64_t)time > clock.time)
		clock.time = (uint64_t)time;
	if (gen->clock.has_snapshot) {
		clock.mono_ns = gen->clock.snap_mono;
		clock.wall_sec = gen->clock.snap_sec;
		clock.wall_nsec = gen->clock.snap_nsec;
		return clock;
	}
	clock.mono_ns = clock.time;
	clock.wall_sec += clock.time / 1000000000;
	clock.wall_nsec = clock.time % 1000000000;
	return clock;
}

/* Ranges that are open where the written trace begins. */
static void restate_ranges(struct rewrite *c)
{
	struct map64 *gs = &c->sim.gs, *ps = &c->sim.ps;
	size_t i;

	c->gc_known = false;
	c->gc_seq = 0;
	if (c->gc_open) {
		sim_program(&c->sim, SIM_ADDED, NULL, EV_GCActive, 1,
			    (const uint64_t[]){ ++c->gc_seq });
		c->gc_known = true;
	}
	for (i = 0; i < ps->cap; i++) {
		struct sim_p *p = (void *)(uintptr_t)ps->slots[i].value;

		if (ps->slots[i].used && p->sweeping && p->m)
			sim_put(&c->sim, SIM_ADDED, p->m, EV_GCSweepActive, p->id);
		else if (ps->slots[i].used)
			p->sweeping = false;
	}
	for (i = 0; i < gs->cap; i++) {
		struct sim_g *g = (void *)(uintptr_t)gs->slots[i].value;

		if (!gs->slots[i].used)
			continue;
		g->stw = false;		/* has no Active: its end will be left out */
		g->assist_before = g->assist && !sim_g_thread(g);
		if (g->assist && sim_g_thread(g))
			sim_put(&c->sim, SIM_ADDED, g->m, EV_GCMarkAssistActive, g->id);
		else
			g->assist = false;
	}
}

static void begin_writing(struct rewrite *c)
{
	c->writing = true;
	c->began = c->sim.now;
	c->sim.muted = false;
	tracefile_gen_begin(c->tf);
	sim_restate(&c->sim);
	restate_ranges(c);
	if (c->procs)
		sim_program(&c->sim, SIM_ADDED, NULL, EV_ProcsChange, 2,
			    (const uint64_t[]){ c->procs, 0 });
}

/* The first clock of a trace cut out of another is set forward to where it begins. */
static void set_forward(struct trace_clock *clock, uint64_t to)
{
	uint64_t by = to > clock->time ? to - clock->time : 0;
	uint64_t nsec = clock->wall_nsec + by;

	clock->time += by;
	clock->mono_ns += by;
	clock->wall_sec += nsec / 1000000000;
	clock->wall_nsec = nsec % 1000000000;
}

static int end_generation(struct rewrite *c, struct trace_clock *clock)
{
	if (!c->writing || !c->sim.emitted)
		return 0;
	set_forward(clock, c->began);
	return tracefile_gen_end(c->tf, clock, c->err);
}

/* What still waits for a goroutine to run loses its stack, an id of the old generation. */
static void strip_pending(struct rewrite *c)
{
	size_t i;

	for (i = 0; i < c->sim.pending.len; i++)
		vec_at(&c->sim.pending, struct sim_pending, i)->args[1] = 0;
}

/* A generation of the original ends where another begins: so do ours. */
static int turn(struct rewrite *c, struct trace_clock *clock)
{
	const struct v2_generation *gen = trace_reader_generation(c->r);
	int ret = 0;

	map64_clear(&c->stack_keys);
	if (c->writing && gen) {
		ret = end_generation(c, clock);
		strip_pending(c);
		tracefile_gen_begin(c->tf);
		sim_restate(&c->sim);
	}
	if (gen)
		*clock = clock_of(c, gen);
	return ret;
}

static int step(struct rewrite *c, const struct trace_event *ev)
{
	c->sim.now = ev->time > 2 ? (uint64_t)ev->time : 2;
	if (!c->writing && ev->time - c->start >= c->o->from)
		begin_writing(c);
	c->result->ran |= c->writing && rewrite_wanted(c, ev->g);
	return rewrite_event(c, ev);
}

static int run(struct rewrite *c, struct trace_clock *clock)
{
	const struct trace_event *ev;
	int ret, next;

	while ((next = trace_reader_next(c->r, &ev)) > 0) {
		if (ev->type == TRACE_SYNC) {
			if (!c->started)
				c->start = ev->time;
			c->started = true;
			ret = turn(c, clock);
		} else if (ev->time - c->start > c->o->to) {
			return 0;
		} else {
			ret = step(c, ev);
		}
		if (ret)
			return ret;
	}
	if (next < 0) {
		const struct v2_fault *f = trace_reader_fault(c->r);

		c->result->damaged = true;
		snprintf(c->result->fault, sizeof(c->result->fault), "%s at offset 0x%llx",
			 f->rule, (unsigned long long)f->place.offset);
	}
	return 0;
}

static int rewrite(struct rewrite *c, int fd)
{
	struct tracefile_opts opts = { .version = c->version,
				       .frames = rewrite_frames, .ctx = c };
	struct trace_clock clock = { 0 };
	int ret = tracefile_new(&c->tf, fd, &opts, c->err);

	if (ret)
		return ret;
	sim_init(&c->sim, c->tf);
	c->sim.muted = true;
	c->sim.status_stacks = c->version >= 23;
	ret = run(c, &clock);
	if (!ret)
		ret = end_generation(c, &clock);
	if (!ret && !c->sim.emitted)
		ret = error_set(c->err, -ENODATA, "nothing of the trace is left%s%s",
				c->result->damaged ? ": " : "", c->result->fault);
	c->result->events = c->sim.emitted;
	sim_release(&c->sim);
	tracefile_free(c->tf);
	return ret;
}

int rewrite_trace(const struct raw_source *source, int fd, const struct rewrite_options *o,
		  struct rewrite_result *result, struct error *err)
{
	struct rewrite c = { .o = o, .result = result, .err = err };
	int ret;

	memset(result, 0, sizeof(*result));
	c.r = trace_reader_open_source(source, err);
	if (!c.r)
		return err->code;
	trace_reader_keep_cut(c.r);
	c.version = o->format ? o->format : trace_reader_version(c.r);
	c.texts = strset_new();
	ret = rewrite(&c, fd);
	trace_reader_close(c.r);
	strset_free(c.texts);
	map64_free(&c.stack_keys);
	return ret;
}
