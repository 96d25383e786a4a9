// SPDX-License-Identifier: Apache-2.0
/*
 * writer: see writer.h. The buffers of events, and the file; the tables are in writer_tables.c.
 * Shapes and sizes: runtime/trace.go of Go 1.8, 1.11, 1.19 and 1.21.
 */
#include "v1write/writer_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/write_all.h"
#include "trace/varint.h"

enum { OUTS_BASE = 2 };	/* V1_NO_P is in outs[1], V1_SAMPLES in outs[0] */

bool v1_can_write(int version)
{
	return version == V1_GOTRACE || version == 8 || version == 11 || version == 19 ||
	       version == 21;
}

static int fail_write(const struct v1_writer *w, int code, struct error *err)
{
	bool full = code == -ENOSPC || code == -EDQUOT || code == -EFBIG;
	char format[16];

	if (!w->opts.name)
		return error_set(err, code, "cannot write the trace: %s", strerror(-code));
	if (!full)
		return error_set(err, code, "cannot write '%s': %s", w->opts.name, strerror(-code));
	v1_format_name(format, sizeof(format), w->opts.version);
	return error_set(
		err, code,
		"cannot write '%s': %s; a trace of %s is read only with its end, "
		"so nothing of it is kept; record --spool keeps the raw records up to there",
		w->opts.name, strerror(-code), format);
}

static int v1_writer_write_out(struct v1_writer *w, struct buf *b, struct error *err)
{
	size_t done;
	int r;

	if (!w->failed.code) {
		r = write_all(w->fd, b->data, b->len, &done);
		w->counts.bytes += done;
		if (r)
			fail_write(w, r, &w->failed);
	}
	b->len = 0;
	if (w->failed.code)
		*err = w->failed;
	return w->failed.code;
}

int v1_writer_new(struct v1_writer **ret, int fd, const struct v1_writer_opts *opts,
		  struct error *err)
{
	uint8_t header[V1_HEADER];
	struct v1_writer *w;
	int r;

	if (!v1_can_write(opts->version))
		return error_set(err, -EINVAL, "gotap does not write the format go1.%d",
				 opts->version);
	w = xcalloc(1, sizeof(*w));
	w->fd = fd;
	w->opts = *opts;
	w->texts = strset_new();
	v1_format_init(&w->format, opts->version);
	buf_add(&w->full, header, v1_header_write(header, opts->version));
	r = v1_writer_write_out(w, &w->full, err);
	if (r)
		v1_writer_free(w);
	else
		*ret = w;
	return r;
}

struct v1_out *v1_writer_out(struct v1_writer *w, int32_t p)
{
	size_t i = (size_t)(p + OUTS_BASE);
	struct v1_out **slot;

	while (w->outs.len <= i)
		vec_push(&w->outs, sizeof(struct v1_out *));
	slot = vec_at(&w->outs, struct v1_out *, i);
	if (!*slot) {
		*slot = xcalloc(1, sizeof(**slot));
		(*slot)->p = p;
	}
	return *slot;
}

bool v1_writer_has(const struct v1_writer *w, unsigned int type)
{
	return w->format.spec[type] != NULL;
}

/* --- buffers --- */

static void v1_writer_flush(struct v1_writer *w, struct v1_out *out)
{
	if (!out->body.len)
		return;
	w->counts.batches++;
	buf_add(&w->full, out->body.data, out->body.len);
	out->body.len = out->last_start = 0;
}

/* Makes room for @n bytes after a Batch record. CPU samples have P 0 in theirs (traceReadCPU). */
static void v1_writer_need(struct v1_writer *w, struct v1_out *out, size_t n, uint64_t tick)
{
	if (out->body.len + n > V1W_BUFFER)
		v1_writer_flush(w, out);
	buf_reserve(&out->body, n + V1W_RECORD_MAX);
	if (out->body.len)
		return;
	out->last = tick - 1;
	v1w_put_batch(&out->body, out->p == V1_SAMPLES ? 0 : out->p, out->last);
}

static void v1w_event(struct v1_writer *w, struct v1_out *out, uint64_t tick, unsigned int type,
		  const uint64_t *args, uint64_t stack, size_t more)
{
	const struct v1_spec *spec = w->format.spec[type];
	unsigned int i, n = w->format.nargs[type] + spec->stack;
	uint8_t *p, *start;

	v1_writer_need(w, out, V1W_RECORD_MAX + more, tick);
	start = p = out->body.data + out->body.len;
	*p++ = (uint8_t)(type | (n < V1_BY_LENGTH ? n : V1_BY_LENGTH) << V1_COUNT_SHIFT);
	p += n >= V1_BY_LENGTH;
	p = varint_put(p, tick - out->last);
	for (i = 0; i < w->format.nargs[type]; i++)
		p = varint_put(p, args[i]);
	if (spec->stack)
		p = varint_put(p, stack);
	if (n >= V1_BY_LENGTH)
		start[1] = (uint8_t)(p - start - 2);
	out->last_start = out->body.len;
	out->last_before = out->last;
	out->body.len = (size_t)(p - out->body.data);
	out->last = tick;
	w->last = w->last < tick ? tick : w->last;
	w->counts.events[type]++;
}

