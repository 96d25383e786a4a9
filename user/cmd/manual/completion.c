// SPDX-License-Identifier: Apache-2.0
/*
 * completion: `gotap completion bash|zsh|fish`: a file of cmd/manual/shells, and for each command
 * its options and the kinds of their arguments, from the tables that make --help (lines.h).
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/manual/lines.h"
#include "cmd/manual/shells.h"
#include "cmd/options.h"

/* @begin and @end come before and after the commands. */
struct shell {
	const char *name, *text;
	void (*begin)(void);
	command_line_show_fn *command;
	void (*end)(void);
};

/* Text within '', with the characters of @special escaped by a backslash. */
static void put_quoted(const char *text, int n, const char *quote, const char *special)
{
	int i;

	for (i = 0; i < n; i++) {
		if (text[i] == '\'')
			fputs(quote, stdout);
		else if (strchr(special, text[i]))
			printf("\\%c", text[i]);
		else
			putchar(text[i]);
	}
}

/* The bytes of @help up to its first colon or semicolon: about one line in a terminal. */
static int help_length(const char *help)
{
	int n = (int)strcspn(help, ":;");

	return n ? n : (int)strlen(help);
}

static void put_command_names(void)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		printf("%s%s", c == commands ? "" : " ", c->name);
}

/* --- bash: functions that print OPTION or OPTION=WHAT, and what operands are --- */

static void bash_put_what(const struct argument *a)
{
	static const char *const names[] = {
		[ARGUMENT_NONE] = "none", [ARGUMENT_FILE] = "file", [ARGUMENT_DIR] = "dir",
		[ARGUMENT_PID] = "pid",
		[ARGUMENT_COMMAND] = "command", [ARGUMENT_PROGRAM] = "program",
		[ARGUMENT_WORDS] = "words:", [ARGUMENT_LIST] = "list:",
	};
	const char *s;

	fputs(names[a->kind], stdout);
	for (s = a->words; *s; s++)
		putchar(*s == ' ' ? ',' : *s);
}

static void bash_option(const struct option_row *r)
{
	struct argument a;

	argument_of_option(r, &a);
	if (r->letter) {
		printf(" -%c%s", r->letter, r->arg ? "=" : "");
		if (r->arg)
			bash_put_what(&a);
	}
	printf(" --%s%s", r->name, r->arg ? "=" : "");
	if (r->arg)
		bash_put_what(&a);
}

static void bash_command(const struct command_line *c)
{
	const struct option_row *r = NULL;
	unsigned int table = 0;

	printf("\t%s) printf '%%s\\n'", c->name);
	while ((r = line_next_option(c, r, &table)))
		bash_option(r);
	puts(" ;;");
}

static void bash_operand(const struct command_line *c)
{
	struct argument a;

	argument_of_operand(c, &a);
	printf("\t%s) echo ", c->name);
	bash_put_what(&a);
	puts(" ;;");
}

static void bash_begin(void)
{
	fputs("_gotap_commands='", stdout);
	put_command_names();
	puts("'\n\n_gotap_options() {\n\tcase $1 in");
}

static void bash_end(void)
{
	const struct command *c;

	puts("\tesac\n}\n\n_gotap_operand() {\n\tcase $1 in");
	for (c = commands; c->name; c++)
		line_show(c, bash_operand);
	puts("\tesac\n}");
}

/* --- zsh: for each command a call of _arguments --- */

static void zsh_quoted(const char *text, int n)
{
	put_quoted(text, n, "'\\''", "[]:\\");
}

static void zsh_action(const struct argument *a)
{
	static const char *const actions[] = {
		[ARGUMENT_NONE] = " ", [ARGUMENT_FILE] = "_files", [ARGUMENT_DIR] = "_files -/",
		[ARGUMENT_PID] = "_gotap_pids", [ARGUMENT_COMMAND] = "_gotap_command",
	};

	if (a->kind == ARGUMENT_WORDS)
		printf("(%s)", a->words);
	else if (a->kind == ARGUMENT_LIST)
		printf("{_gotap_list %s}", a->words);
	else
		fputs(actions[a->kind], stdout);
}

/* One spelling of an option: "--pid=", "-p+", "--wait". */
static void zsh_spelling(const struct option_row *r, const char *spelling)
{
	struct argument a;

	printf(" \\\n\t\t'*%s[", spelling);
	zsh_quoted(r->help, help_length(r->help));
	putchar(']');
	if (r->arg) {
		argument_of_option(r, &a);
		putchar(':');
		zsh_quoted(r->arg, (int)strlen(r->arg));
		putchar(':');
		zsh_action(&a);
	}
	putchar('\'');
}

static void zsh_command(const struct command_line *c)
{
	const struct option_row *r = NULL;
	unsigned int table = 0;
	struct argument a;
	char spelling[64];

	printf("\t%s) _arguments -s", c->name);
	while ((r = line_next_option(c, r, &table))) {
		if (r->letter) {
			snprintf(spelling, sizeof(spelling), "-%c%s", r->letter, r->arg ? "+" : "");
			zsh_spelling(r, spelling);
		}
		snprintf(spelling, sizeof(spelling), "--%s%s", r->name, r->arg ? "=" : "");
		zsh_spelling(r, spelling);
	}
	argument_of_operand(c, &a);
	if (a.kind == ARGUMENT_PROGRAM)
		fputs(" \\\n\t\t'(-)1: :_gotap_program' '*:: :_normal'", stdout);
	else if (a.kind) {
		fputs(" \\\n\t\t'*: :", stdout);
		zsh_action(&a);
		putchar('\'');
	}
	puts(" ;;");
}

