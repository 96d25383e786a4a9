/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_resync: finds the next generation behind damage; for the reader of a trace that is repaired.
 */
#ifndef GOTAP_READ_V2_RESYNC_H
#define GOTAP_READ_V2_RESYNC_H

#include "read/raw_source.h"

/*
 * Goes on to the first batch of a generation later than @after, an hour at
 * most after @time (0: not known); false if the input has none.
 */
bool source_resync(struct raw_source *s, uint64_t after, uint64_t time);

#endif
