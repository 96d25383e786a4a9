// SPDX-License-Identifier: Apache-2.0
/* roff: see roff.h. */
#include "cmd/manual/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A character that roff gives a meaning of its own, and the escape that stands for it. */
static const char *roff_escape(char c)
{
	switch (c) {
	case '\\': return "\\e";
	case '-': return "\\-";
	case '\'': return "\\(aq";
	case '`': return "\\(ga";
	case '^': return "\\(ha";
	case '~': return "\\(ti";
	case '"': return "\\(dq";
	default: return NULL;
	}
}

static void roff_char(char c)
{
	const char *escape = roff_escape(c);

	if (escape)
		fputs(escape, stdout);
	else
		putchar(c);
}

void roff_words(const char *text, int n)
{
	bool bold = false;
	int i;

	for (i = 0; i < n; i++) {
		if (text[i] == '.' && (!i || text[i - 1] == '\n'))
			fputs("\\&", stdout);
		if (text[i] != '`') {
			roff_char(text[i]);
			continue;
		}
		bold = !bold;
		fputs(bold ? "\\fB" : "\\fR", stdout);
	}
}

static void roff_name(const char *command, bool capitals)
{
	const char *s;

	fputs(capitals ? "GOTAP" : "gotap", stdout);
	if (!command)
		return;
	fputs("\\-", stdout);
	for (s = command; *s; s++)
		putchar(capitals ? toupper((unsigned char)*s) : *s);
}

void roff_head(const char *command, const char *about)
{
	fputs(".\\\" SPDX-License-Identifier: Apache-2.0\n.TH ", stdout);
	roff_name(command, true);
	fputs(" 1 " GOTAP_RELEASED " \"gotap " GOTAP_VERSION "\" \"User Commands\"\n", stdout);
	fputs(".nh\n.ad l\n.SH NAME\n", stdout);
	roff_name(command, false);
	fputs(" \\- ", stdout);
	roff_words(about, (int)strlen(about));
	putchar('\n');
}

void roff_section(const char *title)
{
	printf(".SH %s\n", title);
}

/* The paragraph at @text: its bytes, up to an empty line. */
static int roff_paragraph(const char *text)
{
	const char *end = strstr(text, "\n\n");

	return (int)(end ? (size_t)(end - text) : strlen(text));
}

static bool roff_keeps_lines(const char *text, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (text[i] == ' ' && (!i || text[i - 1] == '\n'))
			return true;
	return false;
}

void roff_text(const char *text)
{
	bool first = true;
	int n;

	for (text += strspn(text, "\n"); *text; text += n, text += strspn(text, "\n")) {
		bool keeps = roff_keeps_lines(text, n = roff_paragraph(text));

		if (!first)
			puts(".PP");
		if (keeps)
			puts(".nf");
		roff_words(text, n);
		putchar('\n');
		if (keeps)
			puts(".fi");
		first = false;
	}
}

void roff_example(const char *line)
{
	puts(".RS 4\n.nf");
	roff_words(line, (int)strlen(line));
	puts("\n.fi\n.RE");
}

void roff_item(const char *term, const char *text)
{
	puts(".TP");
	fputs("\\fB", stdout);
	roff_words(term, (int)strlen(term));
	fputs("\\fR\n", stdout);
	roff_words(text, (int)strlen(text));
	putchar('\n');
}
