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
#include "cmd/parse.h"
#include "files/thread_file.h"
#include "files/trace_input.h"
#include "perfetto/perfetto.h"

static const char usage[] =
	"usage: gotap perfetto TRACE -o FILE [OPTION...]\n"
	"\n"
	"Turns a Go execution trace of any release since Go 1.5 into a trace for Perfetto: open it\n"
	"at https://ui.perfetto.dev, or ask trace_processor in SQL (docs/perfetto.md). TRACE and\n"
	"FILE may be - (standard input, output). Of a damaged trace FILE has what can be read, and\n"
	"the status is 1. The states of threads come from TRACE.threads, which gotap record wrote\n"
	"with group linux.\n"
	"\n"
	"  -o, --output FILE     write to FILE\n"
	"  -p, --pid PID         id of the traced process, which a Go trace does not have\n"
	"                        (default: 2147483647, which no process of Linux has)\n"
	"      --name NAME       its name (default: Go program)\n"
	"  -b, --binary PROGRAM  the traced program: names the stacks of traces before Go 1.7,\n"
	"                        which hold addresses only\n"
	"  -h, --help            show this\n";

struct options {
	const char *in, *out, *binary;
	struct perfetto_process process;
};

static void put_state(void *ctx, const struct beside_span *s)
{
	beside_put(ctx, s);
}

/* All states in the file of threads at @path. Its faults were said before. */
static void write_states(struct perfetto *p, const char *path)
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
 * Adds the file of threads after the trace has been read. Reads the file twice: first to check that it belongs to the trace, since
 * only its end shows whether it has records of the threads that had goroutines (oncpu_matches()), and what is written cannot be
 * taken back.
 */
static void add_threads(struct perfetto *p, const char *trace, bool *failed)
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
		write_states(p, path);
}

/* Closes @in. */
static int write_all_of(struct trace_input *in, const struct options *o, struct output *out, bool *failed,
			struct error *err)
{
	struct error late;
	struct raw_sink sink;
	struct perfetto *p;
	int ret;

	sink_open(&sink, out->fd, out->path);
	p = perfetto_new(&sink, &o->process);
	ret = perfetto_read(p, in->reader, err);
	add_threads(p, o->in, failed);
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

static int convert(const struct options *o, bool *failed, struct error *err)
{
	struct raw_source source;
	struct trace_input input;
	struct output out;
	int ret = legacy_program(o->binary, err);

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

enum { GO_ON = -1, OPT_NAME = 256 };

static int set_option(struct options *o, int opt)
{
	unsigned long pid;

	switch (opt) {
	case 'o':
		o->out = optarg;
		return GO_ON;
	case 'b':
		o->binary = optarg;
		return GO_ON;
	case OPT_NAME:
		o->process.name = optarg;
		return GO_ON;
	case 'p':
		if (!parse_number(optarg, 1, INT32_MAX, &pid))
			return cmd_usage("perfetto", "--pid needs a process id, not '%s'", optarg);
		o->process.pid = (uint32_t)pid;
		return GO_ON;
	default:
		fputs(usage, stdout);
		return EXIT_OK;
	}
}

/* GO_ON, or the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "pid", required_argument, NULL, 'p' },
		{ "name", required_argument, NULL, OPT_NAME },
		{ "binary", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int opt, status;

	while ((opt = getopt_long(argc, argv, ":o:p:b:h", options, NULL)) != -1) {
		status = opt == '?' || opt == ':' ? cmd_bad_option("perfetto", opt, argv) : set_option(o, opt);
		if (status != GO_ON)
			return status;
	}
	if (optind + 1 != argc)
		return cmd_usage("perfetto", "one TRACE is needed");
	if (!o->out)
		return cmd_usage("perfetto", "-o FILE is needed");
	o->in = argv[optind];
	return GO_ON;
}

int cmd_perfetto(int argc, char **argv)
{
	struct options o = { .process = { PERFETTO_NO_PID, "Go program" } };
	struct error err;
	bool failed = false;
	int status = parse_options(argc, argv, &o);

	if (status == GO_ON)
		status = convert(&o, &failed, &err) ? cmd_fail(&err) : failed ? EXIT_FAIL : EXIT_OK;
	return status;
}
