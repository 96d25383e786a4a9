// SPDX-License-Identifier: Apache-2.0
/*
 * footer: what the end of the file says of its chunks. Numbers of fields are those of
 * parquet.thrift of apache/parquet-format, version 2.11.
 */
#include <errno.h>
#include <string.h>

#include "parquet/internal.h"

enum { CONVERTED_UTF8 = 0, CONVERTED_UINT_32 = 13, CONVERTED_UINT_64 = 14, CONVERTED_INT_32 = 17,
       CONVERTED_INT_64 = 18, CONVERTED_NONE = -1 };
enum { LOGICAL_STRING = 1, LOGICAL_TIMESTAMP = 8, LOGICAL_INTEGER = 10, LOGICAL_NONE = 0 };
enum { UNIT_NANOS = 3 };
enum { BOUNDARY_UNORDERED = 0, BOUNDARY_ASCENDING = 1, BOUNDARY_DESCENDING = 2 };
enum { REPETITION_REQUIRED = 0, REPETITION_OPTIONAL = 1 };
/* The version of the format, for encodings of DELTA_*. */
enum { FORMAT_VERSION = 2 };

static const struct footer_type {
	int32_t physical, converted;
	int logical;
	int8_t bits;
	bool is_signed;
} footer_types[] = {
	[PARQUET_BOOL] =    { PHYSICAL_BOOLEAN, CONVERTED_NONE, LOGICAL_NONE, 0, false },
	[PARQUET_I32] =     { PHYSICAL_INT32, CONVERTED_INT_32, LOGICAL_INTEGER, 32, true },
	[PARQUET_I64] =     { PHYSICAL_INT64, CONVERTED_INT_64, LOGICAL_INTEGER, 64, true },
	[PARQUET_U32] =     { PHYSICAL_INT32, CONVERTED_UINT_32, LOGICAL_INTEGER, 32, false },
	[PARQUET_U64] =     { PHYSICAL_INT64, CONVERTED_UINT_64, LOGICAL_INTEGER, 64, false },
	[PARQUET_F64] =     { PHYSICAL_DOUBLE, CONVERTED_NONE, LOGICAL_NONE, 0, false },
	[PARQUET_TEXT] =    { PHYSICAL_BYTE_ARRAY, CONVERTED_UTF8, LOGICAL_STRING, 0, false },
	[PARQUET_TIME_NS] = { PHYSICAL_INT64, CONVERTED_NONE, LOGICAL_TIMESTAMP, 0, false },
};

static void footer_statistics(struct thrift *t, int field, const struct bounds *b, uint64_t nulls)
{
	thrift_open(t, field);
	thrift_i64(t, 3, (int64_t)nulls);
	if (b->known) {
		thrift_binary(t, 5, b->greatest.bytes, b->greatest.n);
		thrift_binary(t, 6, b->least.bytes, b->least.n);
		thrift_bool(t, 7, b->greatest.exact);
		thrift_bool(t, 8, b->least.exact);
	}
	thrift_close(t);
}

/* The bounds of all pages; unknown if those of a page with values are. */
static struct bounds footer_bounds(const struct column *c)
{
	struct bounds all = {0};
	const struct page_row *row;
	size_t i;

	for (i = 0; i < c->chunk.rows.len; i++) {
		row = vec_at(&c->chunk.rows, const struct page_row, i);
		if (row->values && !row->bounds.known)
			return (struct bounds){0};
		bounds_join(c->type, &all, &row->bounds);
	}
	return all;
}

/* The number of different encodings: of values, of the dictionary, of levels. */
static size_t footer_encodings(const struct column *c, bool dictionary, int32_t encodings[])
{
	const uint32_t *by = c->chunk.pages_by;
	size_t n = 0;

	if (dictionary || by[PARQUET_PLAIN])
		encodings[n++] = ENCODING_PLAIN;
	encodings[n++] = ENCODING_RLE;
	if (dictionary)
		encodings[n++] = ENCODING_RLE_DICTIONARY;
	if (by[PARQUET_DELTA])
		encodings[n++] = page_encoding(c, PARQUET_DELTA);
	return n;
}

