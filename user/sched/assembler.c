// SPDX-License-Identifier: Apache-2.0
/* assembler: see assembler.h. */
#include "sched/assembler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "sched/goid.h"
#include "sched/stacks.h"
#include "stream/merge.h"

enum {
	/* A reader holds one generation in memory: keep it near the runtime's second. */
	GEN_NS = 1000000000,
	GEN_BYTES = 16 << 20,
	/*
	 * 64 ns, as in the runtime's own traces (traceTimeDiv): with a finer unit most time
	 * differences take a second byte, 15 % of a trace of ping-pong.
	 */
	TIME_SHIFT = 6,
	/* For a v1 trace the model writes all events that it can, and the sink leaves out the rest. */
	WHOLE_VERSION = 26,
};

struct assembler {
	struct merge *merge;
	struct goid_filter *goids;
	struct stacks *stacks;
	struct model *model;
	int version;
	struct v2_sink *trace;	/* one of the two */
	struct v1_sink *old;
	const uint64_t *generations;	/* of the trace */
	uint64_t records;
	uint64_t written;	/* generations, when the last sample was taken */
	uint64_t unreadable, unsettled;
	uint64_t lost_by_cpu[RING_CPUS + 1];
	uint32_t cpus;
	uint64_t seen;		/* no record with a time up to it is still to come */
	struct error *err;	/* of the running call */
	int failed;
	struct error why;	/* all calls after the one that failed return it again */
};

/* The model knows samples by the key of their whole stack. */
static int pass_sample(struct assembler *a, const struct rec_cpu *c)
{
	struct rec_long l = { .r = c->r };

	if (a->written != *a->generations) {
		a->written = *a->generations;
		stacks_turn(a->stacks);
	}
	l.r.kind = REC_CPU_SAMPLE;
	l.stack = stacks_sample(a->stacks, c);
	return model_record(a->model, &l.r, a->err);
}

/* Records come here without delay, so a sample's stack is made in the generation that needs it. */
static int to_model(void *ctx, const struct rec *r)
{
	struct assembler *a = ctx;

	return r->kind == REC_CPU_LEAF ? pass_sample(a, (const struct rec_cpu *)r) : model_record(a->model, r, a->err);
}

static void note_lost(struct assembler *a, const struct rec *r)
{
	if (r->id > RING_CPUS)
		return;
	a->lost_by_cpu[r->id] += ((const struct rec_long *)r)->arg;
	if (r->id >= a->cpus)
		a->cpus = (uint32_t)r->id + 1;
}

static void note_loss(struct assembler *a, const struct rec *r)
{
	switch (r->kind) {
	case REC_LOST:
		note_lost(a, r);
		break;
	case REC_UNREADABLE:
		a->unreadable += ((const struct rec_long *)r)->arg;
		break;
	case REC_UNSETTLED:
		a->unsettled += ((const struct rec_long *)r)->arg;
		break;
	}
}

static void from_merge(void *ctx, const struct rec *r)
{
	struct assembler *a = ctx;

	if (a->failed)
		return;
	a->records++;
	if (r->kind == REC_STACK) {
		stacks_define(a->stacks, (const struct rec_stack *)r);
		return;
	}
	note_loss(a, r);
	a->failed = goid_filter_record(a->goids, r);
}

/* runtime.isSystemGoroutine, as far as it matters to newproc1. */
static bool is_system(void *ctx, uint64_t start_pc)
{
	struct symbol_function fn;

	return ctx && symbolizer_function(ctx, start_pc, &fn) && !strncmp(fn.name, "runtime.", 8) &&
	       strcmp(fn.name, "runtime.main") && strcmp(fn.name, "runtime.corostart") &&
	       strcmp(fn.name, "runtime.handleAsyncEvent");
}

static int open_v2(struct assembler *a, int fd, const struct assembler_opts *opts,
		   struct error *err)
{
	struct tracefile_opts trace = {
		.version = opts->version,
		.time_shift = TIME_SHIFT,
		.frames = stacks_frames,
		.ctx = a->stacks,
		.name = opts->output,
	};

	return v2_sink_new(&a->trace, fd, &trace, err);
}

static int open_v1(struct assembler *a, int fd, const struct assembler_opts *opts,
		   struct error *err)
{
	struct v1_sink_opts trace = {
		.version = opts->version,
		.frames = stacks_frames,
		.ctx = a->stacks,
		.name = opts->output,
	};

	return v1_sink_new(&a->old, fd, &trace, err);
}

