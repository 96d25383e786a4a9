/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert: a trace of any format, or a part of it, into a trace of any format that gotap
 * writes. It decides by the first bytes of the trace and by the wanted format which way that goes:
 *
 *	v2 to v2	rewrite.h, event by event
 *	v1 to v2	v1/convert.h, of the whole file, as that has its tables at the end
 *	v2 to v1	replay.h into v1write/sink.h
 *	v1 to v1	v1write/reformat.h
 *
 * A part is made by rewrite.h, of a v1 trace as v2 and for a v1 result before that is made.
 * `gotap convert` and the library call it.
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
	const char *binary;	/* the traced program, or NULL: names addresses of before Go 1.7 */
};

/* All zero but for what the way through the formats gives. */
struct convert_result {
	struct rewrite_result rewrite;	/* of a v2 trace, and of a part of any */
	uint64_t left[V1_LEFT_KINDS];	/* what the result cannot hold */
	struct v1_writer_counts written;	/* of a v1 result that is made of a v2 trace */
	bool is_v1;			/* the rest holds */
	bool unnamed_pcs;		/* its stacks are addresses, and nobody named them */
	size_t v1_events;
	struct v1_convert_counts counts;
	struct v1_cut cut;		/* it breaks off: what was left out */
};

/*
 * Converts the trace from @source, which this closes, to @fd. Errors are those of
 * rewrite_trace(), v1_trace_open_cut() and v1_trace_symbolize().
 */
int convert_trace(struct raw_source *source, int fd, const struct convert_options *o,
		  struct convert_result *result, struct error *err);

#endif
