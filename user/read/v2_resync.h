/* SPDX-License-Identifier: Apache-2.0 */
/* v2_resync: finds the next generation after damage, for readers that repair a trace. */
#ifndef GOTAP_READ_V2_RESYNC_H
#define GOTAP_READ_V2_RESYNC_H

#include "read/raw_source.h"

/*
 * Moves to the first batch of a generation later than @after that begins at most an hour after
 * @time (0: not known). False if the input has none.
 */
bool source_resync(struct raw_source *s, uint64_t after, uint64_t time);

#endif
