/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines: the command lines of all commands, for the manual and the completion. Their source is
 * the table of commands and the tables of options that make --help, so that a command that is
 * added to the table has its page and its completion.
 */
#ifndef GOTAP_CMD_MANUAL_LINES_H
#define GOTAP_CMD_MANUAL_LINES_H

#include "cmd/commands.h"
#include "cmd/options.h"

/* Calls @show with the command line of @c, by running `gotap COMMAND --help`. */
void line_show(const struct command *c, command_line_show_fn *show);

/*
 * The next option of @c that --help shows: @row is the one before, or NULL; @table goes on with
 * it, and begins with 0. The last one is that of --help. NULL: no more.
 */
const struct option_row *line_next(const struct command_line *c, const struct option_row *row,
				   unsigned int *table);
/* The same without titles. */
const struct option_row *line_next_option(const struct command_line *c,
					  const struct option_row *row, unsigned int *table);

/* --- what an argument can be, for the completion --- */

enum argument_kind {
	ARGUMENT_NONE,		/* anything: nothing to complete */
	ARGUMENT_FILE,
	ARGUMENT_DIR,
	ARGUMENT_PID,		/* of a Go program */
	ARGUMENT_COMMAND,	/* of gotap */
	ARGUMENT_PROGRAM,	/* a program with its arguments */
	ARGUMENT_WORDS,
	ARGUMENT_LIST,		/* words with commas between them, each after + or - */
};

struct argument {
	enum argument_kind kind;
	char words[4096];	/* of ARGUMENT_WORDS and _LIST, with spaces between them */
};

/* ARGUMENT_NONE, too, for an option without an argument, and for one that arguments.def lacks. */
void argument_of_option(const struct option_row *row, struct argument *a);
/* The kind of the first operand, by its name in the usage. */
void argument_of_operand(const struct command_line *c, struct argument *a);

#endif
