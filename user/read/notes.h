/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes: the log events that gotap itself adds to a trace: those of category NOTES_CATEGORY (and
 * "gotap.labels", labels.h), without a task and without a stack; those of "gotap.http" have the
 * task of their request (http.h). A program can log with that
 * category, too. In a recording of gotap sched/annotations.c then puts NOTES_PROGRAM before the
 * program's category. In a trace of the runtime each log event of the program has the stack of its
 * caller (Go 1.11, traceEvent() of traceUserLog; Go 1.22, trace_userLog() of package runtime).
 * spans/ distinguishes the two by the stack.
 */
#ifndef GOTAP_READ_NOTES_H
#define GOTAP_READ_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NOTES_CATEGORY "gotap"
#define NOTES_PROGRAM "program:"

/* True if the text of @n bytes is a category of gotap's for a reader that ends texts at a NUL. */
static inline bool notes_is_reserved(const char *text, size_t n)
{
	enum { LEN = sizeof(NOTES_CATEGORY) - 1 };

	return n >= LEN && !memcmp(text, NOTES_CATEGORY, LEN) &&
	       (n == LEN || !text[LEN] || text[LEN] == '.');
}

#endif
