// SPDX-License-Identifier: Apache-2.0
/* gotap perfetto: a Go trace of any release as a Perfetto trace. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "files/beside.h"
#include "files/leftover.h"
#include "files/legacy.h"
#include "files/output.h"
#include "cmd/joined.h"
#include "cmd/options.h"
#include "cmd/parse.h"
#include "files/thread_file.h"
#include "files/trace_input.h"
#include "perfetto/perfetto.h"

struct options {
	const char *in, *out, *binary;
	char **traces;		/* all, until a NULL; in is the first one */
	struct perfetto_process process;
	bool has_name;
};

static void put_state(void *ctx, const struct beside_span *s)
{
	beside_put(ctx, s);
}

/* All states in the file of threads at @path. Its faults were said before. */
static void perfetto_cmd_write_states(struct perfetto *p, const char *path)
{
	struct capture_info *info = xcalloc(1, sizeof(*info));
	struct threads_reader *r;
	struct beside_feed *feed;
	struct error err;

	if (!threads_reader_open(&r, path, info, &err)) {
		feed = beside_feed_new(threads_reader_threads(r), put_state, p);
		while (threads_reader_next(r, &err) > 0)
			;
		beside_feed_free(feed);
		threads_reader_close(r);
	}
	free(info);
}

/*
 * Adds the file of threads after the trace has been read. Reads the file twice: first to check
 * that it belongs to the trace, since only its end shows whether it has records of the threads
 * that had goroutines (oncpu_matches()), and what is written cannot be taken back.
 */
static void perfetto_cmd_add_threads(struct perfetto *p, const char *trace, bool *failed)
{
	_cleanup_free_ char *path = threads_file_name(trace);
	struct oncpu *o;
	struct error err;
	bool is_its;

	if (thread_file_open(&o, perfetto_spans(p), trace, &err)) {
		cmd_fail(&err);
		*failed = true;
		return;
	}
	is_its = thread_file_check(o, perfetto_spans(p), trace, failed);
	spans_leave(perfetto_spans(p), o);
	oncpu_free(o);
	if (is_its && perfetto_began(p))
		perfetto_cmd_write_states(p, path);
}

/* Closes @in. */
static int write_all_of(struct trace_input *in, const struct options *o, struct output *out,
			bool *failed, struct error *err)
{
	struct error late;
	struct raw_sink sink;
	struct perfetto *p;
	int ret;

	sink_open(&sink, out->fd, out->path);
	p = perfetto_new(&sink, &o->process);
	ret = perfetto_read(p, in->reader, err);
	perfetto_cmd_add_threads(p, o->in, failed);
	ret = trace_input_close(in, o->in, ret, err);
	perfetto_free(p);
	if (sink_close(&sink, &late)) {
		*err = late;
		output_close(out, false, &late);
		return err->code;
	}
	if (output_close(out, true, &late) && !ret) {
		*err = late;
		ret = late.code;
	}
	return ret;
}

/* --- several traces --- */

/* A trace among several: its process, and its writer. */
struct one_of {
	struct reread file;
	struct origin origin;
	struct perfetto_process process;
	struct perfetto *p;
};

static struct perfetto_process perfetto_cmd_process(const struct one_of *t, unsigned int number)
{
	const char *pid = t->origin.facts[ORIGIN_PID], *name = t->origin.facts[ORIGIN_PROGRAM];
	const char *slash = name ? strrchr(name, '/') : NULL;
	unsigned long n;

	return (struct perfetto_process){
		.pid = pid && parse_number(pid, 1, INT32_MAX, &n) ? (uint32_t)n :
								    PERFETTO_NO_PID - number,
		.name = slash ? slash + 1 : name ? name : "Go program",
		.number = number,
	};
}

/* Opens all, with a reader of each in @readers: a file that is no trace is found here. */
static int perfetto_cmd_open_all(struct one_of *all, size_t n, const struct options *o,
				 struct joined *readers, struct error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		ret = reread_open(&all[i].file, o->traces[i], true, err);
		if (ret)
			break;
		joined_origin(&all[i].origin, &all[i].file, o->binary);
		all[i].process = perfetto_cmd_process(&all[i], (unsigned int)i);
		ret = joined_open(readers, &all[i].file, o->binary, err);
	}
	return ret;
}

/* Reads all side by side, and prints their faults. Closes @joined. */
static void perfetto_cmd_read_all(struct one_of *all, size_t n, const struct options *o,
				  struct joined *joined, struct raw_sink *sink, bool *failed)
{
	struct perfetto *others[PERFETTO_PROCESSES];
	struct error *faults = xcalloc(n, sizeof(*faults));
	size_t i;

	all[0].p = perfetto_new(sink, &all[0].process);
	for (i = 1; i < n; i++)
		others[i - 1] = all[i].p = perfetto_new_beside(all[0].p, &all[i].process);
	perfetto_read_all(all[0].p, joined->readers[0], others, joined->readers + 1, faults + 1,
			  n - 1, &faults[0]);
	*failed |= joined_close_with(joined, faults);
	free(faults);
	for (i = 0; i < n; i++)
		perfetto_cmd_add_threads(all[i].p, o->traces[i], failed);
}

