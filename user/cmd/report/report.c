// SPDX-License-Identifier: Apache-2.0
/* gotap report: what traces say about a program: findings, then tables. See report.h. */
#include "cmd/report/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "files/leftover.h"
#include "files/legacy.h"
#include "cmd/options.h"
#include "cmd/report/parts.h"
#include "files/reread.h"
#include "files/thread_file.h"
#include "files/trace_input.h"

/* --- reading --- */

static int by_cost(const void *a, const void *b)
{
	const struct trace_finding *x = a, *y = b;

	if (x->finding->first != y->finding->first)
		return x->finding->first ? -1 : 1;
	return x->share > y->share ? -1 : x->share < y->share;
}

/* Shares of each trace become shares of all. */
static void rank(struct trace_report *r)
{
	size_t i, k;

	for (i = 0; i < r->of_traces.len; i++)
		r->lost += findings_lost(*vec_at(&r->of_traces, struct findings *, i));
	for (i = 0; i < r->of_traces.len; i++) {
		const struct findings *f = *vec_at(&r->of_traces, struct findings *, i);
		const struct vec *list =
			findings_finish(*vec_at(&r->of_traces, struct findings *, i));
		double part = r->lost > 0 ? findings_lost(f) / r->lost : 1;

		for (k = 0; k < list->len; k++) {
			const struct finding *finding = vec_at(list, struct finding, k);

			*(struct trace_finding *)vec_push(&r->findings,
							  sizeof(struct trace_finding)) =
				(struct trace_finding){ finding, (uint32_t)i, k + 1,
							finding->share * part };
		}
	}
	if (r->of_traces.len > 1)
		vec_sort(&r->findings, sizeof(struct trace_finding), by_cost);
}

/*
 * Opens the file of threads beside the trace, if there is one. After an error the trace is read
 * without it; *@failed is set.
 */
static struct trace_threads *open_threads(struct trace_report *r, const char *path, bool *failed)
{
	struct trace_threads *t = vec_push(&r->threads, sizeof(*t));
	struct error err;

	if (thread_file_open(&t->oncpu, r->spans, path, &err)) {
		cmd_fail(&err);
		*failed = true;
	}
	if (t->oncpu)
		t->sums = thread_sums_new(oncpu_threads(t->oncpu));
	tables_threads(r->tables, t->oncpu);
	if (r->html)
		html_threads(r->html, t->oncpu);
	return t;
}

static void free_threads(struct trace_threads *t)
{
	oncpu_free(t->oncpu);
	thread_sums_free(t->sums);
	*t = (struct trace_threads){0};
}

/*
 * The rows add several traces up: parts of one trace cannot be taken out again, so those of all
 * are.
 */
static void forget_rows(struct trace_report *r)
{
	tables_forget_threads(r->tables);
	if (r->several)
		fputs("gotap: rows of functions, regions and tasks add "
		      "up all traces: none of them has states of threads "
		      "then\n", stderr);
}

/* All was read: does the file belong to the trace? */
static bool check_threads(struct trace_report *r, struct trace_threads *t, const char *path,
			  bool *failed)
{
	bool good;

	if (!t->oncpu)
		return false;
	good = thread_file_check(t->oncpu, r->spans, path, failed);
	spans_leave(r->spans, t->oncpu);
	if (!good) {
		if (r->tables->oncpu)
			forget_rows(r);
		if (r->html)
			html_forget_threads(r->html);
		free_threads(t);
	}
	return good;
}

static int report_open_trace(struct trace_input *in, struct reread *file, const char *binary,
			     struct error *err)
{
	int ret = reread_rewind(file, err);

	if (ret)
		return ret;
	ret = trace_input_open_source(in, &file->source, binary, err);
	return ret ? error_prefix(err, "%s", file->path) : 0;
}

/*
 * The second reading, which explains the units of work. The first one has already shown errors of
 * the trace and of its file of threads.
 */
