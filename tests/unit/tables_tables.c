// SPDX-License-Identifier: Apache-2.0
/* Tables of rows: their order, which rows are apart, and the columns of the schema. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tables/table.h"

enum { GROUP = 1024 };

struct file {
	struct table *table;
	int fd;
	int opened;
};

static int open_now(void *ctx)
{
	const struct schema_table *schema = schema_table(TABLE_STW);
	struct parquet_column columns[SCHEMA_COLUMNS_MOST];
	struct parquet_options options = { .group_rows = GROUP, .sorted_by = schema->sorted_by };
	struct file *f = ctx;
	size_t i;

	f->opened++;
	for (i = 0; i < schema->n; i++)
		columns[i] = schema->columns[i].parquet;
	f->table->parquet = parquet_new(f->fd, columns, schema->n, &options);
	return 0;
}

static int open_never(void *ctx)
{
	((struct file *)ctx)->opened++;
	return -28;
}

static void put(struct table *t, int64_t ts, int64_t dur)
{
	int64_t *row = table_row(t);

	assert(row[COLUMN_OF(STW, TRACE_ID)] == t->trace_id);
	assert(row[COLUMN_OF(STW, OPEN_END)] == TABLE_NULL);
	row[COLUMN_OF(STW, TS)] = ts;
	row[COLUMN_OF(STW, DUR)] = dur;
	row[COLUMN_OF(STW, REASON)] = cell_text("a reason");
	row[COLUMN_OF(STW, OPEN_BEGIN)] = row[COLUMN_OF(STW, OPEN_END)] = 0;
	table_put(t);
}

/* Rows come in the order of their ends; a row group is written when it is full, not before. */
static void test_rows(void)
{
	FILE *out = tmpfile();
	struct table t;
	struct file f = { .table = &t, .fd = fileno(out) };
	struct error err;
	int i;

	table_init(&t, TABLE_STW, true, GROUP);
	t.open = open_now;
	t.ctx = &f;
	for (i = 0; i < GROUP - 1; i++)
		put(&t, 1000 + 10 * i - i % 7, i % 7);
	assert(!f.opened && t.now.len == GROUP - 1);
	put(&t, 1000 + 10 * GROUP, 5);
	assert(f.opened == 1 && !t.now.len && t.since == 1000 + 10 * GROUP + 5);
	/* one that began before that row group ended is apart */
	put(&t, 1500, 10 * GROUP);
	assert(t.late.len == 1 && !t.now.len);
	put(&t, t.since, 1);
	assert(t.late.len == 1 && t.now.len == 1);
	assert(!table_finish(&t, &err) && f.opened == 1);
	assert(parquet_counts(t.parquet)->rows == GROUP + 2);
	assert(parquet_counts(t.parquet)->bytes == (uint64_t)lseek(f.fd, 0, SEEK_END));
	table_free(&t);
	fclose(out);
}

/* The earliest and the latest times that there are, and lengths that overflow. */
static void test_extremes(void)
{
	static const int64_t times[] = { INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1 };
	FILE *out = tmpfile();
	struct table t;
	struct file f = { .table = &t, .fd = fileno(out) };
	struct error err;
	int i;

	table_init(&t, TABLE_STW, true, GROUP);
	t.open = open_now;
	t.ctx = &f;
	for (i = 0; i < 3 * GROUP; i++)
		put(&t, times[i % 6], times[i / 2 % 6]);
	assert(!table_finish(&t, &err));
	assert(parquet_counts(t.parquet)->rows == 3 * GROUP);
	table_free(&t);
	fclose(out);
}

static void test_not_wanted(void)
{
	struct table t;
	struct file f = { .table = &t };
	struct error err;
	int i;

	table_init(&t, TABLE_STW, false, GROUP);
	t.open = open_never;
	t.ctx = &f;
	for (i = 0; i < 2 * GROUP; i++)
		put(&t, i, 1);
	assert(!f.opened && !t.now.len && !t.late.len);
	table_free(&t);
	/* one that cannot be opened takes no more rows, and keeps the fault */
	table_init(&t, TABLE_STW, true, GROUP);
	t.open = open_never;
	t.ctx = &f;
	for (i = 0; i < 3 * GROUP; i++)
		put(&t, i, 1);
	assert(f.opened == 1 && !t.now.len);
	assert(table_finish(&t, &err) == -28 && err.code == -28);
	table_free(&t);
}

/* Names are distinct, each table has trace_id first, and dur, if any, comes after ts. */
static void test_schema(void)
{
	enum tables_id i;
	size_t c, d;

	for (i = 0; i < TABLES; i++) {
		const struct schema_table *t = schema_table(i);

		assert(schema_named(t->name, strlen(t->name)) == i);
		assert(schema_named(t->name, strlen(t->name) - 1) == TABLES);
		assert(t->n && t->n <= SCHEMA_COLUMNS_MOST);
		assert(!strcmp(t->columns[0].parquet.name, "trace_id"));
		for (c = 0; c < t->n; c++) {
			const char *name = t->columns[c].parquet.name;

			for (d = 0; d < c; d++)
				assert(strcmp(name, t->columns[d].parquet.name));
			if (!strcmp(name, "ts"))
				assert(t->sorted_by == c + 1);
			if (!strcmp(name, "dur"))
				assert(t->sorted_by == c);
		}
	}
}

int main(void)
{
	test_rows();
	test_extremes();
	test_not_wanted();
	test_schema();
	return 0;
}
