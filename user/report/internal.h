/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the state of tables.c, and the functions of its parts: rows.c (functions and reasons),
 * tally.c (goroutines), linux.c (states of threads), sections.c (regions and tasks), collector.c
 * (GC, stops, metrics) and longest.c.
 */
#ifndef GOTAP_REPORT_INTERNAL_H
#define GOTAP_REPORT_INTERNAL_H

#include "base/map64.h"
#include "read/labels.h"
#include "report/tables.h"

/* A stay of a goroutine with a function that is not known yet. */
struct early {
	uint32_t stay, stack;
	int64_t from, to;
	bool open;
	/* number of further equal stays, of which only the sum of ns is kept */
	uint64_t joined;
	int64_t joined_ns;
};

struct waited {
	uint32_t stay;
	int64_t ns;
};

/*
 * The sums of a goroutine since it is known: @ns of the stays below STAY_LINUX, @waits of all
 * others.
 */
struct sums {
	int64_t ns[STAY_LINUX];
	struct waited *waits;
	uint32_t nwaits, cap;
};

/*
 * The current span of a goroutine, split by the states of its thread: ns of the certain parts, up
 * to @upto.
 */
struct open_split {
	int64_t from, upto;
	int64_t ns[SPLITS];
};

/* The sums of a live goroutine, by its slot. */
struct tally {
	uint32_t row;			/* 1 + index in functions; 0: not known yet */
	const char *labels;		/* the labels for which the row was looked up */
	/* with options.only: */
	bool with;			/* it has the labels since the last span or change */
	bool counts;			/* it had them at some time */
	int64_t cut;			/* when it last got or lost them in the current span; 0 */
	int64_t with_ns, with_from;	/* its states while it had them; the first one's begin */
	struct sums sums;
	struct vec *early;		/* struct early; NULL: empty, as the vecs below */
	/* number of items in @early that are not parts of other stays */
	uint32_t early_len;
	struct open_split *split;	/* of the current span; NULL: not needed so far */
	struct vec *regions;		/* struct snapshot, one for each open region */
	/* struct open_task *: open tasks that the goroutine began */
	struct vec *tasks;
};

/* The sums of a goroutine when a region or task began. */
struct snapshot {
	struct sums sums;
	bool there;			/* false: there was no room for the sums */
};

struct open_task {
	uint64_t id;
	/* the goroutine that began the task, until the goroutine ends */
	const struct goroutine *g;
	uint32_t slot, place;		/* slot of @g; index in the tally's tasks */
	/* the goroutine has ended: at.sums are its sums since the begin of the task */
	bool done;
	struct snapshot at;
};

/* Rows by name; names are compared by the address of a text of the spans. */
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
	struct map64 found;		/* stack -> stay, of waits that began before the trace */
	size_t snapshots;		/* bytes of all snapshots */
	uint64_t from_begin;		/* number of goroutines that existed when the trace began */
	/* number of live goroutines minus from_begin; may be negative */
	int64_t alive;
	int64_t gap_to;			/* end of the last gap */
	struct labels labels;		/* used by label_of() */
	uint32_t trace;			/* index of the trace that is being read */
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
 * rows.c: returns the number of the row with the name *@name, from 1 on; at most @max rows.
 * *@is_new: a row was pushed to @vec, zeroed. *@name becomes the name of the returned row, which is
 * another one if there is no room.
 */
uint32_t rows_find(struct rows *r, struct vec *vec, size_t size, uint32_t max, const char **name,
		   bool *is_new);
/* Is @name that of the last row, which has the sums without room? */
bool rows_is_others(const char *name);
void rows_free(struct rows *r);
/*
 * Returns the row of the function that @g began with, as far as it is known; @stack: a stack of @g.
 */
uint32_t function_row_of(struct tables *t, const struct goroutine *g, uint32_t stack);
uint32_t stay_of_reason(struct tables *t, const char *reason);
struct dist *row_dist(struct function_row *row, uint32_t stay);
void function_rows_free(struct tables *t);

/* longest.c: adds @m if it is one of the @top longest. */
void longest_add(struct longest *l, size_t top, const struct moment *m);

typedef void stay_fn(void *ctx, uint32_t stay, int64_t from, int64_t to);

/* tally.c: goroutine @g begins; a span of a goroutine has ended; goroutine @g ends. */
void tally_begin(struct tables *t, const struct goroutine *g);
void tally_span(void *ctx, const struct span *span);
/* With options.only: the profiler labels of @g may have changed at @time. */
void tally_labels(struct tables *t, const struct goroutine *g, int64_t time);
/* Adds a stay in an assist or a sweep, which is no span. */
void tally_stay(struct tables *t, const struct goroutine *g, const struct early *e);
void tally_end(struct tables *t, const struct goroutine *g, int64_t time, bool ended);
/* Returns the sums of @g up to @time, as a copy, which the caller frees with sums_free(). */
struct sums tally_sums(struct tables *t, const struct goroutine *g, int64_t time);
/* Sets @then to @now minus @then. Both are of one goroutine, @then is the earlier one. */
void sums_subtract(struct sums *then, const struct sums *now);
int64_t sums_states(const struct sums *s);
void sums_free(struct sums *s);
/* Did the span begin before the trace, or did it last longer than the trace? */
static inline bool span_is_open(const struct span *span)
{
	return !span->begin.type || !span->end.type;
}

/* linux.c: calls @fn for the parts of @span up to @to, as stays. */
void linux_each_part(struct tables *t, const struct span *span, int64_t to, stay_fn *fn, void *ctx);
/*
 * As linux_each_part() for the current span of @g, with one call of @fn for the sum of each state.
 * May be called often: a call looks only at the time since the last call.
 */
void linux_add_open(struct tables *t, const struct goroutine *g, int64_t to, stay_fn *fn,
		    void *ctx);

/* sections.c: regions and tasks. */
void section_region_begin(void *ctx, const struct region_span *region);
void section_region(void *ctx, const struct region_span *region);
void section_task_begin(void *ctx, const struct task_span *task);
void section_task(void *ctx, const struct task_span *task);
/*
 * Computes the sums of the open tasks of @g, and frees its open regions. To be called before
 * tally_end().
 */
void sections_goroutine_end(struct tables *t, const struct goroutine *g, int64_t time);
void sections_free(struct tables *t);

/* collector.c: GC, stops of the world, metrics. */
void collector_range(void *ctx, const struct range_span *range);
void collector_metric(void *ctx, int64_t time, const char *name, uint64_t value);
void collector_event(struct tables *t, const struct trace_event *ev);

#endif
