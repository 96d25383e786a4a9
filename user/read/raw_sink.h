/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_sink: writes bytes to a file or a pipe in large pieces. The sink keeps the error of a failed
 * write, and sink_close() returns it, so that code which produces bytes need not check.
 */
#ifndef GOTAP_READ_RAW_SINK_H
#define GOTAP_READ_RAW_SINK_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"

struct raw_sink {
	/* bytes that are not written yet: append to it, then call sink_settle() */
	struct buf buf;
	const char *name;	/* name of the output for error texts, or NULL */
	int fd;			/* owned by the caller; -1: all bytes remain in buf */
	int error;		/* errno of the first failed write */
	uint64_t written;	/* bytes written so far */
};

/* Prepares writes to @fd, which the caller closes; -1: the bytes remain in s->buf. */
void sink_open(struct raw_sink *s, int fd, const char *name);
/* Writes the collected bytes if they are enough for a write. */
void sink_settle(struct raw_sink *s);
/* Returns 0, or the error of the first write that failed. */
int sink_error(const struct raw_sink *s, struct error *err);
/*
 * Writes the remaining bytes and frees the buffer. Returns 0, or the error of the first write that
 * failed.
 */
int sink_close(struct raw_sink *s, struct error *err);

#endif
