// SPDX-License-Identifier: Apache-2.0
/* gotap requests: the requests that a program served, by route. */
#include "cmd/requests/requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "files/leftover.h"
#include "files/reread.h"
#include "files/thread_file.h"
#include "files/trace_input.h"

static const struct option_row requests_rows[] = {
	OPTION(0, "slowest", "N", OPTION_NUMBER, offsetof(struct requests_options, slowest),
	  "list the N slowest requests (default 3)", .max = ROUTES_SLOWEST),
	OPTION(0, "route", "NAME", OPTION_TEXT, offsetof(struct requests_options, route),
	  "list those of this route alone: 'GET /cart', or /cart with any method"),
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
	if (o->otlp.to && (o->json || o->out))
		return "--otlp writes the spans: it excludes -o and --json";
	if (!o->out)
		o->out = "-";
	return otlp_check(&o->otlp);
}

static const struct command_line requests_line = {
	.name = "requests",
	.usage = "gotap requests [OPTION...] TRACE",
	.about =
		"The requests that a program served, by route: how many, how many failed, their\n"
		"durations, and the composition of their time. TRACE is a trace of\n"
		"`gotap record --events +http`, or - (standard input). See docs/requests.md.\n",
	.tables = { { requests_rows, 0 }, { otlp_rows, offsetof(struct requests_options, otlp) } },
	.least = 1, .most = 1, .operands = "a trace is needed",
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
	spans_visit(s, &(struct spans_visitor){ .ctx = &a->origin, .origin = requests_cmd_origin });
	ret = spans_read(s, in.reader, err);
	ret = trace_input_close(&in, file->path, ret, err);
	units_collected(a->units);
	routes_collected(a->routes);
	outgoing_collected(a->calls);
	return ret;
}

/*
 * The second reading: walks the critical paths of requests of each route. The first reading has
 * printed the faults of the trace.
 */
static void requests_cmd_explain(struct requests_shown *a, struct reread *file)
{
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
	ret = units_read(a->units, in.reader, threads, &err);
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
	return error_set(err, -ENOENT, "%s has no requests: the program served none with net/http "
			 "meanwhile, or it was not recorded with --events +http",
			 a->options->trace);
}

static int requests_cmd_answer(struct requests_shown *a, struct spans *s, struct reread *file)
{
	int status = EXIT_OK;
	struct error err;

	if (requests_cmd_count(a, s, file, &err)) {
		status = cmd_fail(&err);
		if (!spans_last(s))
			return status;
	}
	requests_cmd_explain(a, file);
	if (output_text(a->options->out, requests_cmd_put, a, &err) || requests_cmd_none(a, &err))
		return cmd_fail(&err);
	return status;
}

int cmd_requests(int argc, char **argv)
{
	struct requests_options o = { .slowest = 3, .otlp = OTLP_CMD_DEFAULT };
	struct requests_shown a = { .options = &o };
	int status = command_line_read(&requests_line, &o, argc, argv);
	struct reread file = REREAD_CLOSED;
	struct spans *s;
	struct error err;

	if (status)
		return status - 1;
	if (reread_open_tee(&file, o.trace, &err))
		return cmd_fail(&err);
	if (o.otlp.to) {
		status = otlp_export(&o.otlp, &file, o.binary, o.route);
		reread_close(&file);
		return status;
	}
	s = spans_new();
	a.routes = routes_new(s, o.slowest, o.route);
	a.calls = outgoing_new(s);
	a.units = units_new();
	status = requests_cmd_answer(&a, s, &file);
	units_free(a.units);
	outgoing_free(a.calls);
	routes_free(a.routes);
	origin_free(&a.origin);
	spans_free(s);
	reread_close(&file);
	return status;
}
