// SPDX-License-Identifier: Apache-2.0
/* assembler: see assembler.h. */
#include "assemble/assembler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assemble/handler.h"
#include "base/vec.h"
#include "frames/stacks.h"
#include "release/release.h"
#include "stream/goid.h"
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
	/*
	 * How long a record that waits for a goid holds up snapshots, ns: most goids come earlier
	 * or never.
	 */
	GOID_NS = 500000000,
};

struct assembler {
	struct merge *merge;
	struct goid_filter *goids;
	struct stacks *stacks;
	struct model *model;
	struct threads *threads;
	struct thread_sums *sums;
	size_t (*alloc_type)(const void *types, const uint64_t *pcs, size_t n, char *name,
			     size_t room);	/* may be NULL */
	const void *types;
	int version;
	struct v2_sink *trace;	/* NULL: nothing is written */
	uint64_t written;	/* generations, when the last sample was taken */
	bool concerned[256];	/* assembler_is_concerned(), by kind of record */
	uint64_t unreadable, unsettled;
	uint64_t lost_by_cpu[RING_CPUS + 1];
	uint32_t cpus;
	struct observers observers;
	uint64_t seen;		/* no record with a time up to it is still to come */
	uint64_t whole;		/* like seen, but also no record up to it waits for a goid */
	struct error *err;	/* of the running call */
	int failed;
	struct error why;	/* all calls after the one that failed return it again */
};

/* --- one record --- */

/* The model knows samples by the key of their whole stack. */
static int assembler_sample(struct assembler *a, const struct rec_cpu *c)
{
	struct rec_long l = { .r = c->r };
	uint64_t generations = assembler_generations(a);

	if (a->written != generations) {
		a->written = generations;
		stacks_turn(a->stacks);
	}
	l.r.kind = REC_CPU_SAMPLE;
	l.stack = stacks_sample(a->stacks, c);
	return model_record(a->model, &l.r, a->err);
}

static void assembler_lost(struct assembler *a, const struct rec *r)
{
	if (r->id > RING_CPUS)
		return;
	a->lost_by_cpu[r->id] += ((const struct rec_long *)r)->arg;
	if (r->id >= a->cpus)
		a->cpus = (uint32_t)r->id + 1;
}

static void assembler_dies(struct assembler *a, const struct rec *r)
{
	stacks_end(a->stacks, (const struct rec_user *)r);
	observers_dies(&a->observers, (const struct rec_user *)r);
}

/* True for records that are not for the model, or not for the model alone. */
static bool assembler_is_concerned(uint8_t kind)
{
	switch (kind) {
	case REC_STACK:
	case REC_CPU_LEAF:
	case REC_LOST:
	case REC_UNREADABLE:
	case REC_UNSETTLED:
	case REC_PROGRAM_DIES:
	case REC_GAP:
		return true;
	}
	return rec_family(kind) == REC_FAMILY_LINUX;
}

/* Counts or keeps what a record says beside its event. */
static void assembler_note_record(struct assembler *a, const struct rec *r)
{
	switch (r->kind) {
	case REC_LOST:
		assembler_lost(a, r);
		break;
	case REC_UNREADABLE:
		a->unreadable += ((const struct rec_long *)r)->arg;
		break;
	case REC_UNSETTLED:
		a->unsettled += ((const struct rec_long *)r)->arg;
		break;
	case REC_PROGRAM_DIES:
		assembler_dies(a, r);
		break;
	case REC_GAP:
		observers_gap(&a->observers, r->time);
		break;
	}
}

/* Gives a record that concerns the assembler to its tables, and to the model if it is for both. */
static int assembler_take(struct assembler *a, const struct rec *r)
{
	if (r->kind == REC_STACK) {
		stacks_define(a->stacks, (const struct rec_stack *)r);
		return 0;
	}
	if (rec_family(r->kind) == REC_FAMILY_LINUX) {
		threads_record(a->threads, r);
		return 0;
	}
	if (r->kind == REC_CPU_LEAF)
		return assembler_sample(a, (const struct rec_cpu *)r);
	assembler_note_record(a, r);
	return model_record(a->model, r, a->err);
}

