/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_sink: bytes on their way to a file or a pipe, collected into large
 * writes. A failed write is remembered; sink_close() reports it, so that the
 * code that produces bytes need not look.
 */
#ifndef GOTAP_READ_RAW_SINK_H
#define GOTAP_READ_RAW_SINK_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"

struct raw_sink {
	struct buf buf;		/* what is not written yet: append here, then sink_settle() */
	const char *name;	/* for messages, or NULL */
	int fd;			/* the caller's; -1: keeps everything in buf */
	int error;		/* errno of the first failed write */
	uint64_t written;	/* bytes that the file took */
};

/* Writes to @fd, which stays the caller's; -1 keeps the bytes in s->buf. */
void sink_open(struct raw_sink *s, int fd, const char *name);
/* Writes out what has been collected if that is enough to be worth it. */
void sink_settle(struct raw_sink *s);
/* 0, or the error of the first write that failed. */
int sink_error(const struct raw_sink *s, struct error *err);
/* Writes the rest and frees the buffer. */
int sink_close(struct raw_sink *s, struct error *err);

#endif
