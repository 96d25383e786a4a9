// SPDX-License-Identifier: Apache-2.0
/* rewrite: see rewrite.h. Reads the events of the original, and opens and closes generations. */
#include "rewrite/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "rewrite/stackkeys.h"

/* The clock of a generation, for headers from 1.25 on: the original's wall clock, if it has one. */
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

/* Moves the first clock of a cut trace forward to the begin of the part. */
static void set_forward(struct trace_clock *clock, uint64_t to)
{
	uint64_t by = to > clock->time ? to - clock->time : 0;
	uint64_t nsec = clock->wall_nsec + by;

	clock->time += by;
	clock->mono_ns += by;
	clock->wall_sec += nsec / 1000000000;
	clock->wall_nsec = nsec % 1000000000;
}

static bool is_later(const struct trace_clock *a, const struct trace_clock *b)
{
	bool wall = a->wall_sec != b->wall_sec ? a->wall_sec > b->wall_sec :
						 a->wall_nsec > b->wall_nsec;

	return wall && a->time > b->time && a->mono_ns > b->mono_ns;
}

/*
 * Takes the clock of a generation. Damage may have changed it, or may have repeated an older
 * generation. Readers require each clock to be later than the previous one: one that is not
 * continues from @last.
 */
static void rewrite_take_clock(struct rewrite *c, const struct v2_generation *gen,
			       struct trace_clock *last)
{
	struct trace_clock clock = clock_of(c, gen);

	c->result->clocks += c->clock.wall_sec && !is_later(&clock, &c->clock);
	c->clock = clock;
	if (!last->wall_sec || is_later(&clock, last))
		*last = clock;
	else
		set_forward(last, clock.time > last->time ? clock.time : last->time + 1);
}

/* Writes the ranges that are open where the written trace begins. */
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
		/* a stop-the-world has no Active event: its end will be left out */
		sim_stw(&c->sim, g, false);
		g->assist_before = g->assist && !sim_g_thread(g);
		if (g->assist && sim_g_thread(g))
			sim_put(&c->sim, SIM_ADDED, g->m, EV_GCMarkAssistActive, g->id);
		else
			g->assist = false;
	}
}

/*
 * Writes the experimental data, all of it at the begin of a generation: its batches have no place
 * in the order of events.
 */
static int write_experiments(struct rewrite *c)
{
	const struct v2_generation *gen = trace_reader_generation(c->r);
	_cleanup_free_ uint8_t *buf = NULL;
	size_t i;

	if (!c->writing || !gen)
		return 0;
	if (c->version < 23) {
		c->result->data_dropped += gen->experiments.len;
		return 0;
	}
	buf = xcalloc(TRACEV2_MAX_BATCH, 1);
	for (i = 0; i < gen->experiments.len; i++) {
		const struct v2_experiment *e = vec_at(&gen->experiments, struct v2_experiment, i);
		const uint8_t *body = trace_reader_body(c->r, &e->at, buf);

		if (!body)
			return trace_reader_error(c->r, c->err);
		c->loose++;
		tracefile_experiment(c->tf, e->exp, e->m, c->sim.now, body, e->at.size);
	}
	return 0;
}

/* Notes the requested goroutines that have a status in the first generation. */
static void see_all(struct rewrite *c)
{
	const struct map64 *wanted = c->o->goroutines;
	size_t i;

	for (i = 0; wanted && i < wanted->cap; i++)
		if (wanted->slots[i].used)
			rewrite_see(c, wanted->slots[i].key);
}

/* Opens a generation of the result and writes the statuses at its begin. */
static void open_generation(struct rewrite *c)
{
	c->before = c->sim.emitted;
	c->loose = 0;
	tracefile_gen_begin(c->tf);
	sim_restate(&c->sim);
}

/* Counts the events written since the generation was opened as statuses. */
static void note_stated(struct rewrite *c)
{
	c->stated = c->sim.emitted - c->before;
	c->all_stated += c->stated;
}

