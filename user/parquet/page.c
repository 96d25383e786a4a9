// SPDX-License-Identifier: Apache-2.0
/*
 * page: makes data pages (version 1, which every reader has) and dictionary pages of the values
 * that a column has collected.
 *
 * A page without a value is PLAIN: some readers refuse an encoding that has a header, but no value
 * (apache/iceberg#17017, questdb#7212).
 */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "parquet/encode.h"
#include "parquet/internal.h"

int32_t page_encoding(const struct column *c, enum parquet_encoding way)
{
	if (way == PARQUET_DICTIONARY)
		return ENCODING_RLE_DICTIONARY;
	if (way != PARQUET_DELTA)
		return ENCODING_PLAIN;
	return c->type == PARQUET_TEXT ? ENCODING_DELTA_LENGTH_BYTE_ARRAY
				       : ENCODING_DELTA_BINARY_PACKED;
}

/* Text number @i of the page, of *@n bytes. *@at is 0 for the first one, and goes on with each. */
static const char *page_text(const struct column *c, size_t i, size_t *at, size_t *n)
{
	const char *text;

	if (column_by_number(c)) {
		*n = dictionary_at(&c->dictionary, (size_t)c->values[i])->n;
		return dictionary_text(&c->dictionary, (size_t)c->values[i]);
	}
	*n = (size_t)c->values[i];
	text = *n ? (const char *)c->text.data + *at : "";
	*at += *n;
	return text;
}

/* The definition levels of an optional column, after their length. */
static void page_levels(struct parquet *p, const struct column *c, struct buf *raw)
{
	uint32_t count = column_rows(p, c), n;
	size_t at = raw->len, i;

	encode_u32(raw, 0);
	if (c->n == count || !c->n) {
		encode_run(raw, c->n > 0, count, 1);
	} else {
		for (i = 0; i < count; i++)
			p->numbers[i] = c->present[i];
		encode_hybrid(raw, p->numbers, count, 1);
	}
	n = (uint32_t)(raw->len - at - sizeof(n));
	memcpy(raw->data + at, &n, sizeof(n));
}

/* False if the dictionary has no space for a value. Texts have their numbers already. */
static bool page_by_dictionary(struct parquet *p, struct column *c, struct buf *raw)
{
	const int64_t *numbers = c->values;
	unsigned int width;
	uint32_t number;
	size_t i;

	if (c->type != PARQUET_TEXT) {
		for (i = 0; i < c->n; i++) {
			number = dictionary_int(&c->dictionary, c->values[i]);
			if (number == DICTIONARY_NONE)
				return false;
			p->numbers[i] = number;
		}
		numbers = p->numbers;
	}
	width = encode_width(dictionary_count(&c->dictionary) - 1);
	width = width ? width : 1;
	/* Numbers of up to four bits lie in bytes at the same places anyhow. */
	if (width > 4)
		width = encode_whole_bytes(width);
	buf_add_byte(raw, (uint8_t)width);
	encode_hybrid(raw, numbers, c->n, width);
	return true;
}

static void page_text_delta(struct parquet *p, const struct column *c, struct buf *raw)
{
	size_t i, at = 0, n;
	const char *text;

	for (i = 0; i < c->n; i++) {
		page_text(c, i, &at, &n);
		p->numbers[i] = (int64_t)n;
	}
	encode_delta(raw, p->numbers, c->n, true);
	for (i = at = 0; i < c->n; i++) {
		text = page_text(c, i, &at, &n);
		buf_add(raw, text, n);
	}
}

static void page_text_plain(const struct column *c, struct buf *raw)
{
	size_t i, at = 0, n;
	const char *text;

	for (i = 0; i < c->n; i++) {
		text = page_text(c, i, &at, &n);
		encode_u32(raw, (uint32_t)n);
		buf_add(raw, text, n);
	}
}

