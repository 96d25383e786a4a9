/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot: writes one snapshot: the trace, the JSON beside it and, if the program was out of
 * memory, profiles of the heap, each under a temporary name until all are whole. On an error it
 * removes them. The writing threads of flight.c call it, several at once.
 */
#ifndef GOTAP_FLIGHT_SNAPSHOT_H
#define GOTAP_FLIGHT_SNAPSHOT_H

#include "flight/naming.h"
#include "flight/request.h"

/* Returns a number that no other snapshot of this recording has. May be called from any thread. */
typedef uint64_t snapshot_number_fn(void *ctx);

struct snapshot {
	char *name;		/* in the folder */
	/* snapshot_release() frees done.path together with the name */
	struct flight_done done;
	size_t beside_bytes;	/* of the files beside it */
};

/*
 * Writes the snapshot of @r. Releases each generation of @r->range as soon as the generation is
 * written. If a file of an earlier recording has the name for @number(@ctx), the snapshot gets the
 * next number. Returns 0 or a negative errno.
 */
int snapshot_write(struct snapshot *ret, const struct flight_opts *o, const struct naming *names,
		   struct history *history, struct request *r, snapshot_number_fn *number,
		   void *ctx, struct error *err);
/* Frees the texts of @s. */
void snapshot_release(struct snapshot *s);

#endif
