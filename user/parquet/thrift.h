/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thrift: writes structs in the compact protocol of Apache Thrift, which the metadata of Parquet
 * has. Format: doc/specs/thrift-compact-protocol.md of apache/thrift. The caller knows the numbers
 * of fields, and writes those of a struct in ascending order.
 *
 *	struct thrift t;
 *
 *	thrift_begin(&t, out);
 *	thrift_i32(&t, 1, 7);
 *	thrift_open(&t, 5);		a struct in field 5
 *	thrift_i64(&t, 1, -1);
 *	thrift_close(&t);
 *	thrift_close(&t);
 */
#ifndef GOTAP_PARQUET_THRIFT_H
#define GOTAP_PARQUET_THRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Element types of lists. */
enum thrift_type { THRIFT_BOOL = 1, THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8,
		   THRIFT_STRUCT = 12 };
enum { THRIFT_DEPTH = 8 };

struct thrift {
	struct buf *out;
	unsigned int depth;
	int last[THRIFT_DEPTH];		/* the last field of each open struct */
};

/* An unsigned varint (ULEB128) and a signed one (zigzag), also for encodings of pages. */
void thrift_varint(struct buf *out, uint64_t value);
void thrift_zigzag(struct buf *out, int64_t value);

/* Begins a struct that is no field: the outermost one. */
void thrift_begin(struct thrift *t, struct buf *out);
void thrift_bool(struct thrift *t, int field, bool value);
void thrift_i8(struct thrift *t, int field, int8_t value);
void thrift_i32(struct thrift *t, int field, int32_t value);
void thrift_i64(struct thrift *t, int field, int64_t value);
void thrift_binary(struct thrift *t, int field, const void *data, size_t n);
void thrift_text(struct thrift *t, int field, const char *text);
/* Opens a struct; each is closed once, also the outermost one. */
void thrift_open(struct thrift *t, int field);
void thrift_close(struct thrift *t);
/* A struct of which all @n bytes are there, with its end. */
void thrift_struct(struct thrift *t, int field, const void *data, size_t n);
/* The begin of a list of @n elements, which follow by the functions below. */
void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n);
void thrift_element_open(struct thrift *t);	/* closed by thrift_close() */
void thrift_element_bool(struct thrift *t, bool value);
void thrift_element_int(struct thrift *t, int64_t value);
void thrift_element_binary(struct thrift *t, const void *data, size_t n);

#endif
