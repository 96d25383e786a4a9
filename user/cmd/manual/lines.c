// SPDX-License-Identifier: Apache-2.0
/* lines: see lines.h. */
#include "cmd/manual/lines.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/parse.h"
#include "plan/plan.h"
#include "pprof/pprof.h"
#include "read/view.h"
#include "tables/schema.h"
#include "schema/files.h"

/* Words that another list has. */
#define FORMATS "@formats"
#define TYPES "@types"
#define GROUP_NAMES "@groups"
#define EVENT_NAMES "@events"
#define TABLE_NAMES "@tables"
#define SCHEMAS "@schemas"

static const struct {
	const char *option, *name;
	enum argument_kind kind;
	const char *words;
} arguments[] = {
#define ARGUMENT(option, name, kind, words) { option, name, ARGUMENT_##kind, words },
#include "cmd/manual/arguments.def"
#undef ARGUMENT
};

void line_show(const struct command *c, command_line_show_fn *show)
{
	char name[64], help[] = "--help", *argv[] = { name, help, NULL };

	snprintf(name, sizeof(name), "%s", c->name);
	command_line_show(show);
	optind = 0;		/* getopt begins anew */
	c->run(2, argv);
	command_line_show(NULL);
}

const struct option_row *line_next(const struct command_line *c, const struct option_row *row,
				   unsigned int *table)
{
	if (row == &command_line_help_row)
		return NULL;
	for (; c->tables[*table].rows; ++*table, row = NULL) {
		row = row ? row + 1 : c->tables[*table].rows;
		while (row->kind && !row->help)
			row++;
		if (row->kind)
			return row;
	}
	return &command_line_help_row;
}

const struct option_row *line_next_option(const struct command_line *c,
					  const struct option_row *row, unsigned int *table)
{
	do
		row = line_next(c, row, table);
	while (row && row->kind == OPTION_TITLE);
	return row;
}

/* --- arguments --- */

static void line_add_word(char *text, size_t size, const char *word, size_t n)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%.*s", used ? " " : "", (int)n, word);
}

/* "a, b or c" without what is between the words. */
static void words_of_sentence(char *text, size_t size, const char *s)
{
	size_t n;

	for (; *s; s += n) {
		s += strspn(s, ", ");
		n = strcspn(s, ", ");
		if (strncmp(s, "or ", 3))
			line_add_word(text, size, s, n);
	}
}

static void words_of_types(char *text, size_t size)
{
	unsigned int i;

	for (i = 0; pprof_type_name(i); i++)
		line_add_word(text, size, pprof_type_name(i),
			      strlen(pprof_type_name(i)));
}

static void words_of_groups(char *text, size_t size)
{
	int g;

	line_add_word(text, size, "all", 3);
	for (g = 0; g < GROUPS; g++)
		line_add_word(text, size, group_name(g), strlen(group_name(g)));
}

/* Events and kinds of them. */
static void words_of_events(char *text, size_t size)
{
	unsigned int i;
	const char *name;

	for (i = 0; i < 256; i++)
		if ((name = view_event_name(i)))
			line_add_word(text, size, name, strlen(name));
	for (i = VIEW_NONE + 1; (name = view_kind_name(i)); i++)
		if (view_event_named(name, strlen(name)) < 0)
			line_add_word(text, size, name, strlen(name));
}

static void words_of_tables(char *text, size_t size)
{
	enum tables_id i;

	for (i = 0; i < TABLES; i++)
		line_add_word(text, size, schema_table(i)->name, strlen(schema_table(i)->name));
}

static void words_of_schemas(char *text, size_t size)
{
	const struct schema_file *f;

	for (f = schema_files; f->name; f++)
		if (f->says)
			line_add_word(text, size, f->name, strlen(f->name));
}

static void argument_words(const char *words, char *text, size_t size)
{
	if (!strcmp(words, FORMATS))
		words_of_sentence(text, size, PARSE_FORMATS);
	else if (!strcmp(words, TYPES))
		words_of_types(text, size);
	else if (!strcmp(words, GROUP_NAMES))
		words_of_groups(text, size);
	else if (!strcmp(words, EVENT_NAMES))
		words_of_events(text, size);
	else if (!strcmp(words, TABLE_NAMES))
		words_of_tables(text, size);
	else if (!strcmp(words, SCHEMAS))
		words_of_schemas(text, size);
	else
		snprintf(text, size, "%s", words);
}

/* @n: bytes of @name. */
static void argument_find(const char *option, const char *name, size_t n, struct argument *a)
{
	size_t i;

	*a = (struct argument){0};
	for (i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		const char *of = arguments[i].option, *words = arguments[i].words;

		if ((of && strcmp(of, option)) || strlen(arguments[i].name) != n ||
		    memcmp(name, arguments[i].name, n))
			continue;
		a->kind = arguments[i].kind;
		argument_words(words ? words : "", a->words, sizeof(a->words));
		return;
	}
}

void argument_of_option(const struct option_row *row, struct argument *a)
{
	const char *name = row->arg ? row->arg : "";

	argument_find(row->name, name, strlen(name), a);
}

/* Whether the word at @word of a usage is the argument of the option before it. */
static bool follows_option(const char *usage, const char *word)
{
	while (word > usage && word[-1] == ' ')
		word--;
	while (word > usage && word[-1] != ' ')
		word--;
	return word[strspn(word, "[|")] == '-';
}

/*
 * The usage has an operand as a word in capitals that no option comes before: gotap diff A B
 * [OPTION...].
 */
void argument_of_operand(const struct command_line *c, struct argument *a)
{
	const char *s = c->usage;
	size_t n;

	*a = (struct argument){ .kind = c->program ? ARGUMENT_PROGRAM : ARGUMENT_NONE };
	if (c->program || !c->most)
		return;
	for (; *s && *s != '\n'; s += strcspn(s, " \n")) {
		s += strspn(s, " [|");
		for (n = 0; isupper((unsigned char)s[n]); n++)
			;
		if (n && strncmp(s, "OPTION", 6) && !follows_option(c->usage, s)) {
			argument_find("", s, n, a);
			return;
		}
	}
}
