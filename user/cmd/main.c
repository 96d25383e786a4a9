// SPDX-License-Identifier: Apache-2.0
/* main: finds the subcommand in a table and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/parent.h"
#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/version.h"
#include "base/show.h"

static const struct command all_commands[] = {
	{ "record", cmd_record,
	  "trace a running Go program, or run one, into a Go execution trace" },
	{ "snap", cmd_snap, "ask a running `record --flight` for its last seconds" },
	{ "report", cmd_report, "say what slows a program down, from its trace" },
	{ "top", cmd_top, "show a running Go program at work, live" },
	{ "ps", cmd_ps, "list the Go programs that run on this machine" },
	{ "doctor", cmd_doctor, "say whether and how a program can be traced" },
	{ "stacks", cmd_stacks, "print all goroutines of a running program, without stopping it" },
	{ "heap", cmd_heap, "say what uses the memory of a running program: its heap profile" },
	{ "core", cmd_core, "write a core file of a running program, which goes on" },
	{ "serve", cmd_serve, "answer as net/http/pprof for programs that have no such port" },
	{ "mcp", cmd_mcp, "let a language model ask about Go programs (MCP server)" },
	{ "assemble", cmd_assemble, "turn the raw records of `record --spool` into a trace" },
	{ "records", cmd_records, "print the raw records of `record --spool`" },
	{ "events", cmd_events, "list the groups of events that `record --events` takes" },
	{ "text", cmd_text, "print a trace as text" },
	{ "wire", cmd_wire, "turn that text back into a trace" },
	{ "check", cmd_check, "check that traces obey the rules of the format" },
	{ "diff", cmd_diff, "say what became slower from one trace to another" },
	{ "pprof", cmd_pprof, "make a profile of traces, for `go tool pprof` and flame graphs" },
	{ "convert", cmd_convert, "turn a trace of any Go release into one for today's tools" },
	{ "why", cmd_why, "say what something waited for: the critical path" },
	{ "requests", cmd_requests,
	  "list the requests that a server answered, by route, from its trace" },
	{ "func", cmd_func, "show how long the calls of any function take, and why, live" },
	{ "whatif", cmd_whatif, "experimental: predict the effect of a shorter part, by a replay" },
	{ "perfetto", cmd_perfetto, "turn a trace of any Go release into one for Perfetto" },
	{ "tables", cmd_tables, "turn traces into tables in Parquet files, for SQL" },
	{ "schema", cmd_schema, "print the schema of the JSON that a command prints" },
	{ "manual", cmd_manual, "print the manual page of a command, for `man -l -`" },
	{ "completion", cmd_completion, "print the completion of bash, zsh or fish" },
	{0},
};

static void print_help(FILE *f)
{
	const struct command *c;

	fprintf(f, "gotap traces Go programs from outside: no code change, no restart, no port.\n\n"
		   "usage: gotap COMMAND [OPTION...]\n\n");
	for (c = commands; c->name; c++)
		fprintf(f, "  %-11s %s\n", c->name, c->help);
	fprintf(f, "\n`gotap COMMAND --help` shows more. A first try:\n\n"
		   "  sudo gotap record -p PID -d 5s -o trace.out && go tool trace trace.out\n");
}

/* The check that standard output took everything, for all commands. */
static int main_finish(int status)
{
	int e;

	if (!fflush(stdout) && !ferror(stdout))
		return status;
	e = errno;
	fprintf(stderr, "gotap: cannot write to stdout: %s%s\n", strerror(e),
		limits_explain(-e).text);
	return status ? status : EXIT_FAIL;
}

static bool is_one_of(const char *s, const char *a, const char *b, const char *c)
{
	return !strcmp(s, a) || !strcmp(s, b) || !strcmp(s, c);
}

static int main_run(int argc, char **argv)
{
	const struct command *c = command_named(argv[0]);

	if (c)
		return c->run(argc, argv);
	show_printf(stderr, "gotap: there is no command '%s'; try 'gotap --help'\n", argv[0]);
	return EXIT_USAGE;
}

/* `gotap help record` is `gotap record --help`. */
static int help(int argc, char **argv)
{
	char option[] = "--help", *args[] = { argc > 0 ? argv[0] : NULL, option, NULL };

	if (argc > 0)
		return main_run(2, args);
	print_help(stdout);
	return EXIT_OK;
}

/*
 * A trace could get the descriptor of a standard file that was closed, and messages would go into
 * it.
 */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static int gotap(int argc, char **argv)
{
	/* Large buffers of a burst go back to the system, also after the first one. */
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
	if (argc > 1 && parent_take(argv[1])) {
		argv++;
		argc--;
	}
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (is_one_of(argv[1], "--help", "-h", "help"))
		return main_finish(help(argc - 2, argv + 2));
	if (is_one_of(argv[1], "--version", "-V", "version")) {
		version_print();
		return main_finish(EXIT_OK);
	}
	return main_finish(main_run(argc - 1, argv + 1));
}

int main(int argc, char **argv)
{
	commands = all_commands;
	open_standard_files();
	limits_begin();
	return limits_run(gotap, argc, argv);
}
