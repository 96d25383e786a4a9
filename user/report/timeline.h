/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline: amounts over the time of a trace of unknown length, in a fixed number of buckets. At
 * first a bucket is 1 us (2^10 ns) wide. When a time lies after the last bucket, pairs of buckets
 * are merged until it has a bucket.
 */
#ifndef GOTAP_REPORT_TIMELINE_H
#define GOTAP_REPORT_TIMELINE_H

#include <stdint.h>

enum timeline_row {
	/* ns that Ps had a thread, including those with a goroutine in a system call */
	TIMELINE_PROCS,
	TIMELINE_RUNNING,	/* ns that goroutines ran */
	/* ns of TIMELINE_RUNNING of the runtime's goroutines that mark, sweep and scavenge */
	TIMELINE_GC,
	TIMELINE_SYSCALL,	/* ns in system calls with a P */
	TIMELINE_SYSCALL_BLOCKED,	/* ns in system calls without a P */
	TIMELINE_RUNNABLE,	/* ns that goroutines waited for a P */
	TIMELINE_GOROUTINES,	/* ns that goroutines existed */
	TIMELINE_STW,		/* ns of a stopped world */
	TIMELINE_ROWS,
};

/* An amount divided by the width of its bucket is a mean number of Ps or goroutines. */
enum { TIMELINE_BUCKETS = 128 };

/* A value of which the trace has samples (the heap). */
struct timeline_value {
	uint64_t min, max, last;
	uint64_t count;		/* 0: none in this bucket */
};

enum timeline_metric {
	TIMELINE_HEAP_LIVE,
	TIMELINE_HEAP_GOAL,
	TIMELINE_GOMAXPROCS,
	TIMELINE_METRICS
};

struct timeline {
	int64_t origin;
	/* buckets are 1 << shift ns wide: i begins at origin + (i << shift) */
	unsigned shift;
	uint32_t used;		/* number of buckets up to the last one that is not empty */
	uint64_t ns[TIMELINE_ROWS][TIMELINE_BUCKETS];
	struct timeline_value values[TIMELINE_METRICS][TIMELINE_BUCKETS];
};

void timeline_init(struct timeline *t, int64_t origin);
/* Adds the time from @from to @to. */
void timeline_add(struct timeline *t, enum timeline_row row, int64_t from, int64_t to);
void timeline_value(struct timeline *t, enum timeline_metric metric, int64_t time, uint64_t value);
/* Returns the part of bucket @i, in ns, before the end @end of the trace. */
int64_t timeline_width(const struct timeline *t, uint32_t i, int64_t end);

#endif
