/* SPDX-License-Identifier: Apache-2.0 */
/*
 * next: the commands with which an answer ends: at most two, chosen by what the answer lacks or
 * names. next.def has all of them, in the order of their rank. The author of an answer wants rows
 * for its facts, and prints the first ones of which all words are known.
 */
#ifndef GOTAP_CMD_NEXT_H
#define GOTAP_CMD_NEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json_out.h"
#include "read/origin.h"

enum next_row {
#define NEXT(id, command, adds) NEXT_##id,
#include "cmd/next.def"
#undef NEXT
	NEXT_ROWS,
};

enum { NEXT_MOST = 2, NEXT_WORD = 512 };

/* A zeroed struct wants nothing, and knows no word. The texts are the caller's. */
struct next {
	uint64_t wanted;	/* bits of enum next_row */
	const char *trace;	/* of next_file(); NULL: it cannot be read again */
	const char *pid;	/* NULL: "PID" is printed, for the user to replace */
	const char *other;	/* another file; NULL: FILE, or COMMAND, is printed */
	char func[NEXT_WORD];	/* an option with a name; "": not known */
	char range[NEXT_WORD];	/* options of `gotap why`; "": not known */
	char limit[NEXT_WORD];	/* a trigger of `--on`; "": not known */
};

/* Returns @path if that is a regular file, which a further command can read; else NULL. */
const char *next_file(const char *path);
void next_want(struct next *n, enum next_row row);
/* Stores "@option @name" as a word, the name quoted for a shell; nothing if it is too long. */
void next_put_name(char word[NEXT_WORD], const char *option, const char *name);
/*
 * Returns the id of the process of a trace, if the trace was recorded on this host; else NULL: the
 * same number may be another program's here. The text is that of @o.
 */
const char *next_pid(const struct origin *o);
/*
 * Prints the commands, each below what it adds, after an empty line; nothing if there is none.
 */
void next_print(const struct next *n, FILE *f);
/* The array "next". */
void next_json(const struct next *n, struct json_out *j);

#endif
