/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: finds the goroutines that do not run for some time, by many looks at their places and
 * counters. The last look is that of goroutines_read(). Called by `gotap stacks --watch`.
 *
 * The collection that first sees a goroutine wait sets g.waitsince, and execute() sets it to 0: one
 * value at all looks proves that the goroutine did not run at all (STILL_PROVEN). g.trackingSeq
 * counts departures modulo 256: a goroutine that left and came back a multiple of 256 times between
 * each two looks would look the same (STILL_COUNTED); the times between looks are random. Up to Go
 * 1.16 there are only pc and stack pointer: a goroutine that came back to its place would look the
 * same (STILL_SAME).
 */
#ifndef GOTAP_STACKS_WATCH_H
#define GOTAP_STACKS_WATCH_H

#include "live/pointers.h"
#include "stacks/goroutines.h"

struct watched_g {
	/* g_facts_key() of the first look; 0: the goroutine has moved since */
	uint64_t key;
	uint64_t wait_since;
};

struct watch {
	struct pointers gs;		/* by address */
	struct watched_g *facts;	/* of each */
	bool counts;			/* the release counts departures */
	/* now_ns() after the first look, and before the last one */
	uint64_t begin, end;
	unsigned int looks;
};

/*
 * Looks for @ns. -EINTR: opts->stop asks to stop. The caller frees @ret by watch_free(), also after
 * an error.
 */
int watch_run(struct watch *ret, const struct goroutines_opts *opts, uint64_t ns,
	      struct error *err);
/* Returns the result for the g at @address. @f: its facts after the watch. */
enum g_still watch_still(const struct watch *w, uint64_t address, const struct g_facts *f);
void watch_free(struct watch *w);

#endif
