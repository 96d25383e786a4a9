/* SPDX-License-Identifier: Apache-2.0 */
/* api: what the parts of the public library share: errors and structs that grow. */
#ifndef GOTAP_API_API_H
#define GOTAP_API_API_H

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "gotap/gotap.h"

/* Fills the caller's @err, which may be NULL, and returns the code. */
int api_error(struct gotap_error *err, const struct error *from);

/* The first @size bytes of the caller's @to are those of @from, zeros from @n on. */
static inline void api_give(void *to, size_t size, const void *from, size_t n)
{
	memcpy(to, from, size < n ? size : n);
	if (size > n)
		memset((char *)to + n, 0, size - n);
}

/*
 * @to takes the first @size bytes of the caller's @from, zeros from there on.
 * What a newer caller has beyond @n is not looked at.
 */
static inline void api_take(void *to, size_t n, const void *from, size_t size)
{
	memset(to, 0, n);
	memcpy(to, from, size < n ? size : n);
}

#endif