/* False if the values do not fit this way. */
static bool page_values(struct parquet *p, struct column *c, enum parquet_encoding way,
			struct buf *raw)
{
	if (!c->n)
		return true;
	if (way == PARQUET_DICTIONARY)
		return page_by_dictionary(p, c, raw);
	if (c->type == PARQUET_TEXT && way == PARQUET_DELTA)
		page_text_delta(p, c, raw);
	else if (c->type == PARQUET_TEXT)
		page_text_plain(c, raw);
	else if (way == PARQUET_DELTA)
		encode_delta(raw, c->values, c->n, column_is_narrow(c));
	else if (c->type == PARQUET_BOOL)
		encode_bits(raw, c->values, c->n, 1);
	else
		encode_plain(raw, c->values, c->n, column_is_narrow(c));
	return true;
}

static void page_compress(struct parquet *p, struct page_body *body)
{
	size_t most = ZSTD_compressBound(body->raw.len), n;

	body->packed.len = 0;
	buf_reserve(&body->packed, most);
	n = ZSTD_compress2(p->zstd, body->packed.data, body->packed.cap, body->raw.data,
			   body->raw.len);
	if (ZSTD_isError(n))
		parquet_fault(p, -EIO, "zstd: %s", ZSTD_getErrorName(n));
	else
		body->packed.len = n;
}

static bool page_make(struct parquet *p, struct column *c, enum parquet_encoding way,
		      struct page_body *body)
{
	body->raw.len = 0;
	if (c->optional)
		page_levels(p, c, &body->raw);
	if (!page_values(p, c, way, &body->raw))
		return false;
	page_compress(p, body);
	return true;
}

/* The dictionary in PLAIN. */
static void page_entries(const struct column *c, struct buf *raw)
{
	size_t i;

	raw->len = 0;
	if (c->type == PARQUET_TEXT) {
		buf_add(raw, c->dictionary.bytes.data, c->dictionary.bytes.len);
		return;
	}
	for (i = 0; i < dictionary_count(&c->dictionary); i++)
		encode_plain(raw, &dictionary_at(&c->dictionary, i)->value, 1, column_is_narrow(c));
}

/* Bytes that the dictionary takes now. Uses p->scratch. */
static size_t page_entries_size(struct parquet *p, const struct column *c)
{
	struct page_body body = { .packed = p->scratch };
	size_t n;

	page_entries(c, &body.raw);
	page_compress(p, &body);
	n = body.packed.len;
	p->scratch = body.packed;
	buf_free(&body.raw);
	return n;
}

/* Makes the page in each way that there is, and keeps the smallest, for all of the row group. */
static void page_choose(struct parquet *p, struct column *c)
{
	static const enum parquet_encoding ways[] = { PARQUET_DELTA, PARQUET_DICTIONARY,
						      PARQUET_PLAIN };
	enum parquet_encoding chosen = PARQUET_PLAIN;
	size_t least = SIZE_MAX, n, i;
	struct page_body body;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		/* Lengths between texts are never smaller than lengths in one place. */
		if (c->type == PARQUET_TEXT && ways[i] == PARQUET_PLAIN)
			continue;
		if (!page_make(p, c, ways[i], &p->tried))
			continue;
		n = p->tried.packed.len;
		n += ways[i] == PARQUET_DICTIONARY ? page_entries_size(p, c) : 0;
		if (n >= least)
			continue;
		least = n;
		chosen = ways[i];
		body = p->made;
		p->made = p->tried;
		p->tried = body;
	}
	c->way = chosen;
	if (chosen != PARQUET_DICTIONARY)
		page_forget(c);
}

void page_forget(struct column *c)
{
	dictionary_empty(&c->dictionary);
	if (c->shared)
		memset(c->shared, 0, SHARED_TEXTS * sizeof(*c->shared));
}

static struct bounds page_bounds(const struct column *c)
{
	uint8_t seen[DICTIONARY_ENTRIES / 8] = {0};
	const char *text, *least = NULL, *greatest = NULL;
	size_t i, at = 0, n, least_n = 0, greatest_n = 0;
	int64_t number;

	if (c->type != PARQUET_TEXT)
		return bounds_of_numbers(c->type, c->values, c->n);
	for (i = 0; i < c->n; i++) {
		number = column_by_number(c) ? c->values[i] : 0;
		if (column_by_number(c) && seen[number / 8] & 1 << number % 8)
			continue;
		seen[number / 8] |= (uint8_t)(1 << number % 8);
		text = page_text(c, i, &at, &n);
		if (!least || bounds_compare_texts(text, n, least, least_n) < 0)
			least = text, least_n = n;
		if (!greatest || bounds_compare_texts(text, n, greatest, greatest_n) > 0)
			greatest = text, greatest_n = n;
	}
	return c->n ? bounds_of_texts(least, least_n, greatest, greatest_n) : (struct bounds){0};
}

