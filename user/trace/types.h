/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types: shared by the writer of a trace (tracefile.h) and the receivers of the model's events
 * (sink.h): the frames of a stack, and the clocks of a generation.
 */
#ifndef GOTAP_TRACE_TYPES_H
#define GOTAP_TRACE_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct trace_frame {
	uint64_t pc;		/* readers keep one (func, file, line) per pc for the whole trace */
	const char *func, *file;
	uint64_t line;
};

/*
 * Puts the frames of the stack with key @key into @out, leaf first, at most @max; returns their
 * number. The source of the keys defines @ctx.
 */
typedef size_t trace_frames_fn(void *ctx, uint64_t key, struct trace_frame *out, size_t max);

/* The clocks at one instant, which headers 1.25 and 1.26 have. */
struct trace_clock {
	uint64_t time;		/* ns on the clock of the events */
	uint64_t mono_ns;	/* CLOCK_MONOTONIC */
	uint64_t wall_sec, wall_nsec;
};

#endif
