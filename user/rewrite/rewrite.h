/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite: a v2 trace into another v2 trace: a span of time, some goroutines,
 * another header, without stacks, or what can be saved of a damaged file.
 *
 * Every event is a step in a simulated reader (v1/sim.h): outside the wanted
 * span silently, so that at its begin the statuses of all goroutines and Ps
 * are known and can be written, inside it with output. Generations turn where
 * those of the original do. What changes on the way: a GoSwitch becomes its
 * three parts (as every reader shows it), under header 1.22 a goroutine that
 * was created blocked appears when it is first woken, experimental events are
 * left out.
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
	int format;			/* NN of the header, 0: that of the original */
	int64_t from, to;		/* ns since the trace's first event */
	const struct map64 *goroutines;	/* NULL: all */
	bool strip_stacks;
};

struct rewrite_result {
	size_t events;		/* written, statuses and repairs included */
	size_t dropped;		/* events that could not be kept, of those wanted */
	bool ran;		/* one of the goroutines wanted runs in what was written */
	bool damaged;		/* the original breaks off; @fault says where */
	char fault[640];
};

/*
 * Rewrites the trace from @source, which this closes, to @fd, in the memory
 * that a generation takes. -ENODATA if nothing of it is left, -ENOTSUP with
 * the reason if the header cannot express it.
 */
int rewrite_trace(const struct raw_source *source, int fd, const struct rewrite_options *o,
		  struct rewrite_result *result, struct error *err);

#endif
