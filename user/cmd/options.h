/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: the command line of a command as a table: each option has a row with its name, the
 * kind of its argument, the field that gets it and its text in --help. One parser reads all
 * command lines, prints all --help texts, and words all errors. In: a table and argv. Out: the
 * fields of the command's own struct, whole or refused.
 */
#ifndef GOTAP_CMD_OPTIONS_H
#define GOTAP_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
	OPTION_END,		/* ends a list of rows */
	OPTION_FLAG,		/* bool: it is given */
	OPTION_TEXT,		/* const char * */
	OPTION_NUMBER,		/* unsigned long, from min to max */
	OPTION_COUNT,		/* unsigned int, from min to max */
	OPTION_DURATION,	/* double: s, more than 0 */
	OPTION_MOMENT,		/* double: s, or 0 */
	OPTION_INSTANT,		/* int64_t: ns since the trace began */
	OPTION_TAKE,		/* take() reads it; without .arg it has no argument */
	OPTION_TITLE,		/* no option: help is a paragraph between the options */
};

/*
 * Reads @arg into @field. Returns NULL, or a predicate that says what is wrong, like "takes a
 * process id"; the parser puts the name of the option before it, also before a text that begins
 * with a colon.
 */
typedef const char *option_take_fn(void *field, const char *arg);

struct option_row {
	char letter;		/* 0: none */
	const char *name, *arg;	/* arg: as --help names it; NULL: none */
	enum option_kind kind;
	size_t field;		/* where it is in the struct of the table */
	const char *help;	/* one paragraph; NULL: --help does not show it */
	unsigned long min, max;
	option_take_fn *take;
	const char *want;	/* instead of the predicate of the kind */
};

/* A row; after the help further fields by name: .take, .min, .max, .want. */
#define OPTION(letter_, name_, arg_, kind_, field_, help_, ...) \
	{ \
		.letter = letter_, .name = name_, .arg = arg_, .kind = kind_, .field = field_, \
		.help = help_, ##__VA_ARGS__ \
	}

/* Rows that end with OPTION_END, for a struct at @offset in the command's struct. */
struct option_table {
	const struct option_row *rows;
	size_t offset;
};

struct command_line {
	const char *name;	/* of the command */
	const char *usage;	/* lines, without "usage: " */
	const char *about;	/* paragraphs before the options, and after them; NULL: none */
	struct option_table tables[8];	/* end with .rows NULL */
	const char *after;
	int least, most;	/* operands; most -1: any number */
	const char *operands;	/* the message if there are more or fewer */
	/* the first operand ends the options: it and what follows is a program to run */
	bool program;
	/*
	 * After the last option, with the operands, which end with NULL. Returns NULL, or what is
	 * wrong.
	 */
	const char *(*check)(void *options, char **operands);
	/* Called for each option that is given; may be NULL. */
	void (*given)(void *options, const struct option_row *row, const char *arg);
};

/*
 * Reads @argv into @options, which has the defaults. 0: go on, optind is the index of the first
 * operand. Otherwise the exit status + 1: wrong usage, which was printed, or --help.
 */
int command_line_read(const struct command_line *c, void *options, int argc, char **argv);
/*
 * Makes --help call @show instead of printing: the manual and the completion read the tables of
 * all commands so. NULL: it prints again.
 */
typedef void command_line_show_fn(const struct command_line *c);
void command_line_show(command_line_show_fn *show);
/* For OPTION_TAKE, with a const char *: KEY=VALUE of a profiler label (spans/labelled.h). */
const char *option_take_label(void *label, const char *arg);
/* The same with a struct labels_asked, to which it adds. */
const char *option_add_label(void *labels, const char *arg);
/* The row of --help, which all commands have and no table. */
extern const struct option_row command_line_help_row;
/*
 * A predicate with changing words for option_take_fn, or a message for check(); valid until the
 * next call.
 */
const char *option_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* --- rows and functions that several commands have --- */

option_take_fn option_take_format, option_take_symbols, option_take_release, option_take_groups,
	option_take_budget, option_take_ids, option_take_some, option_take_btf;

#define OPTION_OUTPUT(field) \
	OPTION('o', "output", "FILE", OPTION_TEXT, field, \
	       "write to FILE instead of standard output")
#define OPTION_BINARY(field) \
	OPTION('b', "binary", "PROGRAM", OPTION_TEXT, field, \
	  "the traced program: names the stacks of traces before Go 1.7, which hold addresses only")
#define OPTION_EVENTS(field) \
	OPTION('e', "events", "LIST", OPTION_TAKE, field, \
	  "groups of events: see `gotap events` (default: " \
	  "most); +GROUP and -GROUP change the default", \
	  .take = option_take_groups)
#define OPTION_ASSUME(field) \
	OPTION(0, "assume-go", "1.NN", OPTION_TAKE, field, \
	  "take the program for one of that release, if it is of one that gotap does not know", \
	  .take = option_take_release)
#define OPTION_PROC(field) \
	OPTION(0, "proc", "DIR", OPTION_TEXT, field, \
	       "the host's /proc, where gotap runs in a container itself")
#define OPTION_BTF \
	OPTION(0, "btf", "FILE", OPTION_TAKE, 0, \
	  "the types of this kernel, where it does not have them itself " \
	  "(/sys/kernel/btf/vmlinux): raw BTF, or an ELF file with .BTF (docs/kernels.md)", \
	  .take = option_take_btf)

#endif
