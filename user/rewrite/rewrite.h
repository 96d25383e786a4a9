/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite: a v2 trace into another v2 trace: a span of time, some goroutines,
 * another header, without stacks, or what can be saved of a damaged file.
 *
 * Every event is a step in a simulated reader (v1/sim.h): outside the wanted span silently, so that
 * at its begin the statuses of all goroutines and Ps are known and can be written, inside it with
 * output. Generations turn where those of the original do. What changes on the way: a GoSwitch
 * becomes its three parts (as every reader shows it), and under header 1.22 a goroutine that was
 * created blocked appears when it is first woken. After damage it goes on with the next generation
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
	const char *name;	/* of the output, for errors of writing; may be NULL */
	int format;			/* NN of the header, 0: that of the original */
	int64_t from, to;		/* ns since the trace's first event */
	const struct map64 *goroutines;	/* NULL: all */
	bool strip_stacks;
};

struct rewrite_result {
	size_t events;		/* written, statuses and repairs included */
	size_t dropped;		/* events that could not be kept, of those wanted */
	bool ran;		/* one of the goroutines wanted runs in what was written */
	size_t faults;		/* places where the original is damaged */
	bool resumed;		/* there is more behind the first of them */
	uint64_t lost;		/* bytes of the original that were left out there */
	uint64_t unnamed;	/* stacks and strings of events that were lost there */
	size_t joined;		/* events added: steps that the original lacks and readers want */
	size_t clocks;		/* clocks that were not later than the one before, and are now */
	size_t data_dropped;	/* batches of experiments that the header cannot hold */
	char fault[640];	/* the first one, and where */
};

/*
 * Rewrites the trace from @source, which this closes, to @fd, in the memory
 * that a generation takes. -ENODATA if nothing of it is left, -ENOENT if
 * one of the goroutines wanted is not in it, -ENOTSUP with the reason if the
 * header cannot express it.
 */
int rewrite_trace(const struct raw_source *source, int fd, const struct rewrite_options *o,
		  struct rewrite_result *result, struct error *err);

#endif
