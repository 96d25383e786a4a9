/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spill: bytes that are appended, and read again later. The first ones stay in memory; once there
 * are many they go to a temporary file without a name ($TMPDIR, else /var/tmp), so that a page of a
 * long trace needs little memory. A failure is kept and given by spill_error().
 *
 * Used by collect.c for the spans of the trace, and by blocks.c for the finished blocks of the
 * page.
 */
#ifndef GOTAP_HTML_SPILL_H
#define GOTAP_HTML_SPILL_H

#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

enum { SPILL_MEMORY = 8 << 20 };

struct spill {
	struct buf buf;		/* what is not in the file, up to SPILL_MEMORY */
	uint64_t flushed;	/* bytes in the file */
	int fd;			/* -1: no file yet */
	struct error err;
};

#define SPILL_EMPTY { .fd = -1 }

/*
 * Room for @n more bytes at the end of st->buf, at most SPILL_MEMORY: the caller adds them there.
 */
void spill_room(struct spill *st, size_t n);
void spill_add(struct spill *st, const void *p, size_t n);
static inline uint64_t spill_size(const struct spill *st)
{
	return st->flushed + st->buf.len;
}
/* Reads @n bytes from @at to @p: negative with the error kept, if that fails. */
int spill_read(struct spill *st, uint64_t at, void *p, size_t n);
int spill_error(const struct spill *st, struct error *err);
void spill_free(struct spill *st);

/* Reads from the begin to the end. */
struct spill_cursor {
	struct spill *st;
	uint64_t at;		/* of the end of buf in the spill */
	uint8_t *buf;
	size_t pos, len;
};

struct spill_cursor spill_cursor(struct spill *st);
/* Has at least one more byte, and @want if there are so many. */
int spill_more(struct spill_cursor *c, size_t want);
void spill_cursor_free(struct spill_cursor *c);
/* To be called where spill_more() has given room for it. */
uint64_t spill_varint(struct spill_cursor *c);

#endif
