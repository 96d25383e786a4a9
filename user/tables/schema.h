/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema: the tables and their columns, from the one list schema.def: for the code that fills
 * them, for Parquet files, and for `gotap tables --schema`.
 */
#ifndef GOTAP_TABLES_SCHEMA_H
#define GOTAP_TABLES_SCHEMA_H

#include <stdint.h>

#include "parquet/parquet.h"

enum tables_id {
#define SCHEMA_VERSION(major, minor)
#define TABLE(id, name, doc) TABLE_##id,
#define COLUMN(table, id, name, type, null, encoding, unit, doc)
#include "tables/schema.def"
#undef SCHEMA_VERSION
#undef TABLE
#undef COLUMN
	TABLES,
};

/*
 * The columns of all tables in one list. FIRST_<table> is the number of the first column of a
 * table, which the constant after it makes the next column have, too.
 */
enum tables_column {
#define SCHEMA_VERSION(major, minor)
#define TABLE(id, name, doc) FIRST_##id, BEFORE_##id = FIRST_##id - 1,
#define COLUMN(table, id, name, type, null, encoding, unit, doc) ANY_##table##_##id,
#include "tables/schema.def"
#undef SCHEMA_VERSION
#undef TABLE
#undef COLUMN
};

/* The number of a column in its table, from 0 on. */
#define COLUMN_OF(table, id) (ANY_##table##_##id - FIRST_##table)

enum {
#define SCHEMA_VERSION(major, minor) SCHEMA_MAJOR = (major), SCHEMA_MINOR = (minor),
#define TABLE(id, name, doc)
#define COLUMN(table, id, name, type, null, encoding, unit, doc)
#include "tables/schema.def"
#undef SCHEMA_VERSION
#undef TABLE
#undef COLUMN
};

enum { SCHEMA_COLUMNS_MOST = 32 };	/* columns of a table */

struct schema_column {
	struct parquet_column parquet;
	const char *unit, *doc;		/* unit "": none */
};

struct schema_table {
	const char *name, *doc;
	const struct schema_column *columns;
	size_t n;
	/* number of the column by which rows are sorted, + 1; 0: none */
	size_t sorted_by;
};

/* Returns the table @id, which must be one. */
const struct schema_table *schema_table(enum tables_id id);
/* Returns the id of the table with this name; TABLES: there is none. */
enum tables_id schema_named(const char *name, size_t n);
/* Returns the name of a type in SQL, as DuckDB has it: "BIGINT", "VARCHAR", ... */
const char *schema_sql_type(enum parquet_type type);

#endif
