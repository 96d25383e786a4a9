/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert: writes a v1 trace as one generation of a valid v2 trace, which `go tool trace` of Go
 * 1.22 and later opens.
 *
 * For traces that Go 1.27 still reads (1.11 to 1.21, internal/trace/tracev1.go) the result shows
 * what Go 1.27 shows, except:
 *   - the first Gomaxprocs is kept; without it the MMU view of Go fails;
 *   - where v1 lacks the change of a P's thread (another thread took the P from a system
 *     call, and it came back), a ProcStop and a ProcStart are added, since no reader
 *     accepts a v2 trace without them;
 *   - goroutines in system calls at the start are on invented threads, from
 *     V1_MADE_UP_THREAD on, as v2 requires a thread;
 *   - strings are cut to the 1024 bytes that v2 allows, stacks to 128 frames.
 * After damage the converter stops the goroutine that ran on the P, and adds and counts the events
 * that later events need. Before 1.11 futile wake-ups are left out, as in the only parsers of those
 * formats. Events without an equivalent are left out and counted: FutileWakeup, and up to 1.9 the
 * stop-the-world events of Ps that only helped.
 */
#ifndef GOTAP_V1_CONVERT_H
#define GOTAP_V1_CONVERT_H

#include "base/error.h"
#include "v1/trace.h"

enum { V1_MADE_UP_THREAD = 1000000000 };

struct v1_convert_counts {
	size_t converted;	/* v1 events that became v2 events */
	size_t added;		/* v2 events that v1 only implies */
	size_t dropped;		/* v1 events without an equivalent */
	size_t futile;		/* v1 events of futile wake-ups, before 1.11 */
	size_t written;		/* v2 events in the result, without CPU samples */
	size_t joined;		/* part of added: events lost in damage that readers need */
	size_t cut_texts;	/* texts of events and of frames, cut to the limit of v2 */
	size_t cut_stacks;
};

/*
 * Writes @t to @fd under the header go 1.@version (22, 23, 25 or 26). @counts may be NULL. Returns
 * 0 or -errno with @err.
 */
int v1_convert(const struct v1_trace *t, int fd, int version, struct v1_convert_counts *counts,
	       struct error *err);

#endif