static void footer_encoding_stat(struct thrift *t, int32_t page, int32_t encoding, uint32_t count)
{
	thrift_element_open(t);
	thrift_i32(t, 1, page);
	thrift_i32(t, 2, encoding);
	thrift_i32(t, 3, (int32_t)count);
	thrift_close(t);
}

static void footer_encoding_stats(struct thrift *t, const struct column *c, bool dictionary)
{
	const uint32_t *by = c->chunk.pages_by;
	size_t way, n = dictionary;

	for (way = PARQUET_PLAIN; way <= PARQUET_DELTA; way++)
		n += by[way] > 0;
	thrift_list(t, 13, THRIFT_STRUCT, n);
	if (dictionary)
		footer_encoding_stat(t, PAGE_DICTIONARY, ENCODING_PLAIN, 1);
	for (way = PARQUET_PLAIN; way <= PARQUET_DELTA; way++)
		if (by[way])
			footer_encoding_stat(t, PAGE_DATA,
					     page_encoding(c, (enum parquet_encoding)way), by[way]);
}

static void footer_names(struct thrift *t, const struct column *c, bool dictionary)
{
	int32_t encodings[4];
	size_t n = footer_encodings(c, dictionary, encodings), i;

	thrift_i32(t, 1, footer_types[c->type].physical);
	thrift_list(t, 2, THRIFT_I32, n);
	for (i = 0; i < n; i++)
		thrift_element_int(t, encodings[i]);
	thrift_list(t, 3, THRIFT_BINARY, 1);
	thrift_element_binary(t, c->name, strlen(c->name));
	thrift_i32(t, 4, CODEC_ZSTD);
}

/* struct ColumnMetaData. */
static void footer_meta(struct parquet *p, const struct column *c, uint64_t offset,
			size_t dictionary, size_t raw)
{
	const struct bounds bounds = footer_bounds(c);
	struct thrift t;

	thrift_begin(&t, &p->metas);
	footer_names(&t, c, dictionary > 0);
	thrift_i64(&t, 5, (int64_t)(p->counts.rows - p->group_begin));
	thrift_i64(&t, 6, (int64_t)(raw + c->chunk.raw_bytes));
	thrift_i64(&t, 7, (int64_t)(dictionary + c->chunk.pages.len));
	thrift_i64(&t, 9, (int64_t)(offset + dictionary));
	if (dictionary)
		thrift_i64(&t, 11, (int64_t)offset);
	footer_statistics(&t, 12, &bounds, c->chunk.nulls);
	footer_encoding_stats(&t, c, dictionary > 0);
	thrift_close(&t);
}

static void footer_offset_index(struct parquet *p, const struct column *c, uint64_t pages)
{
	const struct page_row *row;
	struct thrift t;
	size_t i;

	thrift_begin(&t, &p->offset_indexes);
	thrift_list(&t, 1, THRIFT_STRUCT, c->chunk.rows.len);
	for (i = 0; i < c->chunk.rows.len; i++) {
		row = vec_at(&c->chunk.rows, const struct page_row, i);
		thrift_element_open(&t);
		thrift_i64(&t, 1, (int64_t)(pages + row->offset));
		thrift_i32(&t, 2, (int32_t)row->bytes);
		thrift_i64(&t, 3, (int64_t)row->first_row);
		thrift_close(&t);
	}
	thrift_close(&t);
}

/* The order of the bounds of pages; those without a value do not count. */
static int32_t footer_order(const struct column *c)
{
	const struct page_row *row, *last = NULL;
	bool ascending = true, descending = true;
	int least, greatest;
	size_t i;

	for (i = 0; i < c->chunk.rows.len; i++) {
		row = vec_at(&c->chunk.rows, const struct page_row, i);
		if (!row->values)
			continue;
		if (last) {
			least = bounds_compare(c->type, &row->bounds.least, &last->bounds.least);
			greatest = bounds_compare(c->type, &row->bounds.greatest,
						  &last->bounds.greatest);
			ascending = ascending && least >= 0 && greatest >= 0;
			descending = descending && least <= 0 && greatest <= 0;
		}
		last = row;
	}
	return ascending ? BOUNDARY_ASCENDING : descending ? BOUNDARY_DESCENDING
							   : BOUNDARY_UNORDERED;
}

