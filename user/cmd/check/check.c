// SPDX-License-Identifier: Apache-2.0
/* gotap check: is this a trace that Go's tools take? One line for each file. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/check/json.h"
#include "cmd/check/old.h"
#include "cmd/options.h"
#include "files/claims.h"
#include "files/leftover.h"
#include "files/legacy.h"
#include "base/show.h"
#include "read/check_report.h"

struct check_options {
	bool lenient, json;
	const char *binary;
};

static const struct option_row check_rows[] = {
	OPTION(0, "lenient", NULL, OPTION_FLAG, offsetof(struct check_options, lenient),
	  "only the rules of Go's reader"),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct check_options, json),
	  "one JSON object for each file"),
	OPTION('b', "binary", "PROGRAM", OPTION_TEXT, offsetof(struct check_options, binary),
	  "the traced program, for traces before Go 1.7: can it name their stacks?"),
	{0},
};

static const struct command_line check_line = {
	.name = "check",
	.usage = "gotap check [--lenient] [--json] [--binary PROGRAM] TRACE...",
	.about =
		"Reads Go execution traces and reports for each, in one line, whether Go's\n"
		"reader takes it, whether it keeps the stricter rules for those who write\n"
		"traces, and whether it is safe for the tools that use it. A fault comes with\n"
		"its place, the event, the rule it breaks and the state that it met. Traces of\n"
		"Go 1.21 and older, back to before Go 1.5, are held to the rules of the readers\n"
		"of their time. TRACE may be - (standard input).\n",
	.tables = { { check_rows, 0 } },
	.after =
		"exit status: 0 all is well, 1 a trace is not, 2 wrong usage or a file that\n"
		"cannot be read\n",
	.least = 1, .most = -1, .operands = "at least one trace is needed",
};

static int check_cmd_fail(const struct error *err)
{
	cmd_fail(err);
	return EXIT_USAGE;
}

static int check_cmd_check_old(struct raw_source *source, const char *file,
			const struct check_options *options)
{
	struct error err;
	int ret = check_old(source, file, options->binary, options->json, &err);

	source_close(source);
	if (ret < 0)
		return check_cmd_fail(&err);
	return ret ? EXIT_FAIL : EXIT_OK;
}

/* Exit status for one file. */
static int check_cmd_check_one(const char *file, const struct check_options *options)
{
	struct check_result result;
	struct raw_source source;
	struct buf line = {0};
	struct error err;

	if (leftover_source_open(&source, file, &err))
		return check_cmd_fail(&err);
	if (legacy_is(&source))
		return check_cmd_check_old(&source, file, options);
	if (check_source(&source, options->lenient, &result, &err)) {
		error_prefix(&err, "%s", file);
		return check_cmd_fail(&err);
	}
	if (options->json) {
		check_json(stdout, file, &result);
	} else {
		check_report_text(&line, file, &result);
		line.data[line.len - 1] = 0;	/* the line feed */
		show_printf(stdout, "%s\n", (char *)line.data);
		buf_free(&line);
	}
	return result.kind == CHECK_OK ? EXIT_OK : EXIT_FAIL;
}

int cmd_check(int argc, char **argv)
{
	struct check_options options = {0};
	int status = command_line_read(&check_line, &options, argc, argv), i;
	struct error err;

	if (status)
		return status - 1;
	if (claims_input_files(argv + optind, &err) || legacy_program(options.binary, &err))
		return check_cmd_fail(&err);
	for (i = optind; i < argc; i++) {
		int one = check_cmd_check_one(argv[i], &options);

		if (one > status)
			status = one;
	}
	if (fflush(stdout))
		return EXIT_USAGE;
	return status;
}
