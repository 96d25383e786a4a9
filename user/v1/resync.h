/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resync: where a damaged v1 file can be read again. A batch says who and when its events are,
 * so what follows damage begins with one; or with a table, since those are at the end of a file,
 * need nothing that comes before, and up to Go 1.10 lie outside of batches. Used by load.
 */
#ifndef GOTAP_V1_RESYNC_H
#define GOTAP_V1_RESYNC_H

#include "v1/record.h"

/* What batches before the damage say of those behind it. */
struct v1_resync {
	uint64_t max_p;		/* of the Ps seen, or in a Gomaxprocs */
	int64_t first;		/* ticks of the first batch, 0 if there was none */
	/* bytes that may be read in search: files can make it as long as they like */
	uint64_t budget;
};

/* Strings, stacks, and what holds for the whole trace. */
bool v1_is_table(unsigned int type);

/* Offset of the next place at @from or behind it; 0 if there is none. */
size_t v1_resync_find(const struct v1_reader *r, size_t from, struct v1_resync *seen);

#endif