static void report_read_units(struct units *u, struct reread *file, const char *binary,
			      bool threads)
{
	struct oncpu *o = NULL;
	struct trace_input in;
	struct error err;
	int ret;

	if (report_open_trace(&in, file, binary, &err)) {
		show_printf(stderr, "gotap: %s; the report leaves out the composition of the units "
			    "of work\n", err.text);
		return;
	}
	if (threads && thread_file_open(&o, units_spans(u), file->path, &err))
		o = NULL;
	ret = units_read(u, in.reader, o, &err);
	trace_input_close(&in, file->path, ret, &err);
	spans_leave(units_spans(u), o);
	oncpu_free(o);
}

static int report_units(struct units *u, struct reread *file, const struct trace_report_options *o,
			bool threads, struct error *err)
{
	if (!units_choose(u, o->unit))
		return o->unit ? error_set(err, -ENOENT, "%s: --unit %s: no goroutine began with "
					   "that function, and no task, region or request has that "
					   "name", file->path, o->unit) : 0;
	report_read_units(u, file, o->binary, threads);
	return 0;
}

/* What has the labels alone: all that adds up the program, or explains it, is left out. */
static int report_read_labelled(struct trace_report *r, struct reread *file, const char *binary,
				bool *failed, struct error *err)
{
	struct routes *routes;
	struct trace_input in;
	int ret = report_open_trace(&in, file, binary, err);

	if (ret)
		return ret;
	tables_trace(r->tables, file->path);
	routes = report_requests_new(r->spans, false);
	routes_label(routes, r->only);
	*(struct routes **)vec_push(&r->routes, sizeof(routes)) = routes;
	ret = spans_read(r->spans, in.reader, err);
	if (trace_input_close(&in, file->path, ret, err)) {
		cmd_fail(err);
		*failed = true;
	}
	routes_collected(routes);
	return 0;
}

static int trace_report_read_file(struct trace_report *r, struct reread *file,
				  const struct trace_report_options *o, bool *failed,
				  struct error *err)
{
	const char *path = file->path;
	struct trace_threads *threads;
	struct units *units = units_new();
	struct findings *f;
	struct routes *routes;
	struct trace_input in;
	int ret = report_open_trace(&in, file, o->binary, err);

	*(struct units **)vec_push(&r->units, sizeof(units)) = units;
	if (ret)
		return ret;
	tables_trace(r->tables, path);
	threads = open_threads(r, path, failed);
	f = findings_new(r->spans);
	if (threads->oncpu)
		findings_threads(f, threads->oncpu, threads->sums);
	*(struct findings **)vec_push(&r->of_traces, sizeof(f)) = f;
	routes = report_requests_new(r->spans, o->html);
	*(struct routes **)vec_push(&r->routes, sizeof(routes)) = routes;
	units_collect(units, r->spans);
	report_snapshot(path, units, f);
	if (o->html)
		units_walk(units);
	r->version = trace_reader_version(in.reader);
	ret = spans_read(r->spans, in.reader, err);
	if (trace_input_close(&in, path, ret, err)) {
		cmd_fail(err);
		r->fault = *err;
		*failed = true;
	}
	units_collected(units);
	routes_collected(routes);
	if (!check_threads(r, threads, path, failed))
		findings_forget_threads(f);
	tables_threads(r->tables, NULL);
	findings_finish(f);
	spans_leave(r->spans, f);
	ret = report_units(units, file, o, threads->oncpu != NULL, err);
	units_explain(units, findings_finish(f));
	return ret;
}

static int trace_report_read_one(struct trace_report *r, const char *path,
				 const struct trace_report_options *o, bool *failed,
				 struct error *err)
{
	struct reread file;
	int ret = legacy_program(o->binary, err);

	if (!ret)
		ret = reread_open_tee(&file, path, err);
	if (ret)
		return ret;
	ret = r->only ? report_read_labelled(r, &file, o->binary, failed, err) :
			trace_report_read_file(r, &file, o, failed, err);
	reread_close(&file);
	return ret;
}

