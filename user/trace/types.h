/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types: what a trace's writer (tracefile.h) and those that take the model's events
 * (sink.h) have in common: the frames of a stack, and the clocks of a generation.
 */
#ifndef GOTAP_TRACE_TYPES_H
#define GOTAP_TRACE_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct trace_frame {
	uint64_t pc;		/* key: one (func, file, line) per pc in the whole trace */
	const char *func, *file;
	uint64_t line;
};

/* Gives the frames of the stack that the caller knows as @key, leaf first, at most @max. */
typedef size_t trace_frames_fn(void *ctx, uint64_t key, struct trace_frame *out, size_t max);

/* The two clocks at one instant; of the trace headers only 1.25 and 1.26 carry it. */
struct trace_clock {
	uint64_t time;		/* ns, as the events have it */
	uint64_t mono_ns;	/* CLOCK_MONOTONIC */
	uint64_t wall_sec, wall_nsec;
};

#endif
