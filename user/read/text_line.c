// SPDX-License-Identifier: Apache-2.0
/* text_line: see text_line.h. Input: bytes. Output: lines, tokens, numbers. */
#include "read/text_line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "read/text_quote.h"

/* the limit of Go is 64 KiB; this reader must accept all lines of text_write */
enum { MAX_LINE = 64 << 20 };

/* Length of the white space at @i, 0: none. */
static size_t space_at(struct text_span s, size_t i)
{
	uint32_t rune;
	size_t n;

	if ((unsigned char)s.p[i] < 0x80)
		return rune_is_space((unsigned char)s.p[i]);
	n = rune_decode((const uint8_t *)s.p + i, s.n - i, &rune);
	return rune_is_space(rune) ? n : 0;
}

/* The class of a byte in a token; WIDE: a byte beyond ASCII, for space_at(). */
enum { PLAIN, SPACE, HASH, WIDE };

static int class_of(char c)
{
	if ((unsigned char)c >= 0x80)
		return WIDE;
	if (c > '#')
		return PLAIN;
	return c == '#' ? HASH : c == ' ' || (c >= '\t' && c <= '\r') ? SPACE : PLAIN;
}

static size_t skip_space(struct text_span s)
{
	size_t i = 0, n = 1;

	for (; i < s.n && n; i += n) {
		int class = class_of(s.p[i]);

		n = class == SPACE ? 1 : class == WIDE ? space_at(s, i) : 0;
	}
	return i;
}

static bool means_something(struct text_span line)
{
	size_t i = skip_space(line);

	return i < line.n && line.p[i] != '#';
}

void lines_init(struct text_lines *t, struct raw_source *source, struct error *err)
{
	memset(t, 0, sizeof(*t));
	t->source = source;
	t->err = err;
}

void lines_free(struct text_lines *t)
{
	buf_free(&t->line);
}

