/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sink: the sink (trace/sink.h) that writes a v1 trace, as the runtime of that release would
 * have written it of the same program. The events of a v2 trace come to it (rewrite/replay.h).
 *
 * A tick is 32 ns: that of a clock of 2 GHz, which old tracers divided by 64. All events
 * have ticks of their own, so that more than one in 32 ns come as much later.
 *
 * What a runtime states once, when tracing begins, is made of the statuses at the begin of
 * the first generation. Later ones only show what was not seen: a repair.
 */
#ifndef GOTAP_V1WRITE_SINK_H
#define GOTAP_V1WRITE_SINK_H

#include "base/error.h"
#include "trace/sink.h"
#include "v1write/steps.h"

enum { V1_SINK_TICK_SHIFT = 5 };

struct v1_sink;

struct v1_sink_opts {
	int version;			/* V1_GOTRACE, 8, 11, 19 or 21 */
	trace_frames_fn *frames;	/* NULL: the trace has no stacks */
	void *ctx;
	const char *name;		/* of the output, for errors; may be NULL */
};

struct v1_sink_counts {
	struct v1_writer_counts trace;
	uint64_t generations;
	uint64_t left[V1_LEFT_KINDS];
	bool whole;			/* the trace has its end: it can be read */
};

int v1_sink_new(struct v1_sink **ret, int fd, const struct v1_sink_opts *opts, struct error *err);
/* What the model takes; valid until v1_sink_free(). */
struct sink v1_sink(struct v1_sink *v);
/* After the last generation: the rest of the trace, without which nobody reads it. */
int v1_sink_finish(struct v1_sink *v, struct error *err);
/* How many there were; valid until v1_sink_free(). */
const uint64_t *v1_sink_generations(const struct v1_sink *v);
void v1_sink_counts(const struct v1_sink *v, struct v1_sink_counts *ret);
/* Frees without writing. Accepts NULL. */
void v1_sink_free(struct v1_sink *v);

#endif
