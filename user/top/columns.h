/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns: the columns of the table of `gotap top`, as one list: title, meaning, text, order. The
 * view and the options of the command use it.
 */
#ifndef GOTAP_TOP_COLUMNS_H
#define GOTAP_TOP_COLUMNS_H

#include "top/sample.h"
#include "top/short.h"

enum column {
	COLUMN_GOROUTINES,
	COLUMN_RUNNING,
	COLUMN_RUNNABLE,
	COLUMN_SYSCALL,
	COLUMN_WAITING,
	COLUMN_CREATED,
	COLUMN_P99,
	COLUMN_NAME,
	COLUMNS,
};

struct column_spec {
	const char *title;	/* not longer than the column is wide */
	const char *name;	/* name for --sort */
	int width;
	const char *help;
};

extern const struct column_spec columns[COLUMNS];

/* Returns the text of the column for row @r of @s; "" for COLUMN_NAME. */
struct short_text column_text(enum column c, const struct top_sample *s, const struct top_row *r);
/*
 * Returns a negative number if @a comes before @b: by the number in the column, largest first, or
 * by name. Rows with equal numbers are ordered by name.
 */
int column_compare(enum column c, const struct top_row *a, const struct top_row *b);
/* Returns the column with @name, or COLUMNS if there is none. */
enum column column_named(const char *name);

#endif
