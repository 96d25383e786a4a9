// SPDX-License-Identifier: Apache-2.0
/* parquet: see parquet.h. Collects the values of rows in columns, one page of each. */
#include "parquet/parquet.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "parquet/internal.h"
#include "parquet/utf8.h"

enum { CAP_FIRST = 256 };

/* Bits of a mask of types. */
enum {
	TAKES_REAL = 1 << PARQUET_F64,
	TAKES_TEXT = 1 << PARQUET_TEXT,
	TAKES_ALL = (1 << (PARQUET_TIME_NS + 1)) - 1,
	TAKES_INT = TAKES_ALL & ~TAKES_REAL & ~TAKES_TEXT,
};

int parquet_fault(struct parquet *p, int code, const char *fmt, ...)
{
	va_list ap;

	if (p->fault.code)
		return p->fault.code;
	p->fault.code = code;
	va_start(ap, fmt);
	vsnprintf(p->fault.text, sizeof(p->fault.text), fmt, ap);
	va_end(ap);
	return code;
}

/* Doubles and bools have one encoding, whichever is asked for. */
static enum parquet_encoding column_encoding(const struct parquet_column *c)
{
	if (c->type == PARQUET_BOOL || c->type == PARQUET_F64)
		return PARQUET_PLAIN;
	return c->encoding;
}

static void column_begin(struct column *c, const struct parquet_column *from)
{
	c->name = xstrdup(from->name);
	c->type = from->type;
	c->optional = from->optional;
	c->asked = c->way = column_encoding(from);
	c->ascends = true;
	c->last = INT64_MIN;
	if (c->type == PARQUET_TEXT)
		c->shared = xcalloc(SHARED_TEXTS, sizeof(*c->shared));
}

static void column_free(struct column *c)
{
	free(c->name);
	free(c->values);
	free(c->present);
	free(c->shared);
	buf_free(&c->text);
	dictionary_free(&c->dictionary);
	buf_free(&c->chunk.pages);
	vec_free(&c->chunk.rows);
}

static void parquet_metadata(struct parquet *p, const struct parquet_options *options)
{
	size_t i;

	for (i = 0; i < options->metadata_count; i++) {
		const struct parquet_pair *pair = &options->metadata[i];

		*(char **)vec_push(&p->metadata, sizeof(char *)) = xstrdup(pair->key);
		*(char **)vec_push(&p->metadata, sizeof(char *)) = xstrdup(pair->value);
	}
}

static void parquet_zstd(struct parquet *p, int level)
{
	size_t failed;

	p->zstd = ZSTD_createCCtx();
	if (!p->zstd) {
		parquet_fault(p, -ENOMEM, "zstd: out of memory");
		return;
	}
	failed = ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level);
	if (ZSTD_isError(failed))
		parquet_fault(p, -EINVAL, "zstd: %s", ZSTD_getErrorName(failed));
}

/* Makes space for the values of further rows. */
static void parquet_grow(struct parquet *p)
{
	uint32_t cap = p->cap ? 2 * p->cap : CAP_FIRST;
	struct column *c;

	cap = cap < PAGE_ROWS ? cap : PAGE_ROWS;
	for (c = p->columns; c < p->columns + p->column_count; c++) {
		c->values = xrealloc(c->values, cap, sizeof(*c->values));
		if (!c->optional)
			continue;
		c->present = xrealloc(c->present, cap, sizeof(*c->present));
		memset(c->present + p->cap, 0, cap - p->cap);
	}
	p->cap = cap;
}

struct parquet *parquet_new(int fd, const struct parquet_column *columns, size_t n,
			    const struct parquet_options *options)
{
	struct parquet *p = xcalloc(1, sizeof(*p));
	size_t i;

	p->fd = fd;
	if (n > COLUMNS_MOST)
		parquet_fault(p, -EINVAL, "%zu columns, of at most %d", n, COLUMNS_MOST);
	p->column_count = n < COLUMNS_MOST ? n : COLUMNS_MOST;
	p->columns = xcalloc(p->column_count, sizeof(*p->columns));
	for (i = 0; i < p->column_count; i++) {
		column_begin(&p->columns[i], &columns[i]);
		p->required |= (uint64_t)!columns[i].optional << i;
	}
	parquet_grow(p);
	p->group_rows = options->group_rows ? options->group_rows : PARQUET_GROUP_ROWS;
	p->sorted_by = options->sorted_by;
	p->numbers = xcalloc(PAGE_ROWS, sizeof(*p->numbers));
	parquet_metadata(p, options);
	parquet_zstd(p, options->zstd_level ? options->zstd_level : PARQUET_ZSTD_LEVEL);
	group_write(p, PARQUET_MAGIC, PARQUET_MAGIC_BYTES);
	return p;
}

