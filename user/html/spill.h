/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spill: bytes that are appended, and read again later. The first SPILL_MEMORY bytes remain in
 * memory. Further bytes go to a temporary file without a name ($TMPDIR, or /var/tmp), so that a
 * page of a long trace needs little memory. The first failure is kept for spill_error().
 *
 * collect.c uses a spill for the spans of the trace, and blocks.c for the finished blocks of the
 * page.
 */
#ifndef GOTAP_HTML_SPILL_H
#define GOTAP_HTML_SPILL_H

#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

enum { SPILL_MEMORY = 8 << 20 };

struct spill {
	struct buf buf;		/* bytes that are not in the file, up to SPILL_MEMORY */
	uint64_t flushed;	/* bytes in the file */
	int fd;			/* -1: no file yet */
	struct error err;
};

#define SPILL_EMPTY { .fd = -1 }

/*
 * Makes room for @n more bytes (at most SPILL_MEMORY) at the end of st->buf, where the caller adds
 * them.
 */
void spill_room(struct spill *st, size_t n);
void spill_add(struct spill *st, const void *p, size_t n);
static inline uint64_t spill_size(const struct spill *st)
{
	return st->flushed + st->buf.len;
}
/* Reads @n bytes from @at to @p. Returns -errno, and keeps the error, if that fails. */
int spill_read(struct spill *st, uint64_t at, void *p, size_t n);
int spill_error(const struct spill *st, struct error *err);
void spill_free(struct spill *st);

/* A position in a spill that is read from its begin to its end. */
struct spill_cursor {
	struct spill *st;
	uint64_t at;		/* position in the spill of the end of buf */
	uint8_t *buf;
	size_t pos, len;
};

struct spill_cursor spill_cursor(struct spill *st);
/* Are there more bytes? Makes @want bytes available for spill_varint(), or all that are left. */
int spill_more(struct spill_cursor *c, size_t want);
void spill_cursor_free(struct spill_cursor *c);
/* Reads a varint. spill_more() must have made its bytes available. */
uint64_t spill_varint(struct spill_cursor *c);

#endif
