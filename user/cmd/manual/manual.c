// SPDX-License-Identifier: Apache-2.0
/*
 * manual: `gotap manual [COMMAND]`: a manual page, made of the table of commands, the table of the
 * command's options, and prose.def. `make man` writes all of them.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/manual/lines.h"
#include "cmd/manual/roff.h"
#include "cmd/options.h"

enum prose_kind { PROSE_SECTION, PROSE_TEXT, PROSE_ITEM, PROSE_EXAMPLE };

static const struct prose {
	const char *command;
	enum prose_kind kind;
	const char *text, *more;
} prose[] = {
#define SECTION(command, title) { command, PROSE_SECTION, title, NULL },
#define TEXT(command, text) { command, PROSE_TEXT, text, NULL },
#define ITEM(command, term, text) { command, PROSE_ITEM, term, text },
#define EXAMPLE(command, text, line) { command, PROSE_EXAMPLE, text, line },
#include "cmd/manual/prose.def"
#undef SECTION
#undef TEXT
#undef ITEM
#undef EXAMPLE
};

static void manual_put_prose(const struct prose *p)
{
	switch (p->kind) {
	case PROSE_SECTION:
		roff_section(p->text);
		break;
	case PROSE_TEXT:
		roff_text(p->text);
		break;
	case PROSE_ITEM:
		roff_item(p->text, p->more);
		break;
	case PROSE_EXAMPLE:
		puts(p[-1].kind == PROSE_EXAMPLE ? ".PP" : ".\\\"");
		roff_text(p->text);
		roff_example(p->more);
		break;
	}
}

static void manual_put_proses(const char *command)
{
	size_t i;

	for (i = 0; i < sizeof(prose) / sizeof(prose[0]); i++)
		if (command ? prose[i].command && !strcmp(prose[i].command, command) :
			      !prose[i].command)
			manual_put_prose(&prose[i]);
}

static void manual_put_option(const struct option_row *r)
{
	if (r->kind == OPTION_TITLE) {
		puts(".PP");
		roff_text(r->help);
		return;
	}
	puts(".TP");
	if (r->letter)
		printf("\\fB\\-%c\\fR, ", r->letter);
	fputs("\\fB\\-\\-", stdout);
	roff_words(r->name, (int)strlen(r->name));
	fputs("\\fR", stdout);
	if (r->arg) {
		fputs(" \\fI", stdout);
		roff_words(r->arg, (int)strlen(r->arg));
		fputs("\\fR", stdout);
	}
	putchar('\n');
	roff_words(r->help, (int)strlen(r->help));
	putchar('\n');
}

static void manual_put_options(const struct command_line *c)
{
	const struct option_row *r = NULL;
	unsigned int table = 0;

	roff_section("OPTIONS");
	while ((r = line_next(c, r, &table)))
		manual_put_option(r);
}

/* Each line of a usage begins with "gotap", in bold, with blanks before those after the first. */
static void manual_put_usage(const char *usage)
{
	roff_section("SYNOPSIS");
	puts(".nf");
	while (*usage) {
		int n;

		usage += strspn(usage, " \n");
		n = (int)strcspn(usage, "\n");
		roff_words(usage, n);
		putchar('\n');
		usage += n;
	}
	puts(".fi");
}

static void manual_put_references(const char *command)
{
	const struct command *c;

	roff_section("SEE ALSO");
	for (c = commands; c->name; c++)
		if (!command || strcmp(c->name, command))
			printf(".BR gotap\\-%s (1),\n", c->name);
	puts(command ? ".BR gotap (1)" : ".BR man (1)");
}

static void manual_put_command(const struct command_line *c)
{
	roff_head(c->name, command_named(c->name)->help);
	manual_put_usage(c->usage);
	roff_section("DESCRIPTION");
	roff_text(c->about);
	manual_put_options(c);
	if (c->after) {
		roff_section("NOTES");
		roff_text(c->after);
	}
	manual_put_proses(c->name);
	manual_put_references(c->name);
}

static void manual_put_gotap(void)
{
	const struct command *c;

	roff_head(NULL, "traces Go programs from outside");
	manual_put_usage("gotap COMMAND [OPTION...]\ngotap --help | --version");
	roff_section("DESCRIPTION");
	roff_text("gotap attaches eBPF uprobes to the scheduler of an unmodified, running Go\n"
		  "program and writes a Go execution trace, the file that runtime/trace would\n"
		  "have written. There is no code change, no restart and no port, and the\n"
		  "program is never stopped. Other commands read traces, of gotap or of the\n"
		  "runtime, and say what slows the program down.\n");
	roff_section("COMMANDS");
	for (c = commands; c->name; c++) {
		printf(".TP\n.BR gotap\\-%s (1)\n", c->name);
		roff_words(c->help, (int)strlen(c->help));
		putchar('\n');
	}
	manual_put_proses(NULL);
	manual_put_references(NULL);
}

static const char *manual_check(void *options, char **operands)
{
	return !operands[0] || command_named(operands[0]) ? NULL :
	       option_wrong("there is no command '%s'", operands[0]);
}

static const struct command_line manual_line = {
	.name = "manual",
	.usage = "gotap manual [COMMAND]",
	.about =
		"Prints the manual page of COMMAND, or that of gotap, as source for `man -l -`,\n"
		"groff and mandoc. It is the page that `make install` puts into share/man.\n",
	.most = 1,
	.operands = "takes one COMMAND at most",
	.check = manual_check,
};

int cmd_manual(int argc, char **argv)
{
	int status = command_line_read(&manual_line, NULL, argc, argv);

	if (status)
		return status - 1;
	if (argv[optind])
		line_show(command_named(argv[optind]), manual_put_command);
	else
		manual_put_gotap();
	return EXIT_OK;
}