static void column_misuse(struct parquet *p, size_t column, unsigned int takes)
{
	const struct column *c = &p->columns[column];

	if (column >= p->column_count)
		parquet_fault(p, -EINVAL, "there is no column %zu", column);
	else if (!(takes & 1U << c->type))
		parquet_fault(p, -EINVAL, "a value of column %s has another type", c->name);
	else
		parquet_fault(p, -EINVAL, "column %s has two values in row %llu", c->name,
			      (unsigned long long)p->counts.rows);
}

/* Column number @column, if it may get a value in this row; else NULL. */
static inline struct column *column_open(struct parquet *p, size_t column, unsigned int takes)
{
	struct column *c = &p->columns[column];
	uint64_t bit = 1ULL << column % COLUMNS_MOST;

	if (column >= p->column_count || p->given & bit || !(takes & 1U << c->type)) {
		column_misuse(p, column, takes);
		return NULL;
	}
	p->given |= bit;
	return c;
}

static inline void column_add(struct parquet *p, struct column *c, int64_t value)
{
	if (c->optional)
		c->present[column_rows(p, c)] = 1;
	c->values[c->n++] = value;
}

void parquet_null(struct parquet *p, size_t column)
{
	struct column *c = column_open(p, column, TAKES_ALL);

	if (c && !c->optional)
		parquet_fault(p, -EINVAL, "column %s has no value in row %llu", c->name,
			      (unsigned long long)p->counts.rows);
}

void parquet_int(struct parquet *p, size_t column, int64_t value)
{
	struct column *c = column_open(p, column, TAKES_INT);

	if (!c)
		return;
	if (c->type == PARQUET_BOOL)
		value = value != 0;
	else if ((c->type == PARQUET_I32 && value != (int32_t)value) ||
		 (c->type == PARQUET_U32 && value != (uint32_t)value))
		parquet_fault(p, -EINVAL, "column %s: %lld exceeds 32 bits", c->name,
			      (long long)value);
	column_add(p, c, value);
}

void parquet_real(struct parquet *p, size_t column, double value)
{
	struct column *c = column_open(p, column, TAKES_REAL);
	int64_t bits;

	if (!c)
		return;
	memcpy(&bits, &value, sizeof(bits));
	column_add(p, c, bits);
}

/* Shortens and repairs a text. False if it had to be changed; *@text is then valid for a while. */
static bool text_clean(struct parquet *p, const char **text, size_t *n)
{
	bool clean = true;

	if (*n > PARQUET_TEXT_MOST) {
		*n = utf8_cut(*text, *n, PARQUET_TEXT_MOST);
		p->counts.texts_cut++;
		clean = false;
	}
	if (utf8_valid(*text, *n) == *n)
		return clean;
	p->counts.texts_repaired++;
	utf8_repair(&p->repaired, *text, *n);
	*text = (const char *)p->repaired.data;
	*n = p->repaired.len;
	return false;
}

static void column_add_text(struct parquet *p, struct column *c, const char *text, size_t n)
{
	if (c->text.len && c->text.len + n > PAGE_BYTES)
		page_end(p, c);
	buf_add(&c->text, text, n);
	column_add(p, c, (int64_t)n);
}

/*
 * Adds a text by its number. Returns the number; DICTIONARY_NONE if the text is not as it was
 * given, or the dictionary is full: the column has texts from now on.
 */
static uint32_t column_add_number(struct parquet *p, struct column *c, const char *text, size_t n)
{
	uint32_t number = n > PARQUET_TEXT_MOST ? DICTIONARY_NONE
						: dictionary_find(&c->dictionary, text, n);
	bool clean = true;

	if (number == DICTIONARY_NONE) {
		clean = text_clean(p, &text, &n);
		if (!clean)
			number = dictionary_find(&c->dictionary, text, n);
		if (number == DICTIONARY_NONE)
			number = dictionary_add(&c->dictionary, text, n);
	}
	if (number == DICTIONARY_NONE) {
		page_end(p, c);
		c->way = PARQUET_DELTA;
		column_add_text(p, c, text, n);
		return number;
	}
	column_add(p, c, number);
	return clean ? number : DICTIONARY_NONE;
}

static void column_put_text(struct parquet *p, struct column *c, const char *text, size_t n)
{
	if (column_by_number(c)) {
		column_add_number(p, c, text, n);
		return;
	}
	text_clean(p, &text, &n);
	column_add_text(p, c, text, n);
}

