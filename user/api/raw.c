// SPDX-License-Identifier: Apache-2.0
/*
 * raw: see gotap/raw.h. Reads and writes the events of a file with read/raw_event.h, which works on
 * parts of an event: this file joins the parts.
 */
#include "gotap/raw.h"

#include <errno.h>
#include <stdlib.h>

#include "api/api.h"
#include "api/raw_old.h"
#include "read/raw_event.h"
#include "read/raw_sink.h"
#include "trace/varint.h"
#include "v1/file.h"

/* bytes of frames or data: events of Go programs have less than a hundredth of it */
enum { MAX_EVENT = 16 << 20 };

struct gotap_raw_reader {
	struct raw_source source;
	bool is_old;		/* before Go 1.22: @old is used, else @raw */
	struct raw_reader raw;
	struct raw_old old;
	struct vec frames;	/* struct gotap_raw_frame: of the last event */
	struct buf data;	/* of the last event */
	int failed;		/* the error of gotap_raw_next(), if it failed */
	struct error err;
};

/* --- reading --- */

static int open_raw(struct gotap_raw_reader *r)
{
	source_need(&r->source, V1_HEADER);
	r->is_old = v1_file_is(r->source.pos, source_left(&r->source));
	if (r->is_old)
		return raw_old_open(&r->old, &r->source, &r->err);
	return raw_open(&r->raw, &r->source, &r->err);
}

int gotap_raw_open(struct gotap_raw_reader **ret, const struct gotap_input *in,
		   struct gotap_error *gerr)
{
	struct gotap_raw_reader *r = xcalloc(1, sizeof(*r));
	int failed = api_source(&r->source, in, &r->err);

	if (!failed)
		failed = open_raw(r);
	if (failed) {
		api_error(gerr, &r->err);
		gotap_raw_close(r);
		return failed;
	}
	*ret = r;
	return 0;
}

int gotap_raw_version(const struct gotap_raw_reader *r)
{
	return r->is_old ? r->old.reader.format.version : r->raw.version;
}

static int api_raw_too_large(struct gotap_raw_reader *r, const struct raw_event *ev)
{
	return error_set(&r->err, -EBADMSG, "byte %llu: %s is too large to be real",
			 (unsigned long long)ev->offset, ev->spec->name);
}

static int api_raw_take_frames(struct gotap_raw_reader *r, const struct raw_event *ev)
{
	uint64_t i, numbers[4];
	int ret = 0;

	if (ev->frames > MAX_EVENT / sizeof(struct gotap_raw_frame))
		return api_raw_too_large(r, ev);
	for (i = 0; !ret && i < ev->frames; i++) {
		ret = raw_frame(&r->raw, numbers);
		*(struct gotap_raw_frame *)vec_push(&r->frames, sizeof(struct gotap_raw_frame)) =
			(struct gotap_raw_frame){ numbers[0], numbers[1], numbers[2], numbers[3] };
	}
	return ret;
}

static int take_data(struct gotap_raw_reader *r, struct raw_event *ev)
{
	const uint8_t *p;
	int n;

	if (ev->data > MAX_EVENT)
		return api_raw_too_large(r, ev);
	while ((n = raw_data(&r->raw, ev, &p)) > 0)
		buf_add(&r->data, p, (size_t)n);
	return n;
}

/*
 * The caller's form of an event. In the file ticks are the first argument of an event that has a
 * time.
 */
static struct gotap_raw_event event_of(const struct gotap_raw_reader *r, const struct raw_event *ev)
{
	bool timed = raw_spec_timed(ev->spec);
	struct gotap_raw_event e = {
		.kind = ev->type, .nargs = ev->spec->nargs - timed, .offset = ev->offset,
		.frames = r->frames.data, .nframes = r->frames.len,
		.data = r->data.data, .len = r->data.len,
	};

	e.ticks = timed ? ev->args[0] : 0;
	memcpy(e.args, ev->args + timed, e.nargs * sizeof(e.args[0]));
	return e;
}

