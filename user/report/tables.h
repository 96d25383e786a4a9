/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables: adds up the spans of traces (spans/spans.h): where the goroutines of each function spent
 * their time, with distributions; the GC; Ps and goroutines over time; tasks and regions; the
 * longest stays of each kind. `gotap report`, pages and comparisons show the tables.
 *
 * 	struct spans *s = spans_new();
 * 	struct tables *t = tables_new(s, &(struct tables_options){ .top = 10 });
 * 	tables_trace(t, "a.trace");
 * 	ret = spans_read(s, reader, &err);
 * 	... t->functions ...
 * 	tables_delete(t);		before spans_free()
 *
 * All fields are for reading, as long as @t lives. Several traces add up: call tables_trace() and
 * spans_read() for each. Data that belongs to a time (timeline, MMU) is kept for each trace.
 *
 * Memory is bounded: functions, reasons, types of regions and tasks beyond the limits below count
 * in one last row, "(others)". Sums are exact.
 */
#ifndef GOTAP_REPORT_TABLES_H
#define GOTAP_REPORT_TABLES_H

#include "read/origin.h"
#include "read/view.h"
#include "report/dist.h"
#include "report/mmu.h"
#include "report/split.h"
#include "report/timeline.h"
#include "spans/labelled.h"

enum {
	TABLES_FUNCTIONS = 4096,
	TABLES_REASONS = 128,
	TABLES_TYPES = 4096,		/* for regions, and for tasks */
	TABLES_NOTES = 64,
	/* open tasks and regions at one time of which the breakdown is known */
	TABLES_OPEN = 65536,
	TABLES_TOP_MAX = 1000,
};

/*
 * Kinds of stays. At any time a goroutine is in one of the first four, or in a wait: the sum of
 * these is its life.
 */
enum stay {
	STAY_RUNNING,
	STAY_RUNNABLE,
	STAY_SYSCALL,			/* the part of a system call with a P */
	/* the part after the loss of the P, of calls that lost it */
	STAY_SYSCALL_BLOCKED,
	/* the following stays are parts of the stays above */
	STAY_CALL,			/* system calls, each as a whole */
	STAY_ASSIST,			/* GC mark assist: part of running, and of waits */
	STAY_SWEEP,			/* sweeping for an allocation: part of running */
	/* + enum split: parts of running; only with a file of threads (tables_threads()) */
	STAY_LINUX,
	STAY_LINUX_CALL = STAY_LINUX + SPLITS,	/* + enum split: parts of STAY_CALL */
	STAY_WAITS = STAY_LINUX_CALL + SPLITS,	/* + number of the reason: waiting */
	STAYS = STAY_WAITS + TABLES_REASONS,
};

static inline bool stay_is_state(uint32_t stay)
{
	return stay <= STAY_SYSCALL_BLOCKED || stay >= STAY_WAITS;
}

/* Is the stay a part of another stay, by the state of the thread? */
static inline bool stay_is_split(uint32_t stay)
{
	return stay >= STAY_LINUX && stay < STAY_WAITS;
}

/* ns by enum stay; stays from @n on have 0. */
struct stay_sums {
	int64_t *ns;
	uint32_t n;
};

static inline int64_t stay_sum(const struct stay_sums *s, uint32_t stay)
{
	return stay < s->n ? s->ns[stay] : 0;
}

/* A stay to show in a viewer. */
struct moment {
	int64_t from, to;	/* on the clock of the trace, which began at traces[trace].first */
	uint64_t g;		/* TRACEV2_NO_ID: no goroutine */
	const char *function;	/* the function that @g began with; "": not known */
	/* the type of a region or task, the reason of a stop-the-world; otherwise "" */
	const char *text;
	uint32_t stack;		/* 0: not known */
	uint32_t trace;		/* index in traces */
	bool open;		/* it began before the trace, or lasts when the trace ends */
};

/* The longest stays of a kind, unsorted: tables_longest() sorts them. */
struct longest {
	struct vec moments;	/* struct moment; at most options.top */
};

/*
 * All goroutines that began with a function; with options.label: all time with a value of the
 * label.
 */
struct function_row {
	/*
	 * "": no stack of them was seen, or the label was not set. tables_name() returns the name
	 * to show.
	 */
	const char *name;
	bool others;		/* the last row, which has the sums without room */
	const char *file;	/* "": not known */
	/*
	 * line of the begin of the function; if all its goroutines began before the trace, a line
	 * in it
	 */
	uint64_t line;
	bool placed, entry;	/* placed: file is known; entry: line is that of the begin */
	bool system;		/* goroutines of the runtime itself */
	bool collector;		/* goroutines of the runtime that mark, sweep or scavenge */
	uint64_t goroutines;	/* number in all traces */
	uint64_t created, ended;	/* numbers: created, ended during a trace */
	/* by enum stay; NULL: no such stay. To be read with tables_dist(). */
	struct dist **dists;
	uint32_t ndists;
	/*
	 * from the creation, or the time at which the goroutine became known, to the end of the
	 * goroutine or the trace; with options.only: the sum of its states while it had the labels
	 */
	struct dist life;
	/* ns: sum over all states; equal to life.sum if no time is missing */
	int64_t states;
};