/* Called at the first event after --from: the states are those before this event. */
static int begin_writing(struct rewrite *c)
{
	uint64_t begin = (uint64_t)c->start + (uint64_t)c->o->from;

	c->writing = true;
	c->sim.now = begin > 2 ? begin : 2;
	c->began = c->sim.now;
	c->sim.muted = false;
	open_generation(c);
	see_all(c);
	restate_ranges(c);
	if (c->procs)
		sim_program(&c->sim, SIM_ADDED, NULL, EV_ProcsChange, 2,
			    (const uint64_t[]){ c->procs, 0 });
	note_stated(c);
	return write_experiments(c);
}

/* Readers refuse a generation without an event: its samples and data are left out. */
static int rewrite_end_generation(struct rewrite *c, struct trace_clock *clock)
{
	if (!c->writing)
		return 0;
	if (c->sim.emitted == c->before)
		c->result->dropped += c->loose;
	set_forward(clock, c->began);
	return tracefile_gen_end(c->tf, clock, c->err);
}

/*
 * Events that wait for a goroutine to run lose their stack, since its id is that of the old
 * generation. And a range is Active in the first generation only: in a later one it begins.
 */
static void strip_pending(struct rewrite *c)
{
	size_t i;

	for (i = 0; i < c->sim.pending.len; i++) {
		struct sim_pending *p = vec_at(&c->sim.pending, struct sim_pending, i);

		p->args[1] = 0;
		if (p->ev != EV_GCActive)
			continue;
		p->ev = EV_GCBegin;
		p->nargs = 2;
	}
}

/* Ends the written generation and begins the next one, with all statuses. */
static int rewrite_next_generation(struct rewrite *c, struct trace_clock *clock)
{
	int ret = rewrite_end_generation(c, clock);

	c->later |= c->sim.emitted > 0;
	strip_pending(c);
	rewrite_drop_names(c);
	open_generation(c);
	note_stated(c);
	return ret;
}

enum { GEN_BYTES = 32 << 20 };

/*
 * True if the generation has at least as many other events as statuses. A damaged file may have any
 * number of generations without events, and each would repeat the statuses of all goroutines. A
 * generation without an event is not written, and its samples go to the next one.
 */
static bool is_worth_its_statuses(const struct rewrite *c)
{
	size_t events = c->sim.emitted - c->before;

	if (*tracefile_gen_size(c->tf) > GEN_BYTES)
		return true;
	return events && events + c->loose >= 2 * c->stated;
}

/* A generation of the original ends: then the written generation ends, too. */
static int rewrite_turn(struct rewrite *c, struct trace_clock *clock)
{
	const struct v2_generation *gen = trace_reader_generation(c->r);
	bool next = c->writing && gen && is_worth_its_statuses(c);
	int ret = 0;

	map64_clear(&c->stack_keys);
	if (next) {
		rewrite_end_stops(c);
		ret = rewrite_next_generation(c, clock);
	}
	if (!c->writing)
		rewrite_drop_names(c);
	if (gen && c->resumed) {
		rewrite_resume(c);
		c->resumed = false;
	}
	if (gen && (next || !c->writing))
		rewrite_take_clock(c, gen, clock);
	return ret ? ret : write_experiments(c);
}

/*
 * True if the generation should be split. During a stop-the-world this waits, but with a limit: in
 * a damaged file the world may never start again.
 */
static bool is_full(const struct rewrite *c)
{
	size_t bytes = *tracefile_gen_size(c->tf);

	return bytes > GEN_BYTES && (!c->sim.stops || bytes > (size_t)8 * GEN_BYTES);
}

/* Splits a long generation of the original: the written one is in memory until it ends. */
static int rewrite_split(struct rewrite *c, struct trace_clock *clock)
{
	uint64_t time = c->sim.last + 1;
	int ret;

	map64_clear(&c->stack_keys);
	rewrite_end_stops(c);
	ret = rewrite_next_generation(c, clock);
	set_forward(clock, time);
	return ret;
}

static int rewrite_do_step(struct rewrite *c, const struct trace_event *ev,
			   struct trace_clock *clock)
{
	int ret = 0;

