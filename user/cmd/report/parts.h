/* SPDX-License-Identifier: Apache-2.0 */
/* parts: what the files of the report for people share. */
#ifndef GOTAP_CMD_REPORT_PARTS_H
#define GOTAP_CMD_REPORT_PARTS_H

#include "base/json_out.h"
#include "cmd/next.h"
#include "cmd/report/threads.h"
#include "cmd/report/report.h"
#include "requests/routes.h"

static inline const struct trace_row *trace_at(const struct trace_report *r, uint32_t i)
{
	return vec_at(&r->tables->traces, struct trace_row, i);
}

static inline bool is_one(const struct trace_report *r)
{
	return r->tables->traces.len == 1;
}

/* Its oncpu is NULL if there is no file of threads beside it. */
static inline const struct trace_threads *trace_threads(const struct trace_report *r, uint32_t i)
{
	return vec_at(&r->threads, struct trace_threads, i);
}

static inline struct thread_report trace_thread_report(const struct trace_threads *t)
{
	return (struct thread_report){ oncpu_threads(t->oncpu), t->sums,
				       oncpu_info(t->oncpu)->pid };
}

/* Has any of the traces a file of threads? */
static inline bool has_threads(const struct trace_report *r)
{
	uint32_t i;

	for (i = 0; i < r->threads.len; i++)
		if (trace_threads(r, i)->oncpu)
			return true;
	return false;
}

/* put.c: "1.204511 s" of that trace, and of which one if there are several. */
void report_put_instant(const struct trace_report *r, uint32_t trace, int64_t time, FILE *f);
/* "file.go:12"; nothing if the file is not known. */
void report_put_place(const char *file, uint64_t line, FILE *f);
/* put.c: foreign text, with lines broken between words, all @indent columns in. */
void report_put_wrapped(const char *text, unsigned indent, FILE *f);

/* answer.c: the unit of work, the other units, and both with the findings as JSON. */
void report_print_unit(const struct trace_report *r, FILE *f);
void report_print_other_units(const struct trace_report *r, FILE *f);
void report_json_answer(struct json_out *j, const struct trace_report *r);
/* Returns the part of the time of the first units of all traces that the finding explains. */
double report_finding_share(const struct trace_report *r, const struct trace_finding *tf);

/* html_units.c: the units of the only trace, as one JSON object for the page. */
void report_page_units(const struct trace_report *r, FILE *f);

/*
 * tables.c: goroutines by function and how long they wait for a P; GC; regions and tasks; the
 * longest.
 */
void report_print_goroutines(const struct trace_report *r, FILE *f);
void report_print_gc(const struct trace_report *r, FILE *f);
void report_print_sections(const struct trace_report *r, FILE *f);
void report_print_longest(const struct trace_report *r, FILE *f);

/* tables.c: a line of the states in which the goroutines of @row were. */
void report_put_breakdown(const struct trace_report *r, const struct type_row *row, FILE *f);

/*
 * requests.c: the requests by route, and as JSON. report_requests_new() adds a visitor of one trace
 * (requests/routes.h). @page: for trace_report_html(), which shows more of the slowest ones.
 */
struct routes *report_requests_new(struct spans *s, bool page);
bool report_has_requests(const struct trace_report *r);
/* Returns the route with this name of any trace; NULL: there is none. */
const struct route *report_route(const struct trace_report *r, const char *name);
/*
 * Is this the name of requests, as tasks or regions? A region has the name without the route if its
 * generation ended before the route was known.
 */
bool report_is_request(const struct trace_report *r, const char *type);
void report_print_requests(const struct trace_report *r, FILE *f);
void report_json_requests(struct json_out *j, const struct trace_report *r);

/*
 * allocations.c: who allocates, and what, if the trace has sampled allocations (group alloc); as
 * JSON the object "allocations".
 */
void report_print_allocations(const struct trace_report *r, FILE *f);
void report_json_allocations(struct json_out *j, const struct trace_report *r);

/*
 * snapshot.c: passes what the JSON beside a snapshot of a flight recording says (docs/flight.md) to
 * @u and @f, before they are finished: its trigger, and who held the memory if there was none left.
 * Without that file the trace is all.
 */
void report_snapshot(const char *trace, struct units *u, struct findings *f);

/* next.c: fills @n with the commands that would add to the report. @r must outlive it. */
void report_next(const struct trace_report *r, struct next *n);

/* charts.c: Ps, goroutines and the heap over time. */
void report_print_charts(const struct trace_report *r, FILE *f);

#endif
