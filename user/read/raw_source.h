/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_source: the bytes of a trace, from a file, a pipe or memory, through a window that large
 * reads refill. Memory use is the window, for input of any length; a source over memory has no
 * window.
 *
 * The visible bytes are s->pos .. s->end. source_need() makes more bytes visible and may move them:
 * pointers into the window are not valid after it.
 */
#ifndef GOTAP_READ_RAW_SOURCE_H
#define GOTAP_READ_RAW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "read/cursor.h"

enum { RAW_WINDOW = 256 * 1024 };	/* also the maximum for source_need() */

/* Puts at most @n bytes into @buf. Returns their number, 0 at the end, or a negative errno. */
typedef int64_t source_read_fn(void *ctx, void *buf, size_t n);

struct raw_source {
	int fd;			/* -1: memory or a function */
	bool own_fd;
	source_read_fn *read;	/* NULL: a descriptor, or memory */
	void *ctx;		/* first argument of read */
	bool seekable;		/* a regular file: source_read_at() works */
	bool eof;
	/* errno of a failed read, ESTALE if the file changed; it ends the input */
	int error;
	uint8_t *window;	/* NULL: memory */
	const uint8_t *pos, *end;
	uint64_t end_offset;	/* file offset of @end */
};

/* Opens @path; "-" is standard input. Returns 0 or -errno with @err. */
int source_open(struct raw_source *s, const char *path, struct error *err);
/*
 * Reads @fd from its current offset, and closes it in source_close() if @own. A regular file whose
 * offset is not 0 is read like a pipe: offsets count from where the reading begins.
 */
void source_open_fd(struct raw_source *s, int fd, bool own);
/* Reads the bytes that @read returns. */
void source_open_function(struct raw_source *s, source_read_fn *read, void *ctx);
/* Reads the @n bytes at @data, which the caller owns and which must outlive the source. */
void source_open_memory(struct raw_source *s, const void *data, size_t n);
void source_close(struct raw_source *s);

/* Makes @n bytes visible at s->pos. False if the input has fewer left. */
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

/* Returns 0, or the error because of which the input could not be read. */
int source_check(const struct raw_source *s, struct error *err);

/*
 * Appends all remaining bytes to @out, for formats that are not read in order. Returns 0 or -errno
 * with @err.
 */
int source_take_all(struct raw_source *s, struct buf *out, struct error *err);

/* Reads an unsigned LEB128 number at s->pos. */
enum cursor_status source_uvarint(struct raw_source *s, uint64_t *v);

/*
 * The @n bytes at file offset @off, in @buf or in the memory of the source. NULL if the input
 * cannot seek, or the file became shorter.
 */
const uint8_t *source_read_at(struct raw_source *s, uint64_t off, uint8_t *buf, size_t n);

/*
 * Reads the 16-byte header of a v2 trace; *@version is NN of "go 1.NN". For other files it fails
 * without reading.
 */
int source_header(struct raw_source *s, int *version, struct error *err);

#endif
