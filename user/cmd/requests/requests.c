// SPDX-License-Identifier: Apache-2.0
/* gotap requests: the requests that a program served, by route. */
#include "cmd/requests/requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/joined.h"
#include "cmd/options.h"
#include "files/leftover.h"
#include "files/reread.h"
#include "files/thread_file.h"
#include "files/trace_input.h"
#include "requests/downstream.h"

static const struct option_row requests_rows[] = {
	OPTION(0, "slowest", "N", OPTION_NUMBER, offsetof(struct requests_options, slowest),
	  "list the N slowest requests (default 3)", .max = ROUTES_SLOWEST),
	OPTION(0, "route", "NAME", OPTION_TEXT, offsetof(struct requests_options, route),
	  "list only requests of this route: 'GET /cart', or /cart with any method"),
	OPTION(0, "label", "KEY=VALUE", OPTION_TAKE, offsetof(struct requests_options, label),
	  "list only those with this profiler label; * and ? in VALUE are as in a shell",
	  .take = option_take_label),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct requests_options, json),
	  "one JSON object on one line"),
	OPTION(0, "or-none", NULL, OPTION_FLAG, offsetof(struct requests_options, or_none), NULL),
	OPTION_OUTPUT(offsetof(struct requests_options, out)),
	OPTION_BINARY(offsetof(struct requests_options, binary)),
	{0},
};

static const char *requests_check(void *options, char **operands)
{
	struct requests_options *o = options;

	o->trace = operands[0];
	o->others = operands + 1;
	if (o->otlp.to && *o->others)
		return "--otlp is for one trace";
	if (o->otlp.to && (o->json || o->out))
		return "--otlp writes the spans: it excludes -o and --json";
	if (!o->out)
		o->out = "-";
	return otlp_check(&o->otlp);
}

static const struct command_line requests_line = {
	.name = "requests",
	.usage = "gotap requests [OPTION...] TRACE [TRACE...]",
	.about =
		"Prints the requests that a program served, by route: how many, how many failed,\n"
		"their durations, and the composition of their time; and the requests, queries\n"
		"and calls of gRPC that it made. TRACE is a trace of `gotap record` with\n"
		"--events +http, +sql or +grpc, or - (standard input). See docs/requests.md.\n"
		"\n"
		"Further traces are those of processes that the program calls: the composition\n"
		"goes on in them (docs/joins.md).\n",
	.tables = { { requests_rows, 0 }, { otlp_rows, offsetof(struct requests_options, otlp) } },
	.least = 1, .most = JOINS_MEMBERS, .operands = "a trace is needed",
	.check = requests_check,
};

/* --- the two readings --- */

static int requests_cmd_open(struct trace_input *in, struct reread *file, const char *binary,
			     struct error *err)
{
	int ret = reread_rewind(file, err);

	if (!ret)
		ret = trace_input_open_source(in, &file->source, binary, err);
	return ret ? error_prefix(err, "%s", file->path) : 0;
}

static void requests_cmd_origin(void *ctx, int64_t time, const char *text)
{
	origin_take(ctx, text);
}

/*
 * The first reading: counts the requests, and lists the tasks as candidates for units. The events
 * before the damage of a trace count.
 */
static int requests_cmd_count(struct requests_shown *a, struct spans *s, struct reread *file,
			      struct error *err)
{
	struct trace_input in;
	int ret = requests_cmd_open(&in, file, a->options->binary, err);

	if (ret)
		return ret;
	units_collect(a->units, s);
	units_label(a->units, a->label);
	spans_visit(s, &(struct spans_visitor){ .ctx = &a->origin, .origin = requests_cmd_origin });
	ret = spans_read(s, in.reader, err);
	ret = trace_input_close(&in, file->path, ret, err);
	units_collected(a->units);
	labelled_leave(a->label);
	routes_collected(a->routes);
	outgoing_collected(a->calls);
	return ret;
}

/* --- traces of other processes --- */

struct requests_other {
	struct reread file;
	bool failed;		/* its error was printed */
};

struct requests_others {
	struct requests_other *all;	/* of options.others */
	size_t n;
	struct joins_survey survey;
};

static int requests_cmd_open_files(struct requests_others *o, char **paths, struct error *err)
{
	int ret = 0;

	for (; paths[o->n] && !ret; o->n++) {
		o->all = xrealloc(o->all, o->n + 1, sizeof(*o->all));
		o->all[o->n] = (struct requests_other){ .file = REREAD_CLOSED };
		ret = reread_open_tee(&o->all[o->n].file, paths[o->n], err);
	}
	return ret;
}

static void requests_cmd_close_files(struct requests_others *o)
{
	size_t i;

	for (i = 0; i < o->n; i++)
		reread_close(&o->all[i].file);
	free(o->all);
	joins_survey_free(&o->survey);
}

/* Each trace is read several times, and its error is printed once. */
static void requests_cmd_fail_other(struct requests_shown *a, struct requests_other *other,
				    const struct error *err)
{
	if (!other->failed)
		cmd_fail(err);
	other->failed = a->failed = true;
}

/* Opens those traces that have ends of connections of the first one. */
static void requests_cmd_open_others(struct requests_shown *a, struct requests_others *o,
				     struct joined *joined)
{
	struct error err;
	uint32_t i;

	for (i = 0; i < o->n; i++) {
		if (joins_survey_has(&o->survey, 0, i + 1) &&
		    joined_open(joined, &o->all[i].file, a->options->binary, &err))
			requests_cmd_fail_other(a, &o->all[i], &err);
	}
}