/* Whether each page with values has bounds: without them there can be no ColumnIndex. */
static bool footer_has_bounds(const struct column *c)
{
	const struct page_row *row;
	size_t i;

	for (i = 0; i < c->chunk.rows.len; i++) {
		row = vec_at(&c->chunk.rows, const struct page_row, i);
		if (row->values && !row->bounds.known)
			return false;
	}
	return true;
}

static void footer_index_bounds(struct thrift *t, int field, const struct column *c, bool least)
{
	const struct page_row *row;
	const struct bound *b;
	size_t i;

	thrift_list(t, field, THRIFT_BINARY, c->chunk.rows.len);
	for (i = 0; i < c->chunk.rows.len; i++) {
		row = vec_at(&c->chunk.rows, const struct page_row, i);
		b = least ? &row->bounds.least : &row->bounds.greatest;
		thrift_element_binary(t, b->bytes, row->values ? b->n : 0);
	}
}

static void footer_column_index(struct parquet *p, const struct column *c)
{
	const struct vec *rows = &c->chunk.rows;
	struct thrift t;
	size_t i;

	if (!footer_has_bounds(c))
		return;
	thrift_begin(&t, &p->column_indexes);
	thrift_list(&t, 1, THRIFT_BOOL, rows->len);
	for (i = 0; i < rows->len; i++)
		thrift_element_bool(&t, !vec_at(rows, const struct page_row, i)->values);
	footer_index_bounds(&t, 2, c, true);
	footer_index_bounds(&t, 3, c, false);
	thrift_i32(&t, 4, footer_order(c));
	thrift_list(&t, 5, THRIFT_I64, rows->len);
	for (i = 0; i < rows->len; i++)
		thrift_element_int(&t, (int64_t)vec_at(rows, const struct page_row, i)->nulls);
	thrift_close(&t);
}

void footer_chunk(struct parquet *p, const struct column *c, uint64_t offset, size_t dictionary,
		  size_t raw)
{
	struct chunk_end *end = vec_push(&p->chunks, sizeof(*end));

	end->offset = offset;
	end->meta = p->metas.len;
	end->column_index = p->column_indexes.len;
	end->offset_index = p->offset_indexes.len;
	footer_meta(p, c, offset, dictionary, raw);
	footer_column_index(p, c);
	footer_offset_index(p, c, offset + dictionary);
	end->meta_bytes = p->metas.len - end->meta;
	end->column_index_bytes = p->column_indexes.len - end->column_index;
	end->offset_index_bytes = p->offset_indexes.len - end->offset_index;
}

static void footer_logical(struct thrift *t, const struct footer_type *type)
{
	thrift_open(t, 10);
	thrift_open(t, type->logical);
	if (type->logical == LOGICAL_INTEGER) {
		thrift_i8(t, 1, type->bits);
		thrift_bool(t, 2, type->is_signed);
	} else if (type->logical == LOGICAL_TIMESTAMP) {
		thrift_bool(t, 1, false);
		thrift_open(t, 2);
		thrift_open(t, UNIT_NANOS);
		thrift_close(t);
		thrift_close(t);
	}
	thrift_close(t);
	thrift_close(t);
}

static void footer_column(struct thrift *t, const struct column *c)
{
	const struct footer_type *type = &footer_types[c->type];

	thrift_element_open(t);
	thrift_i32(t, 1, type->physical);
	thrift_i32(t, 3, c->optional ? REPETITION_OPTIONAL : REPETITION_REQUIRED);
	thrift_text(t, 4, c->name);
	if (type->converted != CONVERTED_NONE)
		thrift_i32(t, 6, type->converted);
	if (type->logical != LOGICAL_NONE)
		footer_logical(t, type);
	thrift_close(t);
}

static void footer_schema(struct thrift *t, const struct parquet *p)
{
	size_t i;

	thrift_list(t, 2, THRIFT_STRUCT, p->column_count + 1);
	thrift_element_open(t);
	thrift_text(t, 4, "schema");
	thrift_i32(t, 5, (int32_t)p->column_count);
	thrift_close(t);
	for (i = 0; i < p->column_count; i++)
		footer_column(t, &p->columns[i]);
}