/* Looks whether the values of the row group still ascend. */
static void page_ascends(struct parquet *p, struct column *c)
{
	int64_t flip = c->type == PARQUET_U64 ? INT64_MIN : 0, value;
	size_t i;

	c->ascends = c->ascends && c->n == column_rows(p, c) && column_is_int(c);
	for (i = 0; c->ascends && i < c->n; i++) {
		value = c->values[i] ^ flip;
		c->ascends = value >= c->last;
		c->last = value;
	}
}

static void page_header(struct buf *out, int32_t type, const struct page_body *body, size_t values,
			int32_t encoding)
{
	uint32_t crc = (uint32_t)crc32(0, body->packed.data, (uInt)body->packed.len);
	struct thrift t;

	thrift_begin(&t, out);
	thrift_i32(&t, 1, type);
	thrift_i32(&t, 2, (int32_t)body->raw.len);
	thrift_i32(&t, 3, (int32_t)body->packed.len);
	thrift_i32(&t, 4, (int32_t)crc);
	thrift_open(&t, type == PAGE_DATA ? 5 : 7);
	thrift_i32(&t, 1, (int32_t)values);
	thrift_i32(&t, 2, encoding);
	if (type == PAGE_DATA) {
		thrift_i32(&t, 3, ENCODING_RLE);
		thrift_i32(&t, 4, ENCODING_RLE);
	}
	thrift_close(&t);
	thrift_close(&t);
}

static void page_append(struct parquet *p, struct column *c, enum parquet_encoding way,
			const struct bounds *bounds)
{
	struct chunk *chunk = &c->chunk;
	struct page_row *row = vec_push(&chunk->rows, sizeof(*row));

	row->offset = chunk->pages.len;
	row->first_row = p->counts.rows - column_rows(p, c) - p->group_begin;
	row->nulls = column_rows(p, c) - c->n;
	row->values = c->n;
	row->bounds = *bounds;
	page_header(&chunk->pages, PAGE_DATA, &p->made, column_rows(p, c),
		    page_encoding(c, way));
	chunk->raw_bytes += chunk->pages.len - row->offset + p->made.raw.len;
	buf_add(&chunk->pages, p->made.packed.data, p->made.packed.len);
	row->bytes = (uint32_t)(chunk->pages.len - row->offset);
	chunk->nulls += row->nulls;
	chunk->pages_by[way]++;
	p->group_bytes += row->bytes;
}

/* Makes the page in the way of the column, or in that which it has from now on. */
static enum parquet_encoding page_encode(struct parquet *p, struct column *c)
{
	if (!c->n) {
		page_make(p, c, PARQUET_PLAIN, &p->made);
		return PARQUET_PLAIN;
	}
	if (c->way == PARQUET_CHOOSE) {
		page_choose(p, c);
	} else if (!page_make(p, c, c->way, &p->made)) {
		c->way = PARQUET_DELTA;
		page_make(p, c, c->way, &p->made);
	}
	return c->way;
}

void page_end(struct parquet *p, struct column *c)
{
	struct bounds bounds;
	enum parquet_encoding way;

	if (column_rows(p, c) && !p->fault.code) {
		bounds = page_bounds(c);
		page_ascends(p, c);
		way = page_encode(p, c);
		if (!p->fault.code)
			page_append(p, c, way, &bounds);
	}
	if (c->optional && c->n)
		memset(c->present, 0, column_rows(p, c));
	c->first = p->row;
	c->n = 0;
	c->text.len = 0;
}

size_t page_dictionary(struct parquet *p, struct column *c)
{
	page_entries(c, &p->made.raw);
	page_compress(p, &p->made);
	p->scratch.len = 0;
	page_header(&p->scratch, PAGE_DICTIONARY, &p->made, dictionary_count(&c->dictionary),
		    ENCODING_PLAIN);
	buf_add(&p->scratch, p->made.packed.data, p->made.packed.len);
	return p->scratch.len - p->made.packed.len + p->made.raw.len;
}
