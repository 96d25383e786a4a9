/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_source: the bytes of a trace, from a file, a pipe or memory, through a
 * window that is refilled in large reads. Memory use is the window, whatever
 * the length of the input; a source over memory has no window at all.
 *
 * The bytes in view are s->pos .. s->end. source_need() brings more into
 * view and may move them: pointers into the window do not survive it.
 */
#ifndef GOTAP_READ_RAW_SOURCE_H
#define GOTAP_READ_RAW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "read/cursor.h"

enum { RAW_WINDOW = 256 * 1024 };	/* also the most that source_need() can grant */

/* Puts at most @n bytes to @buf: how many, 0 at the end, or a negative errno. */
typedef int64_t source_read_fn(void *ctx, void *buf, size_t n);

struct raw_source {
	int fd;			/* -1 for memory and functions */
	bool own_fd;
	source_read_fn *read;	/* NULL: the descriptor, or memory */
	void *ctx;		/* of read */
	bool seekable;		/* a regular file: source_read_at() works */
	bool eof;
	/* errno of a failed read, ESTALE if the file changed; it ends the input */
	int error;
	uint8_t *window;	/* NULL for memory */
	const uint8_t *pos, *end;
	uint64_t end_offset;	/* file offset of end */
};

/* Opens @path, "-" is standard input. */
int source_open(struct raw_source *s, const char *path, struct error *err);
/*
 * Reads @fd from its current offset, and closes it in the end if @own. A regular file whose offset
 * is not 0 is read as a pipe is: offsets count from where the reading begins.
 */
void source_open_fd(struct raw_source *s, int fd, bool own);
/* Reads what @read gives. */
void source_open_function(struct raw_source *s, source_read_fn *read, void *ctx);
/* Reads the @n bytes at @data, which stay the caller's and must outlive it. */
void source_open_memory(struct raw_source *s, const void *data, size_t n);
void source_close(struct raw_source *s);

/* Makes @n bytes visible at s->pos if the input has as many left; says whether it did. */
bool source_fill(struct raw_source *s, size_t n);

static inline size_t source_left(const struct raw_source *s)
{
	return (size_t)(s->end - s->pos);
}

static inline bool source_need(struct raw_source *s, size_t n)
{
	return source_left(s) >= n || source_fill(s, n);
}

/* File offset of s->pos. */
static inline uint64_t source_offset(const struct raw_source *s)
{
	return s->end_offset - source_left(s);
}

/* 0, or an error that says why the input could not be read. */
int source_check(const struct raw_source *s, struct error *err);

/* Appends all that is left to @out and takes it: for formats that are not read in order. */
int source_take_all(struct raw_source *s, struct buf *out, struct error *err);

/* Takes an unsigned LEB128 number from the front. */
enum cursor_status source_uvarint(struct raw_source *s, uint64_t *v);

/*
 * The @n bytes at file offset @off, in @buf or in the memory behind the
 * source. NULL when they cannot be had: not seekable, or the file shrank.
 */
const uint8_t *source_read_at(struct raw_source *s, uint64_t off, uint8_t *buf, size_t n);

/*
 * Takes the 16-byte header of a v2 trace and gives NN of "go 1.NN". For
 * other traces and files it fails and takes nothing.
 */
int source_header(struct raw_source *s, int *version, struct error *err);

#endif
