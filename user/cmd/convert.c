// SPDX-License-Identifier: Apache-2.0
/* gotap convert: a trace of any format, or a part of it, into a v2 trace. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "cmd/leftover.h"
#include "cmd/legacy.h"
#include "cmd/output.h"
#include "cmd/parse.h"
#include "cmd/raw_convert.h"
#include "cmd/show.h"
#include "rewrite/rewrite.h"
#include "tracev2.h"
#include "v1/convert.h"
#include "v1/file.h"

static const char usage[] =
	"usage: gotap convert TRACE -o FILE [OPTION...]\n"
	"\n"
	"Turns a Go execution trace of any release, back to the first ones before Go 1.5, into\n"
	"one that `go tool trace` of today opens, or a part of it. What can be read of a damaged\n"
	"file is kept: of one of Go 1.22 and later also what follows the damage, from the next\n"
	"generation on. TRACE and FILE may be - (standard input, output).\n"
	"\n"
	"  -o, --output FILE     write to FILE\n"
	"  -b, --binary PROGRAM  the traced program: names the stacks of traces before Go 1.7,\n"
	"                        which hold addresses only\n"
	"  -f, --format N        header of the result: go1.22, go1.23, go1.25 or go1.26\n"
	"                        (default: that of TRACE; go1.22 for traces before that)\n"
	"      --from TIME       leave out what comes before, counted from the beginning (1.5s)\n"
	"      --to TIME         leave out what comes after\n"
	"  -g, --goroutine N     only this goroutine; may be given again; it is an error if there\n"
	"                        is none in this part\n"
	"      --strip-stacks    without stacks\n"
	"  -h, --help            show this\n";

struct options {
	const char *in, *out, *binary;
	struct rewrite_options rewrite;
	struct map64 goroutines;
	bool part;		/* --from, --to, --goroutine or --strip-stacks */
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

/* Ends with the output closed, and removed if @ret says that it failed. */
static int finish(struct output *out, int ret, struct error *err)
{
	if (ret) {
		output_close(out, false, NULL);
		return ret;
	}
	return output_close(out, true, err);
}

static void report_damage(const struct rewrite_result *r)
{
	if (!r->faults)
		return;
	if (!r->resumed)
		show_printf(stderr, "gotap convert: the trace is damaged, kept what comes before: %s\n",
			r->fault);
	else
		show_printf(stderr, "gotap convert: the trace is damaged in %zu place%s, went on behind: "
			"%s\n", r->faults, r->faults == 1 ? "" : "s", r->fault);
	fprintf(stderr, "gotap convert: left out %llu bytes there, and %llu stacks and texts that were "
		"in them\n", (unsigned long long)r->lost, (unsigned long long)r->unnamed);
}

/* What differs from the original, damaged or not. */
static void report_repairs(const struct rewrite_result *r)
{
	if (r->joined)
		fprintf(stderr, "gotap convert: %zu events that are not in the trace %s\n", r->joined,
			r->faults ? "join the parts" : "were added, since readers want them");
	if (r->clocks)
		fprintf(stderr, "gotap convert: set %zu clocks forward, which were not later than the "
			"ones before\n", r->clocks);
	if (r->data_dropped)
		fprintf(stderr, "gotap convert: left out %zu batches of data of experiments, which the "
			"header go1.22 cannot have\n", r->data_dropped);
}

static void report_rewrite(const struct options *o, const struct rewrite_result *result)
{
	if (o->rewrite.goroutines && !result->ran)
		fputs("gotap convert: none of these goroutines runs in this part of the trace\n",
		      stderr);
	report_damage(result);
	report_repairs(result);
	if (result->dropped)
		fprintf(stderr, "gotap convert: left out %zu events that have no place in the "
			"result\n", result->dropped);
}

/* Closes @source. */
static int convert_v2(struct raw_source *source, const struct options *o, struct error *err)
{
	struct rewrite_result result;
	struct output out;
	int ret = output_start(&out, o->out, OUTPUT_BINARY, err);

	if (ret) {
		source_close(source);
		return ret;
	}
	ret = rewrite_trace(source, out.fd, &o->rewrite, &result, err);
	if (ret)
		error_prefix(err, "%s", o->in);
	ret = finish(&out, ret, err);
	if (!ret)
		report_rewrite(o, &result);
	return ret;
}

/* A part of a v1 trace: all of it as v2 first, in memory. */
static int convert_part_of_v1(const struct v1_trace *t, const struct options *o,
			      struct v1_convert_counts *counts, struct error *err)
{
	_cleanup_close_ int fd = memfd_create("gotap", MFD_CLOEXEC);
	struct raw_source source;
	char path[32];
	int ret;

	if (fd < 0)
		return error_set(err, -errno, "cannot make a temporary file: %s", strerror(errno));
	ret = v1_convert(t, fd, 22, counts, err);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!ret)
		ret = source_open(&source, path, err);
	return ret ? ret : convert_v2(&source, o, err);
}

static int convert_all_of_v1(const struct v1_trace *t, const struct options *o,
			     struct v1_convert_counts *counts, struct error *err)
{
	int format = o->rewrite.format ? o->rewrite.format : 22;
	struct output out;
	int ret = output_start(&out, o->out, OUTPUT_BINARY, err);

	if (ret)
		return ret;
	return finish(&out, v1_convert(t, out.fd, format, counts, err), err);
}