static int next_event(struct gotap_raw_reader *r, struct gotap_raw_event *to)
{
	struct raw_event ev;
	int ret = raw_next(&r->raw, &ev);

	if (ret <= 0)
		return ret;
	ret = api_raw_take_frames(r, &ev);
	if (!ret)
		ret = take_data(r, &ev);
	if (ret)
		return ret;
	*to = event_of(r, &ev);
	return 1;
}

int gotap_raw_next(struct gotap_raw_reader *r, struct gotap_raw_event *to, size_t size)
{
	struct gotap_raw_event ev;
	int ret;

	if (r->failed)
		return r->failed;
	r->frames.len = r->data.len = 0;
	ret = r->is_old ? raw_old_next(&r->old, &ev, &r->frames, &r->err) : next_event(r, &ev);
	if (ret > 0)
		api_give(to, size, &ev, sizeof(ev));
	if (ret < 0)
		r->failed = ret;
	return ret;
}

const struct gotap_error *gotap_raw_error(const struct gotap_raw_reader *r)
{
	return api_error_view(&r->err);
}

void gotap_raw_close(struct gotap_raw_reader *r)
{
	if (!r)
		return;
	source_close(&r->source);
	raw_old_close(&r->old);
	vec_free(&r->frames);
	buf_free(&r->data);
	free(r);
}

/* --- writing --- */

struct gotap_raw_writer {
	struct gotap_kind_spec specs[256];	/* by kind; set for the kinds of this header */
	struct v1_format old;	/* for a version before 22 */
	struct raw_sink sink;
	struct buf sized;	/* an event to compute its size only */
	int version;
	struct error err;
};

static bool api_raw_is_known(int version)
{
	return version == 22 || version == 23 || version == 25 || version == 26 ||
	       raw_old_known(version);
}

static void put_header(struct gotap_raw_writer *w)
{
	uint8_t header[V1_HEADER];

	if (w->version >= 22) {
		buf_printf(&w->sink.buf, "go 1.%d trace%c%c%c", w->version, 0, 0, 0);
		return;
	}
	v1_format_init(&w->old, w->version);
	buf_add(&w->sink.buf, header, v1_header_write(header, w->version));
}

int gotap_raw_writer_new(struct gotap_raw_writer **ret, int fd, int version,
			 struct gotap_error *gerr)
{
	struct gotap_raw_writer *w;
	unsigned int kind;
	struct error err;

	if (!api_raw_is_known(version)) {
		error_set(&err, -EINVAL, "there is no trace format go1.%d", version);
		return api_error(gerr, &err);
	}
	if (fd < 0) {
		error_set(&err, -EBADF, "cannot write: %d is no descriptor", fd);
		return api_error(gerr, &err);
	}
	w = xcalloc(1, sizeof(*w));
	w->version = version;
	for (kind = 0; kind < 256; kind++)
		gotap_raw_kind_spec(version, kind, &w->specs[kind], sizeof(w->specs[kind]));
	sink_open(&w->sink, fd, NULL);
	put_header(w);
	*ret = w;
	return 0;
}

static void put_new(struct buf *out, const struct gotap_raw_writer *w,
		    const struct gotap_raw_event *ev)
{
	size_t i;

	buf_add_byte(out, (uint8_t)ev->kind);
	if (w->specs[ev->kind].has_time)
		varint_add(out, ev->ticks);
	for (i = 0; i < ev->nargs; i++)
		varint_add(out, ev->args[i]);
	for (i = 0; i < ev->nframes; i++) {
		varint_add(out, ev->frames[i].pc);
		varint_add(out, ev->frames[i].func);
		varint_add(out, ev->frames[i].file);
		varint_add(out, ev->frames[i].line);
	}
	if (!w->specs[ev->kind].has_data)
		return;
	varint_add(out, ev->len);
	if (ev->len)
		buf_add(out, ev->data, ev->len);
}

static void api_raw_put_event(struct buf *out, const struct gotap_raw_writer *w,
		      const struct gotap_raw_event *ev)
{
	if (w->version >= 22)
		put_new(out, w, ev);
	else
		raw_old_put(out, &w->old, ev);
}

