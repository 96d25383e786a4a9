// SPDX-License-Identifier: Apache-2.0
/* gotap text: a trace in the text form of Go's internal/trace/raw. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "read/raw_convert.h"
#include "read/text_write.h"

static const char usage[] =
	"usage: gotap text TRACE [-o FILE]\n"
	"\n"
	"Prints every event of a Go execution trace (go 1.22 and later), one per line,\n"
	"framing and tables included, as internal/trace/raw of Go does. `gotap wire` turns\n"
	"the result back into a trace. TRACE and FILE may be - (standard input, output).\n"
	"\n"
	"  -o, --output FILE   write to FILE instead of standard output\n"
	"  -h, --help          show this\n";

int cmd_text(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *out = "-";
	struct error err;
	int opt;

	while ((opt = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_OK;
		}
		if (opt != 'o')
			return cmd_usage("text", "wrong option");
		out = optarg;
	}
	if (optind + 1 != argc)
		return cmd_usage("text", "one trace is needed");
	/* What could be read stays: it shows where the damage begins. */
	if (raw_convert(text_write, argv[optind], out, true, &err))
		return cmd_fail(&err);
	return EXIT_OK;
}
