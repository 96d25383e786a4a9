/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_line: the lines of a text trace that mean something, with their
 * numbers, and the tokens in them. Blank lines and lines that begin with '#'
 * are skipped (raw/textreader.go, 1.27).
 *
 * In a .test file (txtar archive) only the member called "trace" is read.
 */
#ifndef GOTAP_READ_TEXT_LINE_H
#define GOTAP_READ_TEXT_LINE_H

#include "base/error.h"
#include "base/vec.h"
#include "read/raw_source.h"

struct text_span {
	const char *p;
	size_t n;
};

struct text_lines {
	struct raw_source *source;
	struct buf line;	/* holds a line that does not lie in the window as a whole */
	struct text_span held;	/* a line that was put back */
	uint64_t number;	/* of the line handed out last, from 1 */
	bool txtar, put_back, started;
	struct error *err;
};

void lines_init(struct text_lines *t, struct raw_source *source, struct error *err);
void lines_free(struct text_lines *t);
/* 1 and a line that holds until the next call, 0 at the end, -errno. */
int lines_next(struct text_lines *t, struct text_span *line);
/* The next call gives this line once more. */
void lines_put_back(struct text_lines *t, struct text_span line);
/* "line 12: ..." as the error of t; returns -EINVAL. */
int lines_fail(struct text_lines *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Takes the next token off @s; empty at the end of the line and before '#'. */
struct text_span span_token(struct text_span *s);
/* @s without white space at both ends. */
struct text_span span_trim(struct text_span s);
bool span_is(struct text_span s, const char *text);
/* strconv.ParseUint(s, 10, 64) */
bool span_uint(struct text_span s, uint64_t *v);
/* The same, and -1 .. -2^63 as their two's complement. */
bool span_int(struct text_span s, uint64_t *v);

/* Appends to @out the bytes of the line "data=GOSTRING", which must be next. */
int lines_data(struct text_lines *t, struct buf *out);

#endif
