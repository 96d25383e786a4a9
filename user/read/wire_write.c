// SPDX-License-Identifier: Apache-2.0
/* wire_write: see wire_write.h. Input: lines. Output: bytes. */
#include "read/wire_write.h"

#include <errno.h>
#include <string.h>

#include "read/raw_spec.h"
#include "read/text_line.h"
#include "read/text_quote.h"
#include "trace/varint.h"

struct wire_writer {
	struct text_lines *lines;
	struct raw_specs specs;
	struct raw_sink *sink;
	struct buf data;	/* unquoted data of the current event */
	int version;
};

/* span_uint() for arguments, span_int() for members of frames (package comment of Go's raw). */
typedef bool number_fn(struct text_span s, uint64_t *v);

static const char frame_fields[] = "pc func file line";

static void wire_write_put(struct wire_writer *w, uint64_t v)
{
	varint_add(&w->sink->buf, v);
}

/* Removes the next argument name from *@names and returns it. */
static struct text_span next_name(const char **names)
{
	struct text_span name = { *names, strcspn(*names, " ") };

	*names += name.n;
	*names += **names == ' ';
	return name;
}

static bool wire_write_same_name(struct text_span got, struct text_span want)
{
	if (got.n == want.n && !memcmp(got.p, want.p, got.n))
		return true;
	return span_is(got, "n") && span_is(want, "nframes");
}

static int wire_write_take_arg(struct wire_writer *w, struct text_span *rest, struct text_span name,
		    number_fn *number, uint64_t *v)
{
	struct text_span token = span_token(rest), value = token;
	const char *eq = memchr(token.p, '=', token.n);

	if (!token.n)
		return lines_fail(w->lines, "argument '%.*s' is missing", (int)name.n, name.p);
	if (!eq)
		return lines_fail(w->lines, "malformed argument '%.*s'", (int)token.n, token.p);
	value.p = eq + 1;
	value.n = (size_t)(token.p + token.n - value.p);
	token.n = (size_t)(eq - token.p);
	if (!number(value, v))
		return lines_fail(w->lines, "'%.*s' for '%.*s' is not a number of 64 bits",
				  (int)value.n, value.p, (int)token.n, token.p);
	if (!wire_write_same_name(token, name))
		return lines_fail(w->lines, "expected argument '%.*s', but got '%.*s'",
				  (int)name.n, name.p, (int)token.n, token.p);
	return 0;
}

/*
 * Parses the usual form of an argument, " name=digits" and then a space or the end: removes it from
 * *@rest and its name from *@names. False for other forms: wire_write_take_arg() accepts all forms
 * and sets the errors.
 */
static bool take_plain_arg(struct text_span *rest, const char **names, uint64_t *v)
{
	const char *p = rest->p, *end = p + rest->n, *name = *names, *digits;
	uint64_t x = 0;

	if (p == end || *p++ != ' ')
		return false;
	while (*name && *name != ' ')
		if (p == end || *p++ != *name++)
			return false;
	if (p == end || *p++ != '=')
		return false;
	for (digits = p; p < end && *p >= '0' && *p <= '9'; p++)
		x = x * 10 + (uint64_t)(*p - '0');
	if (p == digits || p - digits > 19 || (p < end && *p != ' '))
		return false;
	*v = x;
	*names = name + (*name == ' ');
	*rest = (struct text_span){ p, (size_t)(end - p) };
	return true;
}

/* Parses all arguments in @names from @rest; further text is an error. */
static int wire_write_take_args(struct wire_writer *w, struct text_span rest, const char *names,
		     number_fn *number, uint64_t *args)
{
	int ret;

	for (; *names; args++) {
		if (take_plain_arg(&rest, &names, args))
			continue;
		ret = wire_write_take_arg(w, &rest, next_name(&names), number, args);
		if (ret)
			return ret;
	}
	if (!rest.n)
		return 0;
	rest = span_trim(rest);
	if (rest.n)
		return lines_fail(w->lines, "unexpected text at the end of the line: '%.*s'",
				  (int)rest.n, rest.p);
	return 0;
}