/* Is nothing in the tables? */
static bool report_lacks_labels(const struct trace_report *r)
{
	return r->only && !r->tables->functions.len && !report_has_requests(r);
}

static int report_no_labels(const struct trace_report *r, const char *path, struct error *err)
{
	return error_set(err, -ENOENT, "%s: no goroutine has the label%s %s%s: group labels must "
			 "be recorded (--events +labels)", path, r->labels->n == 1 ? "" : "s",
			 r->labels->label[0], r->labels->n == 1 ? "" : " and the others");
}

int trace_report_read(struct trace_report *r, char *const *paths, size_t n,
		      const struct trace_report_options *o, bool *failed, struct error *err)
{
	struct tables_options tables = o->tables;
	size_t i;
	int ret = 0;

	*r = (struct trace_report){ .spans = spans_new(), .several = n > 1 };
	r->labels = &o->labels;
	r->only = o->labels.n ? labelled_new_all(r->spans, &o->labels) : NULL;
	tables.only = r->only;
	r->tables = tables_new(r->spans, &tables);
	r->html = o->html ? html_new(r->spans) : NULL;
	r->allocators = r->only ? NULL : allocators_new(r->spans);
	for (i = 0; i < n && !ret; i++)
		ret = trace_report_read_one(r, paths[i], o, failed, err);
	if (!ret && report_lacks_labels(r) && !*failed)
		ret = report_no_labels(r, paths[0], err);
	if (!ret)
		rank(r);
	return ret;
}

void trace_report_free(struct trace_report *r)
{
	size_t i;

	for (i = 0; i < r->of_traces.len; i++)
		findings_free(*vec_at(&r->of_traces, struct findings *, i));
	for (i = 0; i < r->units.len; i++)
		units_free(*vec_at(&r->units, struct units *, i));
	for (i = 0; i < r->routes.len; i++)
		routes_free(*vec_at(&r->routes, struct routes *, i));
	for (i = 0; i < r->threads.len; i++)
		free_threads(vec_at(&r->threads, struct trace_threads, i));
	vec_free(&r->threads);
	vec_free(&r->of_traces);
	vec_free(&r->units);
	vec_free(&r->routes);
	vec_free(&r->findings);
	tables_delete(r->tables);
	allocators_free(r->allocators);
	html_free(r->html);
	labelled_free(r->only);
	spans_free(r->spans);
}

/* --- the command --- */

struct options {
	const char *out;	/* NULL: not given, standard output */
	const char *html;	/* NULL: no page */
	bool json;
	struct trace_report_options report;
};

static const struct option_row report_rows[] = {
	OPTION_OUTPUT(offsetof(struct options, out)),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct options, json),
	  "one JSON object on one line"),
	OPTION(0, "unit", "NAME", OPTION_TEXT, offsetof(struct options, report.unit),
	  "the unit of work: that function, task or region, or the handler of a request"),
	OPTION(0, "html", "FILE", OPTION_TEXT, offsetof(struct options, html),
	  "a page for browsers, with a timeline; of one trace (docs/html.md)"),
	OPTION(0, "by-label", "KEY", OPTION_TEXT, offsetof(struct options, report.tables.label),
	  "time by the values of that profiler label, not by function"),
	OPTION(0, "label", "KEY=VALUE", OPTION_TAKE, offsetof(struct options, report.labels),
	  "what has this profiler label alone; * and ? in VALUE are as in a shell; several: all\n"
	  "of them", .take = option_add_label),
	OPTION(0, "top", "N", OPTION_NUMBER, offsetof(struct options, report.tables.top),
	  "how many rows and longest moments to show (default 10)",
	  .min = 1, .max = TABLES_TOP_MAX),
	OPTION_BINARY(offsetof(struct options, report.binary)),
	{0},
};

