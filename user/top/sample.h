/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample: all that `gotap top` shows of one interval, as a copy of its own: later events do not
 * change it while it is shown, sorted or paused. tally.c makes one at the end of each interval;
 * cmd/top/machine.c adds the numbers that are not from events; view.c and json.c read it.
 */
#ifndef GOTAP_TOP_SAMPLE_H
#define GOTAP_TOP_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * States of a goroutine. The numbers are gotap top's own, other than those of the runtime and of
 * traces.
 */
enum top_state { TOP_RUNNING, TOP_RUNNABLE, TOP_SYSCALL, TOP_WAITING, TOP_STATES };

extern const char *const top_state_names[TOP_STATES];

/*
 * How long goroutines were runnable until they ran: of those that began to run in the interval. ns.
 */
struct top_waits {
	uint64_t count;
	uint64_t p50, p99, max;
};

/* Goroutines, of a row or of all. */
struct top_numbers {
	uint64_t now[TOP_STATES];	/* at the end of the interval */
	uint64_t ns[TOP_STATES];	/* the sum of the stays of all of them in the interval */
	uint64_t created, ended, syscalls;
	struct top_waits sched;
};

struct top_reason {
	const char *text;		/* "chan receive"; lives as long as the tally */
	uint64_t now;
};

struct top_row {
	uint64_t key;			/* the same in the next sample */
	const char *name;		/* the sample's */
	bool system;			/* of the runtime's own goroutines (rows by function) */
	struct top_numbers n;
	/*
	 * of waits now: index of the first in sample.reasons, the most frequent one, and how many
	 */
	uint32_t reason, reasons;
};

struct top_proc {
	uint64_t id;
	/* ns with a goroutine that runs; in a system call; with a thread that has none */
	uint64_t running, syscall, other;
};

struct top_gc {
	bool marking;			/* at the end of the interval */
	uint64_t cycles;		/* begun in the interval */
	uint64_t mark_ns;
	/* of the world: those that ended in it, but all of the time in it */
	uint64_t stops, stopped_ns, longest_ns;
};

struct top_heap {
	uint64_t bytes, goal;		/* 0: not known */
};

/* A goroutine of a row: how many of them are at the same place. */
struct top_place {
	uint64_t row;			/* key */
	enum top_state state;
	const char *reason;		/* of a wait; else "" */
	uint64_t stack;			/* key of its last known place, 0: none known */
	uint64_t now;
};

/* From /proc and from gotap itself. */
struct top_machine {
	double cpu;			/* of the target: CPU seconds per second, < 0 not known */
	/* CPU time of the target since its start, ns; 0: not known */
	uint64_t cpu_ever;
	double cpu_own;			/* likewise of gotap */
	/* what the probes cost the target; < 0: not measured (no budget) */
	double cpu_probes;
	double cpu_budget;		/* 0: none */
	const char *level;		/* what the budget leaves out; "" nothing */
	uint64_t records, lost, repairs;	/* in the interval */
	uint64_t lost_ever, repairs_ever;
	bool has_quota;			/* of a cgroup: */
	uint64_t quota_ns, period_ns;
	/* periods, and the sum over CPUs, in the interval */
	uint64_t throttled, throttled_ns;
};

struct top_sample {
	uint64_t number;		/* from 1 on */
	uint64_t from, to;		/* CLOCK_MONOTONIC ns */
	uint64_t wall_ns;		/* at its end */
	uint64_t unrecorded;		/* ns of the interval in gaps, which no sum includes */
	struct top_numbers all;		/* all goroutines */
	uint64_t system_now;		/* of them the runtime's own */
	uint64_t runnable_max;		/* at one time */
	uint64_t gomaxprocs;		/* 0: not known */
	struct top_gc gc;
	struct top_heap heap;
	struct top_machine machine;
	const char *by;			/* what a row is: "function" */
	uint64_t rows_merged;		/* groups that share one row as there were too many */
	struct vec rows;		/* struct top_row, by name */
	struct vec reasons;		/* struct top_reason */
	struct vec procs;		/* struct top_proc, by id */
	/* struct top_place of the rows that were asked for; by row, the most frequent first */
	struct vec places;
};

/* The ns of the interval that all sums are of: without gaps. */
static inline uint64_t top_recorded(const struct top_sample *s)
{
	return s->to - s->from - s->unrecorded;
}

/* @ns of a state as a number of goroutines: the mean over the time that was recorded. */
static inline double top_mean(const struct top_sample *s, uint64_t ns)
{
	return top_recorded(s) ? (double)ns / (double)top_recorded(s) : 0;
}

/* @count per second. */
static inline double top_rate(const struct top_sample *s, uint64_t count)
{
	return top_recorded(s) ? (double)count * 1e9 / (double)top_recorded(s) : 0;
}

static inline uint64_t top_total(const struct top_numbers *n)
{
	return n->now[TOP_RUNNING] + n->now[TOP_RUNNABLE] + n->now[TOP_SYSCALL] +
	       n->now[TOP_WAITING];
}

/* Accepts NULL. */
void top_sample_free(struct top_sample *s);

#endif