	c->result->resumed |= c->at_fault;
	c->at_fault = false;
	if (!c->writing && ev->time - c->start >= c->o->from)
		ret = begin_writing(c);
	c->sim.now = ev->time > 2 ? (uint64_t)ev->time : 2;
	c->result->ran |= c->writing && rewrite_wanted(c, ev->g);
	if (!ret)
		ret = rewrite_event(c, ev);
	if (!ret && c->writing && is_full(c))
		ret = rewrite_split(c, clock);
	return ret;
}

/*
 * The requested time ends before the trace: the last generation has the statuses at its last
 * instant.
 */
static int end_span(struct rewrite *c, struct trace_clock *clock)
{
	int ret = 0;

	if (!c->writing)
		ret = begin_writing(c);
	c->sim.now = (uint64_t)c->start + (uint64_t)c->o->to;
	if (!ret && c->sim.now > c->sim.last)
		ret = rewrite_split(c, clock);
	return ret;
}

static void note_fault(struct rewrite *c)
{
	const struct v2_fault *f = trace_reader_fault(c->r);

	if (c->at_fault)	/* no event could be read since the last fault */
		return;
	c->at_fault = true;
	if (!c->result->faults++)
		snprintf(c->result->fault, sizeof(c->result->fault), "%s at offset 0x%llx",
			 f->rule, (unsigned long long)f->place.offset);
}

/* The reader has met damage. True if it can continue after the damage. */
static bool rewrite_go_on(struct rewrite *c)
{
	uint64_t lost;

	note_fault(c);
	c->resumed = trace_reader_resume(c->r, &lost);
	c->result->lost += lost;
	return c->resumed;
}

static int rewrite_take(struct rewrite *c, const struct trace_event *ev, struct trace_clock *clock)
{
	if (!c->started && (ev->type != TRACE_SYNC || ev->args[1])) {
		c->start = ev->time;
		c->started = true;
	}
	return ev->type == TRACE_SYNC ? rewrite_turn(c, clock) : rewrite_do_step(c, ev, clock);
}

static int rewrite_do_run(struct rewrite *c, struct trace_clock *clock)
{
	const struct trace_event *ev;
	int ret = 0, next;

	do {
		while (!ret && (next = trace_reader_next(c->r, &ev)) > 0) {
			if (c->started && ev->time - c->start > c->o->to)
				return end_span(c, clock);
			ret = rewrite_take(c, ev, clock);
		}
		if (!ret)
			ret = trace_reader_error(c->r, c->err);
	} while (!ret && next < 0 && rewrite_go_on(c));
	return ret;
}

/* Checks that the written trace has each requested goroutine. */
static int check_seen(struct rewrite *c)
{
	const struct map64 *wanted = c->o->goroutines;
	size_t i;

	for (i = 0; wanted && i < wanted->cap; i++)
		if (wanted->slots[i].used && !map64_get(&c->seen, wanted->slots[i].key))
			return error_set(c->err, -ENOENT, "there is no goroutine %llu in this part "
					 "of the trace",
					 (unsigned long long)wanted->slots[i].key);
	return 0;
}

static int rewrite_rewrite(struct rewrite *c, int fd)
{
	struct tracefile_opts opts = { .version = c->version,
				       .frames = stackkeys_frames };
	struct trace_clock clock = { 0 };
	int ret = tracefile_new(&c->tf, fd, &opts, c->err);

	if (ret)
		return ret;
	sim_init(&c->sim, c->tf);
	c->sim.muted = true;
	c->sim.status_stacks = c->version >= 23;
	ret = rewrite_do_run(c, &clock);
	if (!ret && c->writing)
		ret = check_seen(c);
	if (!ret)
		ret = rewrite_end_generation(c, &clock);
	if (!ret && !c->sim.emitted)
		ret = error_set(c->err, -ENODATA, "nothing of the trace is left%s%s",
				c->result->faults ? ": " : "", c->result->fault);
	c->result->events = c->sim.emitted;
	c->result->dropped += c->sim.pending.len;
	c->result->joined = c->sim.counts.added - c->all_stated;
	c->result->unnamed = trace_reader_unnamed(c->r);
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
	ret = rewrite_rewrite(&c, fd);
	trace_reader_close(c.r);
	strset_free(c.texts);
	map64_free(&c.stack_keys);
	map64_free(&c.seen);
	map64_free(&c.tasks);
	return ret;
}
