// SPDX-License-Identifier: Apache-2.0
/* gotap wire: the text form of a trace back to its wire form. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "files/raw_convert.h"
#include "v1/text.h"

static const char usage[] =
	"usage: gotap wire TEXT -o TRACE\n"
	"\n"
	"Turns what `gotap text` printed, a text trace written by hand, or the trace member\n"
	"of one of Go's .test files into a trace. Sizes of batches are taken as they stand.\n"
	"TEXT and TRACE may be - (standard input, output).\n"
	"\n"
	"  -o, --output TRACE  the file to write\n"
	"  -h, --help          show this\n";

static int to_wire(struct raw_source *source, struct raw_sink *sink, const void *ctx,
		   struct error *err)
{
	return v1_wire_write(source, sink, err);
}

int cmd_wire(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *out = NULL;
	struct error err;
	int opt;

	while ((opt = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_OK;
		}
		if (opt != 'o')
			return cmd_bad_option("wire", opt, argv);
		out = optarg;
	}
	if (optind + 1 != argc)
		return cmd_usage("wire", "one text trace is needed");
	if (!out)
		return cmd_usage("wire", "where to write is needed: -o TRACE");
	if (raw_convert(to_wire, NULL, argv[optind], out, &err))
		return cmd_fail(&err);
	return EXIT_OK;
}
