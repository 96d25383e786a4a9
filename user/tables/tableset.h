/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tableset: a trace as the tables of schema.def, in Parquet files, for SQL engines. A visitor of
 * spans (user/spans), as reports are.
 *
 *	t = tableset_new(&setup);
 *	fault = tableset_read(t, reader, &err);
 *	tables_thread_states(t, threads);	... and the records of the threads
 *	failed = tableset_end(t, fault ? err.text : NULL, &late);
 *	tableset_close(t);
 *
 * Rows are written as soon as a row group is full. Memory: that of spans, and for each table two
 * row groups at most. The same trace gives the same bytes.
 */
#ifndef GOTAP_TABLES_TABLESET_H
#define GOTAP_TABLES_TABLESET_H

#include "read/origin.h"
#include "spans/spans.h"
#include "tables/schema.h"
#include "threads/threads.h"

/* The facts on which the folders of the files depend, as far as the trace has them. */
struct tableset_place {
	const char *host, *program;	/* NULL: not known. Any text. */
	bool has_wall;			/* the trace has the time of day */
	int64_t begin;			/* ns since 1970 of the first event, if it has */
};

/*
 * Called once, before anything is written: opens the files of the tables that are wanted. *@fds are
 * -1 before. Returns 0 or -errno.
 */
typedef int tableset_open_fn(void *ctx, const struct tableset_place *place, int fds[TABLES],
			   struct error *err);

struct tableset_setup {
	bool wanted[TABLES];
	uint32_t group_rows;		/* rows of a row group; 0: the default */
	const char *trace;		/* file name of the trace, for a column */
	int64_t trace_id;		/* 0 or more; the same for the same recording */
	tableset_open_fn *open;
	void *ctx;
};

struct tableset;

/* @setup->trace must live until tableset_close(). */
struct tableset *tableset_new(const struct tableset_setup *setup);
/* For thread_file_open() (files/thread_file.h), before tableset_read(). */
struct spans *tableset_spans(struct tableset *t);
/*
 * Reads @r to its end. If the trace is damaged the tables have all that comes before the damage,
 * and the return value and @err have the fault.
 */
int tableset_read(struct tableset *t, struct trace_reader *r, struct error *err);
/*
 * Makes rows of the stays of all threads in @threads. To be called after tableset_read(), and
 * before the first record of @threads. tableset_states_end() comes after the last one.
 */
void tableset_states_begin(struct tableset *t, struct threads *threads);
void tableset_states_end(struct tableset *t);
/* The file of threads has this fault, which becomes a row of the table of losses. */
void tableset_states_fault(struct tableset *t, const char *text);
/*
 * Writes what is left, and the ends of all files. @fault: of tableset_read(); NULL: none. Returns
 * 0, or the first error of opening or writing with the name of the table in @err.
 */
int tableset_end(struct tableset *t, const char *fault, struct error *err);

/* After tableset_end(). Rows of a table, and bytes of its file. */
uint64_t tableset_rows(const struct tableset *t, enum tables_id id);
uint64_t tableset_bytes(const struct tableset *t, enum tables_id id);
uint64_t tableset_events(const struct tableset *t);
/* Names, stacks and objects that found no room: the command must report it. */
uint64_t tableset_dropped(const struct tableset *t);
/* Accepts NULL. */
void tableset_close(struct tableset *t);

#endif
