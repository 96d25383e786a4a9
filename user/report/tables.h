/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables: adds up the spans of traces (spans/spans.h): where the goroutines of each function spent
 * their time, with distributions; the GC; Ps and goroutines over time; tasks and regions; the
 * longest of everything. `gotap report`, pages and comparisons show it.
 *
 * 	struct spans *s = spans_new();
 * 	struct tables *t = tables_new(s, &(struct tables_options){ .top = 10 });
 * 	tables_trace(t, "a.trace");
 * 	ret = spans_read(s, reader, &err);
 * 	... t->functions ...
 * 	tables_delete(t);		before spans_free()
 *
 * All is for reading while @t is there. Several traces add up: spans_read() again, after
 * tables_trace(). What belongs to a time (timeline, MMU) is kept for each trace by itself.
 *
 * Memory is bounded: functions, reasons, types of regions and tasks beyond the limits below count
 * in one last row, "(others)"; sums stay exact.
 */
#ifndef GOTAP_REPORT_TABLES_H
#define GOTAP_REPORT_TABLES_H

#include "read/view.h"
#include "report/dist.h"
#include "report/mmu.h"
#include "report/split.h"
#include "report/timeline.h"
#include "spans/spans.h"

enum {
	TABLES_FUNCTIONS = 4096,
	TABLES_REASONS = 128,
	TABLES_TYPES = 4096,		/* of regions, and of tasks */
	TABLES_NOTES = 64,
	/* tasks and regions that are open at the same time, with their breakdown */
	TABLES_OPEN = 65536,
	TABLES_TOP_MAX = 1000,
};

/*
 * Where time goes. At any time a goroutine is in one of the first four or in a wait: they add up to
 * its life.
 */
