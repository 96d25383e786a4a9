/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert: writes a v1 trace as one generation of a valid v2 trace, which
 * `go tool trace` of Go 1.22 and later opens.
 *
 * The result shows what Go 1.27 shows of the traces that it still reads (1.11
 * to 1.21, internal/trace/tracev1.go), with these deliberate differences:
 *  - the first Gomaxprocs is kept; without it the MMU view of Go fails;
 *  - where v1 does not say that a P changed its thread (a P retaken from a
 *    system call and got back), a ProcStop and a ProcStart say it, since no
 *    reader accepts a v2 trace without them;
 *  - goroutines in system calls at the start sit on made-up threads, from
 *    V1_MADE_UP_THREAD on, as v2 cannot leave their thread open;
 *  - strings are cut to the 1024 bytes that v2 allows, stacks to 128 frames.
 * After damage the converter stops the goroutine that ran on the P, and adds and counts the
 * events that a later event needs.
 * Futile wake-ups before 1.11 are cut, as in the only parsers that read those formats.
 * Events without an equivalent are left out and counted: FutileWakeup, and up
 * to 1.9 the stop-the-world marks of Ps that only helped.
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
	size_t futile;		/* v1 events of wake-ups that led to nothing, before 1.11 */
	size_t written;		/* v2 events in the result, without CPU samples */
	size_t joined;		/* of those added: what damage took, as far as readers need it */
	size_t cut_texts;	/* texts of events, and of frames, cut to what v2 allows */
	size_t cut_stacks;
};

/*
 * Writes @t to @fd under the header go 1.@version (22, 23, 25 or 26). @counts
 * may be NULL.
 */
int v1_convert(const struct v1_trace *t, int fd, int version, struct v1_convert_counts *counts,
	       struct error *err);

#endif
