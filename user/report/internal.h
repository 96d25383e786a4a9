/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the state of tables.c, and its parts: rows.c (functions and reasons), tally.c
 * (goroutines), linux.c (states of threads), sections.c (regions and tasks), collector.c (GC,
 * stops, metrics) and longest.c.
 */
#ifndef GOTAP_REPORT_INTERNAL_H
#define GOTAP_REPORT_INTERNAL_H

#include "base/map64.h"
#include "read/labels.h"
#include "report/tables.h"

/* A stay of a goroutine of which the function is not known yet. */
struct early {
	uint32_t stay, stack;
	int64_t from, to;
	bool open;
	uint64_t joined;	/* more stays like it, of which only the sum is known */
	int64_t joined_ns;
};

struct waited {
	uint32_t stay;
	int64_t ns;
};

/*
 * The sums of a goroutine since it is known: of all stays below STAY_LINUX, and of further ones
 * that it had.
 */
struct sums {
	int64_t ns[STAY_LINUX];
	struct waited *waits;
	uint32_t nwaits, cap;
};

/* The span of a goroutine that goes on, split: the parts that are certain, up to @upto. */
struct open_split {
	int64_t from, upto;
	int64_t ns[SPLITS];
};

/* Sums of a goroutine that lives, by its slot. */
struct tally {
	uint32_t row;			/* 1 + index in functions; 0: not known yet */
	const char *labels;		/* the text that the row was looked up for */
	struct sums sums;
	struct vec *early;		/* struct early; NULL: empty, as the next ones */
	uint32_t nearly;		/* of these those that are no parts of others */
	struct open_split *split;	/* of the span at hand; NULL: not asked for */
	struct vec *regions;		/* struct snapshot: of those that are open */
	struct vec *tasks;		/* struct open_task *: that it began and that are open */
};

/* The sums of a goroutine when a region or task began. */
struct snapshot {
	struct sums sums;
	bool there;			/* there was room for it */
};

struct open_task {
	uint64_t id;
	const struct goroutine *g;	/* that began it, until it ends */
	uint32_t slot, place;		/* of it; index in its tasks */
	/* it has ended: the sums are what it did from the begin of the task on */
	bool done;
	struct snapshot at;
};

/* Rows by name: the pointer of a text of the spans. */
struct rows {
	struct map64 by_name;
	uint32_t others;		/* 1 + index of the last row; 0: there is none yet */
};

struct tables_state {
	struct vec tallies;		/* struct tally, by slot */
	struct rows functions, reasons, regions, tasks, stw;
	const char *last_reason;
	uint32_t last_stay;
	struct map64 open_tasks;	/* struct open_task by id */
	struct map64 found;		/* stay, by stack, of waits that began before the trace */
	size_t snapshots;		/* bytes of them */
	uint64_t from_begin;		/* goroutines that were there when the trace began */
	/* goroutines, without those: below 0 when more of them have ended */
	int64_t alive;
	int64_t gap_to;			/* the end of the last gap */
	struct labels labels;		/* of label_of() */
	uint32_t trace;			/* index of the one that is read */
};

static inline struct trace_row *the_trace(struct tables *t)
{
	return vec_at(&t->traces, struct trace_row, t->state->trace);
}

static inline struct tally *tables_tally_of(struct tables *t, const struct goroutine *g)
{
	return vec_at(&t->state->tallies, struct tally, g->slot);
}

static inline struct function_row *row_at(struct tables *t, uint32_t row)
{
	return vec_at(&t->functions, struct function_row, row - 1);
}

/*
 * rows.c: the number of the row of that name, from 1 on, at most @max. *@is_new: its place in @vec
 * was just pushed, zeroed. *@name becomes the name of the row.
 */
uint32_t rows_find(struct rows *r, struct vec *vec, size_t size, uint32_t max, const char **name,
		   bool *is_new);
/* Is it the name of the last row, for what found no room? */
bool rows_is_others(const char *name);
void rows_free(struct rows *r);
/*
 * The row of the function that @g started with, as far as it is known now; @stack: one stack of @g.
 */
uint32_t function_row_of(struct tables *t, const struct goroutine *g, uint32_t stack);
uint32_t stay_of_reason(struct tables *t, const char *reason);
struct dist *row_dist(struct function_row *row, uint32_t stay);
void function_rows_free(struct tables *t);

/* longest.c: keeps @m if it is one of the longest. */
void longest_add(struct longest *l, size_t top, const struct moment *m);

typedef void stay_fn(void *ctx, uint32_t stay, int64_t from, int64_t to);

/* tally.c: the goroutine was there, a stay of it is over, it ended. */
void tally_begin(struct tables *t, const struct goroutine *g);
void tally_span(void *ctx, const struct span *span);
/* Adds a stay in an assist or a sweep, which are no spans. */
void tally_stay(struct tables *t, const struct goroutine *g, const struct early *e);
void tally_end(struct tables *t, const struct goroutine *g, int64_t time, bool ended);
/* What it did up to @time, a copy; free it. */
struct sums tally_sums(struct tables *t, const struct goroutine *g, int64_t time);
/* @then becomes what is in @now and not in @then: both of the same goroutine. */
void sums_subtract(struct sums *then, const struct sums *now);
int64_t sums_states(const struct sums *s);
void sums_free(struct sums *s);
/* Is the span in a stay that began before the trace, or goes on at its end? */
static inline bool span_is_open(const struct span *span)
{
	return !span->begin.type || !span->end.type;
}

/* linux.c: calls @fn with the parts of @span, or of what there is of it up to @to, as stays. */
void linux_each_part(struct tables *t, const struct span *span, int64_t to, stay_fn *fn, void *ctx);
/*
 * The same added up, of the span of @g that goes on. May be called often: only what is new since
 * the last call is walked.
 */
void linux_add_open(struct tables *t, const struct goroutine *g, int64_t to, stay_fn *fn,
		    void *ctx);

/* sections.c: regions and tasks. */
void section_region_begin(void *ctx, const struct region_span *region);
void section_region(void *ctx, const struct region_span *region);
void section_task_begin(void *ctx, const struct task_span *task);
void section_task(void *ctx, const struct task_span *task);
/* Before a goroutine is no more. */
void sections_goroutine_end(struct tables *t, const struct goroutine *g, int64_t time);
void sections_free(struct tables *t);

/* collector.c: the GC, stops, metrics. */
void collector_range(void *ctx, const struct range_span *range);
void collector_metric(void *ctx, int64_t time, const char *name, uint64_t value);
void collector_event(struct tables *t, const struct trace_event *ev);

#endif
