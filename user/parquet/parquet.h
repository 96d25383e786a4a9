/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet: writes one Apache Parquet file as a stream of rows. It knows neither Go nor traces.
 * Format: https://parquet.apache.org/docs/file-format and parquet.thrift of apache/parquet-format.
 *
 *	p = parquet_new(fd, columns, n, &options);
 *	parquet_int(p, TS, 17);
 *	parquet_text(p, NAME, name, strlen(name));
 *	parquet_row(p);
 *	failed = parquet_end(p, &err);
 *	parquet_free(p);
 *
 * Memory is one page of each column, and one row group as it is in the file: a row group ends at a
 * number of rows, or at GROUP_BYTES (internal.h), whichever comes first. The file is written in
 * pieces of at least one row group. Its end names all row groups: a file without a complete end is
 * no Parquet file, so that the caller gives a file its name after parquet_end() has returned 0.
 */
#ifndef GOTAP_PARQUET_PARQUET_H
#define GOTAP_PARQUET_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The types of columns, and in brackets those of parquet.thrift. */
enum parquet_type {
	PARQUET_BOOL,		/* BOOLEAN */
	PARQUET_I32,		/* INT32, INTEGER(32, signed) */
	PARQUET_I64,		/* INT64, INTEGER(64, signed) */
	PARQUET_U32,		/* INT32, INTEGER(32, unsigned) */
	PARQUET_U64,		/* INT64, INTEGER(64, unsigned) */
	PARQUET_F64,		/* DOUBLE */
	PARQUET_TEXT,		/* BYTE_ARRAY, STRING */
	/*
	 * INT64, TIMESTAMP(not isAdjustedToUTC, NANOS): nanoseconds since 1970-01-01. DuckDB 1.5
	 * reads those with isAdjustedToUTC as microseconds, and drops the rest.
	 */
	PARQUET_TIME_NS,
};

/* How the values of a column lie in a page, before zstd compresses the page. */
enum parquet_encoding {
	/*
	 * Ints and texts: the smallest of those below for the first page of a row group, for all
	 * pages of that row group. Others: PLAIN.
	 */
	PARQUET_CHOOSE,
	PARQUET_PLAIN,
	/*
	 * RLE_DICTIONARY: each value once in a row group, and numbers in place of values. When the
	 * dictionary is full, the further pages of the row group have PARQUET_DELTA. Not for BOOL;
	 * F64 is PLAIN.
	 */
	PARQUET_DICTIONARY,
	/* Ints: DELTA_BINARY_PACKED; texts: DELTA_LENGTH_BYTE_ARRAY; others: PLAIN. */
	PARQUET_DELTA,
};

struct parquet_column {
	const char *name;
	enum parquet_type type;
	bool optional;			/* a value may be null */
	enum parquet_encoding encoding;
};

struct parquet_pair {
	const char *key, *value;	/* UTF-8 */
};

/* All zero: the defaults. */
struct parquet_options {
	int zstd_level;			/* 0: PARQUET_ZSTD_LEVEL */
	uint32_t group_rows;		/* rows of a row group; 0: PARQUET_GROUP_ROWS */
	const struct parquet_pair *metadata;	/* the key-value metadata of the file */
	size_t metadata_count;
	/*
	 * The number of the column by which the caller sorts rows, + 1; 0: none. A row group is
	 * marked as sorted only if it is.
	 */
	size_t sorted_by;
};

enum {
	PARQUET_ZSTD_LEVEL = 3,
	/* That of DuckDB's own files: one thread of DuckDB reads a row group. */
	PARQUET_GROUP_ROWS = 122880,
	/* A longer text is cut, and counted. In bytes. */
	PARQUET_TEXT_MOST = 1 << 20,
};

struct parquet_counts {
	uint64_t rows;
	uint64_t bytes;			/* written to the file so far */
	uint64_t texts_repaired;	/* texts put with bytes that are not UTF-8 */
	uint64_t texts_cut;		/* texts longer than PARQUET_TEXT_MOST */
};

struct parquet;

/*
 * A writer to @fd, at which the file begins; the caller closes @fd after parquet_free(). @columns
 * and @options are not used after the call. Writes nothing yet. Names of columns are distinct.
 */
struct parquet *parquet_new(int fd, const struct parquet_column *columns, size_t n,
			    const struct parquet_options *options);
/*
 * These put the value of column number @column, from 0 on, of the current row. A wrong type, a null
 * in a column that is not optional, a second value for the same row, and a value that exceeds 32
 * bits are errors of the caller, which the next parquet_row() or parquet_end() returns as -EINVAL.
 */
void parquet_null(struct parquet *p, size_t column);
/* All types except F64 and TEXT. A U64 is cast to int64_t; BOOL is false only if 0. */
void parquet_int(struct parquet *p, size_t column, int64_t value);
void parquet_real(struct parquet *p, size_t column, double value);
/*
 * A copy of @n bytes at @text. Each byte that is not part of valid UTF-8 becomes U+FFFD, as in a
 * range loop of Go. Zeros are valid.
 */
void parquet_text(struct parquet *p, size_t column, const char *text, size_t n);
/*
 * As parquet_text(), for a text that neither changes nor is freed until parquet_free(), as those of
 * a strset: faster, as its address is looked for before its bytes are.
 */
void parquet_shared(struct parquet *p, size_t column, const char *text, size_t n);
/*
 * Ends the row. An optional column that got no value is null. Writes the row group if it is full.
 * Returns 0, or -errno of the first fault since parquet_new(); rows after that are not written.
 */
int parquet_row(struct parquet *p);
/*
 * Writes the rest, the page index and the footer. Returns 0, or -errno with the first fault in
 * @err, which names neither the file nor the remedy: the caller knows these. A file without rows is
 * valid.
 */
int parquet_end(struct parquet *p, struct error *err);
/* Valid until parquet_free(). */
const struct parquet_counts *parquet_counts(const struct parquet *p);
/* Bytes of memory in use, approximately: for the bounds of a caller that has many files open. */
size_t parquet_memory(const struct parquet *p);
/* Accepts NULL, and a writer without parquet_end(). */
void parquet_free(struct parquet *p);

#endif
