// SPDX-License-Identifier: Apache-2.0
/*
 * reader: see gotap/reader.h. In: a trace of any format. Out: the events of
 * the v2 reader, which for an older trace reads its conversion.
 */
#define _GNU_SOURCE
#include "gotap/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "api/api.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "read/v2_reader.h"
#include "v1/convert.h"
#include "v1/file.h"
#include "v1/trace.h"

struct gotap_reader {
	struct trace_reader *events;
	int version;
	bool legacy;
	void *converted;	/* a v1 trace as v2: mapped */
	size_t converted_len;
	struct gotap_error err;
};

/* --- opening --- */

static int map_converted(struct gotap_reader *r, int fd, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_set(err, -errno, "cannot use a temporary file: %s", strerror(errno));
	r->converted = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (r->converted == MAP_FAILED) {
		r->converted = NULL;
		return error_set(err, -errno, "cannot use a temporary file: %s", strerror(errno));
	}
	r->converted_len = (size_t)st.st_size;
	r->events = trace_reader_open_memory(r->converted, r->converted_len, err);
	return r->events ? 0 : err->code;
}

static int convert(struct gotap_reader *r, struct v1_trace *t, struct error *err)
{
	_cleanup_close_ int fd = memfd_create("gotap", MFD_CLOEXEC);
	int ret;

	if (fd < 0)
		return error_set(err, -errno, "cannot make a temporary file: %s", strerror(errno));
	ret = v1_convert(t, fd, 22, NULL, err);
	return ret ? ret : map_converted(r, fd, err);
}

static int open_legacy(struct gotap_reader *r, const void *data, size_t n, const char *binary,
		       struct error *err)
{
	struct v1_trace *t;
	int ret = v1_trace_open(&t, data, n, err);

	if (ret)
		return ret;
	r->legacy = true;
	r->version = v1_trace_version(t);
	if (binary)
		ret = v1_trace_symbolize(t, binary, err);
	if (!ret)
		ret = convert(r, t, err);
	v1_trace_free(t);
	return ret;
}

/* Takes over @source. */
static int open_source(struct gotap_reader *r, struct raw_source *source, const char *binary,
		       struct error *err)
{
	struct buf data = {0};
	int ret;

	source_need(source, V1_HEADER);
	if (!v1_file_is(source->pos, source_left(source))) {
		r->events = trace_reader_open_source(source, err);
		r->version = r->events ? trace_reader_version(r->events) : 0;
		return r->events ? 0 : err->code;
	}
	ret = source_take_all(source, &data, err);
	source_close(source);
	if (!ret)
		ret = open_legacy(r, data.data, data.len, binary, err);
	buf_free(&data);
	return ret;
}

static int open_reader(struct gotap_reader **ret, struct raw_source *source,
		       const struct gotap_read_options *options, struct gotap_error *gerr)
{
	struct gotap_reader *r = xcalloc(1, sizeof(*r));
	struct gotap_read_options o = {0};
	struct error err;

	if (options)
		api_take(&o, sizeof(o), options, options->size);
	if (open_source(r, source, o.binary, &err)) {
		gotap_close(r);
		return api_error(gerr, &err);
	}
	*ret = r;
	return 0;
}

int gotap_open(struct gotap_reader **ret, const char *path,
	       const struct gotap_read_options *options, struct gotap_error *gerr)
{
	struct raw_source source;
	struct error err;

	if (source_open(&source, path, &err))
		return api_error(gerr, &err);
	return open_reader(ret, &source, options, gerr);
}

int gotap_open_memory(struct gotap_reader **ret, const void *data, size_t n,
		      const struct gotap_read_options *options, struct gotap_error *gerr)
{
	struct raw_source source;

	source_open_memory(&source, data, n);
	return open_reader(ret, &source, options, gerr);
}

void gotap_close(struct gotap_reader *r)
{
	if (!r)
		return;
	trace_reader_close(r->events);
	if (r->converted)
		munmap(r->converted, r->converted_len);
	free(r);
}

/* --- events --- */

static int fail(struct gotap_reader *r)
{
	const struct v2_fault *f = trace_reader_fault(r->events);
	struct error err;

	error_set(&err, -EBADMSG, "generation %llu, byte %llu: %s%s%s",
		  (unsigned long long)f->place.gen, (unsigned long long)f->place.offset, f->event,
		  *f->event ? ": " : "", f->rule);
	return api_error(&r->err, &err);
}

