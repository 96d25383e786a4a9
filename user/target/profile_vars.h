/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_vars: where the runtime keeps its heap, block and mutex profiles. In: a Go binary. Out:
 * link-time addresses of variables of runtime/mprof.go and mgc.go.
 *
 * A symbol table has them by name. Without one they are the variables that always-linked functions
 * name (Go 1.15 to 1.27, checked against the symbols of each release by tests/unit):
 *
 *	mbuckets		the last one of mProf_FlushLocked
 *	xbuckets, bbuckets	the two after mbuckets in stkbucket
 *	mProfCycle		the first one of mProf_Flush; up to Go 1.18 mProf, the first one of
 *				mProf_FlushLocked
 *	MemProfileRate		the one of profilealloc that procresize does not name (mcache0)
 *	blockprofilerate	the first one of blockevent, or of blocksampled
 *	mutexprofilerate	the first one of SetMutexProfileFraction, or of mutexevent
 *	work.goroutineLeak	three bytes side by side (pending, enabled, done): gcStart names the
 *				first two, gcMarkDone the last two; Go 1.26 and later
 */
#ifndef GOTAP_TARGET_PROFILE_VARS_H
#define GOTAP_TARGET_PROFILE_VARS_H

#include <stdint.h>

#include "target/gobin.h"

/* 0: not found, or the release does not have it. */
struct profile_vars {
	uint64_t mbuckets, xbuckets, bbuckets;	/* heads of lists of buckets */
	/*
	 * mProfCycle: a uint32, of which bit 0 is `flushed`. Up to Go 1.18 mProf: the cycle as
	 * uint32, and `flushed` as the byte after it.
	 */
	uint64_t cycle;
	uint64_t rate;			/* MemProfileRate */
	uint64_t block_rate, mutex_rate;
	uint64_t leak_pending;		/* work.goroutineLeak.pending, a byte */
};

void profile_vars_find(const struct gobin *b, struct profile_vars *ret);
/* As profile_vars_find(), without symbols. */
void profile_vars_by_code(const struct gobin *b, struct profile_vars *ret);

#endif
