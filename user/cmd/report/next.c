// SPDX-License-Identifier: Apache-2.0
/* next: the commands with which a report of one trace ends (cmd/next.h). See parts.h. */
#include <string.h>

#include "cmd/report/parts.h"
#include "why/path.h"

/* Smaller parts of the time of a unit, or of a trace, are no reason to record again. */
static const double report_next_share = 0.2;

static double report_next_part(const struct unit *u, enum step_kind from, enum step_kind to)
{
	double share = 0;
	size_t i;

	for (i = 0; i < u->ncauses; i++)
		if (u->causes[i].kind >= from && u->causes[i].kind <= to)
			share += u->causes[i].share;
	return share;
}

static void report_next_put_range(struct next *n, const struct units *all, const struct unit *u)
{
	int64_t from = u->slowest.from - units_begin(all);

	if (u->slowest_path->parts.len && u->slowest_g != TRACEV2_NO_ID)
		snprintf(n->range, sizeof(n->range), "-g %llu --from %.9f --to %.9f",
			 (unsigned long long)u->slowest_g, (double)from / 1e9,
			 (double)(from + u->slowest.ns) / 1e9);
}

/*
 * A trigger that becomes true when the unit is twice as slow as in this trace: of a route, task or
 * region one of them, of a function 1 % of a second's units.
 */
static void report_next_put_limit(struct next *n, const struct trace_report *r,
				  const struct unit *u)
{
	const char *word = report_route(r, u->name) ? "request" :
			   u->kind == UNIT_TASK ? "task" :
			   u->kind == UNIT_REGION ? "region" : "unit-p99";
	char trigger[NEXT_WORD];
	int64_t limit = 2 * dist_quantile(&u->dist, 0.99) / 1000;	/* us */
	bool ms = limit >= 10000;

	if (snprintf(trigger, sizeof(trigger), "%s:%s>%lld%s", word, u->name,
		     (long long)(ms ? limit / 1000 : limit), ms ? "ms" : "us") <
		    (int)sizeof(trigger) && limit)
		next_put_name(n->limit, "--on", trigger);
}

/* Has the program a server of net/http, of which the trace has no requests? */
static bool report_next_lacks_requests(const struct trace_report *r)
{
	const struct vec *functions = &r->tables->functions;
	size_t i;

	if (report_has_requests(r))
		return false;
	for (i = 0; i < functions->len; i++)
		if (!strcmp(vec_at(functions, struct function_row, i)->name,
			    "net/http.(*conn).serve"))
			return true;
	return false;
}

static void report_next_of_unit(struct next *n, const struct trace_report *r)
{
	const struct units *all = *vec_at(&r->units, struct units *, 0);
	const struct unit *u = units_count(all) ? units_at(all, 0) : NULL;

	if (!u) {
		next_want(n, NEXT_PROGRAM);
		return;
	}
	report_next_put_range(n, all, u);
	report_next_put_limit(n, r, u);
	next_want(n, NEXT_SLOWEST);
	if (report_next_part(u, STEP_RUNNING, STEP_RUNNING) >= report_next_share &&
	    unit_lacks_samples(u, units_samples(all)))
		next_want(n, NEXT_SAMPLES);
	if (!trace_threads(r, 0)->oncpu &&
	    report_next_part(u, STEP_RUNNABLE, STEP_RUNNABLE) +
			    report_next_part(u, STEP_SYSCALL, STEP_SYSCALL_BARE) >=
		    report_next_share)
		next_want(n, NEXT_LINUX);
	if (!r->findings.len)
		next_want(n, NEXT_WATCH);
}

static void report_next_of_trace(struct next *n, const struct trace_report *r)
{
	const struct trace_row *t = trace_at(r, 0);
	size_t i;

	if ((double)t->unrecorded > report_next_share * (double)(t->last - t->first))
		next_want(n, NEXT_WHOLE);
	for (i = 0; i < r->findings.len; i++)
		if (!strcmp(vec_at(&r->findings, struct trace_finding, i)->finding->kind, "leak"))
			next_want(n, NEXT_LEAK);
}

/* The rows of several traces are sums, of which no command can look at one. */
void report_next(const struct trace_report *r, struct next *n)
{
	*n = (struct next){0};
	if (!is_one(r))
		return;
	n->trace = next_file(trace_at(r, 0)->name);
	n->pid = next_pid(&trace_at(r, 0)->origin);
	if (report_has_requests(r))
		next_want(n, NEXT_REQUESTS);
	if (report_next_lacks_requests(r))
		next_want(n, NEXT_HTTP);
	report_next_of_trace(n, r);
	report_next_of_unit(n, r);
}
