// SPDX-License-Identifier: Apache-2.0
/*
 * wire: turns lines of a text into records of a v1 file, in the shortest form unless the line has
 * another one (text_form.h). `gotap wire` calls this file, for v2 traces as well.
 */
#include "v1/text.h"

#include <errno.h>
#include <string.h>

#include "read/wire_write.h"
#include "trace/varint.h"
#include "v1/record.h"
#include "v1/text_form.h"

struct wire {
	struct text_lines *lines;
	struct raw_sink *sink;
	struct v1_format format;
	struct v1_text_names names;
	struct buf values;	/* encoded values of the current record */
	struct buf data;	/* unquoted bytes of a String or a log */
	size_t nvalues;
	uint64_t id;		/* the first value */
};

/* A number of a line, and its number of bytes in the file. */
struct number {
	uint64_t value;
	unsigned int width;
};

/* The form of a record as its line has it; width 0: not on the line. */
struct form {
	struct number k, length, data;
};

/* --- numbers --- */

static void put_number(struct buf *out, const struct number *n)
{
	uint64_t v = n->value;
	unsigned int i;

	buf_reserve(out, VARINT_MAX);
	for (i = 1; i < n->width; i++, v >>= 7)
		out->data[out->len++] = (uint8_t)v | 0x80;
	out->data[out->len++] = (uint8_t)v;
}

static bool v1_wire_parse_number(struct text_span s, struct number *n)
{
	const char *slash = memchr(s.p, '/', s.n);
	uint64_t width;

	if (slash && !span_uint((struct text_span){ slash + 1, (size_t)(s.p + s.n - slash - 1) },
				&width))
		return false;
	if (slash)
		s.n = (size_t)(slash - s.p);
	if (!span_int(s, &n->value))
		return false;
	n->width = v1_shortest(n->value);
	if (slash && (width < n->width || width > VARINT_MAX))
		return false;
	if (slash)
		n->width = (unsigned int)width;
	return true;
}

/* Parses "name=5" or "name=5/2". */
static int parse_arg(struct wire *w, struct text_span token, struct text_span *name,
		     struct number *n)
{
	const char *eq = memchr(token.p, '=', token.n);
	struct text_span value;

	if (!eq)
		return lines_fail(w->lines, "malformed argument '%.*s'", (int)token.n, token.p);
	*name = (struct text_span){ token.p, (size_t)(eq - token.p) };
	value = (struct text_span){ eq + 1, token.n - name->n - 1 };
	if (!v1_wire_parse_number(value, n))
		return lines_fail(w->lines, "'%.*s' for '%.*s' is not a number of 64 bits",
				  (int)value.n, value.p, (int)name->n, name->p);
	return 0;
}

static bool v1_wire_same_name(struct text_span got, struct text_span want)
{
	return (got.n == want.n && !memcmp(got.p, want.p, got.n)) ||
	       (span_is(got, "nframes") && want.n == 1 && *want.p == 'n');
}

static int v1_wire_take_arg(struct wire *w, struct text_span *rest, struct text_span want,
		    struct number *n)
{
	struct text_span token = span_token(rest), name;
	int ret;

	if (!token.n)
		return lines_fail(w->lines, "argument '%.*s' is missing", (int)want.n, want.p);
	ret = parse_arg(w, token, &name, n);
	if (ret || v1_wire_same_name(name, want))
		return ret;
	return lines_fail(w->lines, "expected argument '%.*s', but got '%.*s'", (int)want.n, want.p,
			  (int)name.n, name.p);
}

/* Parses all arguments in @names from *@rest and encodes them. *@last is the last one. */
static int v1_wire_take_args(struct wire *w, struct text_span *rest, const char *names,
			     uint64_t *last)
{
	struct number n = {0};
	int ret = 0;

	while (*names && !ret) {
		struct text_span want = { names, strcspn(names, " ") };

		names += want.n;
		names += *names == ' ';
		ret = v1_wire_take_arg(w, rest, want, &n);
		if (ret)
			return ret;
		put_number(&w->values, &n);
		if (!w->nvalues++)
			w->id = n.value;
	}
	*last = n.value;
	return 0;
}