static void perfetto_cmd_close_all(struct one_of *all, size_t n)
{
	size_t i;

	for (i = n; i--; ) {
		perfetto_free(all[i].p);
		origin_free(&all[i].origin);
		reread_close(&all[i].file);
	}
	free(all);
}

static int perfetto_cmd_join(const struct options *o, size_t n, bool *failed, struct error *err)
{
	struct one_of *all = xcalloc(n, sizeof(*all));
	struct joined joined = {0};
	struct raw_sink sink;
	struct output out;
	struct error late;
	size_t i;
	int ret;

	for (i = 0; i < n; i++)
		all[i].file = (struct reread)REREAD_CLOSED;
	ret = perfetto_cmd_open_all(all, n, o, &joined, err);
	if (!ret)
		ret = output_start(&out, o->out, OUTPUT_BINARY, err);
	if (ret) {
		joined_close(&joined, NULL);
		perfetto_cmd_close_all(all, n);
		return ret;
	}
	sink_open(&sink, out.fd, out.path);
	perfetto_cmd_read_all(all, n, o, &joined, &sink, failed);
	perfetto_cmd_close_all(all, n);
	if (sink_close(&sink, err)) {
		output_close(&out, false, &late);
		return err->code;
	}
	return output_close(&out, true, err);
}

static int perfetto_cmd_convert(const struct options *o, bool *failed, struct error *err)
{
	struct raw_source source;
	struct trace_input input;
	struct output out;
	int ret = legacy_program(o->binary, err);
	size_t n = 0;

	while (o->traces[n])
		n++;
	if (!ret && n > 1)
		return perfetto_cmd_join(o, n, failed, err);
	if (!ret)
		ret = leftover_source_open(&source, o->in, err);
	if (ret)
		return ret;
	if (trace_input_open_source(&input, &source, o->binary, err))
		return error_prefix(err, "%s", o->in);
	ret = output_start(&out, o->out, OUTPUT_BINARY, err);
	if (!ret)
		return write_all_of(&input, o, &out, failed, err);
	trace_reader_close(input.reader);
	return ret;
}

static const char *perfetto_cmd_take_pid(void *field, const char *arg)
{
	unsigned long pid;

	if (!parse_number(arg, 1, INT32_MAX, &pid))
		return option_wrong("needs a process id, not '%s'", arg);
	*(uint32_t *)field = (uint32_t)pid;
	return NULL;
}

static const struct option_row perfetto_rows[] = {
	OPTION('o', "output", "FILE", OPTION_TEXT, offsetof(struct options, out), "write to FILE"),
	OPTION('p', "pid", "PID", OPTION_TAKE, offsetof(struct options, process.pid),
	  "id of the traced process, which a Go trace does "
	  "not have (default: 2147483647, which no process of "
	  "Linux has)", .take = perfetto_cmd_take_pid),
	OPTION(0, "name", "NAME", OPTION_TEXT, offsetof(struct options, process.name),
	  "its name (default: Go program)"),
	OPTION_BINARY(offsetof(struct options, binary)),
	{0},
};

static void perfetto_given(void *options, const struct option_row *row, const char *arg)
{
	struct options *o = options;

	o->has_name |= !strcmp(row->name, "name");
}

static const char *perfetto_check(void *options, char **operands)
{
	struct options *o = options;

	o->in = operands[0];
	o->traces = operands;
	if (operands[1] && (o->process.pid != PERFETTO_NO_PID || o->has_name))
		return "--pid and --name are for one trace";
	return o->out ? NULL : "-o FILE is needed";
}

static const struct command_line perfetto_line = {
	.name = "perfetto",
	.usage = "gotap perfetto TRACE [TRACE...] -o FILE [OPTION...]",
	.about =
		"Turns a Go execution trace of any release since Go 1.5 into a trace for\n"
		"Perfetto: open it at https://ui.perfetto.dev, or ask trace_processor in SQL\n"
		"(docs/perfetto.md). TRACE and FILE may be - (standard input, output). Of a\n"
		"damaged trace FILE has what can be read, and the status is 1. The states of\n"
		"threads come from TRACE.threads, which gotap record wrote with group linux.\n"
		"\n"
		"Several traces, of processes that were recorded at the same time, become one,\n"
		"with arrows for the calls between them (docs/joins.md).\n",
	.tables = { { perfetto_rows, 0 } },
	.least = 1, .most = PERFETTO_PROCESSES, .operands = "a TRACE is needed",
	.check = perfetto_check, .given = perfetto_given,
};

int cmd_perfetto(int argc, char **argv)
{
	struct options o = { .process = { PERFETTO_NO_PID, "Go program", 0 } };
	struct error err;
	bool failed = false;
	int status = command_line_read(&perfetto_line, &o, argc, argv);

	if (status)
		return status - 1;
	return perfetto_cmd_convert(&o, &failed, &err) ? cmd_fail(&err) :
	       failed                                  ? EXIT_FAIL :
							 EXIT_OK;
}