int lines_fail(struct text_lines *t, const char *fmt, ...)
{
	char text[sizeof(t->err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return error_set(t->err, -EINVAL, "line %llu: %s", (unsigned long long)t->number, text);
}

static struct text_span text_line_chomp(const void *p, size_t n)
{
	const char *s = p;

	if (n && s[n - 1] == '\n')
		n--;
	if (n && s[n - 1] == '\r')
		n--;
	return (struct text_span){ s, n };
}

/* Collects a line that is longer than the visible bytes. */
static int long_line(struct text_lines *t, struct text_span *line)
{
	struct raw_source *s = t->source;
	const uint8_t *end = NULL;

	t->line.len = 0;
	while (!end && source_need(s, 1)) {
		end = memchr(s->pos, '\n', source_left(s));
		buf_add(&t->line, s->pos, end ? (size_t)(end + 1 - s->pos) : source_left(s));
		s->pos = end ? end + 1 : s->end;
		if (t->line.len > MAX_LINE)
			return lines_fail(t, "longer than %d MiB", MAX_LINE >> 20);
	}
	if (s->error)
		return error_set(t->err, -s->error, "cannot read: %s", strerror(s->error));
	if (!t->line.len)
		return 0;
	*line = text_line_chomp(t->line.data, t->line.len);
	return 1;
}

static int any_line(struct text_lines *t, struct text_span *line)
{
	struct raw_source *s = t->source;
	const uint8_t *end = memchr(s->pos, '\n', source_left(s));

	t->number++;
	if (!end)
		return long_line(t, line);
	*line = text_line_chomp(s->pos, (size_t)(end - s->pos));
	s->pos = end + 1;
	return 1;
}

/* True for "-- NAME --", the first line of a member of a txtar archive. */
static bool is_member(struct text_span s, const char *name)
{
	struct text_span inner;

	if (s.n < 6 || memcmp(s.p, "-- ", 3) || memcmp(s.p + s.n - 3, " --", 3))
		return false;
	inner = span_trim((struct text_span){ s.p + 3, s.n - 6 });
	return name ? span_is(inner, name) : inner.n > 0;
}

/* Finds the member of an archive: a file without "Trace" in its first line must be one. */
static int enter_archive(struct text_lines *t, struct text_span *line)
{
	int ret = 1;

	t->txtar = true;
	while (ret > 0 && !is_member(*line, "trace"))
		ret = any_line(t, line);
	if (ret < 0)
		return ret;
	if (!ret)
		return error_set(t->err, -EINVAL,
				 "no text trace: neither a 'Trace Go1.NN' line nor a"
				 " '-- trace --' member");
	return lines_next(t, line);
}

static int first_line(struct text_lines *t, struct text_span *line)
{
	struct text_span rest = *line;

	t->started = true;
	if (span_is(span_token(&rest), "Trace"))
		return 1;
	return enter_archive(t, line);
}

int lines_next(struct text_lines *t, struct text_span *line)
{
	int ret;

	if (t->put_back) {
		t->put_back = false;
		*line = t->held;
		return 1;
	}
	while ((ret = any_line(t, line)) > 0) {
		if (t->txtar && is_member(*line, NULL))
			return 0;
		if (means_something(*line))
			return t->started ? 1 : first_line(t, line);
	}
	return ret;
}

void lines_put_back(struct text_lines *t, struct text_span line)
{
	t->put_back = true;
	t->held = line;
}

struct text_span span_token(struct text_span *s)
{
	size_t start = skip_space(*s), i = start;
	struct text_span token;

	if (i == s->n || s->p[i] == '#') {
		token = (struct text_span){ s->p + s->n, 0 };
		*s = token;
		return token;
	}
	for (; i < s->n; i++) {
		int class = class_of(s->p[i]);

		if (class == SPACE || class == HASH || (class == WIDE && space_at(*s, i)))
			break;
	}
	token = (struct text_span){ s->p + start, i - start };
	s->p += i;
	s->n -= i;
	return token;
}

struct text_span span_trim(struct text_span s)
{
	size_t i, n;

	while (s.n && (n = space_at(s, 0)))
		s.p += n, s.n -= n;
	/* White space is at most 3 bytes long; look for one that ends at the end of @s. */
	for (i = 1; i <= 3 && i <= s.n; i++) {
		if (space_at(s, s.n - i) == i) {
			s.n -= i;
			i = 0;
		}
	}
	return s;
}

bool span_is(struct text_span s, const char *text)
{
	return strlen(text) == s.n && !memcmp(s.p, text, s.n);
}

bool span_uint(struct text_span s, uint64_t *v)
{
	uint64_t x = 0;
	size_t i;

	for (i = 0; i < s.n; i++) {
		unsigned d = (unsigned)(unsigned char)s.p[i] - '0';

		if (d > 9 || __builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, d, &x))
			return false;
	}
	*v = x;
	return s.n > 0;
}

bool span_int(struct text_span s, uint64_t *v)
{
	if (!s.n || *s.p != '-')
		return span_uint(s, v);
	if (!span_uint((struct text_span){ s.p + 1, s.n - 1 }, v) || *v > 1ULL << 63)
		return false;
	*v = -*v;
	return true;
}

/* The literal of a "data=..." line; false if the line is not one. */
static bool data_literal(struct text_span line, struct text_span *literal)
{
	const char *eq = memchr(line.p, '=', line.n);

	if (!eq || !span_is(span_trim((struct text_span){ line.p, (size_t)(eq - line.p) }), "data"))
		return false;
	*literal = span_trim((struct text_span){ eq + 1, (size_t)(line.p + line.n - eq - 1) });
	return true;
}

int lines_data(struct text_lines *t, struct buf *out)
{
	struct text_span line, literal;
	int ret = lines_next(t, &line);

	if (ret < 0)
		return ret;
	if (!ret)
		return lines_fail(t, "text ends where data=\"...\" is to be");
	if (!data_literal(line, &literal))
		return lines_fail(t, "expected data=\"...\", but got '%.*s'",
				  (int)(line.n < 60 ? line.n : 60), line.p);
	if (!unquote_append(out, (const uint8_t *)literal.p, literal.n))
		return lines_fail(t, "not a Go string: %.*s",
				  (int)(literal.n < 60 ? literal.n : 60), literal.p);
	return 0;
}
