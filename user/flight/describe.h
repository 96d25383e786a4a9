/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe: the JSON beside a snapshot, with the reason for the snapshot and its content.
 * snapshot.c calls it.
 */
#ifndef GOTAP_FLIGHT_DESCRIBE_H
#define GOTAP_FLIGHT_DESCRIBE_H

#include <stddef.h>

#include "flight/request.h"

/*
 * The generations of a request (history.h), added up; the generations themselves may be freed
 * already.
 */
struct flight_extent {
	uint64_t from, to;	/* first and last event, ns */
	size_t generations, bytes;
	/* in these generations, with losses and repairs just before the first one */
	struct history_losses losses;
	struct history_losses all;	/* since the begin of the recording */
	bool dropped;		/* the history has dropped older generations */
};

/* Adds up the generations of @r. */
struct flight_extent describe_extent(const struct history_range *r);
/* Returns the text, which the caller frees; *@n is its length. */
char *describe(const struct flight_opts *o, const struct request *r, const struct flight_extent *x,
	       const char *name, size_t *n);

#endif
