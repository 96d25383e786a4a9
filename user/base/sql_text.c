// SPDX-License-Identifier: Apache-2.0
/* sql_text: see sql_text.h. */
#define _GNU_SOURCE
#include "base/sql_text.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* A reading of one statement. */
struct sql {
	const char *s;
	size_t n, at;
	char *out;
	size_t len;
	bool space;		/* blanks are due before the next character */
	bool is_postgres;	/* text in double quotes is a name */
	bool value;		/* a value can stand here */
	bool between;		/* the next AND separates two values */
};

static bool sql_is_blank(char c) { return (unsigned char)c <= ' ' || c == 127; }
static bool sql_is_digit(char c) { return c >= '0' && c <= '9'; }

/* Also bytes of characters beyond ASCII. */
static bool sql_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool sql_is_word(char c) { return sql_is_letter(c) || sql_is_digit(c) || c == '$'; }

/* The byte @by behind the current one; NUL behind the end. */
static char sql_peek(const struct sql *q, size_t by)
{
	return q->at + by < q->n ? q->s[q->at + by] : 0;
}

/* --- output --- */

static char sql_last(const struct sql *q) { return q->len ? q->out[q->len - 1] : 0; }

static void sql_put(struct sql *q, char c)
{
	if (q->space && q->len)
		q->out[q->len++] = ' ';
	q->space = false;
	q->out[q->len++] = c;
}

static void sql_copy(struct sql *q, size_t n)
{
	for (; n && q->at < q->n; n--)
		sql_put(q, q->s[q->at++]);
}

/* Is the end of the first @len bytes of the output @text, blanks aside? Stores where it begins. */
static bool sql_ends_with(const struct sql *q, size_t len, const char *text, size_t *begin)
{
	size_t i = strlen(text);

	while (i) {
		while (len && q->out[len - 1] == ' ')
			len--;
		if (!len || q->out[len - 1] != text[i - 1])
			return false;
		len--;
		i--;
	}
	*begin = len;
	return true;
}

/* A value; one more of a list is left out, with the comma in front of it. */
static void sql_put_value(struct sql *q)
{
	size_t begin;

	if (sql_ends_with(q, q->len, "?,", &begin)) {
		q->len = begin + 1;
		q->space = false;
		return;
	}
	sql_put(q, '?');
}

/* The end of a list; a list of one value after another one is left out. */
static void sql_put_close(struct sql *q)
{
	size_t second, first;

	sql_put(q, ')');
	if (sql_ends_with(q, q->len, ",(?)", &second) &&
	    sql_ends_with(q, second, "(?)", &first)) {
		q->len = second;
		q->space = false;
	}
}

/* --- what is left out --- */

static void sql_skip_line(struct sql *q)
{
	while (q->at < q->n && q->s[q->at] != '\n')
		q->at++;
	q->space = true;
}

/* These nest in PostgreSQL; elsewhere nobody writes one inside another. */
static void sql_skip_comment(struct sql *q)
{
	size_t depth = 0;

	do {
		if (sql_peek(q, 0) == '/' && sql_peek(q, 1) == '*') {
			depth++;
			q->at++;
		} else if (sql_peek(q, 0) == '*' && sql_peek(q, 1) == '/') {
			depth--;
			q->at++;
		}
		q->at++;
	} while (depth && q->at < q->n);
	q->space = true;
}

/*
 * Leaves out a text that begins with @quote and ends with it; twice the quote is part of it.
 * @escapes: so is what follows a backslash. Otherwise nobody knows where a text with a backslash
 * before a quote ends: the statement ends there.
 */
static void sql_skip_quoted(struct sql *q, char quote, bool escapes)
{
	for (q->at++; q->at < q->n; q->at++) {
		if (q->s[q->at] == '\\' && (escapes || sql_peek(q, 1) == quote)) {
			q->at = escapes ? q->at + 1 : q->n;
		} else if (q->s[q->at] == quote) {
			if (sql_peek(q, 1) != quote)
				break;
			q->at++;
		}
	}
	q->at = q->at < q->n ? q->at + 1 : q->n;
}

