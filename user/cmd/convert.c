// SPDX-License-Identifier: Apache-2.0
/* gotap convert: a trace of any format into a v2 trace. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "cmd/output.h"
#include "cmd/parse.h"
#include "v1/convert.h"
#include "v1/file.h"

static const char usage[] =
	"usage: gotap convert TRACE -o FILE [--binary PROGRAM] [--format N]\n"
	"\n"
	"Turns a trace of Go 1.21 or older, back to the first ones before Go 1.5, into one\n"
	"that `go tool trace` of today opens. TRACE and FILE may be - (standard input,\n"
	"output).\n"
	"\n"
	"  -o, --output FILE     write to FILE\n"
	"  -b, --binary PROGRAM  the traced program: names the stacks of traces before Go 1.7,\n"
	"                        which hold addresses only\n"
	"  -f, --format N        header of the result: 1.22 (default), 1.23, 1.25 or 1.26\n"
	"  -h, --help            show this\n";

struct options {
	const char *in, *out, *binary;
	int format;
};

static void report(const struct v1_trace *t, const struct options *o,
		   const struct v1_convert_counts *counts)
{
	if (v1_pc_only(v1_trace_version(t)) && !o->binary)
		fputs("gotap convert: stacks show addresses only, --binary PROGRAM names them\n",
		      stderr);
	if (counts->dropped)
		fprintf(stderr, "gotap convert: left out %zu of %zu events, which have no v2 "
			"equivalent\n", counts->dropped, v1_trace_count(t));
}

static int write_v1(const struct v1_trace *t, const struct options *o, struct error *err)
{
	struct v1_convert_counts counts;
	struct output out;
	int ret = output_open(&out, o->out, err);

	if (ret)
		return ret;
	ret = output_begin(&out, err);
	if (!ret)
		ret = v1_convert(t, out.fd, o->format, &counts, err);
	if (ret)
		output_close(&out, false, NULL);
	else
		ret = output_close(&out, true, err);
	if (!ret)
		report(t, o, &counts);
	return ret;
}

static int convert_v1(const struct buf *data, const struct options *o, struct error *err)
{
	struct v1_trace *t;
	int ret = v1_trace_open(&t, data->data, data->len, err);

	if (ret)
		return error_prefix(err, "%s", o->in);
	if (o->binary)
		ret = v1_trace_symbolize(t, o->binary, err);
	if (!ret)
		ret = write_v1(t, o, err);
	v1_trace_free(t);
	return ret;
}

static int convert(const struct options *o, struct error *err)
{
	struct buf data = {0};
	int ret = v1_file_read(o->in, &data, err);

	if (!ret)
		ret = convert_v1(&data, o, err);
	buf_free(&data);
	return ret;
}

enum { GO_ON = -1 };

static int set_option(struct options *o, int opt)
{
	switch (opt) {
	case 'o':
		o->out = optarg;
		return GO_ON;
	case 'b':
		o->binary = optarg;
		return GO_ON;
	case 'f':
		if (parse_format(optarg, &o->format))
			return GO_ON;
		return cmd_usage("convert", "there is no format '%s', use go1.22, go1.23, go1.25 "
				 "or go1.26", optarg);
	case 'h':
		fputs(usage, stdout);
		return EXIT_OK;
	default:
		return cmd_usage("convert", "unknown option or missing value");
	}
}

/* GO_ON, or the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "binary", required_argument, NULL, 'b' },
		{ "format", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int opt, status;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "o:b:f:h", options, NULL)) != -1) {
		status = set_option(o, opt);
		if (status != GO_ON)
			return status;
	}
	if (optind + 1 != argc)
		return cmd_usage("convert", "one TRACE is needed");
	if (!o->out)
		return cmd_usage("convert", "-o FILE is needed");
	o->in = argv[optind];
	return GO_ON;
}

int cmd_convert(int argc, char **argv)
{
	struct options o = { .format = 22 };
	struct error err;
	int status = parse_options(argc, argv, &o);

	if (status != GO_ON)
		return status;
	return convert(&o, &err) ? cmd_fail(&err) : EXIT_OK;
}