/* --- the form of a record --- */

static struct number *form_field(struct form *f, struct text_span name)
{
	return span_is(name, "k") ? &f->k : span_is(name, "L") ? &f->length :
	       span_is(name, "len") ? &f->data : NULL;
}

static int fail_at_end(struct wire *w, struct text_span rest)
{
	rest = span_trim(rest);
	return lines_fail(w->lines, "unexpected text at the end of the line: '%.*s'", (int)rest.n,
			  rest.p);
}

static int take_form(struct wire *w, struct text_span rest, struct form *f)
{
	struct text_span before, token, name;
	struct number n, *field;

	while ((before = rest = span_trim(rest)).n) {
		/* empty before a comment, which is not allowed here */
		token = span_token(&rest);
		field = !token.n || parse_arg(w, token, &name, &n) ? NULL : form_field(f, name);
		if (!field || field->width)
			return fail_at_end(w, before);
		*field = n;
	}
	return 0;
}

/*
 * Checks @n against @length, the length of @of. If the line has none, @n becomes its shortest form.
 */
static int settle_length(struct wire *w, struct number *n, uint64_t length, const char *of)
{
	if (!n->width)
		*n = (struct number){ length, v1_shortest(length) };
	if (n->value == length)
		return 0;
	return lines_fail(w->lines, "the length of the %s is %llu, not %llu", of,
			  (unsigned long long)length, (unsigned long long)n->value);
}

static int settle_code(struct wire *w, unsigned int type, struct form *f)
{
	unsigned int free_values = v1_free_values(&w->format);

	if (!f->k.width)
		f->k.value = v1_count_code(&w->format, type, w->nvalues);
	if (f->k.value > V1_BY_LENGTH)
		return lines_fail(w->lines, "k is a number from 0 to 3, not %llu",
				  (unsigned long long)f->k.value);
	if (type != V1_STRING && f->k.value < V1_BY_LENGTH &&
	    f->k.value + free_values != w->nvalues)
		return lines_fail(w->lines, "k=%llu is for %llu numbers, but there are %zu",
				  (unsigned long long)f->k.value,
				  (unsigned long long)f->k.value + free_values, w->nvalues);
	return 0;
}

static int v1_wire_put_record(struct wire *w, unsigned int type, struct form *f)
{
	int ret = settle_code(w, type, f);

	if (ret)
		return ret;
	buf_add_byte(&w->sink->buf, (uint8_t)(type | f->k.value << V1_COUNT_SHIFT));
	if (f->k.value == V1_BY_LENGTH && type != V1_STRING) {
		ret = settle_length(w, &f->length, w->values.len, "numbers");
		if (ret)
			return ret;
		put_number(&w->sink->buf, &f->length);
	} else if (f->length.width) {
		return lines_fail(w->lines, "L is for records with k=3");
	}
	buf_add(&w->sink->buf, w->values.data, w->values.len);
	return 0;
}

/* --- the lines after a record's first line --- */

static bool v1_wire_span_begins(struct text_span s, const char *text)
{
	return s.n >= strlen(text) && !memcmp(s.p, text, strlen(text));
}

static int v1_wire_take_frame(struct wire *w, struct text_span line)
{
	uint64_t last;
	int ret = v1_wire_take_args(w, &line, v1_frame_names(&w->format), &last);

	/* `gotap text --binary` puts names after an address. */
	if (!ret && !v1_pc_only(w->format.version) && span_trim(line).n)
		return fail_at_end(w, line);
	return ret;
}

/*
 * Takes numbers after the frames, which records before 1.5 may have and the text shows as frames,
 * too.
 */
static int take_more_frames(struct wire *w)
{
	struct text_span line, rest;
	int ret;

	while ((ret = lines_next(w->lines, &line)) > 0) {
		rest = line;
		if (!v1_wire_span_begins(span_token(&rest), "pc=")) {
			lines_put_back(w->lines, line);
			return 0;
		}
		ret = v1_wire_take_frame(w, line);
		if (ret)
			return ret;
	}
	return ret;
}

