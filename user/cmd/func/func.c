// SPDX-License-Identifier: Apache-2.0
/* gotap func: how long the calls of a function took, and why the slow ones were slow. */
#include "cmd/func/func.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"
#include "cmd/cmd.h"
#include "files/leftover.h"
#include "files/reread.h"
#include "files/thread_file.h"
#include "files/trace_input.h"
#include "read/notes.h"

#define FIELD(name) offsetof(struct func_options, name)

static const struct option_row func_rows[] = {
	OPTION('d', "duration", "TIME", OPTION_DURATION, FIELD(record.seconds),
	  "stop after TIME (5s, 500ms, 2m); default: until Ctrl-C or the program ends"),
	OPTION('o', "output", "FILE", OPTION_TEXT, FIELD(output),
	  "keep the trace of the recording, for `gotap why` and other commands"),
	OPTION(0, "slowest", "N", OPTION_NUMBER, FIELD(slowest),
	  "list the N slowest calls (default 3)", .max = CALLS_SLOWEST),
	OPTION(0, "json", NULL, OPTION_FLAG, FIELD(json),
	  "one JSON object on one line, at the end"),
	{0},
};

/* `gotap func -p PID FUNC` or `gotap func TRACE FUNC`. NULL, or what is wrong. */
static const char *func_check(void *options, char **operands)
{
	struct func_options *o = options;
	bool records = o->record.pick.pid || o->record.pick.container, two = operands[1];
	const char *wrong;

	if (records == two)
		return records ? "give -p PID and a function, or a trace and a function" :
				 "give a function and -p PID, or a trace and a function";
	o->function = operands[two];
	if (two)
		o->trace = operands[0];
	if (two && (o->output || o->record.seconds > 0))
		return "-d and -o are for a recording: with -p PID";
	wrong = two ? NULL : region_pattern_wrong(o->function);
	return wrong ? option_wrong("the function: FUNC %s", wrong) : NULL;
}

static const struct command_line func_line = {
	.name = "func",
	.usage = "gotap func [OPTION...] -p PID | --container NAME FUNC\n"
		 "       gotap func [OPTION...] TRACE FUNC",
	.about =
		"Prints how often a function of a running Go program was called, how long its\n"
		"calls took, and, by the critical path of the slowest ones, why they were slow.\n"
		"FUNC is a name as in stacks, 'main.(*Cart).Total'; * and ? match several. TRACE\n"
		"is a trace of `gotap record --region FUNC`. During the recording each call costs\n"
		"the program some 13 us more on amd64. See docs/func.md.\n",
	.tables = { { pick_rows, FIELD(record.pick) }, { func_rows, 0 },
		    { record_probe_rows, FIELD(record) } },
	.after =
		"On a terminal the numbers so far are shown twice a second. The first SIGINT or\n"
		"SIGTERM ends the recording, and the answer is printed. Exit status: 0; 1 when\n"
		"the recording failed, or there was no call; 2 for wrong usage.\n",
	.least = 1, .most = 2, .operands = "give a function and -p PID, or a trace and a function",
	.check = func_check,
};

/* --- the two readings --- */

static int func_open(struct trace_input *in, struct reread *file, struct error *err)
{
	int ret = reread_rewind(file, err);

	if (!ret)
		ret = trace_input_open_source(in, &file->source, NULL, err);
	return ret ? error_prefix(err, "%s", file->path) : 0;
}

static void func_origin(void *ctx, int64_t time, const char *text)
{
	origin_take(ctx, text);
}

/* The last note that a function has lost its probes (capture/region_budget.h). */
static void func_note(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		      const char *message)
{
	struct func_shown *a = ctx;

	if (strcmp(category, NOTES_CATEGORY) || strncmp(message, "region ", strlen("region ")))
		return;
	snprintf(a->gone, sizeof(a->gone), "%s", message);
	a->ngone++;
}

/* The first reading: the calls, and the candidates for units. */
static int func_count(struct func_shown *a, struct spans *s, struct reread *file, struct error *err)
{
	struct trace_input in;
	int ret = func_open(&in, file, err);

	if (ret)
		return ret;
	units_collect(a->units, s);
	spans_visit(s, &(struct spans_visitor){ .ctx = &a->origin, .origin = func_origin });
	spans_visit(s, &(struct spans_visitor){ .ctx = a, .log = func_note });
	ret = spans_read(s, in.reader, err);
	ret = trace_input_close(&in, file->path, ret, err);
	units_collected(a->units);
	called_collected(a->calls);
	return ret;
}

/*
 * The second reading: the critical paths of calls of the function with the most time. The first
 * one has printed the faults of the trace.
 */
static void func_explain(struct func_shown *a, struct reread *file)
{
	struct oncpu *threads = NULL;
	struct trace_input in;
	struct error err;
	int ret;

	if (!called_count(a->calls) || !units_choose(a->units, called_at(a->calls, 0)->name))
		return;
	if (func_open(&in, file, &err)) {
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

/* An answer without a call is no success. */
static int func_none(const struct func_shown *a, struct error *err)
{
	uint64_t n = 0, open = 0;
	size_t i;

	for (i = 0; i < called_count(a->calls); i++) {
		n += called_at(a->calls, i)->dist.count + called_at(a->calls, i)->left;
		open += called_at(a->calls, i)->open;
	}
	if (n)
		return 0;
	if (open)
		return error_set(err, -ENOENT, "%llu calls of '%s' began, and none of them ended "
				 "meanwhile: record for longer", (unsigned long long)open,
				 a->options->function);
	if (a->options->trace)
		return error_set(err, -ENOENT, "%s has no call of '%s': was it recorded with "
				 "--region?", a->options->trace, a->options->function);
	return error_set(err, -ENOENT, "'%s' was not called meanwhile", a->options->function);
}

static void func_put(FILE *f, const void *shown)
{
	const struct func_shown *a = shown;

	(a->options->json ? func_json : func_text)(f, a);
}

static int func_answer(struct func_shown *a, struct spans *s, struct reread *file)
{
	int status = EXIT_OK;
	struct error err;

	if (func_count(a, s, file, &err)) {
		status = cmd_fail(&err);
		if (!spans_last(s))
			return status;
	}
	func_explain(a, file);
	if (output_text("-", func_put, a, &err) || func_none(a, &err))
		return cmd_fail(&err);
	return status;
}

/* Reads the trace at @path and prints the answer. */
static int func_read(const struct func_options *o, const char *path)
{
	struct func_shown a = { .options = o, .trace = o->trace ? o->trace : o->output };
	struct reread file = REREAD_CLOSED;
	struct error err;
	struct spans *s;
	int status;

	if (reread_open_tee(&file, path, &err))
		return cmd_fail(&err);
	s = spans_new();
	a.calls = called_new(s, o->function, o->slowest);
	a.units = units_new();
	status = func_answer(&a, s, &file);
	units_free(a.units);
	called_free(a.calls);
	origin_free(&a.origin);
	spans_free(s);
	reread_close(&file);
	return status;
}

int cmd_func(int argc, char **argv)
{
	static struct func_options o;	/* of one command; large for a stack */
	char path[64];
	int fd = -1, status;

	o = (struct func_options){ .slowest = 3, .record = RECORD_OPTIONS_DEFAULT };
	status = command_line_read(&func_line, &o, argc, argv);
	if (status)
		return status - 1;
	if (o.trace)
		return func_read(&o, o.trace);
	status = func_record(&o, &fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!status)
		status = func_read(&o, o.output ? o.output : path);
	if (fd >= 0)
		close(fd);
	return status;
}