int assembler_new(struct assembler **ret, int fd, const struct assembler_opts *opts,
		  struct error *err)
{
	struct assembler *a = xcalloc(1, sizeof(*a));
	bool old = v1_can_write(opts->version);
	struct model_opts model = {
		.minor = (int)opts->info->go_minor,
		.unseen_unblocks = opts->info->unseen_unblocks,
		.version = old ? WHOLE_VERSION : opts->version,
		.notes = !opts->no_notes,
		.time_shift = TIME_SHIFT,
		.gen_ns = GEN_NS,
		.gen_bytes = GEN_BYTES,
		.is_system = is_system,
		.ctx = opts->symbols,
	};
	int r;

	a->version = opts->version;
	a->stacks = stacks_new(opts->symbols, model.minor, opts->info->stack_depth);
	r = old ? open_v1(a, fd, opts, err) : open_v2(a, fd, opts, err);
	if (r) {
		assembler_free(a);
		return r;
	}
	a->generations = old ? v1_sink_generations(a->old) : &v2_sink_counts(a->trace)->generations;
	a->model = model_new(old ? v1_sink(a->old) : v2_sink(a->trace), &model);
	a->goids = goid_filter_new(to_model, a);
	a->merge = merge_new(from_merge, a);
	*ret = a;
	return 0;
}

static int outcome(struct assembler *a, struct error *err)
{
	if (a->failed && a->why.code)
		*err = a->why;
	else if (a->failed)
		a->why = *err;
	return a->failed;
}

int assembler_chunk(struct assembler *a, const struct chunk *c, struct error *err)
{
	int r;

	a->err = err;
	model_clock(a->model, c->mono_ns, c->wall_ns);
	if (c->watermark < UINT64_MAX)
		a->seen = c->watermark;
	r = merge_add(a->merge, c, err);
	return outcome(a, err) ? a->failed : r;
}

/* What was written before a fault is a trace, too, but nobody can read it without its end. */
static void end_v1(struct assembler *a, struct error *err)
{
	struct error ignored;

	if (!a->old || !*a->generations)
		return;
	if (a->failed)
		v1_sink_finish(a->old, &ignored);
	else
		a->failed = v1_sink_finish(a->old, err);
}

static int finish(struct assembler *a, struct error *err)
{
	if (!a->failed)
		a->failed = goid_filter_finish(a->goids);
	if (!a->failed)
		a->failed = model_finish(a->model, a->seen, err);
	end_v1(a, err);
	return outcome(a, err);
}

int assembler_finish(struct assembler *a, struct error *err)
{
	a->err = err;
	merge_finish(a->merge);
	return finish(a, err);
}

int assembler_cut(struct assembler *a, struct error *err)
{
	a->err = err;
	return finish(a, err);
}

uint64_t assembler_generations(const struct assembler *a)
{
	return *a->generations;
}

bool assembler_has_trace(const struct assembler *a)
{
	struct v1_sink_counts counts;

	if (!a->old)
		return assembler_generations(a);
	v1_sink_counts(a->old, &counts);
	return counts.whole;
}

/* The counts of a v1 trace that reports have of all traces. */
static void count_trace(const struct assembler *a, struct assembler_result *ret)
{
	if (!a->old) {
		ret->trace = *v2_sink_counts(a->trace);
		return;
	}
	v1_sink_counts(a->old, &ret->v1);
	ret->trace.generations = ret->v1.generations;
	ret->trace.bytes = ret->v1.trace.bytes;
}

uint64_t assembler_goroutines(const struct assembler *a)
{
	return model_counts(a->model)->goroutines;
}

void assembler_result(const struct assembler *a, struct assembler_result *ret)
{
	const char *why;

	*ret = (struct assembler_result){
		.version = a->version,
		.model = *model_counts(a->model),
		.records = a->records,
		.stacks = stacks_defined(a->stacks),
		.stacks_missing = stacks_missing(a->stacks),
		.stacks_cut = stacks_cut(a->stacks),
		.unreadable = a->unreadable,
		.unsettled = a->unsettled,
		.unnamed = goid_filter_unnamed(a->goids),
		.cpus = a->cpus,
		.began = model_started(a->model),
	};
	count_trace(a, ret);
	ret->addresses_unnamed = stacks_unanswered(a->stacks, &why);
	snprintf(ret->why_unnamed, sizeof(ret->why_unnamed), "%s", why);
	__builtin_memcpy(ret->lost_by_cpu, a->lost_by_cpu, sizeof(ret->lost_by_cpu));
}

void assembler_free(struct assembler *a)
{
	if (!a)
		return;
	merge_free(a->merge);
	goid_filter_free(a->goids);
	model_free(a->model);
	stacks_free(a->stacks);
	v2_sink_free(a->trace);
	v1_sink_free(a->old);
	free(a);
}
