/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: what traces say about a program: findings, then tables. `gotap report` and `gotap record
 * --report` show it, text.c for people and json.c as JSON.
 */
#ifndef GOTAP_CMD_REPORT_REPORT_H
#define GOTAP_CMD_REPORT_REPORT_H

#include <stdio.h>

#include "files/output.h"
#include "html/html.h"
#include "report/allocators.h"
#include "report/finding.h"
#include "report/tables.h"
#include "threads/sums.h"
#include "unit/unit.h"

struct trace_report_options {
	const char *binary;	/* names the stacks of traces before Go 1.7; may be NULL */
	const char *unit;	/* the function or type of the unit of work; NULL: chosen */
	bool html;		/* for trace_report_html(): of one trace */
	struct labels_asked labels;	/* what has these alone; none: all */
	struct tables_options tables;
};

/* A finding, and the trace that it is in. */
struct trace_finding {
	const struct finding *finding;
	uint32_t trace;
	size_t number;		/* in its trace, from 1 on: as unit_found() takes it */
	double share;		/* of the time that was lost in all traces */
};

/*
 * The states of the threads of a trace. NULL if no file of threads lies beside it, or it is of
 * another recording.
 */
struct trace_threads {
	struct oncpu *oncpu;		/* its thread states; all was read */
	struct thread_sums *sums;
};

struct trace_report {
	struct spans *spans;
	/*
	 * What has the labels alone: then @of_traces, @findings, @units and @threads are empty.
	 * NULL: all.
	 */
	struct labelled *only;
	const struct labels_asked *labels;
	struct vec threads;	/* struct trace_threads, by trace */
	struct tables *tables;
	struct vec of_traces;	/* struct findings * */
	struct vec findings;	/* struct trace_finding: the most costly first */
	struct vec units;	/* struct units *, by trace */
	struct vec routes;	/* struct routes *, by trace: the requests */
	struct allocators *allocators;	/* of all traces; NULL with labels */
	double lost;		/* seconds, of all traces */
	struct html *html;	/* NULL: not asked for */
	bool several;		/* traces were given */
	int version;		/* NN of go 1.NN, of the last trace */
	struct error fault;	/* of the last trace that had one; code 0: none had */
};

/*
 * Reads the traces. A fault of one is printed, and what comes before it counts; *@failed says
 * whether there was one. An error if a trace cannot be opened, or nothing has the labels. @o must
 * outlive @r.
 */
int trace_report_read(struct trace_report *r, char *const *paths, size_t n,
		      const struct trace_report_options *o, bool *failed, struct error *err);
void trace_report_free(struct trace_report *r);

void trace_report_print(const struct trace_report *r, FILE *f);
void trace_report_json(const struct trace_report *r, FILE *f);
/* Writes the page for browsers to @out, which is open (html.c). */
int trace_report_html(const struct trace_report *r, const struct output *out, struct error *err);

/* The report of the trace at @path, at the end of its recording. */
int trace_report_show(const char *path, FILE *f, struct error *err);

#endif
