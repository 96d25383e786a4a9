/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assist: where a mark assist ends in runtime.gcAssistAlloc of Go 1.22 and later. In: a binary.
 * Out: the stores of 0 to gp.inMarkAssist. Exactly one of these stores runs at the end of an
 * assist, and none runs at another time:
 *
 * 	if enteredMarkAssistForTracing {
 * 		trace := traceAcquire()
 * 		if trace.ok() {
 * 			trace.GCMarkAssistDone()
 * 			gp.inMarkAssist = false		<- here
 * 			traceRelease(trace)
 * 		} else {
 * 			gp.inMarkAssist = false		<- and here
 * 		}
 * 	}
 *
 * Most calls of gcAssistAlloc pay with credit and do not get to this code.
 */
#ifndef GOTAP_TARGET_ASSIST_H
#define GOTAP_TARGET_ASSIST_H

#include "base/vec.h"
#include "target/gobin.h"
#include "target/trace_hook.h"

/*
 * Appends the offsets of these instructions in gcAssistAlloc, @fn, to @ret (uint32_t). @field is
 * the offset of g.inMarkAssist. -ENOTSUP if the code cannot be decoded or is not of that form.
 */
int assist_ends(const struct gobin *b, const struct gobin_func *fn, int32_t field,
		struct vec *ret);

/*
 * Appends the places where gcAssistAlloc, @fn, asks the runtime's own tracer at the end of an
 * assist to @ret (struct trace_hook), for `--attach inline` (since Go 1.23). After each such
 * question one of the stores of assist_ends() runs before the next question. -ENOTSUP as
 * assist_ends(), or if the function asks in another way.
 */
int assist_hooks(const struct gobin *b, const struct gobin_func *fn, int32_t field,
		 struct vec *ret);

#endif
