/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands: the table of all commands, in main.c. Beside main() the manual and the completion read
 * it.
 */
#ifndef GOTAP_CMD_COMMANDS_H
#define GOTAP_CMD_COMMANDS_H

struct command {
	const char *name;
	int (*run)(int argc, char **argv);	/* see cmd.h */
	const char *help;			/* one line */
};

/* Ends with a row without a name. */
extern const struct command commands[];

#endif
