/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands: the table of all commands, which main.c has and gives to those that need it: beside
 * main() the manual and the completion.
 */
#ifndef GOTAP_CMD_COMMANDS_H
#define GOTAP_CMD_COMMANDS_H

struct command {
	const char *name;
	int (*run)(int argc, char **argv);	/* see cmd.h */
	const char *help;			/* one line */
};

/* The first row of the table, which ends with a row without a name; main() sets it. */
extern const struct command *commands;
/* NULL: there is no command @name. */
const struct command *command_named(const char *name);

#endif