void parquet_text(struct parquet *p, size_t column, const char *text, size_t n)
{
	struct column *c = column_open(p, column, TAKES_TEXT);

	if (c)
		column_put_text(p, c, text, n);
}

void parquet_shared(struct parquet *p, size_t column, const char *text, size_t n)
{
	struct column *c = column_open(p, column, TAKES_TEXT);
	struct shared_text *slot;
	uint32_t number;

	if (!c)
		return;
	if (!column_by_number(c) || !n) {
		column_put_text(p, c, text, n);
		return;
	}
	slot = &c->shared[hash64((uintptr_t)text) % SHARED_TEXTS];
	if (slot->text == text && slot->n == n) {
		column_add(p, c, slot->entry);
		return;
	}
	number = column_add_number(p, c, text, n);
	if (number != DICTIONARY_NONE)
		*slot = (struct shared_text){ text, (uint32_t)n, number };
}

/* Names the first column that should have had a value. */
static void parquet_missing(struct parquet *p)
{
	const struct column *c = &p->columns[__builtin_ctzll(p->required & ~p->given)];

	parquet_fault(p, -EINVAL, "column %s has no value in row %llu", c->name,
		      (unsigned long long)p->counts.rows);
}

/* Before a row: ends full pages, or makes space for more. */
static void parquet_room(struct parquet *p)
{
	struct column *c;

	if (p->cap < PAGE_ROWS) {
		parquet_grow(p);
		return;
	}
	for (c = p->columns; c < p->columns + p->column_count; c++) {
		page_end(p, c);
		c->first = 0;
	}
	p->row = 0;
}

int parquet_row(struct parquet *p)
{
	if (p->required & ~p->given)
		parquet_missing(p);
	p->given = 0;
	p->counts.rows++;
	p->row++;
	if (p->row == p->cap)
		parquet_room(p);
	if (p->counts.rows - p->group_begin >= p->group_rows || p->group_bytes >= GROUP_BYTES)
		group_end(p);
	return p->fault.code;
}

int parquet_end(struct parquet *p, struct error *err)
{
	if (p->given)
		parquet_fault(p, -EINVAL, "values after the last row");
	group_end(p);
	if (!p->fault.code)
		footer_write(p);
	if (p->fault.code)
		return error_set(err, p->fault.code, "%s", p->fault.text);
	return 0;
}

const struct parquet_counts *parquet_counts(const struct parquet *p)
{
	return &p->counts;
}

static size_t column_memory(const struct column *c)
{
	return c->text.cap +
	       (c->shared ? SHARED_TEXTS * sizeof(*c->shared) : 0) +
	       dictionary_memory(&c->dictionary) + c->chunk.pages.cap +
	       c->chunk.rows.cap * sizeof(struct page_row);
}

size_t parquet_memory(const struct parquet *p)
{
	size_t n = sizeof(*p) + PAGE_ROWS * sizeof(*p->numbers), i;

	for (i = 0; i < p->column_count; i++)
		n += sizeof(struct column) + p->cap * (sizeof(int64_t) + p->columns[i].optional) +
		     column_memory(&p->columns[i]);
	n += p->made.raw.cap + p->made.packed.cap + p->tried.raw.cap + p->tried.packed.cap;
	n += p->scratch.cap + p->repaired.cap + p->out.cap + ZSTD_sizeof_CCtx(p->zstd);
	n += p->groups.cap * sizeof(struct group_end) + p->chunks.cap * sizeof(struct chunk_end);
	return n + p->metas.cap + p->column_indexes.cap + p->offset_indexes.cap;
}

static void page_body_free(struct page_body *body)
{
	buf_free(&body->raw);
	buf_free(&body->packed);
}

void parquet_free(struct parquet *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->column_count; i++)
		column_free(&p->columns[i]);
	for (i = 0; i < p->metadata.len; i++)
		free(*vec_at(&p->metadata, char *, i));
	free(p->columns);
	free(p->numbers);
	vec_free(&p->metadata);
	ZSTD_freeCCtx(p->zstd);
	page_body_free(&p->made);
	page_body_free(&p->tried);
	buf_free(&p->scratch);
	buf_free(&p->repaired);
	buf_free(&p->out);
	vec_free(&p->groups);
	vec_free(&p->chunks);
	buf_free(&p->metas);
	buf_free(&p->column_indexes);
	buf_free(&p->offset_indexes);
	free(p);
}
