/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd: the subcommands. Each takes its own arguments (argv[0] is its name)
 * and returns the exit status: 0 done, 1 failed, 2 wrong usage. Commands print;
 * main() finds out whether that could be written.
 */
#ifndef GOTAP_CMD_CMD_H
#define GOTAP_CMD_CMD_H

#include <stdint.h>

#include "base/error.h"

enum {
	EXIT_OK = 0, EXIT_FAIL = 1, EXIT_USAGE = 2,
	/* record: all went well, but memory of gotap's is still in the program */
	EXIT_LEFT = 3,
	EXIT_LAUNCHER = 125,	/* gotap failed, and statuses below are the launched program's */
};

int cmd_record(int argc, char **argv);
int cmd_ps(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_heap(int argc, char **argv);
int cmd_core(int argc, char **argv);
int cmd_stacks(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_assemble(int argc, char **argv);
int cmd_records(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_text(int argc, char **argv);
int cmd_wire(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_pprof(int argc, char **argv);
int cmd_why(int argc, char **argv);
int cmd_requests(int argc, char **argv);
int cmd_func(int argc, char **argv);
int cmd_whatif(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_perfetto(int argc, char **argv);
int cmd_tables(int argc, char **argv);
int cmd_snap(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_manual(int argc, char **argv);
int cmd_mcp(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_completion(int argc, char **argv);

/* Prints "gotap: TEXT" to stderr; returns EXIT_FAIL. */
int cmd_fail(const struct error *err);
/* Prints "gotap NAME: TEXT" and where help is; returns EXIT_USAGE. */
int cmd_usage(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * The same for an option that getopt_long() refused: @c is what that returned, ':'
 * or '?', for which its list of short options must begin with ':'.
 */
int cmd_bad_option(const char *name, int c, char **argv);

#endif
