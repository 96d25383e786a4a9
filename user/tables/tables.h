/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables: a trace as the tables of schema.def, in Parquet files, for SQL engines. A visitor of
 * spans (user/spans), as reports are.
 *
 *	t = tables_new(&setup);
 *	fault = tables_read(t, reader, &err);
 *	tables_thread_states(t, threads);	... and the records of the threads
 *	failed = tables_end(t, fault ? err.text : NULL, &late);
 *	tables_close(t);
 *
 * Rows are written as soon as a row group is full. Memory: that of spans, and for each table two row
 * groups at most. The same trace gives the same bytes.
 */
#ifndef GOTAP_TABLES_TABLES_H
#define GOTAP_TABLES_TABLES_H

#include "read/origin.h"
#include "spans/spans.h"
#include "tables/schema.h"
#include "threads/threads.h"

/* The facts on which the folders of the files depend, as far as the trace has them. */
struct tables_place {
	const char *host, *program;	/* NULL: not known. Any text. */
	bool has_wall;			/* the trace has the time of day */
	int64_t begin;			/* ns since 1970 of the first event, if it has */
};

/*
 * Called once, before anything is written: opens the files of the tables that are wanted. *@fds are
 * -1 before. Returns 0 or -errno.
 */
typedef int tables_open_fn(void *ctx, const struct tables_place *place, int fds[TABLES],
			   struct error *err);

struct tables_setup {
	bool wanted[TABLES];
	uint32_t group_rows;		/* rows of a row group; 0: the default */
	const char *trace;		/* file name of the trace, for a column */
	int64_t trace_id;		/* 0 or more; the same for the same recording */
	tables_open_fn *open;
	void *ctx;
};

struct tables;

/* @setup->trace must live until tables_close(). */
struct tables *tables_new(const struct tables_setup *setup);
/* For thread_file_open() (files/thread_file.h), before tables_read(). */
struct spans *tables_spans(struct tables *t);
/*
 * Reads @r to its end. Of a damaged trace the tables have all that comes before the damage, and the
 * return value and @err have the fault.
 */
int tables_read(struct tables *t, struct trace_reader *r, struct error *err);
/*
 * Makes rows of the stays of all threads in @threads. To be called after tables_read(), and before
 * the first record of @threads; these must be freed by tables_states_end().
 */
void tables_states_begin(struct tables *t, struct threads *threads);
void tables_states_end(struct tables *t);
/* The file of threads has this fault, which becomes a row of the table of losses. */
void tables_states_fault(struct tables *t, const char *text);
/*
 * Writes what is left, and the ends of all files. @fault: of tables_read(); NULL: none. Returns 0,
 * or the first error of opening or writing with the name of the table in @err.
 */
int tables_end(struct tables *t, const char *fault, struct error *err);

/* After tables_end(). Rows of a table, and bytes of its file. */
uint64_t tables_rows(const struct tables *t, enum tables_id id);
uint64_t tables_bytes(const struct tables *t, enum tables_id id);
uint64_t tables_events(const struct tables *t);
/* Names, stacks and objects that found no room: the command must report it. */
uint64_t tables_dropped(const struct tables *t);
/* Accepts NULL. */
void tables_close(struct tables *t);

#endif
