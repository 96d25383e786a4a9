// SPDX-License-Identifier: Apache-2.0
/* table: see table.h. */
#include "tables/table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 64, RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

void table_init(struct table *t, enum tables_id id, bool wanted, uint32_t group_rows)
{
	*t = (struct table){
		.schema = schema_table(id), .wanted = wanted, .group_rows = group_rows,
		.since = INT64_MIN,
	};
}

void table_free(struct table *t)
{
	parquet_free(t->parquet);
	free(t->now.cells);
	free(t->late.cells);
	*t = (struct table){0};
}

/* --- rows --- */

static int64_t *rows_at(const struct table *t, const struct table_rows *rows, uint32_t i)
{
	return &rows->cells[i * t->schema->n];
}

static int64_t *rows_push(const struct table *t, struct table_rows *rows)
{
	if (rows->len == rows->cap) {
		rows->cap = rows->cap ? rows->cap * 2 : FIRST_ROWS;
		rows->cells = xrealloc(rows->cells, rows->cap,
				       t->schema->n * sizeof(*rows->cells));
	}
	return rows_at(t, rows, rows->len++);
}

int64_t *table_row(struct table *t)
{
	int64_t *row = rows_push(t, &t->now);
	size_t i;

	row[0] = t->trace_id;
	for (i = 1; i < t->schema->n; i++)
		row[i] = TABLE_NULL;
	return row;
}

/* --- order --- */

/* A row of a row group, and its time since the earliest row of the group. */
struct row_key {
	uint64_t time;
	uint32_t row;
};

/* One pass of a radix sort, by the digit that begins at bit @shift. */
static void sort_pass(const struct row_key *from, struct row_key *to, uint32_t n,
		      unsigned int shift)
{
	uint32_t starts[RADIX] = {0}, i, sum = 0, count;

	for (i = 0; i < n; i++)
		starts[from[i].time >> shift & (RADIX - 1)]++;
	for (i = 0; i < RADIX; i++) {
		count = starts[i];
		starts[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[starts[from[i].time >> shift & (RADIX - 1)]++] = from[i];
}

/*
 * Returns the rows in the order of their times; rows of one time in the order in which they came.
 * The caller frees it.
 */
static struct row_key *rows_sorted(const struct table *t, const struct table_rows *rows)
{
	struct row_key *keys = xcalloc(rows->len, sizeof(*keys)), *other, *swap;
	size_t column = t->schema->sorted_by - 1;
	int64_t least = INT64_MAX, time;
	uint64_t most = 0;
	unsigned int shift;
	uint32_t i;

	for (i = 0; i < rows->len; i++) {
		time = rows_at(t, rows, i)[column];
		least = time < least ? time : least;
	}
	for (i = 0; i < rows->len; i++) {
		keys[i].time = (uint64_t)rows_at(t, rows, i)[column] - (uint64_t)least;
		keys[i].row = i;
		most = keys[i].time > most ? keys[i].time : most;
	}
	other = xcalloc(rows->len, sizeof(*other));
	for (shift = 0; shift < 64 && most >> shift; shift += RADIX_BITS) {
		sort_pass(keys, other, rows->len, shift);
		swap = keys;
		keys = other;
		other = swap;
	}
	free(other);
	return keys;
}

/* --- writing --- */

static void table_put_cell(const struct table *t, size_t i, int64_t cell)
{
	const struct parquet_column *c = &t->schema->columns[i].parquet;
	const char *text;
	double real;

	if (c->optional && cell == TABLE_NULL) {
		parquet_null(t->parquet, i);
		return;
	}
	switch (c->type) {
	case PARQUET_TEXT:
		text = (const char *)(intptr_t)cell;
		parquet_shared(t->parquet, i, text, strlen(text));
		break;
	case PARQUET_F64:
		memcpy(&real, &cell, sizeof(real));
		parquet_real(t->parquet, i, real);
		break;
	default:
		parquet_int(t->parquet, i, cell);
	}
}

static void table_put_cells(struct table *t, const int64_t *row)
{
	size_t i;
	int r;

	for (i = 0; i < t->schema->n; i++)
		table_put_cell(t, i, row[i]);
	r = parquet_row(t->parquet);
	if (r && !t->failed)
		t->failed = r;
}

/* Writes all of @rows, which are then empty. */
static void write_rows(struct table *t, struct table_rows *rows)
{
	struct row_key *order;
	uint32_t i;

	if (!t->parquet && !t->failed && t->open)
		t->failed = t->open(t->ctx);
	if (!t->failed && rows->len && t->schema->sorted_by) {
		order = rows_sorted(t, rows);
		for (i = 0; i < rows->len; i++)
			table_put_cells(t, rows_at(t, rows, order[i].row));
		free(order);
	} else if (!t->failed) {
		for (i = 0; i < rows->len; i++)
			table_put_cells(t, rows_at(t, rows, i));
	}
	rows->len = 0;
}

/* Moves the last row to the late ones. */
static void delay_last(struct table *t)
{
	int64_t *late = rows_push(t, &t->late);

	memcpy(late, rows_at(t, &t->now, --t->now.len), t->schema->n * sizeof(*late));
}

/* The end of a row: all tables with ts have dur after it, or no dur. */
static int64_t end_of(const struct table *t, const int64_t *row)
{
	size_t ts = t->schema->sorted_by - 1;
	bool has_dur = !strcmp(t->schema->columns[ts + 1].parquet.name, "dur");

	return has_dur && row[ts + 1] > 0 && row[ts] < INT64_MAX - row[ts + 1] ?
		       row[ts] + row[ts + 1] : row[ts];
}

void table_put(struct table *t)
{
	const int64_t *row = rows_at(t, &t->now, t->now.len - 1);

	if (!t->wanted || t->failed) {
		t->now.len = 0;
		return;
	}
	if (t->schema->sorted_by) {
		if (row[t->schema->sorted_by - 1] < t->since)
			delay_last(t);
	}
	if (t->now.len == t->group_rows) {
		t->since = t->schema->sorted_by ? end_of(t, row) : t->since;
		write_rows(t, &t->now);
	}
	if (t->late.len == t->group_rows)
		write_rows(t, &t->late);
}

int table_finish(struct table *t, struct error *err)
{
	int r;

	write_rows(t, &t->now);
	write_rows(t, &t->late);
	if (t->failed)
		return error_set(err, t->failed, "%s", strerror(-t->failed));
	r = parquet_end(t->parquet, err);
	t->failed = r;
	return r;
}