/* $tag$...$tag$. Returns the length of the tag with both dollars; 0: this is none. */
static size_t sql_dollar_tag(const struct sql *q)
{
	size_t n = 1;

	if (sql_is_digit(sql_peek(q, 1)))
		return 0;
	while (sql_is_letter(sql_peek(q, n)) || sql_is_digit(sql_peek(q, n)))
		n++;
	return sql_peek(q, n) == '$' ? n + 1 : 0;
}

static void sql_skip_dollars(struct sql *q, size_t tag)
{
	const char *end = memmem(q->s + q->at + tag, q->n - q->at - tag, q->s + q->at, tag);

	q->at = end ? (size_t)(end - q->s) + tag : q->n;
}

/* Letters, digits and the signs of exponents: 12, 1.5e-3, 0x1f. */
static void sql_skip_number(struct sql *q)
{
	bool hex = sql_peek(q, 0) == '0' && (sql_peek(q, 1) | 32) == 'x';
	char c;

	while (q->at < q->n && (sql_is_word(c = q->s[q->at]) || c == '.')) {
		q->at++;
		if (!hex && (c | 32) == 'e' && (sql_peek(q, 0) == '-' || sql_peek(q, 0) == '+'))
			q->at++;
	}
}

static void sql_skip_word(struct sql *q)
{
	while (q->at < q->n && sql_is_word(q->s[q->at]))
		q->at++;
}

/* --- words --- */

static bool sql_word_is(const char *word, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncasecmp(*list, word, n))
			return true;
	return false;
}

/* What a word says about what can stand behind it. */
static void sql_take_word(struct sql *q, const char *word, size_t n)
{
	static const char *const names[] = {
		"select", "from", "join", "into", "update", "table", "as", "by", "on", "set",
		"where", "or", "not", "having", "using", "distinct", "returning", "index", "view",
		"column", "key", "references", "add", "drop", "truncate", "database", "schema",
		"constraint", "asc", "desc", "only", "recursive", "with", NULL,
	};
	static const char *const between[] = { "between", NULL }, *const and[] = { "and", NULL };

	q->value = true;
	if (sql_word_is(word, n, between)) {
		q->between = true;
	} else if (sql_word_is(word, n, and)) {
		q->value = q->between;
		q->between = false;
	} else if (sql_word_is(word, n, names)) {
		q->value = false;
	}
}

/* E'...', N'...', B'...', X'...', and U&'...': the letters before a string. */
static bool sql_is_prefix(const char *word, size_t n)
{
	return n == 1 && strchr("eEnNbBxX", *word);
}

static void sql_word(struct sql *q)
{
	const char *word = q->s + q->at;
	size_t n = 0;

	while (q->at + n < q->n && sql_is_word(word[n]))
		n++;
	if (sql_peek(q, n) == '\'' && sql_is_prefix(word, n)) {
		q->at += n;
		sql_skip_quoted(q, '\'', (*word | 32) == 'e');
		sql_put_value(q);
		return;
	}
	if (n == 1 && (*word | 32) == 'u' && sql_peek(q, 1) == '&' && sql_peek(q, 2) == '\'') {
		q->at += 2;
		return;
	}
	sql_take_word(q, word, n);
	sql_copy(q, n);
}

/* --- the other parts --- */

/* Copies a name in quotes. One without an end is left out: it may be a string. */
static void sql_name(struct sql *q, char quote)
{
	size_t n = 1;

	while (q->at + n < q->n && q->s[q->at + n] != quote)
		n++;
	if (q->at + n >= q->n) {
		q->at = q->n;
		sql_put_value(q);
		return;
	}
	for (n++; n && q->at < q->n; n--, q->at++)
		sql_put(q, q->s[q->at] == '\'' || sql_is_blank(q->s[q->at]) ? '_' : q->s[q->at]);
}

