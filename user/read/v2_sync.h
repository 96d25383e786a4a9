/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_sync: the parts of a generation other than tables and thread events: its clock (Frequency and
 * ClockSnapshot) and its CPU samples.
 */
#ifndef GOTAP_READ_V2_SYNC_H
#define GOTAP_READ_V2_SYNC_H

#include "read/v2_generation.h"
#include "tracev2.h"

/*
 * Reads the events of a sync batch with base time @time into @clock. Returns 0, or negative with
 * @fault set.
 */
int sync_read(struct v2_clock *clock, struct cursor *c, int version, uint64_t time,
	      struct v2_place *place, struct v2_fault *fault);
/* Appends the records of a CPUSamples batch to @samples (struct v2_sample). */
int samples_read(struct vec *samples, struct cursor *c, struct v2_place *place,
		 struct v2_fault *fault);
/* Converts the times of samples to ns and sorts the samples by time. */
void samples_finish(struct vec *samples, const struct v2_clock *clock);

#endif
