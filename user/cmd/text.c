// SPDX-License-Identifier: Apache-2.0
/* gotap text: a trace in the text form of Go's internal/trace/raw. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

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

static int convert(const char *in, const char *out, struct error *err)
{
	struct raw_source source;
	struct raw_sink sink;
	struct error write_err;
	int ret = source_open(&source, in, err);

	if (ret)
		return ret;
	ret = sink_open(&sink, out, err);
	if (!ret) {
		ret = text_write(&source, &sink, err);
		if (ret)
			error_prefix(err, "%s", in);
		/* What could be read stays: it shows where the damage begins. */
		if (sink_close(&sink, true, &write_err)) {
			*err = write_err;
			ret = write_err.code;
		}
	}
	source_close(&source);
	return ret;
}

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
			return 0;
		}
		if (opt != 'o') {
			fputs(usage, stderr);
			return 2;
		}
		out = optarg;
	}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (convert(argv[optind], out, &err)) {
		fprintf(stderr, "gotap text: %s\n", err.text);
		return 1;
	}
	return 0;
}
