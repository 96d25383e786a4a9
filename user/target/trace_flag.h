/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_flag: where the runtime of Go up to 1.20 asks trace.enabled before it records the size of
 * the heap or its goal. In: a binary. Out: the conditional jumps, which the kernel emulates, and
 * the variable that the tracer records:
 *
 * 	if trace.enabled {	<- here: a test of a byte and a jump
 * 		traceHeapAlloc()	traceEvent(traceEvHeapAlloc, -1, memstats.heap_live)
 * 	}
 *
 * The functions with such a test differ from release to release, and the compiler inlines some of
 * these calls. A test is therefore recognized by the call that follows if the flag is set, not by
 * the name of its function.
 */
#ifndef GOTAP_TARGET_TRACE_FLAG_H
#define GOTAP_TARGET_TRACE_FLAG_H

#include "base/error.h"
#include "base/vec.h"
#include "target/gobin.h"

/* Numbers of these events in the format before Go 1.22. */
enum trace_flag_event { TRACE_FLAG_HEAP = 33, TRACE_FLAG_GOAL = 34 };

struct trace_flag_site {
	struct gobin_func func;
	uint64_t addr;		/* of the jump */
};

/*
 * Appends each jump that leads to @event to @ret (struct trace_flag_site), by address. *@variable
 * is the address of the 64-bit variable that the event records. -ENOENT if no code asks, -ENOTSUP
 * if the code is unlike that of every known release.
 */
int trace_flag_sites(const struct gobin *b, enum trace_flag_event event, struct vec *ret,
		     uint64_t *variable, struct error *err);

#endif
