/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample: the data of one interval that `gotap top` shows, as a copy: later events do not change a
 * sample while it is shown, sorted or paused. tally.c makes one at the end of each interval,
 * cmd/top/ adds the units (units.c) and the numbers that are not from events (machine.c), view.c
 * and json.c read it.
 */
#ifndef GOTAP_TOP_SAMPLE_H
#define GOTAP_TOP_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "top/histogram.h"

/*
 * States of a goroutine. The numbers are those of gotap top, and differ from those of the runtime
 * and of traces.
 */
enum top_state { TOP_RUNNING, TOP_RUNNABLE, TOP_SYSCALL, TOP_WAITING, TOP_STATES };

extern const char *const top_state_names[TOP_STATES];

/*
 * How long goroutines were runnable until they ran, ns: of those that began to run in the interval.
 */
struct top_waits {
	uint64_t count;
	uint64_t p50, p99, max;
};

/* Numbers of the goroutines of a row, or of all goroutines. */
struct top_numbers {
	uint64_t now[TOP_STATES];	/* number of goroutines at the end of the interval */
	uint64_t ns[TOP_STATES];	/* sum of all stays in the interval, ns */
	uint64_t created, ended, syscalls;
	struct top_waits sched;
};

struct top_reason {
	const char *text;		/* "chan receive"; valid as long as the tally lives */
	uint64_t now;
};

/* The waits for one reason, of all goroutines but those of the runtime itself. */
struct top_wait {
	const char *text;		/* valid as long as the tally lives */
	uint64_t now;			/* at the end of the interval */
	uint64_t ns;			/* sum of the waits in the interval, ns */
	struct top_waits ended;		/* waits that ended in the interval, as a whole */
};

/* A unit of work (unit/live.h). */
struct top_unit {
	char name[256];			/* "rounds of main.work" */
	const char *kind;
	uint64_t n;			/* instances that ended */
	uint64_t p50, p99, max;		/* ns; 0: none ended */
};

struct top_units {
	bool known;			/* false: the rest is 0 */
	uint64_t ns;			/* the time in which @n of each ended */
	uint64_t skipped;		/* generations that were not looked at, ever */
	struct vec list;		/* struct top_unit, the best one first */
};

/* How a request ended: 1 to 5 is the class of its status, 1xx to 5xx. */
enum top_result {
	TOP_RESULT_UNKNOWN,		/* no status is known, as after a Hijack */
	TOP_RESULT_BEYOND = 6,		/* a status from 600 on */
	TOP_RESULT_PANIC,		/* the handler did not return */
	TOP_RESULTS
};

extern const char *const top_result_names[TOP_RESULTS];

/* The requests of a route that ended in the interval. */
struct top_route {
	uint64_t key;			/* the same in all samples */
	const char *name;		/* owned by the sample, "GET /cart" */
	struct top_waits took;
	uint64_t ns;			/* the sum of their times */
	uint64_t failed;
	uint64_t open;			/* requests that have this name now, and are open */
	struct top_histogram results[TOP_RESULTS];
	/* the slowest one; 0: none has ended, or it has no status */
	uint64_t slowest_task;
	unsigned int slowest_status;
	const char *slowest_path;	/* owned by the sample; NULL: none has ended */
};

/* The requests that the program serves (group http). */
struct top_requests {
	bool known;			/* false: they are not recorded, and the rest is 0 */
	uint64_t open, oldest;		/* how many are open; since when the oldest one is, ns */
	struct top_waits took;		/* those that ended */
	uint64_t ns, failed;
	struct vec routes;		/* struct top_route, by name */
};

struct top_row {
	uint64_t key;			/* the same in all samples */
	const char *name;		/* owned by the sample */
	/* a row of the runtime's own goroutines (only if rows are functions) */
	bool system;
	struct top_numbers n;
	/*
	 * reasons of the current waits: index in sample.reasons of the first one, which is the most
	 * frequent one, and their number
	 */
	uint32_t reason, reasons;
	/* if rows are routes: the route of this row, in sample.requests; the numbers are 0 then */
	const struct top_route *route;
};

struct top_proc {
	uint64_t id;
	/*
	 * ns with a goroutine that runs; with one in a system call; with a thread that has no
	 * goroutine
	 */
	uint64_t running, syscall, other;
};

struct top_gc {
	bool marking;			/* at the end of the interval */
	uint64_t cycles;		/* cycles that began in the interval */
	uint64_t mark_ns;
	/*
	 * stops of the world: number and longest one of those that ended in the interval;
	 * stopped_ns: all time in the interval with a stopped world
	 */
	uint64_t stops, stopped_ns, longest_ns;
	/* mark assists that ended in the interval, and their time, from begin to end */
	uint64_t assists, assist_ns;
};