void v1_writer_event(struct v1_writer *w, struct v1_out *out, uint64_t tick, unsigned int type,
		     const uint64_t *args, uint64_t stack)
{
	v1w_event(w, out, tick, type, args, stack, 0);
}

/* Returns how many bytes of a text fit: the runtime also cuts one that is longer than a buffer. */
static size_t v1_writer_cut_text(struct v1_writer *w, size_t n)
{
	if (n <= V1W_BUFFER / 2)
		return n;
	w->counts.cut_texts++;
	return V1W_BUFFER / 2;
}

void v1_writer_log(struct v1_writer *w, struct v1_out *out, uint64_t tick, const uint64_t *args,
		   uint64_t stack, const char *text, size_t n)
{
	n = v1_writer_cut_text(w, n);
	v1w_event(w, out, tick, V1_LOG, args, stack, n + VARINT_MAX);
	varint_add(&out->body, n);
	buf_add(&out->body, text, n);
}

bool v1_writer_undo(struct v1_writer *w, struct v1_out *out, unsigned int type)
{
	if (!out->body.len)
		return false;
	out->body.len = out->last_start;
	w->last -= w->last == out->last;
	out->last = out->last_before;
	w->counts.events[type]--;
	return true;
}

uint64_t v1_writer_string(struct v1_writer *w, struct v1_out *out, const char *s, size_t n)
{
	const char *text;
	uint64_t id;

	n = v1_writer_cut_text(w, n);
	id = v1_tables_intern(w, s, n, &text);
	if (!text)
		return id;
	v1_writer_need(w, out, n + V1W_RECORD_MAX, (out->last > w->last ? out->last : w->last) + 1);
	v1_tables_put_string(&out->body, id, text);
	out->last_start = out->body.len;
	return id;
}

void v1_writer_timer(struct v1_writer *w, uint64_t g)
{
	*(uint64_t *)vec_push(&w->timers, sizeof(g)) = g;
}

/* --- the file --- */

static void flush_at(struct v1_writer *w, size_t i)
{
	if (i < w->outs.len && *vec_at(&w->outs, struct v1_out *, i))
		v1_writer_flush(w, *vec_at(&w->outs, struct v1_out *, i));
}

/*
 * Writes the buffers of the Ps by id, then the one for events without a P, then that of the
 * samples, as StopTrace of Go does.
 */
static void flush_all(struct v1_writer *w)
{
	size_t i;

	for (i = OUTS_BASE; i < w->outs.len; i++)
		flush_at(w, i);
	flush_at(w, V1_NO_P + OUTS_BASE);
	flush_at(w, V1_SAMPLES + OUTS_BASE);
}

/* Writes the frequency. Readers of Go 1.23 and later require a Batch before it. */
static void put_frequency(struct v1_writer *w)
{
	if (w->has_frequency || !w->counts.batches)
		return;
	w->has_frequency = true;
	buf_add_byte(&w->full, V1_FREQUENCY);
	varint_add(&w->full, w->opts.frequency);
}

static void put_timers(struct v1_writer *w)
{
	size_t i;

	for (i = 0; i < w->timers.len; i++) {
		buf_add_byte(&w->full, V1_TIMER_GOROUTINE);
		varint_add(&w->full, *vec_at(&w->timers, uint64_t, i));
	}
}

static int write_tables(struct v1_writer *w, struct error *err)
{
	int r = v1_writer_write_out(w, &w->full, err);

	return r ? r : v1_writer_write_out(w, &w->tables, err);
}

/* Writes all that is known to the file, so that it can be read if gotap is killed. */
int v1_writer_turn(struct v1_writer *w, struct error *err)
{
	v1_tables_take_frames(w);
	flush_all(w);
	put_frequency(w);
	return write_tables(w, err);
}

static bool has_event(const struct v1_writer *w)
{
	size_t i;

	for (i = 0; i < V1_TYPES; i++)
		if (w->counts.events[i])
			return true;
	return false;
}

int v1_writer_finish(struct v1_writer *w, struct error *err)
{
	if (!has_event(w))
		return error_set(err, -ENODATA, "the trace has no event that can be written");
	v1_tables_take_frames(w);
	v1_tables_end(w);
	flush_all(w);
	put_frequency(w);
	put_timers(w);
	return write_tables(w, err);
}

const struct v1_writer_counts *v1_writer_counts(const struct v1_writer *w)
{
	return &w->counts;
}

void v1_writer_free(struct v1_writer *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < w->outs.len; i++) {
		struct v1_out *out = *vec_at(&w->outs, struct v1_out *, i);

		if (out)
			buf_free(&out->body);
		free(out);
	}
	vec_free(&w->outs);
	buf_free(&w->full);
	buf_free(&w->tables);
	strset_free(w->texts);
	map64_free(&w->strings);
	map64_free(&w->stacks);
	map64_free(&w->starts);
	map64_free(&w->later);
	map64_free(&w->start_frames);
	vec_free(&w->new_stacks);
	vec_free(&w->frames);
	vec_free(&w->timers);
	free(w);
}
