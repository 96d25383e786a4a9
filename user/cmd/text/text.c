// SPDX-License-Identifier: Apache-2.0
/* gotap text: a trace in the text form of Go's internal/trace/raw, or its events in order (events.h). */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "files/leftover.h"
#include "files/legacy.h"
#include "files/raw_convert.h"
#include "cmd/text/events.h"
#include "read/text_write.h"

static const char usage[] =
	"usage: gotap text TRACE [-o FILE] [--binary PROGRAM]\n"
	"       gotap text --events TRACE [--json] [OPTION...]\n"
	"       gotap text --links TRACE [-o FILE]\n"
	"\n"
	"Prints every event of a Go execution trace, one per line, framing and tables\n"
	"included. For traces of Go 1.22 and later this is what internal/trace/raw of Go\n"
	"prints; those of older releases, back to before Go 1.5, are shown in the same manner.\n"
	"`gotap wire` turns the text back into a trace. TRACE and FILE may be - (standard\n"
	"input, output). Of a damaged trace standard output gets what comes before the\n"
	"damage; FILE stays as it was.\n"
	"\n"
	"  -o, --output FILE     write to FILE instead of standard output\n"
	"  -b, --binary PROGRAM  the traced program: names the stacks of traces before\n"
	"                        Go 1.7, which hold addresses only\n"
	"\n"
	"With --events: what happened in the program, in order, a line for each event: time,\n"
	"thread, P, goroutine, what changed and why, and the stack below it. For traces of all\n"
	"releases.\n"
	"\n"
	"      --json            one JSON object a line\n"
	"      --no-stacks       without stacks\n"
	"      --links           behind each event the earlier one that it ends or follows: its\n"
	"                        time and name\n"
	"      --absolute        times of the trace's clock, not since its begin\n"
	"  -g, --goroutine N     only what happens on this goroutine or moves it; may be given\n"
	"                        again, as --proc and --thread\n"
	"      --proc N          only what happens on this P or moves it\n"
	"      --thread N        only what happens on this thread\n"
	"      --kind NAME,...   only these events (GoBlock, UserLog) or kinds of them\n"
	"                        (StateTransition, RangeBegin, Metric)\n"
	"      --func REGEXP     only those with such a function in their stacks\n"
	"      --from TIME       only from this time on, counted from the begin (1.5s)\n"
	"      --to TIME         only up to this time\n"
	"\n"
	"With --links alone, for traces before Go 1.22: the events as the parsers of those\n"
	"releases gave them, numbered, each with the later one that it leads to.\n"
	"\n"
	"  -h, --help            show this\n";

static int from_wire(struct raw_source *source, struct raw_sink *sink, const void *ctx,
		     struct error *err)
{
	return text_write(source, sink, err);
}

static int text(const char *in, const char *out, const char *binary, bool links, struct error *err)
{
	struct raw_source source;
	int ret = legacy_program(binary, err);

	if (!ret)
		ret = leftover_source_open(&source, in, err);
	if (ret)
		return ret;
	if (links)
		ret = legacy_links(&source, in, out, err);
	else if (legacy_is(&source))
		ret = legacy_text(&source, in, out, binary, err);
	else
		ret = raw_convert_source(from_wire, NULL, &source, in, out, OUTPUT_TEXT, err);
	source_close(&source);
	return ret;
}

enum { OPT_LINKS = 400 };	/* behind those of events.h */

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "binary", required_argument, NULL, 'b' },
	{ "help", no_argument, NULL, 'h' },
	{ "events", no_argument, NULL, TEXT_OPT_EVENTS },
	{ "links", no_argument, NULL, OPT_LINKS },
	{ "json", no_argument, NULL, TEXT_OPT_JSON },
	{ "absolute", no_argument, NULL, TEXT_OPT_ABSOLUTE },
	{ "no-stacks", no_argument, NULL, TEXT_OPT_NO_STACKS },
	{ "goroutine", required_argument, NULL, 'g' },
	{ "proc", required_argument, NULL, TEXT_OPT_PROC },
	{ "thread", required_argument, NULL, TEXT_OPT_THREAD },
	{ "kind", required_argument, NULL, TEXT_OPT_KIND },
	{ "func", required_argument, NULL, TEXT_OPT_FUNC },
	{ "from", required_argument, NULL, TEXT_OPT_FROM },
	{ "to", required_argument, NULL, TEXT_OPT_TO },
	{ 0 },
};

static const char *name_of(int opt)
{
	const struct option *o = options;

	while (o->val != opt)
		o++;
	return o->name;
}

struct text_options {
	const char *out, *binary;
	bool events, links;
	struct text_events_options of_events;
};

enum { GO_ON = -1 };

/* GO_ON, or the exit status. */
static int set_option(struct text_options *o, int opt, char **argv)
{
	int status;

	switch (opt) {
	case 'h':
		fputs(usage, stdout);
		return EXIT_OK;
	case 'o':
		o->out = optarg;
		return GO_ON;
	case 'b':
		o->binary = optarg;
		return GO_ON;
	case TEXT_OPT_EVENTS:
		o->events = true;
		return GO_ON;
	case OPT_LINKS:
		o->links = true;
		return GO_ON;
	case ':':
	case '?':
		return cmd_bad_option("text", opt, argv);
	default:
		status = text_events_option(&o->of_events, opt, name_of(opt), optarg);
		return status == EXIT_OK ? GO_ON : status;
	}
}

static int run(int argc, char **argv, struct text_options *o)
{
	struct error err;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, ":o:b:g:h", options, NULL)) != -1) {
		int status = set_option(o, opt, argv);

		if (status != GO_ON)
			return status;
	}
	if (optind + 1 != argc)
		return cmd_usage("text", "one trace is needed");
	if (o->of_events.given && !o->events)
		return cmd_usage("text", "--%s is for --events", o->of_events.given);
	o->of_events.show.links = o->links;
	if (o->events)
		ret = text_events(argv[optind], o->out, o->binary, &o->of_events, &err);
	else
		ret = text(argv[optind], o->out, o->binary, o->links, &err);
	return ret ? cmd_fail(&err) : EXIT_OK;
}

int cmd_text(int argc, char **argv)
{
	struct text_options o = { .out = "-" };
	int status;

	text_events_init(&o.of_events);
	status = run(argc, argv, &o);
	text_events_free(&o.of_events);
	return status;
}
