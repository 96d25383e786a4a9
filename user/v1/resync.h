/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resync: finds the place in a damaged v1 file from which it can be read again. A batch has the P
 * and the time of its events, so readable records begin with a batch. They may also begin with a
 * table: tables are at the end of a file, do not depend on earlier records, and up to Go 1.10 lie
 * outside of batches. load.c uses this module.
 */
#ifndef GOTAP_V1_RESYNC_H
#define GOTAP_V1_RESYNC_H

#include "v1/record.h"

/* Facts from the batches before the damage, to judge batches after it. */
struct v1_resync {
	uint64_t max_p;		/* greatest P that was seen, or that a Gomaxprocs allows */
	int64_t first;		/* ticks of the first batch, 0: none yet */
	/* bytes that may still be read in search: a file could make the search very long */
	uint64_t budget;
};

/* True for strings, stacks, and records about the whole trace. */
bool v1_is_table(unsigned int type);

/* The offset of the first such place from @from on; 0: none. */
size_t v1_resync_find(const struct v1_reader *r, size_t from, struct v1_resync *seen);

#endif
