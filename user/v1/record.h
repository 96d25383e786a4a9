/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record: splits a v1 file into records, in the order of the file, and checks each record
 * separately: known type, well-formed values, the number of values that the format requires. It
 * does not check how records relate to each other.
 */
#ifndef GOTAP_V1_RECORD_H
#define GOTAP_V1_RECORD_H

#include "base/vec.h"
#include "v1/cursor.h"
#include "v1/format.h"

struct v1_record {
	size_t offset;		/* offset of the type byte in the file */
	unsigned int type;
	const struct v1_spec *spec;
	unsigned int ndeltas;	/* number of leading values that are deltas */
	size_t nvalues;		/* deltas, arguments, stack; of a Stack: id, n, frames */
	const uint64_t *values;	/* valid until the next record */
	const char *data;	/* String and UserLog: the bytes in the file */
	size_t data_len;
};

struct v1_reader {
	struct v1_format format;
	struct v1_cursor cursor;
	size_t start;		/* offset of the last record, or of the first unreadable one */
	struct vec values;	/* uint64_t */
};

/* Reads the header of the file in @data, which must outlive the reader. */
int v1_reader_init(struct v1_reader *r, const uint8_t *data, size_t n, struct error *err);
/* Returns 1 with the next record, 0 at the end of the file, or -errno with @err. */
int v1_reader_next(struct v1_reader *r, struct v1_record *rec, struct error *err);
void v1_reader_release(struct v1_reader *r);

/* The number of values of a frame in a Stack record. */
static inline unsigned int v1_frame_values(const struct v1_format *f)
{
	return v1_pc_only(f->version) ? 1 : 4;
}

/* The names of these values in the text form, separated by a space. */
static inline const char *v1_frame_names(const struct v1_format *f)
{
	return v1_pc_only(f->version) ? "pc" : "pc func file line";
}

#endif
