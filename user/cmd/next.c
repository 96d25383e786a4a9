// SPDX-License-Identifier: Apache-2.0
/* next: see next.h. */
#include "cmd/next.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/show.h"

static const struct { const char *command, *adds; } next_rows[] = {
#define NEXT(id, command, adds) { command, adds },
#include "cmd/next.def"
#undef NEXT
};

const char *next_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) ? path : NULL;
}

void next_want(struct next *n, enum next_row row)
{
	n->wanted |= 1ULL << row;
}

void next_put_name(char word[NEXT_WORD], const char *option, const char *name)
{
	_cleanup_free_ char *quoted = show_file_word(name);

	if (snprintf(word, NEXT_WORD, "%s %s", option, quoted) >= NEXT_WORD)
		*word = 0;
}

const char *next_pid(const struct origin *o)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	return o->facts[ORIGIN_HOST] && !strcmp(o->facts[ORIGIN_HOST], host) ?
		       o->facts[ORIGIN_PID] : NULL;
}

/* --- words --- */

static bool next_put_file(struct buf *out, const char *name, const char *without)
{
	_cleanup_free_ char *word = show_file_word(name ? name : without);

	buf_add(out, word, strlen(word));
	return true;
}

static bool next_put_text(struct buf *out, const char *text)
{
	buf_add(out, text, strlen(text));
	return *text;
}

/* A trace may be forged: text that a user pastes into a shell must be a number. */
static const char *next_pid_word(const struct next *n)
{
	return n->pid && *n->pid && !n->pid[strspn(n->pid, "0123456789")] ? n->pid : "PID";
}

/* Appends what replaces the word @key. False: it is not known. */
static bool next_put_word(struct buf *out, const struct next *n, const char *key, size_t len)
{
	const char *texts[][2] = {
		{ "func", n->func }, { "range", n->range }, { "limit", n->limit },
		{ "pid", next_pid_word(n) },
	};
	size_t i;

	if (len == 5 && !memcmp(key, "trace", 5))
		return n->trace && next_put_file(out, n->trace, "");
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (len == strlen(texts[i][0]) && !memcmp(key, texts[i][0], len))
			return next_put_text(out, texts[i][1]);
	return next_put_file(out, n->other, "FILE");
}

/* Returns the command as a new string; NULL: a word is not known. */
static char *next_command(const struct next *n, enum next_row row)
{
	const char *at = next_rows[row].command, *open, *close;
	struct buf out = {0};

	while ((open = strchr(at, '{')) && (close = strchr(open, '}'))) {
		buf_add(&out, at, (size_t)(open - at));
		if (!next_put_word(&out, n, open + 1, (size_t)(close - open - 1))) {
			buf_free(&out);
			return NULL;
		}
		at = close + 1;
	}
	buf_add(&out, at, strlen(at) + 1);
	return (char *)out.data;
}

/* --- the commands --- */

struct next_shown {
	char *command;
	const char *adds;
};

static size_t next_commands(const struct next *n, struct next_shown shown[NEXT_MOST])
{
	enum next_row row;
	size_t count = 0;

	for (row = 0; row < NEXT_ROWS && count < NEXT_MOST; row++) {
		if (!(n->wanted & 1ULL << row))
			continue;
		shown[count].command = next_command(n, row);
		shown[count].adds = next_rows[row].adds;
		count += shown[count].command != NULL;
	}
	return count;
}

void next_print(const struct next *n, FILE *f)
{
	struct next_shown shown[NEXT_MOST];
	size_t i, count = next_commands(n, shown);

	if (count)
		fputs("\nNEXT\n", f);
	for (i = 0; i < count; i++) {
		fprintf(f, "  %s:\n", shown[i].adds);
		show_printf(f, "      %s\n", shown[i].command);
		free(shown[i].command);
	}
}

void next_json(const struct next *n, struct json_out *j)
{
	struct next_shown shown[NEXT_MOST];
	size_t i, count = next_commands(n, shown);

	json_open_array(j, "next");
	for (i = 0; i < count; i++) {
		json_open_object(j, NULL);
		json_put_text(j, "command", shown[i].command);
		json_put_text(j, "adds", shown[i].adds);
		json_close_object(j);
		free(shown[i].command);
	}
	json_close_array(j);
}