/* The number of frames that a reader will expect after the arguments: see raw_event.c. */
static size_t frames_wanted(const struct gotap_kind_spec *spec, const struct gotap_raw_event *ev)
{
	return spec->has_frames && ev->args[1] <= INT64_MAX ? ev->args[1] : 0;
}

/*
 * True if the number of frames is right. Before Go 1.5 readers ignore the bytes after the frames of
 * a Stack.
 */
static bool frames_fit(const struct gotap_raw_writer *w, const struct gotap_raw_event *ev,
		       size_t want)
{
	return ev->nframes == want ||
	       (w->version == V1_GOTRACE && w->specs[ev->kind].has_frames && ev->nframes > want);
}

/* Checks that the event can be written. Returns 0 or -EINVAL with the error set. */
static int api_raw_check(struct gotap_raw_writer *w, const struct gotap_raw_event *ev)
{
	const struct gotap_kind_spec *spec = &w->specs[ev->kind % 256];

	if (ev->kind >= 256 || !spec->name)
		return error_set(&w->err, -EINVAL, "header go 1.%d has no event %u", w->version,
				 ev->kind);
	if (ev->nargs != spec->nargs)
		return error_set(&w->err, -EINVAL, "%s has %u arguments, not %u", spec->name,
				 spec->nargs, ev->nargs);
	if (!frames_fit(w, ev, frames_wanted(spec, ev)))
		return error_set(&w->err, -EINVAL, "%s has %zu frames, not %zu", spec->name,
				 frames_wanted(spec, ev), ev->nframes);
	if (ev->len && !spec->has_data)
		return error_set(&w->err, -EINVAL, "%s has no data", spec->name);
	return 0;
}

int gotap_raw_write(struct gotap_raw_writer *w, const struct gotap_raw_event *caller, size_t size)
{
	struct gotap_raw_event ev;
	int ret;

	api_take(&ev, sizeof(ev), caller, size);
	ret = api_raw_check(w, &ev);
	if (ret)
		return ret;
	api_raw_put_event(&w->sink.buf, w, &ev);
	sink_settle(&w->sink);
	return sink_error(&w->sink, &w->err);
}

int64_t gotap_raw_size(struct gotap_raw_writer *w, const struct gotap_raw_event *caller,
		       size_t size)
{
	struct gotap_raw_event ev;
	int ret;

	api_take(&ev, sizeof(ev), caller, size);
	ret = api_raw_check(w, &ev);
	if (ret)
		return ret;
	w->sized.len = 0;
	api_raw_put_event(&w->sized, w, &ev);
	return (int64_t)w->sized.len;
}

const struct gotap_error *gotap_raw_writer_error(const struct gotap_raw_writer *w)
{
	return api_error_view(&w->err);
}

int gotap_raw_writer_close(struct gotap_raw_writer *w, struct gotap_error *gerr)
{
	int ret = sink_close(&w->sink, &w->err);

	if (ret)
		api_error(gerr, &w->err);
	buf_free(&w->sized);
	free(w);
	return ret;
}

void gotap_raw_writer_free(struct gotap_raw_writer *w)
{
	if (!w)
		return;
	buf_free(&w->sink.buf);
	buf_free(&w->sized);
	free(w);
}

/* --- kinds --- */

int gotap_raw_kind_spec(int version, unsigned int kind, struct gotap_kind_spec *to, size_t size)
{
	struct gotap_kind_spec spec;

	if (!api_raw_is_known(version))
		return -EINVAL;
	if (version >= 22 ? gotap_kind_spec(kind, &spec, sizeof(spec)) :
			    raw_old_spec(version, kind, &spec))
		return -EINVAL;
	if (spec.header > (uint32_t)version)
		return -EINVAL;
	api_give(to, size, &spec, sizeof(spec));
	return 0;
}

int gotap_raw_kind_named(int version, const char *name, size_t len)
{
	struct raw_specs specs;
	unsigned int kind;

	if (!api_raw_is_known(version))
		return -EINVAL;
	if (version < 22)
		return raw_old_named(version, name, len);
	raw_specs_init(&specs);
	kind = raw_spec_named(&specs, name, len, version);
	return kind ? (int)kind : -EINVAL;
}
