/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert: converts a trace of any format, or a part of it, to any format that gotap writes. The
 * first bytes of the trace and the requested format decide which rooms do it:
 *
 *	v2 to v2	rewrite.h, event by event
 *	v1 to v2	v1/convert.h, with the whole file in memory: its tables are at the end
 *	v2 to v1	replay.h into v1write/sink.h
 *	v1 to v1	v1write/reformat.h
 *
 * rewrite.h makes a part: a v1 trace is converted to v2 before this step, and a v1 result is made
 * after it. `gotap convert` and the library call this module.
 */
#ifndef GOTAP_REWRITE_CONVERT_H
#define GOTAP_REWRITE_CONVERT_H

#include "rewrite/rewrite.h"
#include "v1/convert.h"
#include "v1write/steps.h"
#include "v1write/writer.h"
#include "v1/trace.h"

struct convert_options {
	struct rewrite_options rewrite;
	/* the traced program, or NULL; names the addresses of traces before Go 1.7 */
	const char *binary;
};

/* Members that do not apply to the conversion are 0. */
struct convert_result {
	struct rewrite_result rewrite;	/* of a v2 trace, and of a part of any trace */
	/* counts of parts that the format of the result cannot have */
	uint64_t left[V1_LEFT_KINDS];
	struct v1_writer_counts written;	/* of a v1 result that is made of a v2 trace */
	bool is_v1;			/* the input is a v1 trace: the following members are set */
	bool unnamed_pcs;		/* its stacks are addresses without names */
	size_t v1_events;
	struct v1_convert_counts counts;
	struct v1_cut cut;		/* the parts that were left out of an incomplete trace */
};

/*
 * Converts the trace from @source, which the function closes, to @fd, which the caller closes.
 * Errors are those of rewrite_trace(), v1_trace_open_cut() and v1_trace_symbolize().
 */
int convert_trace(struct raw_source *source, int fd, const struct convert_options *o,
		  struct convert_result *result, struct error *err);

#endif