static void zsh_begin(void)
{
	const struct command *c;

	puts("_gotap_commands=(");
	for (c = commands; c->name; c++) {
		printf("\t'%s:", c->name);
		zsh_quoted(c->help, (int)strlen(c->help));
		puts("'");
	}
	puts("\t'help:show the options of a command'\n)\n\n_gotap_options() {\n\tcase $1 in");
}

/* As a file of fpath it is the body of _gotap; sourced, it is not. */
static void zsh_end(void)
{
	puts("\thelp) _arguments '1: :_gotap_command' ;;\n\tesac\n}\n\n"
	     "if [[ $funcstack[1] == _gotap ]]; then\n\t_gotap \"$@\"\n"
	     "else\n\tcompdef _gotap gotap\nfi");
}

/* --- fish: a line for each option --- */

static void fish_quoted(const char *text, int n)
{
	put_quoted(text, n, "\\'", "\\");
}

/* How `complete` takes the argument: -x: nothing else, -r -F: files. */
static void fish_what(const struct argument *a)
{
	static const char *const whats[] = {
		[ARGUMENT_NONE] = " -x", [ARGUMENT_FILE] = " -r -F",
		[ARGUMENT_DIR] = " -x -a '(__fish_complete_directories)'",
		[ARGUMENT_PID] = " -x -a '(__gotap_pids)'",
	};

	if (a->kind == ARGUMENT_LIST)
		printf(" -x -a '(__gotap_list %s)'", a->words);
	else if (a->kind == ARGUMENT_WORDS)
		printf(" -x -a '%s'", a->words);
	else
		fputs(whats[a->kind], stdout);
}

static void fish_option(const struct command_line *c, const struct option_row *r)
{
	struct argument a;

	printf("complete -c gotap -n '__gotap_command %s'", c->name);
	if (r->letter)
		printf(" -s %c", r->letter);
	printf(" -l %s", r->name);
	argument_of_option(r, &a);
	if (r->arg)
		fish_what(&a);
	fputs(" -d '", stdout);
	fish_quoted(r->help, help_length(r->help));
	puts("'");
}

static void fish_operand(const struct command_line *c)
{
	struct argument a;

	argument_of_operand(c, &a);
	if (!a.kind)
		return;
	printf("complete -c gotap -n '__gotap_command %s'", c->name);
	if (a.kind == ARGUMENT_COMMAND) {
		fputs(" -a '", stdout);
		put_command_names();
		puts("'");
	} else if (a.kind == ARGUMENT_WORDS) {
		printf(" -a '%s'\n", a.words);
	} else {
		puts(a.kind == ARGUMENT_PROGRAM ? " -F -a '(__fish_complete_command)'" : " -F");
	}
}

static void fish_command(const struct command_line *c)
{
	const struct option_row *r = NULL;
	unsigned int table = 0;

	putchar('\n');
	while ((r = line_next_option(c, r, &table)))
		fish_option(c, r);
	fish_operand(c);
}

static void fish_begin(void)
{
	const struct command *c;

	for (c = commands; c->name; c++) {
		printf("complete -c gotap -n __gotap_needs_command -a %s -d '", c->name);
		fish_quoted(c->help, (int)strlen(c->help));
		puts("'");
	}
	fputs("complete -c gotap -n __gotap_needs_command -a help"
	      " -d 'show the options of a command'\n"
	      "complete -c gotap -n '__gotap_command help' -a '", stdout);
	put_command_names();
	puts("'");
}

/* --- the command --- */

static const struct shell shells[] = {
	{ "bash", shell_bash_text, bash_begin, bash_command, bash_end },
	{ "zsh", shell_zsh_text, zsh_begin, zsh_command, zsh_end },
	{ "fish", shell_fish_text, fish_begin, fish_command, NULL },
	{0},
};

static const struct shell *shell_find(const char *name)
{
	const struct shell *s = shells;

	while (s->name && strcmp(s->name, name))
		s++;
	return s->name ? s : NULL;
}

static const char *completion_check(void *options, char **operands)
{
	return shell_find(operands[0]) ? NULL :
	       option_wrong("takes bash, zsh or fish, not '%s'", operands[0]);
}

static const struct command_line completion_line = {
	.name = "completion",
	.usage = "gotap completion SHELL",
	.about =
		"Prints the completion of gotap's command line for SHELL, which is bash, zsh or\n"
		"fish: commands, options, their arguments; for -p the Go programs that run, which\n"
		"`gotap ps` lists then. It is the file that `make install` puts into share.\n",
	.least = 1,
	.most = 1,
	.operands = "takes one of bash, zsh and fish",
	.check = completion_check,
};

int cmd_completion(int argc, char **argv)
{
	int status = command_line_read(&completion_line, NULL, argc, argv);
	const struct command *c;
	const struct shell *s;

	if (status)
		return status - 1;
	s = shell_find(argv[optind]);
	fputs(s->text, stdout);
	s->begin();
	for (c = commands; c->name; c++)
		line_show(c, s->command);
	if (s->end)
		s->end();
	return EXIT_OK;
}