/* What the durations of a histogram are: the index in sample.histograms. */
enum top_histogram_of {
	/* waits for a P, without those of the runtime's own goroutines: thousands of 1 us */
	TOP_HISTOGRAM_SCHED,
	TOP_HISTOGRAM_STOP_GC,		/* stops of the world for the GC, */
	TOP_HISTOGRAM_STOP_OTHER,	/* and for other reasons */
	TOP_HISTOGRAMS
};

extern const char *const top_histogram_names[TOP_HISTOGRAMS];

struct top_heap {
	uint64_t bytes, goal;		/* 0: not known */
};

/* A number of goroutines of a row that are in the same state at the same place. */
struct top_place {
	uint64_t row;			/* key of the row */
	enum top_state state;
	const char *reason;		/* of a wait; otherwise "" */
	uint64_t stack;			/* key of the stack; 0: not known */
	uint64_t now;
};

/* Numbers from /proc and from gotap itself. */
struct top_machine {
	double cpu;			/* CPU seconds of the target per second; < 0: not known */
	/* CPU time of the target since its start, ns; 0: not known */
	uint64_t cpu_ever;
	double cpu_own;			/* CPU seconds of gotap per second; < 0: not known */
	uint64_t cpu_own_ever;		/* CPU time of gotap's process, ns */
	/*
	 * CPU seconds per second of the target that the probes take; < 0: not measured (no budget)
	 */
	double cpu_probes;
	double cpu_budget;		/* limit for cpu_probes; 0: none */
	/* records that the budget has switched off, in words; "": none; and as enum rec_level */
	const char *level;
	uint32_t level_number;
	uint64_t records, lost, repairs;	/* in the interval */
	uint64_t lost_ever, repairs_ever;
	bool has_quota;			/* the target's cgroup has a CPU quota */
	uint64_t quota_ns, period_ns;
	/* throttled periods in the interval, and the throttled time, summed over CPUs */
	uint64_t throttled, throttled_ns;
};

struct top_sample {
	uint64_t number;		/* counts from 1 */
	uint64_t from, to;		/* CLOCK_MONOTONIC ns */
	uint64_t wall_ns;		/* time of day at the end of the interval */
	uint64_t unrecorded;		/* ns of the interval in gaps; no sum includes them */
	struct top_numbers all;		/* all goroutines */
	uint64_t system_now;		/* number of goroutines of the runtime itself */
	/* largest number of runnable goroutines at one time in the interval */
	uint64_t runnable_max;
	uint64_t gomaxprocs;		/* 0: not known */
	struct top_gc gc;
	struct top_histogram histograms[TOP_HISTOGRAMS];
	struct top_heap heap;
	struct top_machine machine;
	const char *by;			/* meaning of a row: "function" */
	bool by_route;			/* rows are routes, and not groups of goroutines */
	struct top_requests requests;
	uint64_t rows_merged;		/* number of groups without room, which share one row */
	struct vec rows;		/* struct top_row, by name */
	struct vec reasons;		/* struct top_reason */
	struct vec procs;		/* struct top_proc, by id */
	struct vec waits;		/* struct top_wait, the longest sum first */
	/* the units of the last interval that was read, which may have ended before @to */
	struct top_units units;
	/*
	 * struct top_place of the rows for which places were requested; by row, the most frequent
	 * first
	 */
	struct vec places;
};

/* Returns the ns of the interval that all sums include: all but the gaps. */
static inline uint64_t top_recorded(const struct top_sample *s)
{
	return s->to - s->from - s->unrecorded;
}

/* Returns @ns of a state as a mean number of goroutines over the time that was recorded. */
static inline double top_mean(const struct top_sample *s, uint64_t ns)
{
	return top_recorded(s) ? (double)ns / (double)top_recorded(s) : 0;
}

/* Returns @count per second. */
static inline double top_rate(const struct top_sample *s, uint64_t count)
{
	return top_recorded(s) ? (double)count * 1e9 / (double)top_recorded(s) : 0;
}

static inline uint64_t top_total(const struct top_numbers *n)
{
	return n->now[TOP_RUNNING] + n->now[TOP_RUNNABLE] + n->now[TOP_SYSCALL] +
	       n->now[TOP_WAITING];
}

/* Frees @s, which may be NULL. */
void top_sample_free(struct top_sample *s);

#endif
