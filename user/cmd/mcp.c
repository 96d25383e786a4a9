// SPDX-License-Identifier: Apache-2.0
/* mcp: `gotap mcp`: options; user/mcp has the server. */
#include "mcp/server.h"

#include <getopt.h>
#include <stddef.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/parse.h"

static const char *mcp_take_size(void *bytes, const char *arg)
{
	return parse_size(arg, 4 << 20, 1ULL << 40, bytes) ?
		       NULL :
		       "takes bytes, like 256M, from 4M to 1024G";
}

static const char *mcp_take_time(void *seconds, const char *arg)
{
	return parse_duration(arg, seconds) && *(double *)seconds <= 3600 ?
		       NULL :
		       "takes a time up to 1h, like 30s";
}

static const struct option_row mcp_rows[] = {
	OPTION('d', "dir", "DIR", OPTION_TEXT, offsetof(struct mcp_options, dir),
	       "the folder of traces: recordings are written there, and no trace elsewhere can be "
	       "read"),
	OPTION(0, "read-only", NULL, OPTION_FLAG, offsetof(struct mcp_options, limits.read_only),
	       "without the tools that put probes into programs: record and top"),
	OPTION(0, "max-time", "TIME", OPTION_TAKE,
	       offsetof(struct mcp_options, limits.most_seconds),
	       "the longest recording that a call may ask for (default 60s)",
	       .take = mcp_take_time),
	OPTION(0, "max-bytes", "SIZE", OPTION_TAKE, offsetof(struct mcp_options, most_bytes),
	       "bytes of all traces that servers like this one have written into DIR (default 1G): "
	       "a "
	       "recording ends there, and further ones are refused",
	       .take = mcp_take_size),
	OPTION(0, "allow-inline", NULL, OPTION_FLAG,
	       offsetof(struct mcp_options, limits.inline_allowed),
	       "a recording may be made with --attach inline, which changes the program's code "
	       "while it "
	       "is recorded"),
	OPTION(0, "show-private", NULL, OPTION_FLAG, offsetof(struct mcp_options, show_private),
	       "answers and traces have what may hold secrets: command lines of programs and paths "
	       "of requests"),
	{0},
};

static const char *mcp_check(void *options, char **operands)
{
	const struct mcp_options *o = options;

	if (*operands)
		return option_wrong("'%s' is one argument too many: gotap mcp takes options only",
				    *operands);
	return o->dir ? NULL : "--dir DIR is needed: the folder of traces";
}

static const struct command_line mcp_line = {
	.name = "mcp",
	.usage = "gotap mcp --dir DIR [OPTION...]",
	.about = "Serves the Model Context Protocol on standard input and output, so that a "
		 "language\n"
		 "model can find Go programs, record them, and ask why they are slow. A client "
		 "starts\n"
		 "it; docs/mcp.md has the settings of some. It has the rights of the user that "
		 "runs\n"
		 "it, and serves one client. No call reaches a shell.\n",
	.tables = { { mcp_rows, 0 } },
	.after = "It ends with its input, or by SIGTERM, SIGINT or SIGHUP: recordings end then, "
		 "too.\n"
		 "Exit status: 0; 1 if it cannot begin, or the client cannot be written to; 2 for\n"
		 "wrong usage.\n",
	.most = -1,
	.check = mcp_check,
};

int cmd_mcp(int argc, char **argv)
{
	struct mcp_options o = { .most_bytes = 1ULL << 30, .limits.most_seconds = 60 };
	struct error err;
	int status = command_line_read(&mcp_line, &o, argc, argv);

	if (status)
		return status - 1;
	return mcp_serve(&o, STDIN_FILENO, STDOUT_FILENO, &err) ? cmd_fail(&err) : EXIT_OK;
}
