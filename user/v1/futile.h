/* SPDX-License-Identifier: Apache-2.0 */
/*
 * futile: which events are part of a wake-up that led to nothing: a goroutine was made runnable,
 * ran, found that another one had been faster (FutileWakeup, Go 1.5 to 1.20), and blocked again.
 * The parsers of Go up to 1.22 cut these events out, and no other ones read the formats before
 * 1.11; those since 1.23 keep them. Used by clock.
 */
#ifndef GOTAP_V1_FUTILE_H
#define GOTAP_V1_FUTILE_H

#include "v1/internal.h"

struct v1_futile;

struct v1_futile *v1_futile_new(void);
/* Takes the events in order, @ordinal is the event's; sets the bits of those to cut in @bits. */
void v1_futile_note(struct v1_futile *f, const struct v1_event *ev, uint32_t ordinal,
		    struct buf *bits);
/* Accepts NULL. */
void v1_futile_free(struct v1_futile *f);

/* How many bits are set. */
size_t v1_futile_count(const struct buf *bits);

static inline bool v1_futile_is(const struct buf *bits, uint32_t ordinal)
{
	return ordinal / 8 < bits->len && bits->data[ordinal / 8] >> ordinal % 8 & 1;
}

#endif
