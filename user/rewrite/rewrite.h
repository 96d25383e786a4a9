/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite: makes another v2 trace of a v2 trace: a part in time, some goroutines, another header, a
 * trace without stacks, or the readable rest of a damaged file.
 *
 * Every event is a step in a simulated reader (v1/sim.h). Before the requested time the steps write
 * nothing: they give the statuses of all goroutines and Ps with which the result begins. Then they
 * write events. Generations end where those of the original end. Two things change: a GoSwitch
 * becomes its three steps (as every reader shows it), and under header 1.22 a goroutine that was
 * created blocked appears when it is first woken. After damage the next generation continues
 * (resume.c).
 */
#ifndef GOTAP_REWRITE_REWRITE_H
#define GOTAP_REWRITE_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map64.h"
#include "read/raw_source.h"

struct rewrite_options {
	const char *name;	/* name of the output, for errors of write(2); may be NULL */
	int format;			/* NN of the header go 1.NN, 0: that of the original */
	int64_t from, to;		/* ns since the trace's first event */
	const struct map64 *goroutines;	/* NULL: all */
	bool strip_stacks;
};

struct rewrite_result {
	size_t events;		/* events written, with statuses and added steps */
	size_t dropped;		/* requested events for which the result has no place */
	bool ran;		/* a requested goroutine runs in the result */
	size_t faults;		/* damaged places of the original */
	bool resumed;		/* the result has events after the first damaged place */
	uint64_t lost;		/* bytes of the original that are left out at damaged places */
	uint64_t unnamed;	/* stacks and strings of events that are lost in damage */
	/* added events: steps that the original lacks and readers require */
	size_t joined;
	size_t clocks;		/* clocks that were increased to be later than the previous one */
	size_t data_dropped;	/* batches of experimental data that the header cannot have */
	char fault[640];	/* the first damage and its place */
};

/*
 * Rewrites the trace from @source, which the function closes, to @fd, with one generation in
 * memory. Returns 0 or -errno with @err: -ENODATA: nothing of the trace is left; -ENOENT: a
 * requested goroutine is not in the result; -ENOTSUP: the header cannot express the trace.
 */
int rewrite_trace(const struct raw_source *source, int fd, const struct rewrite_options *o,
		  struct rewrite_result *result, struct error *err);

#endif