static void report_cut(const struct v1_cut *cut)
{
	if (!cut->is_cut)
		return;
	show_printf(stderr, "gotap convert: the trace is damaged, kept what comes before: %s\n",
		cut->why.text);
	fprintf(stderr, "gotap convert: left out %zu bytes, and %zu events before them that follow "
		"lost ones\n", cut->lost_bytes, cut->lost_events);
	if (cut->no_frequency)
		fputs("gotap convert: the speed of the trace's clock was lost, too: a nanosecond of the "
		      "result is a tick of it\n", stderr);
}

static int convert_v1(const struct buf *data, const struct options *o, struct error *err)
{
	struct v1_convert_counts counts;
	struct v1_trace *t;
	struct v1_cut cut;
	int ret = v1_trace_open_cut(&t, data->data, data->len, &cut, err);

	if (ret)
		return error_prefix(err, "%s", o->in);
	if (o->binary)
		ret = v1_trace_symbolize(t, o->binary, err);
	if (!ret && o->part)
		ret = convert_part_of_v1(t, o, &counts, err);
	else if (!ret)
		ret = convert_all_of_v1(t, o, &counts, err);
	if (!ret)
		report(t, o, &counts);
	if (!ret)
		report_cut(&cut);
	v1_trace_free(t);
	return ret;
}

/* The v1 reader says best what a file is that is neither. */
static bool is_v2(struct raw_source *source)
{
	struct error err;
	int version;
	size_t size;

	return source_need(source, TRACEV2_HEADER_SIZE) &&
	       v1_header_parse(source->pos, source_left(source), &version, &size, &err) ==
	       -ENOTSUP;
}

/* Formats before Go 1.22 have their tables at the end: they are read whole. */
static int convert_old(struct raw_source *source, const struct options *o, struct error *err)
{
	struct buf data = {0};
	int ret = source_take_all(source, &data, err);

	source_close(source);
	if (ret)
		error_prefix(err, "%s", o->in);
	else
		ret = convert_v1(&data, o, err);
	buf_free(&data);
	return ret;
}

static int convert(const struct options *o, struct error *err)
{
	struct raw_source source;
	int ret = legacy_program(o->binary, err);

	if (!ret)
		ret = leftover_source_open(&source, o->in, err);
	if (ret)
		return ret;
	if (!is_v2(&source))
		return convert_old(&source, o, err);
	ret = raw_not_same_file(&source, o->in, o->out, err);
	if (!ret)
		return convert_v2(&source, o, err);
	source_close(&source);
	return ret;
}

enum { GO_ON = -1 };

enum { OPT_FROM = 256, OPT_TO, OPT_STRIP };

static int bad_time(const char *name)
{
	return cmd_usage("convert", "--%s needs a time like 1.5s or 200ms, not '%s'", name, optarg);
}

/* A duration, or 0 in any unit. */
static bool parse_instant(const char *s, double *seconds)
{
	if (parse_duration(s, seconds))
		return *seconds <= 9e9;
	*seconds = 0;
	return s[strspn(s, "0")] == '\0' ? *s : *s == '0' && strspn(s, "0.hmsun") == strlen(s);
}

static int set_part(struct options *o, int opt)
{
	unsigned long id;
	double seconds;

	o->part = true;
	switch (opt) {
	case OPT_STRIP:
		o->rewrite.strip_stacks = true;
		return GO_ON;
	case 'g':
		if (!parse_number(optarg, 1, ULONG_MAX, &id))
			return cmd_usage("convert", "'%s' is no goroutine id", optarg);
		map64_put(&o->goroutines, id, NULL);
		o->rewrite.goroutines = &o->goroutines;
		return GO_ON;
	default:
		if (!parse_instant(optarg, &seconds))
			return bad_time(opt == OPT_FROM ? "from" : "to");
		*(opt == OPT_FROM ? &o->rewrite.from : &o->rewrite.to) = (int64_t)(seconds * 1e9);
		return GO_ON;
	}
}

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
		if (parse_format(optarg, &o->rewrite.format))
			return GO_ON;
		return cmd_usage("convert", "there is no format '%s', use go1.22, go1.23, go1.25 "
				 "or go1.26", optarg);
	case 'h':
		fputs(usage, stdout);
		return EXIT_OK;
	default:
		return set_part(o, opt);
	}
}

/* GO_ON, or the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "binary", required_argument, NULL, 'b' },
		{ "format", required_argument, NULL, 'f' },
		{ "from", required_argument, NULL, OPT_FROM },
		{ "to", required_argument, NULL, OPT_TO },
		{ "goroutine", required_argument, NULL, 'g' },
		{ "strip-stacks", no_argument, NULL, OPT_STRIP },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int opt, status;

	while ((opt = getopt_long(argc, argv, ":o:b:f:g:h", options, NULL)) != -1) {
		status = opt == '?' || opt == ':' ? cmd_bad_option("convert", opt, argv) :
			 set_option(o, opt);
		if (status != GO_ON)
			return status;
	}
	if (optind + 1 != argc)
		return cmd_usage("convert", "one TRACE is needed");
	if (!o->out)
		return cmd_usage("convert", "-o FILE is needed");
	if (o->rewrite.to <= o->rewrite.from)
		return cmd_usage("convert", "--to must be later than --from");
	o->in = argv[optind];
	return GO_ON;
}

int cmd_convert(int argc, char **argv)
{
	struct options o = { .rewrite.to = INT64_MAX };
	struct error err;
	int status = parse_options(argc, argv, &o);

	if (status == GO_ON)
		status = convert(&o, &err) ? cmd_fail(&err) : EXIT_OK;
	map64_free(&o.goroutines);
	return status;
}
