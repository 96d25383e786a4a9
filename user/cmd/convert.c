// SPDX-License-Identifier: Apache-2.0
/* gotap convert: a trace of any format, or a part of it, into one of any format that gotap writes. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "files/leftover.h"
#include "files/legacy.h"
#include "files/output.h"
#include "cmd/parse.h"
#include "cmd/record/report_left.h"
#include "base/show.h"
#include "rewrite/convert.h"

static const char usage[] =
	"usage: gotap convert TRACE -o FILE [OPTION...]\n"
	"\n"
	"Turns a Go execution trace of any release, back to the first ones before Go 1.5, into\n"
	"one that `go tool trace` of today opens, or that of an old release, or a part of it. What\n"
	"can be read of a damaged file is kept, also what follows the damage: from the next\n"
	"generation on, of traces before Go 1.22 from the next batch on. TRACE and FILE may be -\n"
	"(standard input, output).\n"
	"\n"
	"  -o, --output FILE     write to FILE\n"
	"  -b, --binary PROGRAM  the traced program: names the stacks of traces before Go 1.7,\n"
	"                        which hold addresses only\n"
	"  -f, --format N        format of the result: go1.22, go1.23, go1.25 or go1.26 (default:\n"
	"                        that of TRACE; go1.22 for traces before that); or gotrace (before\n"
	"                        Go 1.5), go1.8, go1.11, go1.19 or go1.21, which old tools read\n"
	"      --from TIME       leave out what comes before, counted from the beginning (1.5s)\n"
	"      --to TIME         leave out what comes after\n"
	"  -g, --goroutine N     only this goroutine; may be given again; it is an error if there\n"
	"                        is none in this part\n"
	"      --strip-stacks    without stacks\n"
	"  -h, --help            show this\n";

struct options {
	const char *in, *out;
	struct convert_options convert;
	struct map64 goroutines;
};

static void report_v1(const struct convert_result *r)
{
	if (r->unnamed_pcs)
		fputs("gotap convert: stacks show addresses only, --binary PROGRAM names them\n",
		      stderr);
	if (r->counts.futile)
		fprintf(stderr, "gotap convert: left out %zu events of wake-ups that led to nothing, "
			"as Go up to 1.22 does\n", r->counts.futile);
	if (r->counts.dropped)
		fprintf(stderr, "gotap convert: left out %zu of %zu events, which have no v2 "
			"equivalent\n", r->counts.dropped, r->v1_events);
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

/* Prints the differences from the original, damaged or not. */
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
	if (o->convert.rewrite.goroutines && !result->ran)
		fputs("gotap convert: none of these goroutines runs in this part of the trace\n",
		      stderr);
	report_damage(result);
	report_repairs(result);
	if (result->dropped)
		fprintf(stderr, "gotap convert: left out %zu events that have no place in the "
			"result\n", result->dropped);
}

static void report_cut(const struct v1_cut *cut)
{
	if (!cut->is_cut)
		return;
	if (!cut->resumed)
		show_printf(stderr, "gotap convert: the trace is damaged, kept what comes before: %s\n",
			cut->why.text);
	else
		show_printf(stderr, "gotap convert: the trace is damaged in %zu place%s, went on behind: "
			"%s\n", cut->places, cut->places == 1 ? "" : "s", cut->why.text);
	fprintf(stderr, "gotap convert: left out %zu bytes, and %zu events %s lost ones\n",
		cut->lost_bytes, cut->lost_events,
		cut->resumed ? "beside them that make no sense without" : "before them that follow");
	if (cut->no_frequency)
		fputs("gotap convert: the speed of the trace's clock was lost, too: a nanosecond of the "
		      "result is a tick of it\n", stderr);
}

static void report(const struct options *o, const struct convert_result *r)
{
	report_rewrite(o, &r->rewrite);
	report_print_left(o->convert.rewrite.format, r->left, "gotap convert: ", stderr);
	if (!r->is_v1)
		return;
	report_v1(r);
	report_cut(&r->cut);
	if (r->counts.joined)
		fprintf(stderr, "gotap convert: %zu events that are not in the trace join the parts\n",
			r->counts.joined);
}

/* Closes @source. The output is removed if there is an error. */
static int write_output(struct raw_source *source, const struct options *o, struct error *err)
{
	struct convert_result result;
	struct error late;
	struct output out;
	int ret = output_start(&out, o->out, OUTPUT_BINARY, err);

	if (ret) {
		source_close(source);
		return ret;
	}
	ret = convert_trace(source, out.fd, &o->convert, &result, err);
	if (ret)
		error_prefix(err, "%s", o->in);
	if (output_close(&out, !ret, &late) && !ret) {
		*err = late;
		ret = late.code;
	}
	if (!ret)
		report(o, &result);
	return ret;
}

static int convert(const struct options *o, struct error *err)
{
	struct raw_source source;
	int ret = legacy_program(o->convert.binary, err);

	if (!ret)
		ret = leftover_source_open(&source, o->in, err);
	if (ret)
		return ret;
	return write_output(&source, o, err);
}

enum { GO_ON = -1 };

enum { OPT_FROM = 256, OPT_TO, OPT_STRIP };

static int bad_time(const char *name)
{
	return cmd_usage("convert", "--%s needs a time like 1.5s or 200ms, not '%s'", name, optarg);
}

static int set_part(struct options *o, int opt)
{
	unsigned long id;
	double seconds;

	switch (opt) {
	case OPT_STRIP:
		o->convert.rewrite.strip_stacks = true;
		return GO_ON;
	case 'g':
		if (!parse_number(optarg, 1, ULONG_MAX, &id))
			return cmd_usage("convert", "'%s' is no goroutine id", optarg);
		map64_put(&o->goroutines, id, NULL);
		o->convert.rewrite.goroutines = &o->goroutines;
		return GO_ON;
	default:
		if (!parse_instant(optarg, &seconds))
			return bad_time(opt == OPT_FROM ? "from" : "to");
		*(opt == OPT_FROM ? &o->convert.rewrite.from : &o->convert.rewrite.to) = (int64_t)(seconds * 1e9);
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
		o->convert.binary = optarg;
		return GO_ON;
	case 'f':
		if (parse_format(optarg, &o->convert.rewrite.format))
			return GO_ON;
		return cmd_usage("convert", "there is no format '%s', use " PARSE_FORMATS, optarg);
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
	if (o->convert.rewrite.to <= o->convert.rewrite.from)
		return cmd_usage("convert", "--to must be later than --from");
	o->in = argv[optind];
	return GO_ON;
}

int cmd_convert(int argc, char **argv)
{
	struct options o = { .convert.rewrite.to = INT64_MAX };
	struct error err;
	int status = parse_options(argc, argv, &o);

	if (status == GO_ON)
		status = convert(&o, &err) ? cmd_fail(&err) : EXIT_OK;
	map64_free(&o.goroutines);
	return status;
}
