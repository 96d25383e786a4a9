/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert: a trace of any format, or a part of it, into a v2 trace. It decides by the first
 * bytes which of the two ways that goes: rewrite.h, event by event, or for the formats before
 * Go 1.22, which have their tables at the end, v1/convert.h of the whole file, and rewrite.h
 * of that for a part. `gotap convert` and the library call it.
 */
#ifndef GOTAP_REWRITE_CONVERT_H
#define GOTAP_REWRITE_CONVERT_H

#include "rewrite/rewrite.h"
#include "v1/convert.h"
#include "v1/trace.h"

struct convert_options {
	struct rewrite_options rewrite;
	const char *binary;	/* the traced program, or NULL: names addresses of before Go 1.7 */
};

/* All zero but for what the way through the formats gives. */
struct convert_result {
	struct rewrite_result rewrite;	/* of a v2 trace, and of a part of any */
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
