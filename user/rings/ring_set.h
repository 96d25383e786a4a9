/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_set: one ring for each CPU that can run a thread of the target, and one
 * for calibration. First their sizes are planned, then the map is made that
 * holds them, then, after the load of the programs, they open.
 *
 * A CPU that is offline now may come later, so each that the machine can have
 * has a ring. The kernel allocates the memory of the map at once, so the rings of
 * offline CPUs are smaller. CPUs with numbers from RING_CPUS on share one state
 * without a ring: all their records are lost, and counted.
 */
#ifndef GOTAP_RINGS_RING_SET_H
#define GOTAP_RINGS_RING_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"
#include "rings/ring.h"

/* Zeroed is empty. */
struct ring_set {
	struct ring_memory memory;
	/*
	 * struct ring: of each possible CPU, then of those beyond, then those of
	 * rings/inline_rings and of threads
	 */
	struct vec rings;
	size_t cpus;			/* of the first kind */
	size_t size;			/* bytes of one of a CPU that is online */
	struct ring calibration;
	/* of the rings of uprobes, and of those of code in the target */
	struct ring_tally probes, in_target;
};

/* @size: bytes per ring, a power of two; 0: by the number of CPUs. Returns 0 or -errno. */
int ring_set_plan(struct ring_set *set, size_t size, struct error *err);
/* Adds the rings for records of threads. */
void ring_set_plan_threads(struct ring_set *set);
/*
 * Makes the map of all rings. Returns a descriptor, which the caller closes, or -errno as
 * ring_memory_make().
 */
int ring_set_make(const struct ring_set *set, struct error *err);
/*
 * Opens the rings: from now on programs may write. The arguments are those of ring_memory_map() and
 * ring_open().
 */
int ring_set_open(struct ring_set *set, int chunks_fd, int states_fd, bool rewinds,
		  struct error *err);
void ring_set_free(struct ring_set *set);

/* Records of @kind that were taken from all rings, since the start. */
static inline uint64_t ring_set_taken(const struct ring_set *set, uint8_t kind)
{
	return set->probes.of_kind[kind] + set->in_target.of_kind[kind];
}

/*
 * Over all rings but those of threads, since the start: records that found no room, or were given
 * up.
 */
uint64_t ring_set_lost(const struct ring_set *set);

/* Over the rings of uprobes, or those of code in the target (@foreign). */
struct ring_counts {
	uint64_t lost, hits;	/* since the start */
	size_t fill;		/* bytes that wait */
};
struct ring_counts ring_set_counts(const struct ring_set *set, bool foreign);

#endif