/* Regions, or tasks, of one type. */
struct type_row {
	const char *type;
	bool others;
	uint32_t stack;		/* of the begin of the first one; 0: not known (tasks) */
	struct dist whole;	/* durations of those that began and ended in a trace */
	/* number of others, which began before the trace or last at its end */
	uint64_t open;
	int64_t open_ns;	/* ns of @open ones within the trace */
	/*
	 * sums of the stays, during the region or task, of its goroutine: of the one that began a
	 * task
	 */
	struct stay_sums sums;
	/* ns of tasks without their goroutine: it had ended, or was not known */
	int64_t elsewhere;
	uint64_t unwatched;	/* number of those without room; @sums does not have them */
	int64_t unwatched_ns;
};

struct stw_row {
	const char *reason;
	bool others;
	struct dist dist;
};

struct note {
	const char *text;
	int64_t time;
	uint32_t trace;
};

/* The data of one trace. */
struct trace_row {
	char *name;
	struct origin origin;		/* which program it is of */
	int64_t first, last;
	uint64_t events, samples;
	uint64_t gomaxprocs, gomaxprocs_max;	/* last and largest value; 0: not in the trace */
	uint64_t procs;			/* number of Ps that were seen */
	struct timeline *timeline;
	struct mmu *mmu;
	int64_t unrecorded;		/* ns of gaps, of which nothing is known */
	uint64_t kinds[VIEW_KINDS];	/* events by kind (read/view.h) */
	/* waits and system calls that began, and how many of them have no stack */
	uint64_t waits, stackless;
	uint64_t goroutines_max;	/* largest number at one time */
	uint64_t heap_live_max, heap_goal_max;	/* bytes; 0: not in the trace */
};

struct tables_options {
	size_t top;		/* number of longest stays; 0: 10 */
	/* group by the values of this label; NULL: by function */
	const char *label;
	/*
	 * Functions, regions, tasks and their longest stays are those with these profiler labels
	 * alone, and all else of the tables is that of the program. NULL: all. It was added to the
	 * spans before the tables, and lives as long. Not with @label, nor with tables_threads().
	 *
	 * A goroutine counts while it has the labels: a running span is cut where they are set or
	 * removed; all other stays count if it has them when the stay ends. A gap counts nowhere.
	 */
	struct labelled *only;
};

struct tables {
	struct spans *spans;
	struct tables_options options;
	struct oncpu *oncpu;		/* of the trace that is being read; NULL: none */
	/* a trace had a file of threads: rows have stays from STAY_LINUX on */
	bool split;
	bool forgot;			/* tables_forget_threads() was called */
	struct vec traces;		/* struct trace_row */
	struct vec functions;		/* struct function_row */
	/*
	 * const char *: reasons of waits, by number. "": none, for a coroutine that waits for the
	 * other one, and for a wait from before the trace with a stack that implies no reason.
	 * "sync (by its stack)": a reason that the stack implies.
	 */
	struct vec reasons;
	struct vec regions, tasks;	/* struct type_row */
	struct vec stw;			/* struct stw_row */
	struct dist gc_cycles;		/* concurrent mark phases that began and ended in a trace */
	uint64_t gc_open;		/* number of others */
	int64_t gc_open_ns;
	uint64_t swept, reclaimed;	/* bytes */
	/*
	 * The longest stays of goroutines that are not of the runtime; of waits only those that
	 * began and ended in a trace.
	 */
	struct longest stays[STAYS], gc, stops, region, task;
	struct vec notes;		/* struct note: of the recorder (docs/losses.md) */
	uint64_t notes_total;
	/* goroutines with states that do not add up to their life: a defect of gotap */
	uint64_t unclosed;
	uint64_t unattributed;		/* sweeps and assists of unknown goroutines */
	struct tables_state *state;	/* of tables.c */
};

struct tables *tables_new(struct spans *s, const struct tables_options *options);
/* To be called before each spans_read(). @name: the name of the trace, which is copied. */
void tables_trace(struct tables *t, const char *name);
/*
 * To be called after tables_trace(): the threads of that trace, for STAY_LINUX. @o must live until
 * spans_read() returns. If its threads are of another time (oncpu_begins()), the tables ignore it
 * (t->oncpu becomes NULL).
 */
void tables_threads(struct tables *t, struct oncpu *o);
/*
 * Removes all STAY_LINUX parts: the file of threads is of another recording. The rows are sums over
 * all traces: therefore the parts of all traces are removed, and parts of later traces are not
 * added.
 */
void tables_forget_threads(struct tables *t);
/* Frees @t, which may be NULL. */
void tables_delete(struct tables *t);

/* Returns the name of a stay: "running", "chan receive". */
const char *tables_stay_name(const struct tables *t, uint32_t stay);
/* Returns the number of stays: all are below it. */
uint32_t tables_stays(const struct tables *t);
/*
 * Returns the name to show for a row: "(no stack seen)", "(others)", "(no label)" for special rows.
 */
const char *tables_name(const struct tables *t, const struct function_row *row);
/* Returns the distribution of a stay: an empty one, never NULL, if there was no such stay. */
const struct dist *tables_dist(const struct function_row *row, uint32_t stay);
/* Appends struct moment to @sorted, the longest first. */
void tables_longest(const struct longest *l, struct vec *sorted);
/*
 * Adds up the stays of all functions in @sum, which must be empty and which the caller frees with
 * dist_free(). @system: include functions of the runtime.
 */
void tables_total(const struct tables *t, uint32_t stay, bool system, struct dist *sum);
#endif
