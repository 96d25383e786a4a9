// SPDX-License-Identifier: Apache-2.0
/* gotap wire: the text form of a trace back to its wire form. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "cmd/options.h"
#include "files/raw_convert.h"
#include "v1/text.h"

struct wire_options {
	const char *out;
};

static const struct option_row wire_rows[] = {
	OPTION('o', "output", "TRACE", OPTION_TEXT, offsetof(struct wire_options, out),
	  "the file to write"),
	{0},
};

static const char *wire_check(void *options, char **operands)
{
	const struct wire_options *o = options;

	return o->out ? NULL : "where to write is needed: -o TRACE";
}

static const struct command_line wire_line = {
	.name = "wire",
	.usage = "gotap wire TEXT -o TRACE",
	.about =
		"Turns what `gotap text` printed, a text trace written by hand, or the trace\n"
		"member of one of Go's .test files into a trace. Sizes of batches are taken as\n"
		"they stand. TEXT and TRACE may be - (standard input, output).\n",
	.tables = { { wire_rows, 0 } },
	.least = 1, .most = 1, .operands = "one text trace is needed",
	.check = wire_check,
};

static int to_wire(struct raw_source *source, struct raw_sink *sink, const void *ctx,
		   struct error *err)
{
	return v1_wire_write(source, sink, err);
}

int cmd_wire(int argc, char **argv)
{
	struct wire_options o = {0};
	struct error err;
	int status = command_line_read(&wire_line, &o, argc, argv);

	if (status)
		return status - 1;
	return raw_convert(to_wire, NULL, argv[optind], o.out, &err) ? cmd_fail(&err) : EXIT_OK;
}
