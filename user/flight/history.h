/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: the last generations of a trace, in memory. The recording adds each generation when it
 * is whole; the oldest ones are dropped by age and size. A snapshot takes a range of generations,
 * each of which is kept until the snapshot releases it. All functions may be called from any
 * thread.
 *
 * Each generation is a mapping of its own, so that the kernel gets its memory back at once: the
 * heap of a process that allocates and frees blocks of a new size each second would grow for days.
 */
#ifndef GOTAP_FLIGHT_HISTORY_H
#define GOTAP_FLIGHT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/tracefile.h"

struct history;

/* Counts since the begin of the recording. */
struct history_losses {
	uint64_t lost;		/* records that found no room */
	uint64_t repairs;	/* steps that the model inserted for missing records */
	uint64_t unrecorded;	/* ns in gaps, in which nothing was recorded */
};

struct history_generation {
	uint64_t from, to;	/* first and last event, ns */
	size_t bytes;
	const void *data;
	struct history_losses losses;	/* counts up to the end of the generation */
	/* The history owns these three: */
	struct history_generation *next;
	unsigned int users;	/* snapshots that have not written it yet */
	bool listed;		/* part of the history; if not, its last user frees it */
};

enum { HISTORY_HEADER = 16 };	/* bytes before the first generation of a trace */

/* The range of generations that a snapshot takes; to be released by history_range_free(). */
struct history_range {
	struct history_generation **gens;
	size_t n;
	uint8_t header[HISTORY_HEADER];
	size_t header_bytes;
	struct history_losses before;	/* counts up to the begin of the first generation */
	bool dropped;		/* the history has dropped older generations */
};

struct history_usage {
	size_t bytes, most;	/* of all generations in memory, now and at most */
	size_t generations;
	uint64_t from, to;	/* of the history, ns; 0: it is empty */
};

/*
 * Makes a history that keeps at least the last @time ns, but at most @size bytes, and at least one
 * generation. Generations that have left the history and that a snapshot still needs may take @size
 * bytes more; beyond that the history is shortened, down to one generation.
 */
struct history *history_new(uint64_t time, size_t size);
/* Accepts NULL; no snapshot may be in use. */
void history_free(struct history *s);

/* Sets the header of the trace, with which each snapshot begins. */
void history_header(struct history *s, const void *data, size_t n);
/*
 * Adds a copy of a generation. -ENOMEM: there is no memory for the copy, and the generation is
 * missing in the history. @losses may be NULL.
 */
int history_add(struct history *s, const struct tracefile_generation *g,
		const struct history_losses *losses, struct error *err);
/* A trace counts time in units of at most 512 ns. */
enum { HISTORY_ROUNDING_NS = 1000 };

/*
 * Takes the generations that have a part of [@from, @to], and at least one if there is any; also
 * the next one if they end before @to without a gap after them. No generation between them is
 * missing: the history begins anew after a history_add() that failed.
 */
void history_take(struct history *s, uint64_t from, uint64_t to, struct history_range *ret);
/* Releases generation @i of the range. */
void history_release(struct history *s, struct history_range *r, size_t i);
/* Releases the generations that are left, and frees the range. */
void history_range_free(struct history *s, struct history_range *r);
/* The memory and the time that the history takes now. */
void history_usage(struct history *s, struct history_usage *ret);

#endif
