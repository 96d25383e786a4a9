// SPDX-License-Identifier: Apache-2.0
/*
 * ps: `gotap ps`: the Go programs that run on this machine. ps_listing finds them, ps_show writes
 * them out.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/pick.h"
#include "cmd/ps/listing.h"
#include "cmd/ps/show.h"

struct ps_options {
	struct pick where;
	unsigned long command_max;
	bool json, again;
};

static const struct option_row ps_rows[] = {
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct ps_options, json),
	  "as JSON: also the user, executable, module and build settings"),
	OPTION(0, "command-max", "N", OPTION_NUMBER, offsetof(struct ps_options, command_max),
	  "at most N bytes of each command line (default and maximum: 4096)",
	  .min = 1, .max = LISTING_COMMAND),
	OPTION_PROC(offsetof(struct ps_options, where.proc_dir)),
	/* for gotap serve: a list for each line of standard input */
	OPTION(0, "again", NULL, OPTION_FLAG, offsetof(struct ps_options, again), NULL),
	{0},
};

static const char *ps_check(void *options, char **operands)
{
	return *operands ? option_wrong("'%s' is one argument too many: gotap ps takes no names",
					*operands) :
			   NULL;
}

static const struct command_line ps_line = {
	.name = "ps",
	.usage = "gotap ps [--json] [--command-max N] [--proc DIR]",
	.about = "Lists the Go programs that run on this machine, those that used most CPU first:\n"
		 "\n"
		 "  PID, PPID  the process and its parent\n"
		 "  %CPU-LIFE  CPU time since the process began, in percent of one CPU\n"
		 "  GOROUTINES how many it has, with the runtime's own; - not known\n"
		 "  GO         the release that built it\n"
		 "  SYMBOLS    dwarf, symtab or stripped\n"
		 "  PGO        built with a profile?\n"
		 "  TRACE      can gotap trace it? If not, the reason stands below\n"
		 "  CONTAINER  the one that it runs in\n"
		 "  COMMAND    its arguments, cut to the width of a terminal\n"
		 "\n"
		 "Also other programs with a Go library. Other users' programs take root or\n"
		 "CAP_SYS_PTRACE. Processes that could not be looked at are named on stderr.\n",
	.tables = { { ps_rows, 0 } },
	.most = -1,
	.check = ps_check,
};

/* Answers each line of standard input with a list as JSON, which is a line, too. */
static int ps_again(struct listing *l, const struct ps_options *o)
{
	struct error err = {0};
	int c;

	while ((c = getchar()) != EOF) {
		if (c != '\n')
			continue;
		if (listing_make(l, &o->where, &err))
			return cmd_fail(&err);
		ps_show_json(l);
		if (fflush(stdout))
			return EXIT_OK;		/* nobody reads on */
		listing_again(l);
	}
	return EXIT_OK;
}

int cmd_ps(int argc, char **argv)
{
	struct ps_options o = { .command_max = LISTING_COMMAND };
	struct listing l = {0};
	struct error err = {0};
	int status = command_line_read(&ps_line, &o, argc, argv);

	if (status)
		return status - 1;
	l.command_max = o.command_max;
	if (o.again)
		status = ps_again(&l, &o);
	else if (listing_make(&l, &o.where, &err))
		status = cmd_fail(&err);
	else if (o.json)
		ps_show_json(&l);
	else
		ps_show_table(&l);
	listing_release(&l);
	return status;
}