/* The loop: all records that have come, in order and with their ids. */
static void assembler_pull(struct assembler *a)
{
	int failed = a->failed;
	const struct rec *r;

	while (!failed && (r = goid_filter_next(a->goids)))
		failed = a->concerned[r->kind] ? assembler_take(a, r) :
			 model_record(a->model, r, a->err);
	a->failed = failed;
}

/* --- */

static bool assembler_is_system(void *ctx, uint64_t start_pc)
{
	struct symbol_function fn;

	return ctx && symbolizer_function(ctx, start_pc, &fn) && release_is_system_start(fn.name);
}

static bool assembler_serves_many(void *ctx, uint64_t start_pc)
{
	struct symbol_function fn;

	return ctx && symbolizer_function(ctx, start_pc, &fn) && model_start_serves_many(fn.name);
}

static ssize_t assembler_alloc_type(void *ctx, uint64_t key, char *name, size_t room)
{
	const struct assembler *a = ctx;
	uint64_t pcs[REC_MAX_FRAMES];
	size_t n = stacks_pcs(a->stacks, key, pcs, REC_MAX_FRAMES);

	if (!n)
		return -1;
	return a->alloc_type ? (ssize_t)a->alloc_type(a->types, pcs, n, name, room) : 0;
}

static int assembler_open_trace(struct assembler *a, int fd, const struct assembler_opts *opts,
				struct error *err)
{
	struct tracefile_opts trace = {
		.version = opts->version,
		.time_shift = TIME_SHIFT,
		.frames = stacks_frames,
		.ctx = a->stacks,
		.name = opts->output,
	};

	return v2_sink_new(&a->trace, fd, &trace, &a->observers, err);
}

static void assembler_open_model(struct assembler *a, const struct assembler_opts *opts)
{
	struct model_opts model = {
		.minor = (int)opts->info->go_minor,
		.unseen_unblocks = opts->info->unseen_unblocks,
		.version = opts->version,
		.notes = !opts->no_notes,
		.time_shift = TIME_SHIFT,
		.gen_ns = GEN_NS,
		.gen_bytes = opts->gen_bytes ? opts->gen_bytes : GEN_BYTES,
		.restate = opts->restate,
		.most_goroutines = opts->most_goroutines,
		.goroutines_fit = opts->goroutines_fit,
		.fit_ctx = opts->fit_ctx,
		.is_system = assembler_is_system,
		.serves_many = assembler_serves_many,
		.ctx = opts->symbols,
		.handler = handler_at,
		.handler_ctx = a->stacks,
		.alloc_type = assembler_alloc_type,
		.alloc_ctx = a,
	};
	unsigned int i;

	for (i = 0; i < CAPTURE_ORIGINS; i++)
		model.origin[i] = opts->info->origin[i][0] ? opts->info->origin[i] : NULL;
	a->model = model_new(v2_sink(a->trace), &model);
}

int assembler_new(struct assembler **ret, int fd, const struct assembler_opts *opts,
		  struct error *err)
{
	struct assembler *a = xcalloc(1, sizeof(*a));
	unsigned int kind;
	int r;

	for (kind = 0; kind < 256; kind++)
		a->concerned[kind] = assembler_is_concerned((uint8_t)kind);
	a->version = opts->version;
	a->alloc_type = opts->alloc_type;
	a->types = opts->types;
	a->observers = opts->observers;
	a->threads = threads_new();
	threads_set_machine(a->threads, opts->info->machine);
	a->sums = thread_sums_new(a->threads);
	a->stacks = stacks_new(opts->symbols, (int)opts->info->go_minor, opts->info->stack_depth);
	a->merge = merge_new();
	a->goids = goid_filter_new(a->merge, !opts->has_goids);
	observers_begin(&a->observers, stacks_look, a->stacks);
	r = assembler_open_trace(a, fd, opts, err);
	if (r) {
		assembler_free(a);
		return r;
	}
	assembler_open_model(a, opts);
	*ret = a;
	return 0;
}

static int assembler_outcome(struct assembler *a, struct error *err)
{
	if (a->failed && a->why.code)
		*err = a->why;
	else if (a->failed)
		a->why = *err;
	return a->failed;
}

