/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_rings: the rings of the code inside the target (`--attach inline`), gotap's side. They are
 * rings like those of BPF, one for each CPU, in memory that the target shares and can write: every
 * record is checked after it was copied. Their times are of the TSC; the drain turns them into ns.
 *
 * They are planned with the other rings, and empty until there is memory (inline_rings_open), so
 * that whoever looks at all rings needs not know of them.
 */
#ifndef GOTAP_RINGS_INLINE_RINGS_H
#define GOTAP_RINGS_INLINE_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "inline.h"
#include "inline/tsc.h"
#include "rings/foreign.h"
#include "rings/ring_set.h"
#include "rings/stuck.h"
#include "stream/chunk.h"

/* Segments of these rings in chunks: this plus the number of the CPU. */
enum { INLINE_SEGMENTS = 0x8000 };

/* Zeroed: there are none. */
struct inline_rings {
	struct ring_set *set;
	size_t first;			/* their first one in set->rings */
	struct inline_shared plan;	/* the head of the shared memory, as it will be */
	struct inline_shared *shared;	/* NULL: not yet */
	struct ring_state *closed;	/* the state of rings without memory */
	struct foreign door;		/* of the drain thread, too */
	struct tsc_clock clock;		/* of the drain thread once that runs */
	struct stuck *stuck;		/* by ring */
};

/* Adds one ring for each of the CPUs that @set has one for. @proc, the target, outlives them. */
void inline_rings_plan(struct inline_rings *ir, struct ring_set *set, const struct process *proc,
		       bool early_goid);	/* see foreign_init() */
/*
 * Maps the memory of @fd, of ir->plan.size bytes, and opens the rings in it. Nothing is recorded
 * before inline_rings_switch().
 */
int inline_rings_open(struct inline_rings *ir, int fd, struct error *err);
bool inline_rings_are_open(const struct inline_rings *ir);
/* Records, or not, from now on. Nothing before the open. */
void inline_rings_switch(struct inline_rings *ir, bool on);
/* STACKS_WHOLE, SHORT or NONE from now on; before the open, too. */
void inline_rings_set_stacks(struct inline_rings *ir, unsigned int stacks);
/* At the begin of a round: the time of it, CLOCK_MONOTONIC ns. */
uint64_t inline_rings_round(struct inline_rings *ir);
/*
 * The watermark of a round of time @round that found no busy record: the times of records that it
 * did not find are not before.
 */
uint64_t inline_rings_watermark(const struct inline_rings *ir, uint64_t round);
/*
 * Takes the records of @ring, one of these, into a segment of @c, with times in ns from @floor to
 * now. Records that the door refuses (foreign.h) count as lost. Returns false: a record is in the
 * way, and those behind it have not been taken.
 */
bool inline_rings_take(struct inline_rings *ir, struct ring *ring, struct chunk *c, uint64_t floor);
/*
 * After that, if too many others wait: gives up the records in the way, and takes all else that lay
 * in the rings when the round began.
 */
void inline_rings_pass(struct inline_rings *ir, struct chunk *c, uint64_t floor);
/* A time of ring_state (a loss) in ns. */
uint64_t inline_rings_ns(const struct inline_rings *ir, uint64_t tsc);
/*
 * After a round: gives up records in the way that cannot be finished any more (stuck.h), or at once
 * with @last; with @ended those that threads were making when the program ended, which are no loss:
 * it did not come to those events. Returns whether none was in the way.
 */
bool inline_rings_unstick(struct inline_rings *ir, bool last, bool ended);
void inline_rings_free(struct inline_rings *ir);

#endif
