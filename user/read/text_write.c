// SPDX-License-Identifier: Apache-2.0
/*
 * text_write: see text_write.h. Input: raw events. Output: lines. A trace has millions of events
 * with three or four small numbers, so the two append functions write directly into reserved space.
 */
#include "read/text_write.h"

#include <errno.h>
#include <string.h>

#include "read/raw_event.h"
#include "read/text_quote.h"

enum {
	MAX_DIGITS = 20,
	MAX_EVENT_LINE = 256,		/* longest name, argument names and 5 numbers */
	MAX_FRAME_LINE = 128,
	MAX_EVENT_TEXT = 16 << 20,	/* events of Go programs have less than a hundredth of it */
};

uint8_t *text_put_uint(uint8_t *p, uint64_t v)
{
	uint8_t digits[MAX_DIGITS], *d = digits + sizeof(digits);
	size_t n;

	if (v < 10) {
		*p = (uint8_t)('0' + v);
		return p + 1;
	}
	do
		*--d = (uint8_t)('0' + v % 10);
	while (v /= 10);
	n = (size_t)(digits + sizeof(digits) - d);
	memcpy(p, d, n);
	return p + n;
}

/* Appends the first line of an event: "Name a=1 b=2". */
static void text_append_event(struct buf *out, const struct raw_spec *spec, const uint64_t *args)
{
	const char *name;
	uint8_t *p;

	buf_reserve(out, MAX_EVENT_LINE);
	p = out->data + out->len;
	for (name = spec->name; *name; name++)
		*p++ = (uint8_t)*name;
	for (name = spec->args; *name; args++) {
		*p++ = ' ';
		while (*name && *name != ' ')
			*p++ = (uint8_t)*name++;
		name += *name == ' ';
		*p++ = '=';
		p = text_put_uint(p, *args);
	}
	out->len = (size_t)(p - out->data);
}

static uint8_t *text_write_put_field(uint8_t *p, const char *name, uint64_t v)
{
	while (*name)
		*p++ = (uint8_t)*name++;
	return text_put_uint(p, v);
}

static void append_frame(struct buf *out, const uint64_t frame[4])
{
	uint8_t *p;

	buf_reserve(out, MAX_FRAME_LINE);
	p = out->data + out->len;
	p = text_write_put_field(p, "\n\tpc=", frame[0]);
	p = text_write_put_field(p, " func=", frame[1]);
	p = text_write_put_field(p, " file=", frame[2]);
	p = text_write_put_field(p, " line=", frame[3]);
	out->len = (size_t)(p - out->data);
}

static int text_write_too_large(struct raw_reader *r, const struct raw_event *ev)
{
	return error_set(r->err, -EBADMSG, "byte %llu: %s is too large to be real",
			 (unsigned long long)ev->offset, ev->spec->name);
}

static int append_frames(struct raw_reader *r, const struct raw_event *ev, struct buf *out,
			 size_t limit)
{
	uint64_t frame[4];
	uint64_t i;
	int ret;

	for (i = 0; i < ev->frames; i++) {
		ret = raw_frame(r, frame);
		if (ret)
			return ret;
		append_frame(out, frame);
		if (out->len > limit)
			return text_write_too_large(r, ev);
	}
	return 0;
}

/*
 * Appends the data line of an event. Data is read as a whole, since a multi-byte character must not
 * be quoted in two halves. Empty data has a line, too: raw.TextReader refuses a text without the
 * line, which raw.Event.String() omits.
 */
static int append_data(struct raw_reader *r, struct raw_event *ev, struct buf *out)
{
	struct buf data = {0};
	const uint8_t *p;
	int n;

	if (!raw_has_data(ev->type))
		return 0;
	if (ev->data > MAX_EVENT_TEXT)
		return text_write_too_large(r, ev);
	while ((n = raw_data(r, ev, &p)) > 0)
		buf_add(&data, p, (size_t)n);
	if (!n) {
		buf_add(out, "\n\tdata=", 7);
		quote_append(out, data.len ? data.data : (const uint8_t *)"", data.len);
	}
	buf_free(&data);
	return n;
}

static int append_event(struct raw_reader *r, struct raw_event *ev, struct buf *out)
{
	size_t limit = out->len + MAX_EVENT_TEXT;
	int ret;

	text_append_event(out, ev->spec, ev->args);
	ret = append_frames(r, ev, out, limit);
	if (!ret)
		ret = append_data(r, ev, out);
	if (!ret)
		buf_add_byte(out, '\n');
	return ret;
}

int text_write(struct raw_source *source, struct raw_sink *sink, struct error *err)
{
	struct raw_reader r;
	struct raw_event ev;
	int ret = raw_open(&r, source, err);

	if (ret)
		return ret;
	buf_printf(&sink->buf, "Trace Go1.%d\n", r.version);
	while ((ret = raw_next(&r, &ev)) > 0) {
		size_t whole = sink->buf.len;

		ret = append_event(&r, &ev, &sink->buf);
		if (ret) {
			sink->buf.len = whole;
			break;
		}
		sink_settle(sink);
		if (sink->error)
			break;	/* sink_close() returns the error */
	}
	return ret < 0 ? ret : 0;
}
