/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes: which log events of a trace are gotap's own words? Those of category NOTES_CATEGORY (and
 * of "gotap.labels", labels.h), without a task and without a stack. A program can log in that
 * category, too. When gotap records it, sched/annotations.c puts NOTES_PROGRAM before the category
 * of the program. In a trace that the runtime has made, a log of the program always has the stack
 * of its caller (Go 1.11, traceEvent() of traceUserLog; Go 1.22, trace_userLog() of package
 * runtime), by which spans/ tells it from a note.
 */
#ifndef GOTAP_READ_NOTES_H
#define GOTAP_READ_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NOTES_CATEGORY "gotap"
#define NOTES_PROGRAM "program:"

/* Is the text, of @n bytes, a category of gotap's, as a reader sees it that stops at a NUL? */
static inline bool notes_is_reserved(const char *text, size_t n)
{
	enum { LEN = sizeof(NOTES_CATEGORY) - 1 };

	return n >= LEN && !memcmp(text, NOTES_CATEGORY, LEN) &&
	       (n == LEN || !text[LEN] || text[LEN] == '.');
}

#endif
