/* SPDX-License-Identifier: Apache-2.0 */
/*
 * futile: finds the events of futile wake-ups: a goroutine was made runnable, ran, found that
 * another goroutine had taken the resource before (FutileWakeup, Go 1.5 to 1.20), and blocked
 * again. Go's parsers up to 1.22 remove these events, and only these parsers read the formats
 * before 1.11; parsers since 1.23 keep the events. clock.c uses this module.
 */
#ifndef GOTAP_V1_FUTILE_H
#define GOTAP_V1_FUTILE_H

#include "v1/internal.h"

struct v1_futile;

struct v1_futile *v1_futile_new(void);
/*
 * Takes the events in order; @ordinal is that of @ev. Sets the bits of events to remove in @bits.
 */
void v1_futile_note(struct v1_futile *f, const struct v1_event *ev, uint32_t ordinal,
		    struct buf *bits);
/* Accepts NULL. */
void v1_futile_free(struct v1_futile *f);

/* The number of bits that are set. */
size_t v1_futile_count(const struct buf *bits);

static inline bool v1_futile_is(const struct buf *bits, uint32_t ordinal)
{
	return ordinal / 8 < bits->len && bits->data[ordinal / 8] >> ordinal % 8 & 1;
}

#endif
