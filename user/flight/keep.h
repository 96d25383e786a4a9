/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep: limits the number and the total size of the snapshots in their folder. It deletes the
 * oldest ones first, and never the newest one. It owns the list of snapshots, with those of other
 * recordings that have the same -o. flight.c calls it, one thread at a time.
 */
#ifndef GOTAP_FLIGHT_KEEP_H
#define GOTAP_FLIGHT_KEEP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "flight/naming.h"

struct keep;

/*
 * Keeps at most @most snapshots, and at most @bytes; 0: no limit. The caller keeps @names until
 * keep_free().
 */
struct keep *keep_new(const struct naming *names, unsigned int most, uint64_t bytes);
/*
 * Finds the snapshots of earlier recordings: traces with such a name and with their JSON beside
 * them. Removes unfinished ones, of a gotap that was killed.
 */
void keep_adopt(struct keep *k);
struct keep_outcome {
	unsigned int deleted;	/* in this call */
	/* snapshots that are beyond the limits and could not be deleted, now and before */
	unsigned int undeleted;
	/* why the first of them could not be deleted now, or why the folder could not be read */
	struct error err;
};

/*
 * Adds a snapshot that was written, of @bytes with its JSON, and deletes the oldest ones beyond the
 * limits. First adds the snapshots that other recordings with the same -o have written since: the
 * limits hold for all together. A snapshot that cannot be deleted does not count for the limits,
 * and is tried again at each further snapshot; if names of the form cannot be recognized, it is
 * tried only once.
 */
void keep_add(struct keep *k, const char *name, uint64_t bytes, struct keep_outcome *ret);
/* Accepts NULL. */
void keep_free(struct keep *k);

#endif