static size_t sql_quoted_len(const struct sql *q, char quote)
{
	size_t n = 1;

	while (q->at + n < q->n && q->s[q->at + n] != quote)
		n++;
	return n + 1;
}

static void sql_double_quoted(struct sql *q)
{
	bool dotted = sql_last(q) == '.' || sql_peek(q, sql_quoted_len(q, '"')) == '.';

	if (q->is_postgres || dotted || !q->value) {
		sql_name(q, '"');
		return;
	}
	sql_skip_quoted(q, '"', false);
	sql_put_value(q);
}

static void sql_dollar(struct sql *q)
{
	size_t tag = sql_dollar_tag(q);

	if (tag) {
		sql_skip_dollars(q, tag);
	} else if (sql_is_word(sql_peek(q, 1))) {
		q->at++;
		sql_skip_word(q);
	} else {
		sql_copy(q, 1);
		return;
	}
	sql_put_value(q);
}

/* ? and ?1, :name; but the cast :: and := */
static void sql_placeholder(struct sql *q)
{
	bool colon = q->s[q->at] == ':';

	if (colon && !sql_is_letter(sql_peek(q, 1))) {
		sql_copy(q, sql_peek(q, 1) == ':' ? 2 : 1);
		return;
	}
	q->at++;
	sql_skip_word(q);
	sql_put_value(q);
}

/* A sign in front of a number that cannot be an operator. */
static bool sql_is_sign(const struct sql *q)
{
	char c = q->s[q->at], next = sql_peek(q, 1), before = sql_last(q);

	return (c == '-' || c == '+') && (sql_is_digit(next) || next == '.') && before &&
	       strchr("=<>(,", before);
}

static bool sql_is_comment(const struct sql *q)
{
	char c = q->s[q->at], next = sql_peek(q, 1);

	/* #> #>> #- are operators of PostgreSQL */
	return (c == '-' && next == '-') || (c == '#' && next != '>' && next != '-');
}

static void sql_other(struct sql *q, char c)
{
	if (c == ')') {
		q->at++;
		sql_put_close(q);
		q->value = true;
		return;
	}
	if (strchr("=<>!|+-*/%~", c))
		q->value = true;
	sql_copy(q, 1);
}

static void sql_step(struct sql *q)
{
	char c = q->s[q->at];

	if (sql_is_blank(c)) {
		q->space = true;
		q->at++;
	} else if (sql_is_comment(q)) {
		sql_skip_line(q);
	} else if (c == '/' && sql_peek(q, 1) == '*') {
		sql_skip_comment(q);
	} else if (c == '\'') {
		sql_skip_quoted(q, '\'', false);
		sql_put_value(q);
	} else if (c == '"') {
		sql_double_quoted(q);
	} else if (c == '`') {
		sql_name(q, '`');
	} else if (c == '$') {
		sql_dollar(q);
	} else if (sql_is_sign(q)) {
		q->at++;
	} else if (sql_is_digit(c) || (c == '.' && sql_is_digit(sql_peek(q, 1)))) {
		sql_skip_number(q);
		sql_put_value(q);
	} else if (c == '?' || c == ':') {
		sql_placeholder(q);
	} else if (sql_is_letter(c)) {
		sql_word(q);
	} else {
		sql_other(q, c);
	}
}

/* $1 or :: outside of strings, as far as a look at neighbours can say. */
static bool sql_looks_like_postgres(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i + 1 < n; i++) {
		if (s[i] == '\'' || s[i] == '\\')
			return false;
		if ((s[i] == '$' && sql_is_digit(s[i + 1])) || (s[i] == ':' && s[i + 1] == ':'))
			return true;
	}
	return false;
}

size_t sql_text_form(char *to, const char *sql, size_t n)
{
	struct sql q = { .s = sql, .n = n, .out = to, .value = true };

	q.is_postgres = sql_looks_like_postgres(sql, n);
	while (q.at < n)
		sql_step(&q);
	return q.len;
}
