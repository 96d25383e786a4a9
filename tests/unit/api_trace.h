/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_trace: a trace with an event of nearly each kind, written through the library, for its
 * tests: two generations, one thread with P 0 and goroutines 1 and 18.
 */
#ifndef GOTAP_TESTS_API_TRACE_H
#define GOTAP_TESTS_API_TRACE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gotap/writer.h"

enum {
	TRACE_M = 100,
	TRACE_STEP = 1000,	/* ns between two events */
	TRACE_EVENTS = 39,	/* that a reader gives of it, with Syncs, under header go 1.26 */
};

struct api_trace {
	struct gotap_writer *w;
	uint64_t time;
	uint64_t f, main;	/* stacks */
};

static void api_trace_emit(struct api_trace *t, unsigned int kind, const uint64_t *args)
{
	int nargs = gotap_kind_nargs(kind);

	t->time += TRACE_STEP;
	if (!gotap_write(t->w, TRACE_M, t->time, kind, (unsigned int)nargs, args))
		return;
	printf("# %s: %s\n", gotap_kind_name(kind), gotap_writer_error(t->w)->text);
	exit(1);
}

#define TRACE_EMIT(t, kind, ...) \
	api_trace_emit(t, kind, (const uint64_t[GOTAP_MAX_ARGS]){ __VA_ARGS__ })

static uint64_t api_trace_text(struct api_trace *t, const char *s)
{
	return (uint64_t)gotap_write_string(t->w, s, strlen(s));
}

static void api_trace_begin(struct api_trace *t, const struct gotap_clock *clock)
{
	static const struct gotap_frame frames[] = {
		{ 0x1000, 7, { "main.f", 6 }, { "/f.go", 5 } },
		{ 0x2000, 9, { "main.main", 9 }, { "/main.go", 8 } },
	};

	gotap_generation(t->w, clock);
	t->f = (uint64_t)gotap_write_stack(t->w, frames, sizeof(frames[0]), 2);
	t->main = (uint64_t)gotap_write_stack(t->w, frames + 1, sizeof(frames[0]), 1);
}

static void api_trace_collect(struct api_trace *t)
{
	TRACE_EMIT(t, GOTAP_GC_BEGIN, 1, t->f);
	TRACE_EMIT(t, GOTAP_STW_BEGIN, api_trace_text(t, "GC sweep termination"), t->f);
	TRACE_EMIT(t, GOTAP_STW_END, 0);
	TRACE_EMIT(t, GOTAP_GC_MARK_ASSIST_BEGIN, t->f);
	TRACE_EMIT(t, GOTAP_GC_MARK_ASSIST_END, 0);
	TRACE_EMIT(t, GOTAP_HEAP_ALLOC, 12345);
	TRACE_EMIT(t, GOTAP_HEAP_GOAL, 4194304);
	TRACE_EMIT(t, GOTAP_GC_SWEEP_BEGIN, t->f);
	TRACE_EMIT(t, GOTAP_GC_SWEEP_END, 8192, 512);
	TRACE_EMIT(t, GOTAP_GC_END, 2);
}

static void api_trace_annotate(struct api_trace *t)
{
	TRACE_EMIT(t, GOTAP_GO_LABEL, api_trace_text(t, "worker"));
	TRACE_EMIT(t, GOTAP_USER_TASK_BEGIN, 5, 0, api_trace_text(t, "request"), t->f);
	TRACE_EMIT(t, GOTAP_USER_TASK_BEGIN, 6, 5, api_trace_text(t, "query"), t->f);
	TRACE_EMIT(t, GOTAP_USER_REGION_BEGIN, 6, api_trace_text(t, "read"), t->f);
	TRACE_EMIT(t, GOTAP_USER_LOG, 6, api_trace_text(t, "rows"), api_trace_text(t, "17"), t->f);
	TRACE_EMIT(t, GOTAP_USER_REGION_END, 6, api_trace_text(t, "read"), t->f);
	TRACE_EMIT(t, GOTAP_USER_TASK_END, 6, t->f);
	TRACE_EMIT(t, GOTAP_USER_TASK_END, 5, t->f);
}

static void api_trace_schedule(struct api_trace *t)
{
	TRACE_EMIT(t, GOTAP_GO_CREATE, 18, t->f, t->main);
	TRACE_EMIT(t, GOTAP_GO_BLOCK, api_trace_text(t, "chan receive"), t->main);
	TRACE_EMIT(t, GOTAP_GO_START, 18, 1);
	TRACE_EMIT(t, GOTAP_GO_UNBLOCK, 1, 1, t->f);
	TRACE_EMIT(t, GOTAP_GO_SYSCALL_BEGIN, 1, t->f);
	TRACE_EMIT(t, GOTAP_GO_SYSCALL_END, 0);
	TRACE_EMIT(t, GOTAP_GO_STOP, api_trace_text(t, "preempted"), t->f);
	TRACE_EMIT(t, GOTAP_GO_START, 18, 2);
	TRACE_EMIT(t, GOTAP_GO_DESTROY, 0);
	TRACE_EMIT(t, GOTAP_PROC_STOP, 0);
}

static void api_trace_experiment(struct api_trace *t, int version)
{
	if (version < 23)
		return;
	TRACE_EMIT(t, GOTAP_SPAN, 77, 2, 3);
	gotap_write_data(t->w, TRACE_M, t->time, GOTAP_ALLOC_FREE, "first", 5);
	gotap_write_data(t->w, GOTAP_NONE, t->time, GOTAP_ALLOC_FREE, "second\0", 7);
}

/* A memory file with the trace, under header go 1.@version, at its begin. */
static int api_trace_new(int version)
{
	struct gotap_write_options options = { .size = sizeof(options), .version = version };
	struct api_trace t = { .time = 1000000 };
	struct gotap_clock clock = { 1000001, 500, 1700000000, 42 };
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (gotap_writer_new(&t.w, fd, &options, NULL))
		exit(1);
	api_trace_begin(&t, &clock);
	TRACE_EMIT(&t, GOTAP_PROC_STATUS, 0, GOTAP_STATUS_PROC_RUNNING);
	TRACE_EMIT(&t, GOTAP_GO_STATUS, 1, TRACE_M, GOTAP_STATUS_GO_RUNNING);
	TRACE_EMIT(&t, GOTAP_PROCS_CHANGE, 4, t.main);
	api_trace_experiment(&t, version);
	api_trace_collect(&t);
	api_trace_annotate(&t);
	api_trace_schedule(&t);
	gotap_write_sample(t.w, TRACE_M, t.time, 0, GOTAP_NONE, t.f);
	clock = (struct gotap_clock){ 1500000, 500499, 1700000000, 500042 };
	api_trace_begin(&t, &clock);
	TRACE_EMIT(&t, GOTAP_PROC_STATUS, 0, GOTAP_STATUS_PROC_IDLE);
	TRACE_EMIT(&t, GOTAP_GO_STATUS, 1, GOTAP_NONE, GOTAP_STATUS_GO_RUNNABLE);
	TRACE_EMIT(&t, GOTAP_PROC_START, 0, 1);
	if (gotap_writer_close(t.w, NULL))
		exit(1);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* All bytes of it, to be freed. */
static inline uint8_t *api_trace_bytes(int version, size_t *n)
{
	int fd = api_trace_new(version);
	uint8_t *bytes;

	*n = (size_t)lseek(fd, 0, SEEK_END);
	bytes = malloc(*n);
	if (!bytes || pread(fd, bytes, *n, 0) != (ssize_t)*n)
		exit(1);
	close(fd);
	return bytes;
}

#endif