static int wire_write_write_frames(struct wire_writer *w, uint64_t n)
{
	struct text_span line;
	uint64_t frame[4], i;
	int ret, k;

	for (i = 0; i < n; i++) {
		ret = lines_next(w->lines, &line);
		if (!ret)
			ret = lines_fail(w->lines, "text ends inside a stack");
		if (ret < 0)
			return ret;
		ret = wire_write_take_args(w, line, frame_fields, span_int, frame);
		if (ret)
			return ret;
		for (k = 0; k < 4; k++)
			wire_write_put(w, frame[k]);
		sink_settle(w->sink);
	}
	return 0;
}

static int write_data(struct wire_writer *w)
{
	int ret;

	w->data.len = 0;
	ret = lines_data(w->lines, &w->data);
	if (ret)
		return ret;
	wire_write_put(w, w->data.len);
	if (w->data.len)
		buf_add(&w->sink->buf, w->data.data, w->data.len);
	return 0;
}

static int write_event(void *ctx, struct text_span line)
{
	struct wire_writer *w = ctx;
	struct text_span name = span_token(&line);
	unsigned type = raw_spec_named(&w->specs, name.p, name.n, w->version);
	const struct raw_spec *spec;
	uint64_t args[TRACEV2_MAX_ARGS];
	int ret, i;

	if (!type)
		return lines_fail(w->lines, "unidentified event: %.*s", (int)name.n, name.p);
	spec = &w->specs.of[type];
	ret = wire_write_take_args(w, line, spec->args, span_uint, args);
	if (ret)
		return ret;
	buf_add_byte(&w->sink->buf, (uint8_t)type);
	for (i = 0; i < spec->nargs; i++)
		wire_write_put(w, args[i]);
	if (type == EV_Stack && args[1] <= INT64_MAX)
		return wire_write_write_frames(w, args[1]);
	return raw_has_data(type) ? write_data(w) : 0;
}

/* NN of "Go1.NN", 0 for "gotrace"; -1: other text. */
static int parse_version(struct text_span s)
{
	uint64_t v;

	if (span_is(s, "gotrace"))
		return 0;
	if (s.n < 4 || memcmp(s.p, "Go1.", 4) ||
	    !span_uint((struct text_span){ s.p + 4, s.n - 4 }, &v))
		return -1;
	return v > 1000000 ? 1000000 : (int)v;
}

int wire_header(struct text_lines *lines, int *version)
{
	struct text_span line;
	int ret = lines_next(lines, &line);

	if (ret < 0)
		return ret;
	if (!ret)
		return error_set(lines->err, -EINVAL, "no text trace: the file is empty");
	*version = span_is(span_token(&line), "Trace") ? parse_version(span_token(&line)) : -1;
	if (*version < 0)
		return lines_fail(lines, "expected 'Trace Go1.NN'");
	if (span_trim(line).n)
		return lines_fail(lines, "unexpected text at the end of the header");
	return 0;
}

static int wire_write_write_header(struct wire_writer *w)
{
	int v = w->version;

	if (v != 22 && v != 23 && v != 25 && v != 26)
		return lines_fail(w->lines, "unknown or unsupported Go version 1.%d", v);
	buf_printf(&w->sink->buf, "go 1.%d trace", v);
	buf_add(&w->sink->buf, "\0\0", 3);
	return 0;
}

int wire_lines(struct text_lines *lines, struct raw_sink *sink, wire_line_fn *take, void *ctx)
{
	struct text_span line;
	int ret;

	while ((ret = lines_next(lines, &line)) > 0) {
		ret = take(ctx, line);
		if (ret)
			return ret;
		sink_settle(sink);
		if (sink->error)
			return 0;	/* sink_close() returns the error */
	}
	return ret;
}

int wire_events(struct text_lines *lines, int version, struct raw_sink *sink)
{
	struct wire_writer w = { .lines = lines, .sink = sink, .version = version };
	int ret;

	raw_specs_init(&w.specs);
	ret = wire_write_write_header(&w);
	if (!ret)
		ret = wire_lines(lines, sink, write_event, &w);
	buf_free(&w.data);
	return ret;
}

int wire_write(struct raw_source *source, struct raw_sink *sink, struct error *err)
{
	struct text_lines lines;
	int version, ret;

	lines_init(&lines, source, err);
	ret = wire_header(&lines, &version);
	if (!ret)
		ret = wire_events(&lines, version, sink);
	lines_free(&lines);
	return ret;
}
