// SPDX-License-Identifier: Apache-2.0
/* options: see options.h. */
#include "cmd/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/map64.h"
#include "cmd/cmd.h"
#include "cmd/parse.h"
#include "plan/plan.h"
#include "proc/kernel_btf.h"
#include "spans/labelled.h"

enum {
	OPTIONS_MAX = 80,	/* rows of one command */
	OPTIONS_LONG = 256,	/* getopt's number of the first row without a letter */
	OPTIONS_COLUMN = 24,	/* where texts of --help begin */
	OPTIONS_WIDTH = 92,
};

/* A row of a command, and the struct that has its field. */
struct option_found {
	const struct option_row *row;
	char *base;
};

struct option_list {
	struct option_found rows[OPTIONS_MAX];
	struct option longs[OPTIONS_MAX + 2];
	char letters[2 * OPTIONS_MAX + 4];
	int n;
};

const char *option_wrong(const char *fmt, ...)
{
	static char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return text;
}

/* --- --help --- */

/*
 * Prints the words of @text from OPTIONS_COLUMN on, in lines of at most OPTIONS_WIDTH. @at: the
 * column now.
 */
static void help_words(const char *text, int at)
{
	if (at >= OPTIONS_COLUMN)
		at = printf("\n") - 1;
	at += printf("%*s", OPTIONS_COLUMN - at, "");
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (at > OPTIONS_COLUMN && at + 1 + n > OPTIONS_WIDTH)
			at = printf("\n%*s", OPTIONS_COLUMN, "") - 1;
		else if (at > OPTIONS_COLUMN)
			at += printf(" ");
		at += printf("%.*s", n, text);
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

static void help_row(const struct option_row *r)
{
	int n;

	if (!r->help)
		return;
	if (r->kind == OPTION_TITLE) {
		printf("\n%s\n\n", r->help);
		return;
	}
	n = r->letter ? printf("  -%c, --%s", r->letter, r->name) : printf("      --%s", r->name);
	n += r->arg ? printf(" %s", r->arg) : 0;
	help_words(r->help, n);
}

const struct option_row command_line_help_row =
	OPTION('h', "help", NULL, OPTION_FLAG, 0, "show this");

static void help_print(const struct command_line *c)
{
	const struct option_table *t;
	const struct option_row *r;

	printf("usage: %s\n\n%s\n", c->usage, c->about);
	for (t = c->tables; t->rows; t++)
		for (r = t->rows; r->kind; r++)
			help_row(r);
	help_row(&command_line_help_row);
	if (c->after)
		printf("\n%s", c->after);
}

static command_line_show_fn *help_show = help_print;

void command_line_show(command_line_show_fn *show)
{
	help_show = show ? show : help_print;
}

/* --- arguments --- */

static const char *take_number(const struct option_row *r, void *field, const char *arg)
{
	unsigned long n;

	if (!parse_number(arg, r->min, r->max, &n))
		return r->max == ULONG_MAX ? option_wrong("needs a number, not '%s'", arg) :
		       option_wrong("takes a number from %lu to %lu", r->min, r->max);
	if (r->kind == OPTION_COUNT)
		*(unsigned int *)field = (unsigned int)n;
	else
		*(unsigned long *)field = n;
	return NULL;
}

static const char *take_instant(int64_t *field, const char *arg)
{
	double seconds;

	if (!parse_instant(arg, &seconds))
		return option_wrong("needs a time like 1.5s or 200ms, not '%s'", arg);
	*field = (int64_t)(seconds * 1e9 + 0.5);	/* 1.218948416 is ...415.9 ns as a double */
	return NULL;
}

static const char *option_read(const struct option_row *r, void *field, const char *arg)
{
	switch (r->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		return NULL;
	case OPTION_TEXT:
		*(const char **)field = arg;
		return NULL;
	case OPTION_NUMBER:
	case OPTION_COUNT:
		return take_number(r, field, arg);
	case OPTION_DURATION:
		return parse_duration(arg, field) ? NULL :
		       "takes a time like 5s, 500ms or 2m, more than 0 and at most 10000h";
	case OPTION_MOMENT:
		return parse_instant(arg, field) ? NULL : "takes a time like 10s, or 0";
	case OPTION_INSTANT:
		return take_instant(field, arg);
	case OPTION_TAKE:
		return r->take(field, arg);
	default:
		return "is no option";
	}
}

/* --- the parser --- */

static void list_add(struct option_list *l, const struct option_row *r, char *base)
{
	int value = r->letter ? r->letter : OPTIONS_LONG + l->n,
	    has = r->arg ? required_argument : no_argument;

	if (r->kind == OPTION_TITLE || l->n == OPTIONS_MAX)
		return;
	l->rows[l->n] = (struct option_found){ r, base };
	l->longs[l->n] = (struct option){ r->name, has, NULL, value };
	if (r->letter)
		snprintf(strchr(l->letters, 0), 3, "%c%s", r->letter, r->arg ? ":" : "");
	l->n++;
}

static void list_make(struct option_list *l, const struct command_line *c, void *options)
{
	const struct option_table *t;
	const struct option_row *r;

	*l = (struct option_list){0};
	strcpy(l->letters, c->program ? "+:h" : ":h");
	for (t = c->tables; t->rows; t++)
		for (r = t->rows; r->kind; r++)
			list_add(l, r, (char *)options + t->offset);
	l->longs[l->n] = (struct option){ "help", no_argument, NULL, 'h' };
}

static const struct option_found *list_find(const struct option_list *l, int value)
{
	int i = 0;

	while (l->longs[i].val != value)
		i++;
	return &l->rows[i];
}

/* NULL, or what is wrong. */
static const char *option_apply(const struct command_line *c, const struct option_found *f,
				void *options)
{
	const struct option_row *r = f->row;
	const char *wrong = option_read(r, f->base + r->field, optarg);
	char text[400];

	if (wrong) {
		snprintf(text, sizeof(text), "%s", r->want ? r->want : wrong);
		return option_wrong("--%s%s%s", r->name, *text == ':' ? "" : " ", text);
	}
	if (c->given)
		c->given(options, r, optarg);
	return NULL;
}

static const char *operands_check(const struct command_line *c, void *options, char **operands,
				  int n)
{
	if (n < c->least || (c->most >= 0 && n > c->most))
		return c->operands;
	return c->check ? c->check(options, operands) : NULL;
}

int command_line_read(const struct command_line *c, void *options, int argc, char **argv)
{
	struct option_list list;
	const char *wrong = NULL;
	int value;

	list_make(&list, c, options);
	while (!wrong && (value = getopt_long(argc, argv, list.letters, list.longs, NULL)) != -1) {
		if (value == 'h') {
			help_show(c);
			return EXIT_OK + 1;
		}
		if (value == '?' || value == ':')
			return cmd_bad_option(c->name, value, argv) + 1;
		wrong = option_apply(c, list_find(&list, value), options);
	}
	if (!wrong)
		wrong = operands_check(c, options, argv + optind, argc - optind);
	return wrong ? cmd_usage(c->name, "%s", wrong) + 1 : 0;
}

/* --- what several commands have --- */

const char *option_take_format(void *version, const char *arg)
{
	return parse_format(arg, version) ? NULL : "takes " PARSE_FORMATS;
}

const char *option_take_symbols(void *source, const char *arg)
{
	return parse_symbols(arg, source) ? NULL : "takes auto, dwarf or pclntab";
}

const char *option_take_release(void *minor, const char *arg)
{
	return parse_release(arg, minor) ? NULL : "takes a release like 1.27";
}

const char *option_take_groups(void *groups, const char *arg)
{
	return groups_parse(arg, groups) ? NULL :
					   "takes a list of the groups that `gotap events` shows";
}

const char *option_take_budget(void *budget, const char *arg)
{
	return parse_budget(arg, budget) ? NULL : "takes percent of a CPU, like 5 or 0.5, or none";
}

/* A struct map64, of ids that may be given one by one. */
const char *option_take_ids(void *ids, const char *arg)
{
	unsigned long id;

	if (!parse_number(arg, 0, ULONG_MAX - 1, &id))
		return option_wrong("needs a number, not '%s'", arg);
	map64_put(ids, id, NULL);
	return NULL;
}

/* A text that is not empty. */
const char *option_take_label(void *label, const char *arg)
{
	*(const char **)label = arg;
	return labelled_is_valid(arg) ? NULL : "takes KEY=VALUE";
}

const char *option_add_label(void *labels, const char *arg)
{
	struct labels_asked *l = labels;

	if (l->n == LABELS_ASKED)
		return option_wrong("can be given %d times", LABELS_ASKED);
	return option_take_label(&l->label[l->n++], arg);
}

const char *option_take_some(void *text, const char *arg)
{
	*(const char **)text = arg;
	return *arg ? NULL : "takes a text that is not empty";
}

/* The choice is of the process, not of the options. */
const char *option_take_btf(void *none, const char *arg)
{
	kernel_btf_use(arg);
	return *arg ? NULL : "takes a file";
}
