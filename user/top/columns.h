/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns: the columns of the two tables of `gotap top`, goroutines by group and requests by route,
 * as one list: title, meaning, text, order. The view and the options of the command use it.
 */
#ifndef GOTAP_TOP_COLUMNS_H
#define GOTAP_TOP_COLUMNS_H

#include <stdbool.h>

#include "top/sample.h"
#include "top/short.h"

enum column {
	/* of goroutines */
	COLUMN_GOROUTINES,
	COLUMN_RUNNING,
	COLUMN_RUNNABLE,
	COLUMN_SYSCALL,
	COLUMN_WAITING,
	COLUMN_CREATED,
	COLUMN_P99,
	/* of requests */
	COLUMN_RATE,
	COLUMN_FAILED,
	COLUMN_TOOK_P50,
	COLUMN_TOOK_P99,
	COLUMN_TOOK_MAX,
	COLUMN_BUSY,
	/* of both */
	COLUMN_NAME,
	COLUMNS,
};

struct column_spec {
	const char *title;	/* not longer than the column is wide */
	const char *name;	/* name for --sort, unique in a table */
	int width;
	const char *help;
};

extern const struct column_spec columns[COLUMNS];

/* Is the column in the table of routes (@by_route), or in that of goroutines? */
bool column_is_in(enum column c, bool by_route);
/* Returns the next column of that table from @c on, in the direction of @step (1 or -1). */
enum column column_next(enum column c, int step, bool by_route);
/* Returns the text of the column for row @r of @s; "" for COLUMN_NAME. */
struct short_text column_text(enum column c, const struct top_sample *s, const struct top_row *r);
/*
 * Returns a negative number if @a comes before @b: by the number in the column, largest first, or
 * by name. Rows with equal numbers are ordered by name.
 */
int column_compare(enum column c, const struct top_row *a, const struct top_row *b);
/* Returns the column of that table with @name, or COLUMNS if there is none. */
enum column column_named(const char *name, bool by_route);

#endif
