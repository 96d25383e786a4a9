// SPDX-License-Identifier: Apache-2.0
/* gotap wire: the text form of a trace back to its wire form. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "read/wire_write.h"

static const char usage[] =
	"usage: gotap wire TEXT -o TRACE\n"
	"\n"
	"Turns what `gotap text` printed, a text trace written by hand, or the trace member\n"
	"of one of Go's .test files into a trace. Sizes of batches are taken as they stand.\n"
	"TEXT and TRACE may be - (standard input, output).\n"
	"\n"
	"  -o, --output TRACE  the file to write\n"
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
		ret = wire_write(&source, &sink, err);
		if (ret)
			error_prefix(err, "%s", in);
		if (sink_close(&sink, !ret, &write_err)) {
			*err = write_err;
			ret = write_err.code;
		}
	}
	source_close(&source);
	return ret;
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
	if (optind + 1 != argc || !out) {
		fputs(usage, stderr);
		return 2;
	}
	if (convert(argv[optind], out, &err)) {
		fprintf(stderr, "gotap wire: %s\n", err.text);
		return 1;
	}
	return 0;
}