static const char *report_check(void *options, char **operands)
{
	struct options *o = options;

	if (o->html && operands[1])
		return "--html takes one trace: the timeline of a page is that of one program";
	if (o->report.labels.n && (o->html || o->report.unit || o->report.tables.label))
		return option_wrong("--label and %s do not go together: %s",
				    o->html ? "--html" : o->report.unit ? "--unit" : "--by-label",
				    o->html ? "a page shows the whole program" :
				    o->report.unit ? "a unit of work is of the whole program" :
						     "choose one");
	if (!o->out && (o->json || !o->html))
		o->out = "-";
	if (o->html && o->out && !strcmp(o->html, "-") && !strcmp(o->out, "-"))
		return "--html - and another output cannot both go to standard output";
	o->report.html = o->html != NULL;
	return NULL;
}

static const struct command_line report_line = {
	.name = "report",
	.usage = "gotap report TRACE... [OPTION...]",
	.about =
		"Says what slows a program down, from its execution trace: first the unit of work\n"
		"and the composition of its time; findings, the most costly first, each with a\n"
		"place in the code; the requests that it served, by route; then where goroutines\n"
		"spent their time, by the function that they began with; the wait for a P; Ps,\n"
		"goroutines and heap over time; the GC; regions and tasks; the longest of\n"
		"everything; and what was not recorded. For traces of all releases of Go. TRACE\n"
		"may be - (standard input); several traces are added up. docs/report.md explains\n"
		"it.\n",
	.tables = { { report_rows, 0 } },
	.least = 1, .most = -1, .operands = "at least one trace is needed",
	.check = report_check,
};

static void trace_report_put_text(FILE *f, const void *report)
{
	trace_report_print(report, f);
}

static void trace_report_put_json(FILE *f, const void *report)
{
	trace_report_json(report, f);
}

struct report_outputs {
	struct output text, page;	/* closed: not wanted */
};

static int report_open_one(struct output *out, const char *path, struct error *err)
{
	int ret = path ? output_open(out, path, OUTPUT_TEXT, err) : 0;

	if (!ret && out->leftover)
		leftover_tell(out->leftover);
	return ret;
}

/*
 * Both before the traces are read: what cannot be written is said at once, and nothing that is
 * read is overwritten.
 */
static int report_open(struct report_outputs *out, const struct options *o, struct error *err)
{
	int ret = report_open_one(&out->text, o->out, err);

	return ret ? ret : report_open_one(&out->page, o->html, err);
}

static int report_write(struct report_outputs *out, const struct trace_report *r, bool json,
			struct error *err)
{
	int ret = 0;

	if (out->text.fd >= 0)
		ret = output_begin(&out->text, err);
	if (!ret && out->text.fd >= 0)
		ret = output_put(&out->text, json ? trace_report_put_json : trace_report_put_text,
				 r, err);
	if (!ret && out->page.fd >= 0)
		ret = trace_report_html(r, &out->page, err);
	return ret;
}

static int trace_report_report(const struct options *o, char *const *paths, size_t n)
{
	struct report_outputs out = { OUTPUT_CLOSED, OUTPUT_CLOSED };
	struct trace_report r = {0};
	struct error err;
	bool failed = false;
	int ret = report_open(&out, o, &err);

	if (!ret)
		ret = trace_report_read(&r, paths, n, &o->report, &failed, &err);
	if (!ret)
		ret = report_write(&out, &r, o->json, &err);
	ret = output_end(&out.page, output_end(&out.text, ret, &err), &err);
	trace_report_free(&r);
	if (ret)
		return cmd_fail(&err);
	return failed ? EXIT_FAIL : EXIT_OK;
}

int trace_report_show(const char *path, FILE *f, struct error *err)
{
	struct trace_report_options o = {0};
	struct trace_report r;
	bool failed = false;
	char *name = xstrdup(path);
	int ret = trace_report_read(&r, &name, 1, &o, &failed, err);

	if (!ret)
		trace_report_print(&r, f);
	trace_report_free(&r);
	free(name);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct options o = {0};
	int status = command_line_read(&report_line, &o, argc, argv);

	return status ? status - 1 :
			trace_report_report(&o, argv + optind, (size_t)(argc - optind));
}
