// SPDX-License-Identifier: Apache-2.0
/* convert: see convert.h. */
#define _GNU_SOURCE
#include "rewrite/convert.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tracev2.h"
#include "v1/file.h"

/* Does it take more than another form of all events? */
static bool is_part(const struct rewrite_options *o)
{
	return o->from > 0 || o->to < INT64_MAX || o->goroutines || o->strip_stacks;
}

/* All of a v1 trace as v2 first, in memory. */
static int convert_part_of_v1(const struct v1_trace *t, int fd, const struct rewrite_options *o,
			      struct convert_result *result, struct error *err)
{
	int whole = memfd_create("gotap", MFD_CLOEXEC);
	struct raw_source source;
	int ret;

	if (whole < 0)
		return error_set(err, -errno, "cannot make a temporary file: %s", strerror(errno));
	ret = v1_convert(t, whole, 22, &result->counts, err);
	if (ret || lseek(whole, 0, SEEK_SET)) {
		close(whole);
		return ret ? ret : error_set(err, -errno, "cannot use a temporary file: %s",
					     strerror(errno));
	}
	source_open_fd(&source, whole, true);
	return rewrite_trace(&source, fd, o, &result->rewrite, err);
}

static int convert_opened(struct v1_trace *t, int fd, const struct convert_options *o,
			  struct convert_result *result, struct error *err)
{
	int ret = o->binary ? v1_trace_symbolize(t, o->binary, err) : 0;

	result->unnamed_pcs = v1_pc_only(v1_trace_version(t)) && !o->binary;
	result->v1_events = v1_trace_count(t);
	if (ret)
		return ret;
	if (is_part(&o->rewrite))
		return convert_part_of_v1(t, fd, &o->rewrite, result, err);
	return v1_convert(t, fd, o->rewrite.format ? o->rewrite.format : 22, &result->counts, err);
}

/* Takes over @source. */
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

/* The v1 reader says best what a file is that is neither. */
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
	return rewrite_trace(source, fd, &o->rewrite, &result->rewrite, err);
}
