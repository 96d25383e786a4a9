/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the state of tableset.c, and the functions of its parts: states.c (goroutines, system
 * calls, Ps), ranges.c (GC, tasks, regions, logs, samples, metrics), losses.c, threads.c, facts.c
 * (the process, stacks, frames).
 */
#ifndef GOTAP_TABLES_INTERNAL_H
#define GOTAP_TABLES_INTERNAL_H

#include "base/map64.h"
#include "base/strset.h"
#include "tables/wait_objects.h"
#include "tables/table.h"
#include "tables/tableset.h"
#include "threads/cpus.h"

/*
 * Ids of stacks, frames and sets of labels have 42 bits of the trace's id and a number of 21 bits:
 * joins of several tables by two columns, of which the first is the same in all of a trace, are
 * what engines order badly. A struct stack_set has at most 2 << 20 stacks.
 */
enum { IDS_BITS = 21, IDS_MOST = 1 << IDS_BITS };

/* A thread of the program. */
struct seen_thread {
	uint64_t tid;
	int64_t first, last;	/* times of the tables */
	const char *name;	/* NULL: not known */
};

enum { SEEN_FRONT = 256 };

struct seen_threads {
	struct vec all;		/* struct seen_thread, in the order in which they were seen */
	struct map64 numbers;	/* from tid to number in @all + 1 */
	/* the number in @all + 1 of the last thread with these low bits of its id; 0: none */
	uint32_t front[SEEN_FRONT];
};

/* Times in which nothing was recorded, as the stays of goroutines in gaps have it. */
struct open_gap {
	bool open;
	int64_t from, to;	/* times of the tables */
};

struct tableset {
	struct tableset_setup setup;
	struct spans *spans;
	struct trace_reader *reader;
	struct table tables[TABLES];
	bool opened;
	struct error failed;	/* of opening; code 0: none */
	bool began;
	bool has_wall, has_mono;
	int64_t offset;		/* of the tables' times from those of the trace */
	int64_t mono_offset;	/* from CLOCK_MONOTONIC, if @has_mono */
	uint64_t events;
	struct origin origin;
	struct strset *texts;	/* texts of cells that spans do not have */
	struct wait_objects objects;
	struct map64 label_sets;	/* from the address of the text to its number */
	const char *last_labels;
	uint64_t label_sets_dropped;	/* beyond IDS_MOST */
	int64_t last_label_set;
	struct seen_threads threads;
	struct open_gap gap;
	struct cpus *cpus;
	bool own_ids;		/* threads: ids are of the initial PID namespace */
};

/* A time of the trace as a time of the tables. */
static inline int64_t tableset_time(const struct tableset *t, int64_t time)
{
	return (int64_t)((uint64_t)time + (uint64_t)t->offset);
}

static inline int64_t cell_length(int64_t from, int64_t to)
{
	return (int64_t)((uint64_t)to - (uint64_t)from);
}

/* The id of the thing with @number, from 1 on, of a kind of which a trace has at most IDS_MOST. */
static inline int64_t tableset_id(const struct tableset *t, uint64_t number)
{
	uint64_t high = (uint64_t)t->setup.trace_id << IDS_BITS & INT64_MAX;

	return (int64_t)(high | (number - 1));
}

static inline int64_t cell_stack(const struct tableset *t, uint32_t stack)
{
	return stack ? tableset_id(t, stack) : TABLE_NULL;
}

/* "" is no text. */
static inline int64_t cell_word(const char *text)
{
	return *text ? cell_text(text) : TABLE_NULL;
}

static inline int64_t *tableset_new_row(struct tableset *t, enum tables_id id)
{
	return table_row(&t->tables[id]);
}

static inline void tableset_put_row(struct tableset *t, enum tables_id id)
{
	table_put(&t->tables[id]);
}

/* --- states.c --- */
extern const struct spans_visitor tableset_states;
/* The number of a set of labels, a text in the form of read/labels.h; TABLE_NULL: no labels. */
int64_t tableset_label_set(struct tableset *t, const char *labels);

/* --- ranges.c --- */
extern const struct spans_visitor tableset_ranges;

/* --- losses.c --- */
void losses_note(struct tableset *t, int64_t time, const char *message);
void losses_gap(struct tableset *t, const struct span *span);
void losses_fault(struct tableset *t, const char *kind, const char *text);
/* After the last event. */
void losses_end(struct tableset *t);

/* --- threads.c --- */
/* The thread @tid did something from @from to @to, times of the tables. */
void threads_seen(struct tableset *t, uint64_t tid, int64_t from, int64_t to);
void threads_put(struct tableset *t);

/* --- facts.c --- */
void facts_put(struct tableset *t, const char *fault);
void facts_put_all_stacks(struct tableset *t);

#endif
