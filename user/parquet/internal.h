/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the state of a writer of Parquet. parquet.c takes values; page.c makes pages of them;
 * group.c writes row groups and keeps what the end of the file says of them; footer.c writes that.
 *
 * A chunk is the part of a column that is in one row group. A way is one of the encodings of
 * parquet.h that a page can have.
 */
#ifndef GOTAP_PARQUET_INTERNAL_H
#define GOTAP_PARQUET_INTERNAL_H

#include <zstd.h>

#include "base/vec.h"
#include "parquet/bounds.h"
#include "parquet/dictionary.h"
#include "parquet/parquet.h"
#include "parquet/thrift.h"

enum {
	COLUMNS_MOST = 64,
	/* A multiple of DuckDB's vectors of 2048; six pages are a row group. */
	PAGE_ROWS = 20480,
	/* A page has less rows after this many bytes of texts. */
	PAGE_BYTES = 1 << 20,
	/* A row group ends when it has this many bytes as it is in the file. */
	GROUP_BYTES = 32 << 20,
	/* Bytes that are collected for one write(2). */
	WRITE_BYTES = 1 << 20,
};

/* Numbers of parquet.thrift. */
enum { PHYSICAL_BOOLEAN = 0, PHYSICAL_INT32 = 1, PHYSICAL_INT64 = 2, PHYSICAL_DOUBLE = 5,
       PHYSICAL_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DELTA_BINARY_PACKED = 5,
       ENCODING_DELTA_LENGTH_BYTE_ARRAY = 6, ENCODING_RLE_DICTIONARY = 8 };
enum { CODEC_ZSTD = 6 };
/* At both ends of a file. */
#define PARQUET_MAGIC "PAR1"
enum { PARQUET_MAGIC_BYTES = 4 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

/* One row of the page index. */
struct page_row {
	uint64_t offset;	/* in the pages of the chunk */
	uint64_t first_row;	/* in the row group */
	uint64_t nulls;
	uint32_t bytes;		/* with the header of the page */
	uint32_t values;	/* without nulls */
	struct bounds bounds;
};

/* What a chunk has had until now. */
struct chunk {
	struct buf pages;		/* data pages as they are in the file */
	struct vec rows;		/* struct page_row */
	uint64_t raw_bytes;		/* of pages, before zstd */
	uint64_t nulls;
	uint32_t pages_by[PARQUET_DELTA + 1];	/* number of pages of each way */
};

/* Where a column of shared texts remembers the number of a text by its address. */
struct shared_text {
	const char *text;
	uint32_t n, entry;
};

enum { SHARED_TEXTS = 512 };

struct column {
	char *name;
	enum parquet_type type;
	bool optional;
	enum parquet_encoding asked;
	/* That of the current row group; PARQUET_CHOOSE until its first page is complete. */
	enum parquet_encoding way;

	/* The current page: its values, without nulls, and parquet.row of its first row. */
	uint32_t n, first;
	/*
	 * @n ints, bits of doubles, numbers of entries of the dictionary, or lengths of the texts
	 * that are in @text.
	 */
	int64_t *values;
	uint8_t *present;		/* 1 for each row with a value, if the column is optional */
	struct buf text;

	struct dictionary dictionary;
	struct shared_text *shared;	/* SHARED_TEXTS, or NULL */
	struct chunk chunk;
	/* Whether the values of this row group ascend, and the last one. Ints only. */
	bool ascends;
	int64_t last;
};

/* An encoded page. */
struct page_body {
	struct buf raw, packed;		/* before and after zstd */
};

/* What the footer says of a chunk that is in the file. */
struct chunk_end {
	size_t meta, meta_bytes;	/* ColumnMetaData, in parquet.metas */
	size_t column_index, column_index_bytes;	/* in parquet.column_indexes, or 0 bytes */
	size_t offset_index, offset_index_bytes;	/* in parquet.offset_indexes */
	uint64_t offset;		/* of its first page in the file */
};

struct group_end {
	uint64_t rows, raw_bytes, bytes, offset;
	bool sorted;
};

struct parquet {
	int fd;
	struct column *columns;
	size_t column_count;
	uint32_t group_rows;
	size_t sorted_by;
	struct vec metadata;		/* char *: a key, its value, and so on */
	ZSTD_CCtx *zstd;
	struct error fault;		/* the first one */
	struct parquet_counts counts;
	uint64_t group_begin;		/* number of the first row of the row group */
	uint64_t group_bytes;		/* of its data pages */

	/*
	 * Pages of all columns end together, after PAGE_ROWS rows; those of texts may end before,
	 * too. @row: rows since then, so that an optional column without a value in a row costs
	 * nothing. All columns have space for @cap rows.
	 */
	uint32_t row, cap;
	uint64_t required;		/* a bit of each column that is not optional */
	uint64_t given;			/* a bit of each column that has a value in this row */

	/* For the page that is being made. */
	int64_t *numbers;		/* PAGE_ROWS */
	struct page_body made, tried;
	struct buf scratch, repaired;

	struct buf out;			/* not yet written */
	uint64_t written;		/* bytes of the file, with those in out */
	/* For the footer. */
	struct vec groups, chunks;	/* struct group_end, struct chunk_end */
	struct buf metas, column_indexes, offset_indexes;
};

static inline bool column_is_int(const struct column *c)
{
	return c->type != PARQUET_F64 && c->type != PARQUET_TEXT && c->type != PARQUET_BOOL;
}

static inline bool column_is_narrow(const struct column *c)
{
	return c->type == PARQUET_I32 || c->type == PARQUET_U32;
}

/* Rows of the current page. */
static inline uint32_t column_rows(const struct parquet *p, const struct column *c)
{
	return p->row - c->first;
}

/* Whether values of texts are numbers of entries of the dictionary. */
static inline bool column_by_number(const struct column *c)
{
	return c->type == PARQUET_TEXT &&
	       (c->way == PARQUET_DICTIONARY || c->way == PARQUET_CHOOSE);
}

/* Sets the first fault of @p; later ones are dropped. Returns its code. */
int parquet_fault(struct parquet *p, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Ends the current page of @c, if it has rows, before row parquet.row. */
void page_end(struct parquet *p, struct column *c);
/* Makes the dictionary page of @c in p->scratch. Returns its bytes before zstd, with the header. */
size_t page_dictionary(struct parquet *p, struct column *c);
/* Removes all entries of the dictionary of @c. */
void page_forget(struct column *c);
/* Number of parquet.thrift: enum Encoding. */
int32_t page_encoding(const struct column *c, enum parquet_encoding way);

/* Writes the current row group, if it has rows, and begins the next one. */
void group_end(struct parquet *p);
/* Adds bytes to the file, in large writes. */
void group_write(struct parquet *p, const void *data, size_t n);
void group_flush(struct parquet *p);

/*
 * Keeps what the footer says of the current chunk of @c, which is at @offset in the file, and has a
 * dictionary page of @dictionary bytes, or of 0, which had @raw bytes before zstd.
 */
void footer_chunk(struct parquet *p, const struct column *c, uint64_t offset, size_t dictionary,
		  size_t raw);
/* Writes the page index and the footer. */
void footer_write(struct parquet *p);

#endif