enum stay {
	STAY_RUNNING,
	STAY_RUNNABLE,
	STAY_SYSCALL,			/* the part of system calls with a P */
	STAY_SYSCALL_BLOCKED,		/* the part after they lost it; only of those that did */
	/* These lie within the others. */
	STAY_CALL,			/* system calls, each as a whole */
	STAY_ASSIST,			/* GC mark assist: within running, and waits */
	STAY_SWEEP,			/* of memory, for an allocation: within running */
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

/* Is it a part of another one by the state of the thread? */
static inline bool stay_is_split(uint32_t stay)
{
	return stay >= STAY_LINUX && stay < STAY_WAITS;
}

/* Amounts by enum stay; those behind the end are 0. */
struct stay_sums {
	int64_t *ns;
	uint32_t n;
};

static inline int64_t stay_sum(const struct stay_sums *s, uint32_t stay)
{
	return stay < s->n ? s->ns[stay] : 0;
}

/* A stay to look at in a viewer. */
struct moment {
	int64_t from, to;	/* the clock of the trace; traces[trace].first is its begin */
	uint64_t g;		/* TRACEV2_NO_ID: of no goroutine */
	const char *function;	/* that the goroutine began with; "" not known */
	/* of regions and tasks their type, of a stop-the-world its reason; else "" */
	const char *text;
	uint32_t stack;		/* 0 not known */
	uint32_t trace;		/* index in traces */
	bool open;		/* it began before the trace, or goes on at its end */
};

/* The longest ones, in no order: tables_longest() sorts them. */
struct longest {
	struct vec moments;	/* struct moment; at most options.top */
};

/*
 * All goroutines that began with the function; with options.label: all time under a value of the
 * label.
 */
struct function_row {
	/* "" no stack of them was seen, or the label was not set; others: see tables_name() */
	const char *name;
	bool others;		/* the last row, for what found no room */
	const char *file;	/* "" not known */
	/* where it begins, or, if all were there before the trace, a line of it */
	uint64_t line;
	bool placed, entry;	/* file is known; line is the first one */
	bool system;		/* of the runtime itself */
	bool collector;		/* of these: marks, sweeps or scavenges */
	uint64_t goroutines;	/* in all traces */
	uint64_t created, ended;	/* of these, in a trace */
	/* by enum stay, NULL what there was none of; read with tables_dist() */
	struct dist **dists;
	uint32_t ndists;
	/* from creation, or since it is known, to its end, or that of the trace */
	struct dist life;
	/* ns: the sum of all states, which is life.sum if nothing is missing */
	int64_t states;
};

/* Regions, or tasks, of one type. */
struct type_row {
	const char *type;
	bool others;
	uint32_t stack;		/* where the first one began; 0 not known (tasks) */
	struct dist whole;	/* durations of those that began and ended in a trace */
	uint64_t open;		/* others: they began before, or go on */
	int64_t open_ns;	/* as much of them as is in the trace */
	/*
	 * of whole and open ones: what the goroutine of the region, or that began the task, did in
	 * the time
	 */
	struct stay_sums sums;
	/* ns of tasks after the goroutine that began them had ended, or was not known */
	int64_t elsewhere;
	uint64_t unwatched;	/* those that found no room: they are not in sums */
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

/* What belongs to one trace. */
struct trace_row {
	char *name;
	int64_t first, last;
	uint64_t events, samples;
	uint64_t gomaxprocs, gomaxprocs_max;	/* the last one, the largest one; 0 not said */
	uint64_t procs;			/* Ps that were seen */
	struct timeline *timeline;
	struct mmu *mmu;
	int64_t unrecorded;		/* ns of gaps: nothing is known of that time */
	uint64_t kinds[VIEW_KINDS];	/* events by kind (read/view.h) */
	/* waits and system calls that began, and those without a stack */
	uint64_t waits, stackless;
	uint64_t goroutines_max;	/* at the same time */
	uint64_t heap_live_max, heap_goal_max;	/* bytes; 0 not said */
};

struct tables_options {
	size_t top;		/* how many of the longest; 0: 10 */
	/* group by the values of this label instead of by function; NULL: do not */
	const char *label;
};

struct tables {
	struct spans *spans;
	struct tables_options options;
	struct oncpu *oncpu;		/* of the trace that is read; NULL: there is none */
	/* of some trace there was one: rows have stays from STAY_LINUX on */
	bool split;
	bool forgot;			/* tables_forget_threads() */
	struct vec traces;		/* struct trace_row */
	struct vec functions;		/* struct function_row */
	/*
	 * const char *: of waits, by number; "" none is given: a coroutine that waits for the other
	 * side, or a wait that began before the trace with a stack that does not tell; "sync (by
	 * its stack)": one that tells
	 */
	struct vec reasons;
	struct vec regions, tasks;	/* struct type_row */
	struct vec stw;			/* struct stw_row */
	struct dist gc_cycles;		/* concurrent mark phases that began and ended in a trace */
	uint64_t gc_open;		/* others */
	int64_t gc_open_ns;
	uint64_t swept, reclaimed;	/* bytes */
	/*
	 * Stays of goroutines that are not the runtime's; of waits those that began and ended in a
	 * trace.
	 */
	struct longest stays[STAYS], gc, stops, region, task;
	struct vec notes;		/* struct note: of the recorder (docs/losses.md) */
	uint64_t notes_total;
	/* goroutines whose states do not add up to their life: a fault of gotap */
	uint64_t unclosed;
	uint64_t unattributed;		/* sweeps and assists of goroutines that are not known */
	struct tables_state *state;	/* of tables.c */
};

struct tables *tables_new(struct spans *s, const struct tables_options *options);
/* To be called before each spans_read(): the name of the trace, which is copied. */
void tables_trace(struct tables *t, const char *name);
/*
 * After tables_trace(): the threads of that trace, for STAY_LINUX. It must live until spans_read()
 * returns. The tables leave them (t->oncpu becomes NULL) if they are those of another time
 * (oncpu_begins()).
 */
void tables_threads(struct tables *t, struct oncpu *o);
/*
 * Removes all STAY_LINUX parts, since the file of threads turned out to be of another recording.
 * Rows add traces up: so the parts of all traces are removed, and those of later traces are not
 * added.
 */
void tables_forget_threads(struct tables *t);
/* Accepts NULL. */
void tables_delete(struct tables *t);

/* "running", "chan receive": of enum stay. */
const char *tables_stay_name(const struct tables *t, uint32_t stay);
/* How many enum stay there are: below this. */
uint32_t tables_stays(const struct tables *t);
/* The name of a row to show: "(no stack seen)", "(others)", "(no label)". */
const char *tables_name(const struct tables *t, const struct function_row *row);
/* Never NULL: an empty one where there was nothing. */
const struct dist *tables_dist(const struct function_row *row, uint32_t stay);
/* Longest first: appends struct moment to @sorted. */
void tables_longest(const struct longest *l, struct vec *sorted);
/*
 * Adds the stays of all functions up into @sum, which must be empty; the caller frees it. @system:
 * with the runtime's own functions.
 */
void tables_total(const struct tables *t, uint32_t stay, bool system, struct dist *sum);
#endif
