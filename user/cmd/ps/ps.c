// SPDX-License-Identifier: Apache-2.0
/* ps: `gotap ps`: the Go programs that run on this machine. ps_listing finds them, ps_show writes them out. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/pick.h"
#include "cmd/ps/listing.h"
#include "cmd/ps/show.h"

static const char help[] =
	"usage: gotap ps [--json] [--command-max N] [--proc DIR]\n"
	"\n"
	"Lists the Go programs that run on this machine, those that used most CPU first:\n"
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
	"CAP_SYS_PTRACE. Processes that could not be looked at are named on stderr.\n"
	"\n"
	"      --json            as JSON: also the user, executable, module and build settings\n"
	"      --command-max N   at most N bytes of each command line (default and maximum: 4096)\n"
	"      --proc DIR        the host's /proc, where gotap runs in a container itself\n";

static bool read_command_max(const char *text, size_t *ret)
{
	char *end;
	unsigned long n;

	if (*text < '0' || *text > '9')
		return false;
	n = strtoul(text, &end, 10);
	*ret = n;
	return !*end && n > 0 && n <= LISTING_COMMAND;
}

/* 0: go on; else the exit status + 1. */
static int read_options(struct pick *where, bool *json, size_t *command_max, int argc, char **argv)
{
	enum { COMMAND_MAX = 256 };
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "command-max", required_argument, NULL, COMMAND_MAX },
		{ "proc", required_argument, NULL, PICK_PROC },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			*json = true;
			break;
		case COMMAND_MAX:
			if (!read_command_max(optarg, command_max))
				return cmd_usage("ps", "--command-max takes a number from 1 to %d", LISTING_COMMAND) + 1;
			break;
		case PICK_PROC:
			pick_option(where, c, optarg);
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK + 1;
		default:
			return cmd_bad_option("ps", c, argv) + 1;
		}
	}
	if (optind < argc)
		return cmd_usage("ps", "what is '%s'? gotap ps takes no names", argv[optind]) + 1;
	return 0;
}

int cmd_ps(int argc, char **argv)
{
	struct pick where = {0};
	struct listing l = { .command_max = LISTING_COMMAND };
	struct error err = {0};
	bool json = false;
	int status = read_options(&where, &json, &l.command_max, argc, argv);

	if (status)
		return status - 1;
	if (listing_make(&l, &where, &err))
		status = cmd_fail(&err);
	else if (json)
		ps_show_json(&l);
	else
		ps_show_table(&l);
	listing_release(&l);
	return status;
}
