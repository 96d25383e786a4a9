// SPDX-License-Identifier: Apache-2.0
/* schema: see schema.h. */
#include "tables/schema.h"

#include <string.h>

enum { NEVER = false, OR_NULL = true };

static const struct schema_column columns[] = {
#define SCHEMA_VERSION(major, minor)
#define TABLE(id, name, doc)
#define COLUMN(table, id, name_, type_, null_, encoding_, unit_, doc_) \
	{ { name_, PARQUET_##type_, null_, PARQUET_##encoding_ }, unit_, doc_ },
#include "tables/schema.def"
#undef SCHEMA_VERSION
#undef TABLE
#undef COLUMN
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const struct {
	const char *name, *doc;
	size_t first;
} tables[] = {
#define SCHEMA_VERSION(major, minor)
#define TABLE(id, name, doc) { name, doc, FIRST_##id },
#define COLUMN(table, id, name, type, null, encoding, unit, doc)
#include "tables/schema.def"
#undef SCHEMA_VERSION
#undef TABLE
#undef COLUMN
};

static struct schema_table all[TABLES];

__attribute__((constructor)) static void schema_init(void)
{
	size_t i, c, end;

	for (i = 0; i < TABLES; i++) {
		end = i + 1 < TABLES ? tables[i + 1].first : COLUMNS;
		all[i] = (struct schema_table){ .name = tables[i].name,
						.doc = tables[i].doc,
						.columns = &columns[tables[i].first],
						.n = end - tables[i].first };
		for (c = 0; c < all[i].n; c++)
			if (!strcmp(all[i].columns[c].parquet.name, "ts"))
				all[i].sorted_by = c + 1;
	}
}

const struct schema_table *schema_table(enum tables_id id)
{
	return &all[id];
}

enum tables_id schema_named(const char *name, size_t n)
{
	enum tables_id i;

	for (i = 0; i < TABLES; i++)
		if (strlen(all[i].name) == n && !memcmp(all[i].name, name, n))
			return i;
	return TABLES;
}

const char *schema_sql_type(enum parquet_type type)
{
	static const char *const names[] = {
		[PARQUET_BOOL] = "BOOLEAN",   [PARQUET_I32] = "INTEGER",
		[PARQUET_I64] = "BIGINT",     [PARQUET_U32] = "UINTEGER",
		[PARQUET_U64] = "UBIGINT",    [PARQUET_F64] = "DOUBLE",
		[PARQUET_TEXT] = "VARCHAR",   [PARQUET_TIME_NS] = "TIMESTAMP_NS",
	};

	return names[type];
}