static int v1_wire_take_frames(struct wire *w, uint64_t n)
{
	struct text_span line;
	int ret;

	if (n > V1_MAX_FRAMES)
		return lines_fail(w->lines, "a stack has at most %d frames, not %llu",
				  V1_MAX_FRAMES, (unsigned long long)n);
	for (; n; n--) {
		ret = lines_next(w->lines, &line);
		if (ret < 0)
			return ret;
		if (!ret)
			return lines_fail(w->lines, "text ends inside a stack");
		ret = v1_wire_take_frame(w, line);
		if (ret)
			return ret;
	}
	return w->format.version == V1_GOTRACE ? take_more_frames(w) : 0;
}

static int put_data(struct wire *w, unsigned int type, struct form *f)
{
	int ret;

	w->data.len = 0;
	ret = lines_data(w->lines, &w->data);
	if (ret)
		return ret;
	if (type == V1_STRING && (!w->id || !w->data.len))
		return lines_fail(w->lines, "a String needs %s",
				  w->id ? "data=\"...\", which is not empty" :
					  "an id that is not 0");
	if (w->data.len > V1_MAX_STRING)
		return lines_fail(w->lines, "a text has at most %d bytes, not %zu", V1_MAX_STRING,
				  w->data.len);
	ret = settle_length(w, &f->data, w->data.len, "text");
	if (ret)
		return ret;
	put_number(&w->sink->buf, &f->data);
	if (w->data.len)
		buf_add(&w->sink->buf, w->data.data, w->data.len);
	return 0;
}

/* --- records --- */

static unsigned int type_named(const struct wire *w, struct text_span name)
{
	unsigned int type;

	for (type = 1; type < V1_TYPES; type++)
		if (w->format.spec[type] && span_is(name, w->format.spec[type]->name))
			return type;
	return 0;
}

static int write_record(void *ctx, struct text_span line)
{
	struct wire *w = ctx;
	struct text_span name = span_token(&line);
	unsigned int type = type_named(w, name);
	struct form form = {0};
	uint64_t last;
	int ret;

	if (!type)
		return lines_fail(w->lines, "unidentified event: %.*s", (int)name.n, name.p);
	w->values.len = w->nvalues = 0;
	ret = v1_wire_take_args(w, &line, w->names.of[type], &last);
	if (!ret)
		ret = take_form(w, line, &form);
	if (!ret && form.data.width && type != V1_STRING && type != V1_LOG)
		ret = lines_fail(w->lines, "len is for records with a text");
	if (!ret && type == V1_STACK)
		ret = v1_wire_take_frames(w, last);
	if (!ret)
		ret = v1_wire_put_record(w, type, &form);
	if (!ret && (type == V1_STRING || type == V1_LOG))
		ret = put_data(w, type, &form);
	return ret;
}

static int write_old(struct text_lines *lines, int version, struct raw_sink *sink)
{
	struct wire w = { .lines = lines, .sink = sink };
	uint8_t header[V1_HEADER];
	int ret;

	buf_add(&sink->buf, header, v1_header_write(header, version));
	v1_format_init(&w.format, version);
	v1_text_names_init(&w.names, &w.format);
	ret = wire_lines(lines, sink, write_record, &w);
	buf_free(&w.values);
	buf_free(&w.data);
	return ret;
}

int v1_wire_write(struct raw_source *source, struct raw_sink *sink, struct error *err)
{
	struct text_lines lines;
	int version, ret;

	lines_init(&lines, source, err);
	ret = wire_header(&lines, &version);
	if (!ret && version == 0)
		ret = write_old(&lines, V1_GOTRACE, sink);
	else if (!ret && v1_version_known(version))
		ret = write_old(&lines, version, sink);
	else if (!ret)
		ret = wire_events(&lines, version, sink);
	lines_free(&lines);
	return ret;
}
