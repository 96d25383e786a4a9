// SPDX-License-Identifier: Apache-2.0
/* gotap text: a trace in the text form of Go's internal/trace/raw. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "cmd/leftover.h"
#include "cmd/legacy.h"
#include "cmd/raw_convert.h"
#include "read/text_write.h"

static const char usage[] =
	"usage: gotap text TRACE [-o FILE] [--binary PROGRAM]\n"
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
	"  -h, --help            show this\n";

static int from_wire(struct raw_source *source, struct raw_sink *sink, const void *ctx,
		     struct error *err)
{
	return text_write(source, sink, err);
}

static int text(const char *in, const char *out, const char *binary, struct error *err)
{
	struct raw_source source;
	int ret = legacy_program(binary, err);

	if (!ret)
		ret = leftover_source_open(&source, in, err);
	if (ret)
		return ret;
	if (legacy_is(&source))
		ret = legacy_text(&source, in, out, binary, err);
	else
		ret = raw_convert_source(from_wire, NULL, &source, in, out, OUTPUT_TEXT, err);
	source_close(&source);
	return ret;
}

int cmd_text(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "binary", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *out = "-", *binary = NULL;
	struct error err;
	int opt;

	while ((opt = getopt_long(argc, argv, ":o:b:h", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_OK;
		}
		if (opt == 'o')
			out = optarg;
		else if (opt == 'b')
			binary = optarg;
		else
			return cmd_bad_option("text", opt, argv);
	}
	if (optind + 1 != argc)
		return cmd_usage("text", "one trace is needed");
	if (text(argv[optind], out, binary, &err))
		return cmd_fail(&err);
	return EXIT_OK;
}
