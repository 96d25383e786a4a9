/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe: the JSON beside a snapshot, which says why it was written and what is in it. snapshot.c
 * calls it.
 */
#ifndef GOTAP_FLIGHT_DESCRIBE_H
#define GOTAP_FLIGHT_DESCRIBE_H

#include <stddef.h>

#include "flight/request.h"

/* What history.h gave for a request, added up; the generations themselves may be gone. */
struct flight_extent {
	uint64_t from, to;	/* first and last event, ns */
	size_t generations, bytes;
	struct history_losses losses;	/* in them, and what was lost or repaired just before */
	struct history_losses all;	/* since the begin of the recording */
	bool dropped;		/* older ones were there and had to go */
};

/* Adds up the generations of @r. */
struct flight_extent describe_extent(const struct history_range *r);
/* Free it; *@n: its length. */
char *describe(const struct flight_opts *o, const struct request *r, const struct flight_extent *x,
	       const char *name, size_t *n);

#endif