/* Prints the faults of the others. The first reading has printed those of @file. */
static void requests_cmd_survey(struct requests_shown *a, struct requests_others *o,
				struct reread *file)
{
	struct error err;
	uint32_t i;

	if (!o->n)
		return;
	joined_survey(&o->survey, 0, file, a->options->binary, &err);
	for (i = 0; i < o->n; i++)
		if (joined_survey(&o->survey, i + 1, &o->all[i].file, a->options->binary, &err))
			requests_cmd_fail_other(a, &o->all[i], &err);
}

/* Finds the requests of the others that answered the calls of the requests. */
static void requests_cmd_downstream(struct requests_shown *a, struct requests_others *o,
				    struct reread *file)
{
	struct joined joined = {0};
	struct trace_input in;
	struct error err;
	int ret;

	requests_cmd_open_others(a, o, &joined);
	if (joined.n && !requests_cmd_open(&in, file, a->options->binary, &err)) {
		a->downstream = downstream_new(joined.readers, joined.n);
		ret = downstream_read(a->downstream, in.reader, &err);
		trace_input_close(&in, file->path, ret, &err);
	}
	joined_close(&joined, NULL);	/* the survey has printed the faults */
}

/* --- the second reading --- */

/*
 * The second reading: walks the critical paths of requests of each route. The first reading has
 * printed the faults of the trace.
 */
static void requests_cmd_explain(struct requests_shown *a, struct reread *file,
				 struct requests_others *others)
{
	struct joined joined = {0};
	struct oncpu *threads = NULL;
	struct trace_input in;
	struct error err;
	int ret;

	if (!units_choose_routes(a->units))
		return;
	if (requests_cmd_open(&in, file, a->options->binary, &err)) {
		show_printf(stderr, "gotap: %s; the answer leaves out the composition of the "
			    "time\n", err.text);
		return;
	}
	if (thread_file_open(&threads, units_spans(a->units), file->path, &err))
		threads = NULL;
	requests_cmd_open_others(a, others, &joined);
	if (joined.n)
		units_beside(a->units, joined.readers, joined.n);
	ret = units_read(a->units, in.reader, threads, &err);
	joined_close(&joined, NULL);	/* the survey has printed the faults */
	trace_input_close(&in, file->path, ret, &err);
	spans_leave(units_spans(a->units), threads);
	oncpu_free(threads);
}

static void requests_cmd_put(FILE *f, const void *shown)
{
	const struct requests_shown *a = shown;

	(a->options->json ? requests_json : requests_text)(f, a);
}

/* An answer without requests is no success. */
static int requests_cmd_none(const struct requests_shown *a, struct error *err)
{
	if (routes_count(a->routes) || outgoing_count(a->calls) || a->options->or_none)
		return 0;
	if (routes_open(a->routes))
		return error_set(err, -ENOENT, "%s: %llu requests began, and none of them ended "
				 "in the trace: record for longer", a->options->trace,
				 (unsigned long long)routes_open(a->routes));
	if (a->options->label)
		return error_set(err, -ENOENT, "%s has no requests with the label %s: group labels "
				 "must be recorded, too (--events +http,+labels)",
				 a->options->trace, a->options->label);
	return error_set(err, -ENOENT, "%s has no requests: the program served none with net/http "
			 "meanwhile, or it was not recorded with --events +http",
			 a->options->trace);
}

static int requests_cmd_answer(struct requests_shown *a, struct spans *s, struct reread *file,
			       struct requests_others *others)
{
	int status = EXIT_OK;
	struct error err;

	if (requests_cmd_count(a, s, file, &err)) {
		status = cmd_fail(&err);
		if (!spans_last(s))
			return status;
	}
	requests_cmd_survey(a, others, file);
	requests_cmd_explain(a, file, others);
	requests_cmd_downstream(a, others, file);
	if (output_text(a->options->out, requests_cmd_put, a, &err) || requests_cmd_none(a, &err))
		return cmd_fail(&err);
	return a->failed ? EXIT_FAIL : status;
}

int cmd_requests(int argc, char **argv)
{
	struct requests_options o = { .slowest = 3, .otlp = OTLP_CMD_DEFAULT };
	struct requests_shown a = { .options = &o };
	int status = command_line_read(&requests_line, &o, argc, argv);
	struct reread file = REREAD_CLOSED;
	struct requests_others others = {0};
	struct spans *s;
	struct error err;

	if (status)
		return status - 1;
	if (reread_open_tee(&file, o.trace, &err))
		return cmd_fail(&err);
	if (o.otlp.to) {
		status = otlp_export(&o.otlp, &file, o.binary, o.route, o.label);
		reread_close(&file);
		return status;
	}
	if (requests_cmd_open_files(&others, o.others, &err)) {
		requests_cmd_close_files(&others);
		reread_close(&file);
		return cmd_fail(&err);
	}
	s = spans_new();
	a.label = o.label ? labelled_new(s, o.label) : NULL;
	a.routes = routes_new(s, o.slowest, o.route);
	routes_label(a.routes, a.label);
	a.calls = outgoing_new(s);
	outgoing_label(a.calls, a.label);
	a.units = units_new();
	status = requests_cmd_answer(&a, s, &file, &others);
	downstream_free(a.downstream);
	requests_cmd_close_files(&others);
	units_free(a.units);
	outgoing_free(a.calls);
	routes_free(a.routes);
	origin_free(&a.origin);
	labelled_free(a.label);
	spans_free(s);
	reread_close(&file);
	return status;
}