/* struct ColumnChunk; @columns and @offsets: where the indexes of the file are. */
static void footer_place(struct thrift *t, const struct parquet *p, const struct chunk_end *chunk,
			 uint64_t columns, uint64_t offsets)
{
	thrift_element_open(t);
	thrift_i64(t, 2, (int64_t)chunk->offset);
	thrift_struct(t, 3, p->metas.data + chunk->meta, chunk->meta_bytes);
	thrift_i64(t, 4, (int64_t)(offsets + chunk->offset_index));
	thrift_i32(t, 5, (int32_t)chunk->offset_index_bytes);
	if (chunk->column_index_bytes) {
		thrift_i64(t, 6, (int64_t)(columns + chunk->column_index));
		thrift_i32(t, 7, (int32_t)chunk->column_index_bytes);
	}
	thrift_close(t);
}

static void footer_sorted(struct thrift *t, const struct parquet *p)
{
	thrift_list(t, 4, THRIFT_STRUCT, 1);
	thrift_element_open(t);
	thrift_i32(t, 1, (int32_t)p->sorted_by - 1);
	thrift_bool(t, 2, false);
	thrift_bool(t, 3, false);
	thrift_close(t);
}

static void footer_group(struct thrift *t, const struct parquet *p, size_t i, uint64_t columns,
			 uint64_t offsets)
{
	const struct group_end *g = vec_at(&p->groups, const struct group_end, i);
	const struct chunk_end *chunk = vec_at(&p->chunks, const struct chunk_end,
					       i * p->column_count);
	size_t c;

	thrift_element_open(t);
	thrift_list(t, 1, THRIFT_STRUCT, p->column_count);
	for (c = 0; c < p->column_count; c++)
		footer_place(t, p, chunk + c, columns, offsets);
	thrift_i64(t, 2, (int64_t)g->raw_bytes);
	thrift_i64(t, 3, (int64_t)g->rows);
	if (g->sorted)
		footer_sorted(t, p);
	thrift_i64(t, 5, (int64_t)g->offset);
	thrift_i64(t, 6, (int64_t)g->bytes);
	thrift_close(t);
}

static void footer_metadata(struct thrift *t, const struct parquet *p)
{
	size_t i;

	if (!p->metadata.len)
		return;
	thrift_list(t, 5, THRIFT_STRUCT, p->metadata.len / 2);
	for (i = 0; i < p->metadata.len; i += 2) {
		thrift_element_open(t);
		thrift_text(t, 1, *vec_at(&p->metadata, char *, i));
		thrift_text(t, 2, *vec_at(&p->metadata, char *, i + 1));
		thrift_close(t);
	}
}

/* One for each column: bounds are in the order of its type. Without that none may be used. */
static void footer_orders(struct thrift *t, const struct parquet *p)
{
	size_t i;

	thrift_list(t, 7, THRIFT_STRUCT, p->column_count);
	for (i = 0; i < p->column_count; i++) {
		thrift_element_open(t);
		thrift_open(t, 1);
		thrift_close(t);
		thrift_close(t);
	}
}

void footer_write(struct parquet *p)
{
	uint64_t columns = p->written, offsets = columns + p->column_indexes.len;
	struct buf out = {0};
	struct thrift t;
	uint32_t n;
	size_t i;

	group_write(p, p->column_indexes.data, p->column_indexes.len);
	group_write(p, p->offset_indexes.data, p->offset_indexes.len);
	thrift_begin(&t, &out);
	thrift_i32(&t, 1, FORMAT_VERSION);
	footer_schema(&t, p);
	thrift_i64(&t, 3, (int64_t)p->group_begin);
	thrift_list(&t, 4, THRIFT_STRUCT, p->groups.len);
	for (i = 0; i < p->groups.len; i++)
		footer_group(&t, p, i, columns, offsets);
	footer_metadata(&t, p);
	thrift_text(&t, 6, "gotap version " GOTAP_VERSION);
	footer_orders(&t, p);
	thrift_close(&t);
	n = (uint32_t)out.len;
	buf_add(&out, &n, sizeof(n));
	buf_add(&out, PARQUET_MAGIC, PARQUET_MAGIC_BYTES);
	group_write(p, out.data, out.len);
	group_flush(p);
	buf_free(&out);
}
