/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff: compares two traces: which stays of goroutines became longer or more frequent, by the first
 * function of the goroutine, the reason and the place in the code. Differences within the noise are
 * not reported. `gotap diff` shows the result; docs/diff.md explains it.
 *
 * 	struct diff *d = diff_new();
 * 	ret = diff_read(d, 0, reader, &err);	and 1, the later one
 * 	diff_judge(d);
 * 	... d->changes ...
 * 	diff_free(d);
 *
 * Memory: a row for each (function, state or reason, place), up to DIFF_ROWS. Stays beyond are not
 * compared, and are counted (crowded).
 */
#ifndef GOTAP_REPORT_DIFF_H
#define GOTAP_REPORT_DIFF_H

#include "base/map64.h"
#include "report/dist.h"
#include "spans/spans.h"

enum { DIFF_ROWS = 16384, DIFF_SLICES = 16, DIFF_FUNCTIONS = 4096 };

enum diff_kind {
	DIFF_WAIT,
	DIFF_SYSCALL,
	DIFF_RUNNING,		/* from a place to the next stop */
	DIFF_RUNNABLE,
	DIFF_ASSIST,		/* GC mark assist */
	DIFF_REGION, DIFF_TASK,	/* @name is the type */
	DIFF_STOP,		/* stop-the-world; @name is its reason */
	DIFF_KINDS,
};

/*
 * The sums of a trace in up to DIFF_SLICES parts of 2^shift ns. The width doubles when the trace
 * gets too long for the parts; a trace of more than one part therefore has at least DIFF_SLICES / 2
 * of them.
 */
struct diff_slices {
	uint32_t shift;
	uint64_t n[DIFF_SLICES], ns[DIFF_SLICES];
};

/* The stays of one trace in a row: those that began and ended in the trace. */
struct diff_side {
	struct dist dist;
	struct diff_slices slices;
	uint64_t line;		/* line of the place */
};

struct diff_row {
	enum diff_kind kind;
	/* the function that the goroutine began with, a type, or a reason; "": not known */
	const char *name;
	const char *reason;	/* of a wait */
	const char *what;	/* the function of the library that waits; "": none */
	const char *func, *file;	/* the place; "": not known */
	struct diff_side side[2];
	/*
	 * of the later trace: the first function of the goroutines that ended most of the time of
	 * these waits, @name excluded; "": no goroutine did (network, timer); NULL: only goroutines
	 * of @name did
	 */
	const char *waker;
	double waker_lead;	/* ns by which @waker leads in the vote */
	/* ns of waits that others or no goroutine ended, and that goroutines of @name ended */
	double other_ns, self_ns;
	bool merged;		/* its stays were added to another row */
};

/* The goroutines that began with one function. */
struct diff_function {
	const char *name;
	bool system;
	uint64_t goroutines[2], created[2];
	struct diff_slices births[2];
	/* number of stays of the function in the later trace, relative to the first trace */
	double load;
};

struct diff_trace {
	int64_t first, last;
	uint64_t goroutines, gomaxprocs, events;
	/* gap_to: end of the last gap; unrecorded: ns without any record, which no rate includes */
	int64_t gap_to, unrecorded;
	uint64_t notes;
	const char *note;		/* the first note; NULL: none */
};

enum diff_way { DIFF_LONGER, DIFF_OFTEN, DIFF_NEW };

/*
 * A row with a difference beyond the noise. If @slower is false, the first trace has the longer or
 * more frequent stays, and takes the role of the later one.
 */
struct diff_change {
	const struct diff_row *row;
	const struct diff_function *function;	/* NULL for regions, tasks, stops */
	bool slower;
	enum diff_way way;
	/*
	 * ratio of the means (DIFF_LONGER) or of the rates (DIFF_OFTEN); 0 for DIFF_NEW, since one
	 * trace has no such stays
	 */
	double ratio;
	double noise;		/* ratio that noise alone could cause */
	/* seconds of goroutines per second that the change costs, or saves */
	double cost;
	/* sort key: @cost, and the costs of the changes that follow from this change */
	double order;
	/* the change of the goroutines that end the waits of this row; NULL: none is known */
	const struct diff_change *follows;
};

struct findings;

struct diff {
	struct spans *spans;
	struct findings *places;	/* used for its places only */
	struct vec rows;		/* struct diff_row * */
	struct map64 by_key;
	struct vec functions;		/* struct diff_function */
	struct map64 function_numbers;
	/* const char *: the function for which the goroutine in a slot was counted */
	struct vec slots;
	uint64_t crowded;		/* number of stays without a row */
	struct diff_trace traces[2];
	int side;			/* the trace that is being read */
	/* struct diff_change; slower ones first, each group by cost */
	struct vec changes;
	uint64_t compared;		/* number of rows with enough stays in both traces */
	/* factor by which two thirds of these rows became longer; 1: none, or too few rows */
	double drift;
	/* median, over these rows, of the ratio that noise alone could cause */
	double noise;
};

struct diff *diff_new(void);
/* Frees @d, which may be NULL. */
void diff_free(struct diff *d);
int diff_read(struct diff *d, int side, struct trace_reader *r, struct error *err);
/* To be called after both traces were read. */
void diff_judge(struct diff *d);
/* Returns the recorded time of the trace, ns, at least 1. */
static inline double diff_time(const struct diff *d, int side)
{
	const struct diff_trace *t = &d->traces[side];
	double ns = (double)t->last - (double)t->first - (double)t->unrecorded;

	return ns > 1 ? ns : 1;
}


/* Appends the sentence for a change. */
void diff_say(const struct diff *d, const struct diff_change *c, struct buf *text);
const char *diff_kind_name(enum diff_kind kind);
/*
 * Returns the stays per goroutine, or per second if the goroutines do not end; @unit: "goroutine"
 * or "second".
 */
double diff_often(const struct diff *d, const struct diff_change *c, int side, const char **unit);

/* diff_rows.c: functions that diff.c calls. */
struct diff_function *diff_function_of(struct diff *d, const char *name);
/* Returns the number of parts of a trace, and their width as 2^*@shift ns. */
unsigned diff_parts(const struct diff *d, int side, uint32_t *shift);
/* Makes the parts at least 2^@shift ns wide. */
void diff_widen(struct diff_slices *s, uint32_t shift);
void diff_merge_rows(struct diff *d);
/*
 * diff_rank.c: sorts d->changes, the most important first. Removes running stays that only became
 * shorter or longer because the function waits more or less often, while its running time did not
 * change.
 */
void diff_rank(struct diff *d);

#endif