/*
 * The time up to which events are known: at most the end of the capture. Chunks come after that,
 * too, while probes are detached; without records of that time, a wait must not be taken for one
 * that goes on.
 */
static uint64_t assembler_known_until(const struct assembler *a)
{
	uint64_t until = model_until(a->model);

	return a->seen < until ? a->seen : until;
}

/*
 * Shows observers the time up to which all events have come: not those behind a record that waits
 * for a goid (goid.h).
 */
static void assembler_show_seen(struct assembler *a)
{
	uint64_t held = goid_filter_holds(a->goids), known = assembler_known_until(a);
	uint64_t whole = held <= known ? held - 1 : known;

	if (a->failed || whole <= a->whole)
		return;
	a->whole = whole;
	observers_seen(&a->observers, whole);
}

int assembler_chunk(struct assembler *a, const struct chunk *c, struct error *err)
{
	int r;

	a->err = err;
	model_clock(a->model, c->mono_ns, c->wall_ns);
	if (c->watermark < UINT64_MAX)
		a->seen = c->watermark;
	r = merge_add(a->merge, c, err);
	assembler_pull(a);
	merge_keep(a->merge);	/* after a failure records are left in the chunk */
	assembler_show_seen(a);
	return assembler_outcome(a, err) ? a->failed : r;
}

void assembler_note(struct assembler *a, const char *text)
{
	model_note(a->model, text);
}

int assembler_turn(struct assembler *a, struct error *err)
{
	int r;

	a->err = err;
	if (a->failed)
		return assembler_outcome(a, err);
	r = model_turn(a->model, assembler_seen(a), err);
	if (r == -EAGAIN)
		return r;
	a->failed = r;
	return assembler_outcome(a, err);
}

uint64_t assembler_seen(const struct assembler *a)
{
	uint64_t known = assembler_known_until(a);

	return known < a->whole + GOID_NS ? a->whole : known;
}

static int assembler_end(struct assembler *a, struct error *err)
{
	goid_filter_finish(a->goids);
	assembler_pull(a);
	if (!a->failed)
		a->failed = model_finish(a->model, a->seen, err);
	threads_finish(a->threads, a->seen);
	return assembler_outcome(a, err);
}

int assembler_finish(struct assembler *a, struct error *err)
{
	a->err = err;
	merge_finish(a->merge);
	assembler_pull(a);
	return assembler_end(a, err);
}

int assembler_cut(struct assembler *a, struct error *err)
{
	a->err = err;
	return assembler_end(a, err);
}

uint64_t assembler_generations(const struct assembler *a)
{
	return v2_sink_counts(a->trace)->generations;
}

struct threads *assembler_threads(struct assembler *a)
{
	return a->threads;
}

const struct thread_sums *assembler_thread_sums(const struct assembler *a)
{
	return a->sums;
}

uint64_t assembler_goroutines(const struct assembler *a)
{
	return model_counts(a->model)->goroutines;
}

bool assembler_in_gap(const struct assembler *a)
{
	return model_in_gap(a->model);
}

const struct model_counts *assembler_counts(const struct assembler *a)
{
	return model_counts(a->model);
}

uint64_t assembler_records(const struct assembler *a)
{
	return merge_taken(a->merge);
}

void assembler_result(const struct assembler *a, struct assembler_result *ret)
{
	const char *why;

	*ret = (struct assembler_result){
		.version = a->version,
		.model = *model_counts(a->model),
		.records = merge_taken(a->merge),
		.stacks = stacks_defined(a->stacks),
		.stacks_missing = stacks_missing(a->stacks),
		.stacks_cut = stacks_cut(a->stacks),
		.unreadable = a->unreadable,
		.unsettled = a->unsettled,
		.unnamed = goid_filter_unnamed(a->goids),
		.cpus = a->cpus,
		.began = model_started(a->model),
	};
	ret->trace = *v2_sink_counts(a->trace);
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
	thread_sums_free(a->sums);
	threads_free(a->threads);
	stacks_free(a->stacks);
	v2_sink_free(a->trace);
	free(a);
}
