/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_form: rules of the text form of a v1 trace, for text.c, which writes it, and wire.c, which
 * reads it.
 *
 * A line has the record's name and all its numbers with their names. Tracers write the shortest
 * form of a record. Other forms of a file are marked on the line, so that the text determines every
 * byte:
 *
 *	g=5/3	  the number takes three bytes
 *	k=3	  the count code in the first byte, if tracers would use another one
 *	L=17/2	  with k = 3, the length of the numbers, if it takes more bytes than needed
 *	len=4/2	  the same for the length of a String or of the text of a UserLog
 */
#ifndef GOTAP_V1_TEXT_FORM_H
#define GOTAP_V1_TEXT_FORM_H

#include "v1/format.h"

enum { V1_MAX_NAMES = 64 };

/*
 * The names of a record's numbers in the order of the file, with deltas and stack, separated by one
 * space.
 */
struct v1_text_names {
	char of[V1_TYPES][V1_MAX_NAMES];
};

void v1_text_names_init(struct v1_text_names *names, const struct v1_format *f);

/* The number of values that the count code of a record does not count. */
static inline unsigned int v1_free_values(const struct v1_format *f)
{
	return f->version == 5 ? 2 : 1;
}

/* The count code that tracers write for a record of @n numbers. */
static inline unsigned int v1_count_code(const struct v1_format *f, unsigned int type, size_t n)
{
	size_t k = n - v1_free_values(f);

	if (type == V1_STRING)
		return 0;
	return type == V1_STACK || k > V1_BY_LENGTH ? V1_BY_LENGTH : (unsigned int)k;
}

/* The number of bytes of the shortest form of @v. */
static inline unsigned int v1_shortest(uint64_t v)
{
	return (70 - (unsigned int)__builtin_clzll(v | 1)) / 7;
}

#endif
