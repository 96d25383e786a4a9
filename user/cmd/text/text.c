// SPDX-License-Identifier: Apache-2.0
/*
 * gotap text: a trace in the text form of Go's internal/trace/raw, or its events in order
 * (events.h).
 */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "files/leftover.h"
#include "files/legacy.h"
#include "files/raw_convert.h"
#include "cmd/options.h"
#include "cmd/text/events.h"
#include "read/text_write.h"

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

struct text_options {
	const char *out, *binary;
	bool events;
	struct text_events_options of_events;
};

static const struct option_row text_rows[] = {
	OPTION_OUTPUT(offsetof(struct text_options, out)),
	OPTION_BINARY(offsetof(struct text_options, binary)),
	{ .kind = OPTION_TITLE, .help =
	  "With --events: what happened in the program, in order, a line for each event: time,\n"
	  "thread, P, goroutine, what changed and why, and the stack below it. For traces of all\n"
	  "releases." },
	OPTION(0, "events", NULL, OPTION_FLAG, offsetof(struct text_options, events),
	  "what happened, an event a line"),
	{0},
};

/* Remembers an option that has no effect without --events, for the error. */
static void text_given(void *options, const struct option_row *row, const char *arg)
{
	struct text_options *o = options;
	const struct option_row *r;

	for (r = text_events_rows; r->kind; r++)
		if (r == row && strcmp(row->name, "links"))
			o->of_events.given = row->name;
}

static const char *text_line_check(void *options, char **operands)
{
	struct text_options *o = options;

	if (o->of_events.given && !o->events)
		return option_wrong("--%s is for --events", o->of_events.given);
	return NULL;
}

static const struct command_line text_line = {
	.name = "text",
	.usage = "gotap text TRACE [-o FILE] [--binary PROGRAM]\n"
		 "       gotap text --events TRACE [--json] [OPTION...]\n"
		 "       gotap text --links TRACE [-o FILE]",
	.about = "Prints every event of a Go execution trace, one per line, framing and tables\n"
		 "included. For traces of Go 1.22 and later this is what internal/trace/raw of\n"
		 "Go prints; those of older releases, back to before Go 1.5, are shown in the\n"
		 "same manner. `gotap wire` turns the text back into a trace. TRACE and FILE may\n"
		 "be - (standard input, output). Of a damaged trace standard output gets what\n"
		 "comes before the damage; FILE stays as it was.\n",
	.tables = { { text_rows, 0 },
		    { text_events_rows, offsetof(struct text_options, of_events) } },
	.after =
		"With --links alone, for traces before Go 1.22: the events as the parsers of\n"
		"those releases gave them, numbered, each with the later one that it leads to.\n",
	.least = 1, .most = 1, .operands = "one trace is needed",
	.check = text_line_check, .given = text_given,
};

int cmd_text(int argc, char **argv)
{
	struct text_options o = { .out = "-" };
	struct text_events_options *events = &o.of_events;
	struct error err;
	int status, ret;

	text_events_init(events);
	status = command_line_read(&text_line, &o, argc, argv);
	if (!status) {
		ret = o.events ? text_events(argv[optind], o.out, o.binary, events, &err) :
				 text(argv[optind], o.out, o.binary, events->show.links, &err);
		status = 1 + (ret ? cmd_fail(&err) : EXIT_OK);
	}
	text_events_free(events);
	return status - 1;
}
