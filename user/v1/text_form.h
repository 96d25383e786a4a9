/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_form: what the text of a v1 trace and the bytes made of it agree on (text.c, wire.c).
 *
 * A line is the record's name and all of its numbers with their names. Tracers write the shortest
 * form of a record; what else a file may have stands behind the numbers or at them, so that the
 * text gives the same bytes again:
 *
 *	g=5/3	  the number takes three bytes
 *	k=3	  the count code in the first byte, if it is another one than that of tracers
 *	L=17/2	  with k = 3, the length of the numbers, if it takes more bytes than it needs
 *	len=4/2	  the same of a String or the text of a UserLog
 */
#ifndef GOTAP_V1_TEXT_FORM_H
#define GOTAP_V1_TEXT_FORM_H

#include "v1/format.h"

enum { V1_MAX_NAMES = 64 };

/* Names of a record's numbers in wire order, deltas and stack included, one space between. */
struct v1_text_names {
	char of[V1_TYPES][V1_MAX_NAMES];
};

void v1_text_names_init(struct v1_text_names *names, const struct v1_format *f);

/* Numbers of a record that its count code leaves out. */
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

/* Bytes of the shortest form of @v. */
static inline unsigned int v1_shortest(uint64_t v)
{
	return (70 - (unsigned int)__builtin_clzll(v | 1)) / 7;
}

#endif