/* The reader adds an argument to some events: see struct trace_event. */
static uint32_t count_args(const struct trace_event *ev)
{
	switch (ev->type) {
	case TRACE_SYNC:
		return 2;
	case EV_CPUSample:
	case EV_STWEnd:
		return 1;
	case EV_UserTaskEnd:
		return 3;
	default:
		return (uint32_t)gotap_kind_nargs(ev->type);
	}
}

static uint64_t stack_of(const struct gotap_reader *r, const struct trace_event *ev)
{
	uint8_t at;

	if (ev->type == EV_CPUSample)
		return ev->args[0];
	if (ev->type == TRACE_SYNC)
		return 0;
	at = trace_reader_specs(r->events)->of[ev->type].stack;
	return at ? ev->args[at - 1] : 0;
}

static struct gotap_change change_of(const struct trace_event *ev)
{
	struct trace_transition tr = event_transition(ev);

	_Static_assert(GOTAP_NOTHING == (int)RESOURCE_NONE &&
		       GOTAP_GOROUTINE == (int)RESOURCE_GOROUTINE &&
		       GOTAP_PROC == (int)RESOURCE_PROC, "same numbers");
	if (tr.of == RESOURCE_NONE)
		return (struct gotap_change){ .id = GOTAP_NONE };
	return (struct gotap_change){ .of = tr.of, .from = tr.from, .to = tr.to, .id = tr.id };
}

static const char *task_type(const struct trace_event *ev)
{
	bool of_task = ev->type == EV_UserTaskBegin || ev->type == EV_UserTaskEnd;

	return of_task && ev->text ? ev->text : "";
}

int gotap_next(struct gotap_reader *r, struct gotap_event *to, size_t size)
{
	const struct trace_event *ev;
	struct gotap_event e;
	int ret = trace_reader_next(r->events, &ev);

	if (ret <= 0)
		return ret ? fail(r) : 0;
	e = (struct gotap_event){
		.time = ev->time, .kind = ev->type, .nargs = count_args(ev),
		.m = ev->m, .p = ev->p, .g = ev->g,
		.stack = stack_of(r, ev), .change = change_of(ev),
		.task = task_type(ev),
		.offset = r->legacy ? 0 : ev->place.offset,
	};
	memcpy(e.args, ev->args, e.nargs * sizeof(e.args[0]));
	api_give(to, size, &e, sizeof(e));
	return 1;
}

const struct gotap_error *gotap_reader_error(const struct gotap_reader *r)
{
	return &r->err;
}

void gotap_reader_info(const struct gotap_reader *r, struct gotap_trace_info *to, size_t size)
{
	const struct v2_generation *gen = trace_reader_generation(r->events);
	struct gotap_trace_info info = { .version = r->version };

	if (gen) {
		info.generation = gen->gen;
		info.has_clock = gen->clock.has_snapshot;
	}
	if (info.has_clock) {
		info.time = clock_ns(&gen->clock, gen->clock.snap_time);
		info.mono_ns = gen->clock.snap_mono;
		info.wall_sec = gen->clock.snap_sec;
		info.wall_nsec = gen->clock.snap_nsec;
	}
	api_give(to, size, &info, sizeof(info));
}

/* --- strings and stacks --- */

const char *gotap_string(const struct gotap_reader *r, uint64_t id, size_t *len)
{
	if (!trace_reader_generation(r->events)) {
		*len = 0;
		return id ? NULL : "";
	}
	return trace_reader_string(r->events, id, len);
}

size_t gotap_stack(const struct gotap_reader *r, uint64_t id, struct gotap_frame *frames,
		   size_t size, size_t max)
{
	const struct v2_generation *gen = trace_reader_generation(r->events);
	const struct v2_stack *stack = gen ? tables_stack(&gen->tables, id) : NULL;
	uint32_t i;

	for (i = 0; stack && i < stack->len && i < max; i++) {
		const struct v2_frame *f = tables_frame(&gen->tables, stack, i);
		struct gotap_frame frame = { .pc = f->pc, .line = f->line };

		frame.func = tables_string(&gen->tables, f->func, &frame.func_len);
		frame.file = tables_string(&gen->tables, f->file, &frame.file_len);
		api_give((char *)frames + i * size, size, &frame, sizeof(frame));
	}
	return stack ? stack->len : 0;
}
