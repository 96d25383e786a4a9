// SPDX-License-Identifier: Apache-2.0
/*
 * raw: see gotap/raw.h. In and out: the events of a file as read/raw_event.h takes them apart,
 * with the pieces of each put together.
 */
#include "gotap/raw.h"

#include <errno.h>
#include <stdlib.h>

#include "api/api.h"
#include "read/raw_event.h"
#include "read/raw_sink.h"
#include "trace/varint.h"
#include "v1/file.h"
#include "v1/trace.h"

enum { MAX_EVENT = 16 << 20 };	/* bytes of frames or data: no writer makes events a hundredth of this */

struct gotap_raw_reader {
	struct raw_source source;
	struct raw_reader raw;
	struct vec frames;	/* struct gotap_raw_frame: of the last event */
	struct buf data;	/* of the last event */
	int failed;		/* what gotap_raw_next() returned, if that was an error */
	struct error err;
};

/* --- reading --- */

static int open_raw(struct gotap_raw_reader *r)
{
	source_need(&r->source, V1_HEADER);
	if (v1_file_is(r->source.pos, source_left(&r->source)))
		return error_set(&r->err, -ENOTSUP, "a trace of Go 1.21 or before has other events");
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
	return r->raw.version;
}

static int too_large(struct gotap_raw_reader *r, const struct raw_event *ev)
{
	return error_set(&r->err, -EBADMSG, "byte %llu: %s is too large to be real",
			 (unsigned long long)ev->offset, ev->spec->name);
}

static int take_frames(struct gotap_raw_reader *r, const struct raw_event *ev)
{
	uint64_t i, numbers[4];
	int ret = 0;

	if (ev->frames > MAX_EVENT / sizeof(struct gotap_raw_frame))
		return too_large(r, ev);
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
		return too_large(r, ev);
	while ((n = raw_data(&r->raw, ev, &p)) > 0)
		buf_add(&r->data, p, (size_t)n);
	return n;
}

/* Ticks come before the arguments of an event that has a time. */
static void give_event(const struct gotap_raw_reader *r, const struct raw_event *ev,
		       struct gotap_raw_event *to, size_t size)
{
	bool timed = raw_spec_timed(ev->spec);
	struct gotap_raw_event e = {
		.kind = ev->type, .nargs = ev->spec->nargs - timed, .offset = ev->offset,
		.frames = r->frames.data, .nframes = r->frames.len,
		.data = r->data.data, .len = r->data.len,
	};

	e.ticks = timed ? ev->args[0] : 0;
	memcpy(e.args, ev->args + timed, e.nargs * sizeof(e.args[0]));
	api_give(to, size, &e, sizeof(e));
}

int gotap_raw_next(struct gotap_raw_reader *r, struct gotap_raw_event *to, size_t size)
{
	struct raw_event ev;
	int ret;

	if (r->failed)
		return r->failed;
	r->frames.len = r->data.len = 0;
	ret = raw_next(&r->raw, &ev);
	if (ret > 0) {
		ret = take_frames(r, &ev);
		if (!ret)
			ret = take_data(r, &ev);
		if (!ret) {
			give_event(r, &ev, to, size);
			return 1;
		}
	}
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
	vec_free(&r->frames);
	buf_free(&r->data);
	free(r);
}

/* --- writing --- */

struct gotap_raw_writer {
	struct raw_specs specs;
	struct raw_sink sink;
	struct buf sized;	/* an event of which only the size is asked for */
	int version;
	struct error err;
};

int gotap_raw_writer_new(struct gotap_raw_writer **ret, int fd, int version,
			 struct gotap_error *gerr)
{
	struct gotap_raw_writer *w;
	struct error err;

	if (version != 22 && version != 23 && version != 25 && version != 26) {
		error_set(&err, -EINVAL, "there is no trace format go1.%d", version);
		return api_error(gerr, &err);
	}
	if (fd < 0) {
		error_set(&err, -EBADF, "cannot write: %d is no descriptor", fd);
		return api_error(gerr, &err);
	}
	w = xcalloc(1, sizeof(*w));
	raw_specs_init(&w->specs);
	w->version = version;
	sink_open(&w->sink, fd, NULL);
	buf_printf(&w->sink.buf, "go 1.%d trace%c%c%c", version, 0, 0, 0);
	*ret = w;
	return 0;
}

static void put(struct buf *out, uint64_t v)
{
	buf_reserve(out, VARINT_MAX);
	out->len = (size_t)(varint_put(out->data + out->len, v) - out->data);
}

static void put_event(struct buf *out, const struct raw_spec *spec, const struct gotap_raw_event *ev)
{
	size_t i;

	buf_add_byte(out, (uint8_t)ev->kind);
	if (raw_spec_timed(spec))
		put(out, ev->ticks);
	for (i = 0; i < ev->nargs; i++)
		put(out, ev->args[i]);
	for (i = 0; i < ev->nframes; i++) {
		put(out, ev->frames[i].pc);
		put(out, ev->frames[i].func);
		put(out, ev->frames[i].file);
		put(out, ev->frames[i].line);
	}
	if (!raw_has_data(ev->kind))
		return;
	put(out, ev->len);
	if (ev->len)
		buf_add(out, ev->data, ev->len);
}

/* Frames that a reader would look for behind the arguments: see raw_event.c. */
static size_t frames_wanted(const struct gotap_raw_event *ev)
{
	return ev->kind == EV_Stack && ev->args[1] <= INT64_MAX ? ev->args[1] : 0;
}

/* The spec of an event that can be written, else NULL with the error set. */
static const struct raw_spec *checked(struct gotap_raw_writer *w, const struct gotap_raw_event *ev)
{
	const struct raw_spec *spec = raw_spec_get(&w->specs, ev->kind, w->version);
	unsigned int nargs = spec ? spec->nargs - raw_spec_timed(spec) : 0;

	if (!spec)
		error_set(&w->err, -EINVAL, "header go 1.%d has no event %u", w->version, ev->kind);
	else if (ev->nargs != nargs)
		error_set(&w->err, -EINVAL, "%s has %u arguments, not %u", spec->name, nargs,
			  ev->nargs);
	else if (ev->nframes != frames_wanted(ev))
		error_set(&w->err, -EINVAL, "%s has %zu frames, not %zu", spec->name,
			  frames_wanted(ev), ev->nframes);
	else if (ev->len && !raw_has_data(ev->kind))
		error_set(&w->err, -EINVAL, "%s has no data", spec->name);
	else
		return spec;
	return NULL;
}

int gotap_raw_write(struct gotap_raw_writer *w, const struct gotap_raw_event *caller, size_t size)
{
	const struct raw_spec *spec;
	struct gotap_raw_event ev;

	api_take(&ev, sizeof(ev), caller, size);
	spec = checked(w, &ev);
	if (!spec)
		return w->err.code;
	put_event(&w->sink.buf, spec, &ev);
	sink_settle(&w->sink);
	return w->sink.error ? sink_error(&w->sink, &w->err) : 0;
}

int64_t gotap_raw_size(struct gotap_raw_writer *w, const struct gotap_raw_event *caller, size_t size)
{
	const struct raw_spec *spec;
	struct gotap_raw_event ev;

	api_take(&ev, sizeof(ev), caller, size);
	spec = checked(w, &ev);
	if (!spec)
		return w->err.code;
	w->sized.len = 0;
	put_event(&w->sized, spec, &ev);
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
