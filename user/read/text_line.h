/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_line: reads the lines of a text trace, with their numbers, and the tokens in them. Blank
 * lines and lines that begin with '#' are skipped (raw/textreader.go, 1.27).
 *
 * In a .test file (txtar archive) only the member "trace" is read.
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
	struct buf line;	/* a line that is not in the window as a whole */
	struct text_span held;	/* a line that was put back */
	uint64_t number;	/* number of the last returned line, from 1 */
	bool txtar, put_back, started;
	struct error *err;
};

void lines_init(struct text_lines *t, struct raw_source *source, struct error *err);
void lines_free(struct text_lines *t);
/* Returns 1 with a line, valid until the next call, 0 at the end, or -errno. */
int lines_next(struct text_lines *t, struct text_span *line);
/* The next call of lines_next() returns this line again. */
void lines_put_back(struct text_lines *t, struct text_span line);
/* Sets the error "line 12: ..." of @t; returns -EINVAL. */
int lines_fail(struct text_lines *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Removes the next token from @s and returns it; empty at the end of the line and before '#'. */
struct text_span span_token(struct text_span *s);
/* @s without white space at both ends. */
struct text_span span_trim(struct text_span s);
bool span_is(struct text_span s, const char *text);
/* Parses like strconv.ParseUint(s, 10, 64). */
bool span_uint(struct text_span s, uint64_t *v);
/* As span_uint(); also accepts -1 .. -2^63, as their two's complement. */
bool span_int(struct text_span s, uint64_t *v);

/* Appends the bytes of the next line, which must be "data=GOSTRING", to @out. */
int lines_data(struct text_lines *t, struct buf *out);

#endif
