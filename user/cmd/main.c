// SPDX-License-Identifier: Apache-2.0
/* main: finds the subcommand in a table and runs it. */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{ "record", cmd_record, "trace a running Go program, or run one, into a Go execution trace" },
	{ "ps", cmd_ps, "list the Go programs that run on this machine" },
	{ "doctor", cmd_doctor, "say whether and how a program can be traced" },
	{ "assemble", cmd_assemble, "turn the raw records of `record --spool` into a trace" },
	{ "events", cmd_events, "list the groups of events that `record --events` takes" },
	{ "text", cmd_text, "print a trace as text" },
	{ "wire", cmd_wire, "turn that text back into a trace" },
	{ "check", cmd_check, "check that traces obey the rules of the format" },
	{ "convert", cmd_convert, "turn a trace of any Go release into one for today's tools" },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_help(FILE *f)
{
	int i;

	fprintf(f, "gotap traces Go programs from outside: no code change, no restart, no port.\n\n"
		   "usage: gotap COMMAND [OPTION...]\n\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(f, "\n`gotap COMMAND --help` tells more. A first try:\n\n"
		   "  sudo gotap record -p PID -d 5s -o trace.out && go tool trace trace.out\n");
}

/* getopt begins what it says with argv[0]. */
static int run(const struct command *c, int argc, char **argv)
{
	char name[32];

	snprintf(name, sizeof(name), "gotap %s", c->name);
	argv[0] = name;
	return c->run(argc, argv);
}

/* Else a trace may be opened as a standard file that was closed, and messages go into it. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	int i;

	open_standard_files();
	/* Large buffers of a burst go back to the system, also after the first one. */
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		puts("gotap " GOTAP_VERSION);
		return EXIT_OK;
	}
	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return run(&commands[i], argc - 1, argv + 1);
	fprintf(stderr, "gotap: there is no command '%s'; try 'gotap --help'\n", argv[1]);
	return EXIT_USAGE;
}
