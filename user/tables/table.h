/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: one table on its way to its file. Visitors of spans get rows when they end, but engines
 * can skip row groups only if each of them is of a short time. So rows are kept for one row group,
 * sorted by time, and then written. Rows that begin before the row group does (a wait of a minute
 * among calls of a microsecond) are kept apart, and make row groups of their own.
 */
#ifndef GOTAP_TABLES_TABLE_H
#define GOTAP_TABLES_TABLE_H

#include <stdbool.h>

#include "base/vec.h"
#include "tables/schema.h"

/* A cell without a value. A text is a pointer, which lives until table_free(). */
#define TABLE_NULL INT64_MIN

static inline int64_t cell_text(const char *text)
{
	return text ? (int64_t)(intptr_t)text : TABLE_NULL;
}

/* An id of a trace, of which TRACEV2_NO_ID means none. */
static inline int64_t cell_id(uint64_t id)
{
	return id == UINT64_MAX ? TABLE_NULL : (int64_t)id;
}

/* Rows that are not written yet, of schema->n cells each. */
struct table_rows {
	int64_t *cells;
	uint32_t len, cap;	/* in rows */
};

struct table {
	const struct schema_table *schema;
	bool wanted;
	struct parquet *parquet;	/* NULL: not open yet */
	/* Called before the first row group is written: it sets @parquet. Returns 0 or -errno. */
	int (*open)(void *ctx);
	void *ctx;
	int64_t trace_id;
	uint32_t group_rows;
	struct table_rows now, late;
	int64_t since;			/* rows that begin before this time are late */
	int failed;			/* -errno of the first write that failed */
};

/* Begins a table without rows. @group_rows: rows of a row group. */
void table_init(struct table *t, enum tables_id id, bool wanted, uint32_t group_rows);
void table_free(struct table *t);
/*
 * Returns the cells of a new row, of which all but the first, trace_id, are TABLE_NULL. The caller
 * fills them, and then calls table_put(). The cells of a table that is not wanted go nowhere.
 */
int64_t *table_row(struct table *t);
/* Ends the row, and writes a row group if one is full. A fault is in t->failed. */
void table_put(struct table *t);
/* Writes all rows and the end of the file. @err has the fault, without the name of the file. */
int table_finish(struct table *t, struct error *err);

#endif
