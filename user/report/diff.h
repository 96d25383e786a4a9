/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff: two traces compared: which stays of goroutines became longer or more frequent, by the
 * function that the goroutine began with, the reason and the place in the code; a difference within
 * the noise is none. `gotap diff` shows it; docs/diff.md explains it.
 *
 * 	struct diff *d = diff_new();
 * 	ret = diff_read(d, 0, reader, &err);	and 1, the later one
 * 	diff_judge(d);
 * 	... d->changes ...
 * 	diff_free(d);
 *
 * Memory: a row for each (function, state or reason, place), up to DIFF_ROWS; more are not
 * compared, and that is said.
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
	DIFF_REGION, DIFF_TASK,	/* name is their type */
	DIFF_STOP,		/* stop-the-world; name is its reason */
	DIFF_KINDS,
};

/*
 * The time of a trace in up to DIFF_SLICES parts of 2^shift ns. They get twice as wide when the
 * trace needs it, so that there are always at least half as many.
 */
struct diff_slices {
	uint32_t shift;
	uint64_t n[DIFF_SLICES], ns[DIFF_SLICES];
};

/* One of the two traces in a row: stays that began and ended in it. */
struct diff_side {
	struct dist dist;
	struct diff_slices slices;
	uint64_t line;		/* of the place */
};

struct diff_row {
	enum diff_kind kind;
	/* the function that the goroutine began with, a type, a reason; "" not known */
	const char *name;
	const char *reason;	/* of a wait */
	const char *what;	/* the function of the library that waits, "" none */
	const char *func, *file;	/* where; "" not known */
	struct diff_side side[2];
	/* From the later trace: the goroutines that ended these waits. */
	/*
	 * the function of most goroutines that did, but for @name; "" nobody did (network, timer),
	 * NULL none but @name
	 */
	const char *waker;
	double waker_lead;	/* ns by which it leads */
	double other_ns, self_ns;	/* ended by others, nobody, @name */
	bool merged;		/* into another row */
};

/* Goroutines that began with a function. */
struct diff_function {
	const char *name;
	bool system;
	uint64_t goroutines[2], created[2];
	struct diff_slices births[2];
	/* how many times as often what it waits for came, in the later trace */
	double load;
};

struct diff_trace {
	int64_t first, last;
	uint64_t goroutines, gomaxprocs, events;
	int64_t gap_to, unrecorded;	/* ns without any record: they are in no rate */
	uint64_t notes;
	const char *note;		/* the first one; NULL: none */
};

enum diff_way { DIFF_LONGER, DIFF_OFTEN, DIFF_NEW };

/* A row that differs beyond the noise. For faster ones "later" is the first trace. */
struct diff_change {
	const struct diff_row *row;
	const struct diff_function *function;	/* NULL: of regions, tasks, stops */
	bool slower;
	enum diff_way way;
	/* of means (longer), of how often (often); 0: there were none (new) */
	double ratio;
	double noise;		/* the ratio that noise alone could make */
	double cost;		/* seconds of goroutines a second that it costs, or saves */
	double order;		/* what it is sorted by: with the cost of what follows from it */
	/* the change of those who end these waits; NULL none is known */
	const struct diff_change *follows;
};

struct findings;

struct diff {
	struct spans *spans;
	struct findings *places;	/* only its places are used */
	struct vec rows;		/* struct diff_row * */
	struct map64 by_key;
	struct vec functions;		/* struct diff_function */
	struct map64 function_numbers;
	struct vec slots;		/* const char *: what a slot's goroutine was counted as */
	uint64_t crowded;		/* stays in rows that found no room */
	struct diff_trace traces[2];
	int side;			/* which one is read */
	/* struct diff_change, slower ones first, the most costly first */
	struct vec changes;
	uint64_t compared;		/* rows with enough stays on both sides */
	/* what two thirds of these became longer by; 1: nothing, or few rows */
	double drift;
	/* the median over these of the ratio that noise alone could make */
	double noise;
};

struct diff *diff_new(void);
/* Accepts NULL. */
void diff_free(struct diff *d);
int diff_read(struct diff *d, int side, struct trace_reader *r, struct error *err);
/* After both were read. */
void diff_judge(struct diff *d);
/* ns of the trace that were recorded, at least 1. */
static inline double diff_time(const struct diff *d, int side)
{
	const struct diff_trace *t = &d->traces[side];
	double ns = (double)t->last - (double)t->first - (double)t->unrecorded;

	return ns > 1 ? ns : 1;
}


/* A sentence. */
void diff_say(const struct diff *d, const struct diff_change *c, struct buf *text);
const char *diff_kind_name(enum diff_kind kind);
/*
 * How many stays a side has per goroutine, or per second where goroutines live on; @unit says
 * which.
 */
double diff_often(const struct diff *d, const struct diff_change *c, int side, const char **unit);

/* diff_rows.c, for diff.c */
struct diff_function *diff_function_of(struct diff *d, const char *name);
/* How many parts the time of that trace has, when their width is 2^@shift. */
unsigned diff_parts(const struct diff *d, int side, uint32_t *shift);
/* Makes the parts at least as wide. */
void diff_widen(struct diff_slices *s, uint32_t shift);
void diff_merge_rows(struct diff *d);
/*
 * diff_rank.c: sorts d->changes, the most important first, and removes stays of running that only
 * became shorter or longer because the function waits more or less often: the time that it runs did
 * not change.
 */
void diff_rank(struct diff *d);

#endif
