// SPDX-License-Identifier: Apache-2.0
/* convert: see convert.h. */
#define _GNU_SOURCE
#include "rewrite/convert.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "rewrite/replay.h"
#include "rewrite/stackkeys.h"
#include "tracev2.h"
#include "v1/file.h"
#include "v1write/reformat.h"
#include "v1write/sink.h"

/* True if the options request more than another format of all events. */
static bool convert_is_part(const struct rewrite_options *o)
{
	return o->from > 0 || o->to < INT64_MAX || o->goroutines || o->strip_stacks;
}

static bool to_v1(const struct rewrite_options *o)
{
	return v1_can_write(o->format);
}

/* --- a file between two steps, in memory --- */

static int open_scratch(struct error *err)
{
	int fd = memfd_create("gotap", MFD_CLOEXEC);

	return fd < 0 ?
		       error_set(err, -errno, "cannot make a temporary file: %s", strerror(errno)) :
		       fd;
}

/* Opens the content of @fd from its begin as @source, which then owns @fd. */
static int reopen_scratch(int fd, struct raw_source *source, struct error *err)
{
	if (lseek(fd, 0, SEEK_SET)) {
		close(fd);
		return error_set(err, -errno, "cannot use a temporary file: %s", strerror(errno));
	}
	source_open_fd(source, fd, true);
	return 0;
}

/* --- v2 --- */

/* Converts a v2 trace from @source to v1. Closes @source. */
static int replay_to_v1(const struct raw_source *source, int fd, const struct rewrite_options *o,
			struct convert_result *result, struct rewrite_result *step,
			struct error *err)
{
	struct replay *p = replay_new(o->strip_stacks);
	/*
	 * Without stacks, all goroutines have the same start function; otherwise each keeps the
	 * stack of its start in memory until the end.
	 */
	struct v1_sink_opts opts = { .version = o->format,
				     .frames = o->strip_stacks ? NULL : stackkeys_frames,
				     .name = o->name };
	struct v1_sink_counts counts;
	struct v1_sink *sink = NULL;
	int ret = v1_sink_new(&sink, fd, &opts, err);

	if (ret)
		source_close((struct raw_source *)source);
	else
		ret = replay_run(p, source, v1_sink(sink), step, err);
	if (!ret)
		ret = v1_sink_finish(sink, err);
	if (!ret) {
		v1_sink_counts(sink, &counts);
		memcpy(result->left, counts.left, sizeof(counts.left));
		result->written = counts.trace;
	}
	v1_sink_free(sink);
	replay_free(p);
	return ret;
}

/* Adds the faults of the second of two steps, which reads the output of the first step. */
static void add_step(struct rewrite_result *sum, const struct rewrite_result *step)
{
	if (!sum->faults)
		memcpy(sum->fault, step->fault, sizeof(sum->fault));
	sum->events = step->events;
	sum->dropped += step->dropped;
	sum->faults += step->faults;
	sum->resumed |= step->resumed;
	sum->lost += step->lost;
	sum->unnamed += step->unnamed;
	sum->joined += step->joined;
	sum->clocks += step->clocks;
	sum->data_dropped += step->data_dropped;
}

/* Makes a v1 trace of a part: rewrite.h makes the part. Closes @source. */
static int part_to_v1(const struct raw_source *source, int fd, const struct rewrite_options *o,
		      struct convert_result *result, struct error *err)
{
	struct rewrite_options part = *o;
	struct rewrite_result second;
	struct raw_source cut;
	int ret, scratch = open_scratch(err);

	if (scratch < 0) {
		source_close((struct raw_source *)source);
		return scratch;
	}
	part.format = 0;
	ret = rewrite_trace(source, scratch, &part, &result->rewrite, err);
	if (ret)
		close(scratch);
	else
		ret = reopen_scratch(scratch, &cut, err);
	if (!ret)
		ret = replay_to_v1(&cut, fd, o, result, &second, err);
	if (!ret)
		add_step(&result->rewrite, &second);
	return ret;
}

/* Converts a v2 trace to the requested format. Closes @source. */
static int convert_v2(const struct raw_source *source, int fd, const struct rewrite_options *o,
		      struct convert_result *result, struct error *err)
{
	if (!to_v1(o))
		return rewrite_trace(source, fd, o, &result->rewrite, err);
	if (convert_is_part(o))
		return part_to_v1(source, fd, o, result, err);
	return replay_to_v1(source, fd, o, result, &result->rewrite, err);
}

/* --- v1 --- */

/*
 * Adds the texts and stacks that were cut: in the v2 result between the steps their length is
 * limited.
 */
static void add_cut(struct convert_result *result)
{
	result->left[V1_LEFT_CUT_TEXTS] += result->counts.cut_texts;
	result->left[V1_LEFT_CUT_STACKS] += result->counts.cut_stacks;
}

/* Makes a part of a v1 trace: converts the whole trace to v2 first. */
static int convert_part_of_v1(const struct v1_trace *t, int fd, const struct rewrite_options *o,
			      struct convert_result *result, struct error *err)
{
	struct raw_source source;
	int ret, whole = open_scratch(err);

	if (whole < 0)
		return whole;
	ret = v1_convert(t, whole, 22, &result->counts, err);
	if (ret)
		close(whole);
	else
		ret = reopen_scratch(whole, &source, err);
	if (!ret)
		ret = convert_v2(&source, fd, o, result, err);
	add_cut(result);
	return ret;
}

static int convert_opened(struct v1_trace *t, int fd, const struct convert_options *o,
			  struct convert_result *result, struct error *err)
{
	/* the format of the result has names of frames */
	bool names = o->rewrite.format != V1_GOTRACE;
	int ret = o->binary && names ? v1_trace_symbolize(t, o->binary, err) : 0;

	result->unnamed_pcs = v1_pc_only(v1_trace_version(t)) && !o->binary && names;
	result->v1_events = v1_trace_count(t);
	if (ret)
		return ret;
	if (convert_is_part(&o->rewrite))
		return convert_part_of_v1(t, fd, &o->rewrite, result, err);
	if (to_v1(&o->rewrite))
		return v1_reformat(t, fd, o->rewrite.format, result->left, err);
	ret = v1_convert(t, fd, o->rewrite.format ? o->rewrite.format : 22, &result->counts, err);
	add_cut(result);
	return ret;
}

/* Takes the ownership of @source. */
static int convert_v1(struct raw_source *source, int fd, const struct convert_options *o,
		      struct convert_result *result, struct error *err)
{
	struct buf data = {0};
	struct v1_trace *t = NULL;
	int ret = source_take_all(source, &data, err);

	source_close(source);
	result->is_v1 = true;
	if (!ret)
		ret = v1_trace_open_cut(&t, data.data, data.len, &result->cut, err);
	if (!ret)
		ret = convert_opened(t, fd, o, result, err);
	v1_trace_free(t);
	buf_free(&data);
	return ret;
}

/*
 * True for a v2 trace. A file that is neither v2 nor v1 goes to the v1 reader, which has the better
 * error text.
 */
static bool is_v2(struct raw_source *source)
{
	struct error err;
	int version;
	size_t size;

	return source_need(source, TRACEV2_HEADER_SIZE) &&
	       v1_header_parse(source->pos, source_left(source), &version, &size, &err) ==
	       -ENOTSUP;
}

int convert_trace(struct raw_source *source, int fd, const struct convert_options *o,
		  struct convert_result *result, struct error *err)
{
	memset(result, 0, sizeof(*result));
	if (!is_v2(source))
		return convert_v1(source, fd, o, result, err);
	return convert_v2(source, fd, &o->rewrite, result, err);
}
