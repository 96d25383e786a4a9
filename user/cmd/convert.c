// SPDX-License-Identifier: Apache-2.0
/*
 * gotap convert: a trace of any format, or a part of it, into one of any format that gotap
 * writes.
 */
#include "cmd/cmd.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "files/leftover.h"
#include "files/legacy.h"
#include "files/output.h"
#include "cmd/options.h"
#include "cmd/record/report_left.h"
#include "base/show.h"
#include "rewrite/convert.h"

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
		fprintf(stderr,
			"gotap convert: left out %zu events of futile wake-ups, as Go up to 1.22 "
			"does\n",
			r->counts.futile);
	if (r->counts.dropped)
		fprintf(stderr, "gotap convert: left out %zu of %zu events, which have no v2 "
			"equivalent\n", r->counts.dropped, r->v1_events);
}

static void report_damage(const struct rewrite_result *r)
{
	if (!r->faults)
		return;
	if (!r->resumed)
		show_printf(stderr,
			    "gotap convert: the trace is damaged, kept what comes before: %s\n",
			    r->fault);
	else
		show_printf(
			stderr,
			"gotap convert: the trace is damaged in %zu place%s, went on behind: %s\n",
			r->faults, r->faults == 1 ? "" : "s", r->fault);
	fprintf(stderr,
		"gotap convert: left out %llu bytes there, and %llu stacks and texts that were in "
		"them\n",
		(unsigned long long)r->lost, (unsigned long long)r->unnamed);
}

/* Prints the differences from the original, damaged or not. */
static void convert_cmd_report_repairs(const struct rewrite_result *r)
{
	if (r->joined)
		fprintf(stderr, "gotap convert: %zu events that are not in the trace %s\n",
			r->joined,
			r->faults ? "join the parts" : "were added, since readers want them");
	if (r->clocks)
		fprintf(stderr,
			"gotap convert: set %zu clocks forward, which were not later than the ones "
			"before\n",
			r->clocks);
	if (r->data_dropped)
		fprintf(stderr,
			"gotap convert: left out %zu batches of data of experiments, which the "
			"header go1.22 cannot have\n",
			r->data_dropped);
}

static void report_rewrite(const struct options *o, const struct rewrite_result *result)
{
	if (o->convert.rewrite.goroutines && !result->ran)
		fputs("gotap convert: none of these goroutines runs in this part of the trace\n",
		      stderr);
	report_damage(result);
	convert_cmd_report_repairs(result);
	if (result->dropped)
		fprintf(stderr, "gotap convert: left out %zu events that have no place in the "
			"result\n", result->dropped);
}

static void report_cut(const struct v1_cut *cut)
{
	if (!cut->is_cut)
		return;
	if (!cut->resumed)
		show_printf(stderr,
			    "gotap convert: the trace is damaged, kept what comes before: %s\n",
			    cut->why.text);
	else
		show_printf(
			stderr,
			"gotap convert: the trace is damaged in %zu place%s, went on behind: %s\n",
			cut->places, cut->places == 1 ? "" : "s", cut->why.text);
	fprintf(stderr, "gotap convert: left out %zu bytes, and %zu events %s lost ones\n",
		cut->lost_bytes, cut->lost_events,
		cut->resumed ? "beside them that make no sense without" :
			       "before them that follow");
	if (cut->no_frequency)
		fputs("gotap convert: the speed of the trace's "
		      "clock was lost, too: a nanosecond of the "
		      "result is a tick of it\n", stderr);
}

static void convert_cmd_report(const struct options *o, const struct convert_result *r)
{
	report_rewrite(o, &r->rewrite);
	report_print_left(o->convert.rewrite.format, r->left, "gotap convert: ", stderr);
	if (!r->is_v1)
		return;
	report_v1(r);
	report_cut(&r->cut);
	if (r->counts.joined)
		fprintf(stderr,
			"gotap convert: %zu events that are not in the trace join the parts\n",
			r->counts.joined);
}

/* Closes @source. The output is removed if there is an error. */
static int convert_cmd_write_output(struct raw_source *source, const struct options *o,
				    struct error *err)
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
		convert_cmd_report(o, &result);
	return ret;
}

static int convert_cmd_convert(const struct options *o, struct error *err)
{
	struct raw_source source;
	int ret = legacy_program(o->convert.binary, err);

	if (!ret)
		ret = leftover_source_open(&source, o->in, err);
	if (ret)
		return ret;
	return convert_cmd_write_output(&source, o, err);
}

static const struct option_row convert_rows[] = {
	OPTION('o', "output", "FILE", OPTION_TEXT, offsetof(struct options, out), "write to FILE"),
	OPTION_BINARY(offsetof(struct options, convert.binary)),
	OPTION('f', "format", "N", OPTION_TAKE, offsetof(struct options, convert.rewrite.format),
	  "format of the result: go1.22, go1.23, go1.25 or go1.26 (default: that of TRACE; go1.22 "
	  "for traces before that); or gotrace (before Go 1.5), go1.8, go1.11, go1.19 or go1.21, "
	  "which old tools read", .take = option_take_format),
	OPTION(0, "from", "TIME", OPTION_INSTANT, offsetof(struct options, convert.rewrite.from),
	  "leave out what comes before, counted from the beginning (1.5s)"),
	OPTION(0, "to", "TIME", OPTION_INSTANT, offsetof(struct options, convert.rewrite.to),
	  "leave out what comes after"),
	OPTION('g', "goroutine", "N", OPTION_TAKE, offsetof(struct options, goroutines),
	  "only this goroutine; may be given again; it is an error if there is none in this part",
	  .take = option_take_ids),
	OPTION(0, "strip-stacks", NULL, OPTION_FLAG,
	  offsetof(struct options, convert.rewrite.strip_stacks),
	  "without stacks"),
	{0},
};

static const char *convert_check(void *options, char **operands)
{
	struct options *o = options;

	if (!o->out)
		return "-o FILE is needed";
	if (o->convert.rewrite.to <= o->convert.rewrite.from)
		return "--to must be later than --from";
	if (o->goroutines.len)
		o->convert.rewrite.goroutines = &o->goroutines;
	o->in = operands[0];
	return NULL;
}

static const struct command_line convert_line = {
	.name = "convert",
	.usage = "gotap convert TRACE -o FILE [OPTION...]",
	.about =
		"Turns a Go execution trace of any release, back to the first ones before\n"
		"Go 1.5, into one that `go tool trace` of today opens, or that of an old\n"
		"release, or a part of it. What can be read of a damaged file is kept, also what\n"
		"follows the damage: from the next generation on, of traces before Go 1.22 from\n"
		"the next batch on. TRACE and FILE may be - (standard input, output).\n",
	.tables = { { convert_rows, 0 } },
	.least = 1, .most = 1, .operands = "one TRACE is needed",
	.check = convert_check,
};

int cmd_convert(int argc, char **argv)
{
	struct options o = { .convert.rewrite.to = INT64_MAX };
	struct error err;
	int status = command_line_read(&convert_line, &o, argc, argv);

	status = status ? status - 1 : convert_cmd_convert(&o, &err) ? cmd_fail(&err) : EXIT_OK;
	map64_free(&o.goroutines);
	return status;
}
