/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api: functions that the files of the public library share: inputs, errors and structs that grow.
 */
#ifndef GOTAP_API_API_H
#define GOTAP_API_API_H

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "gotap/event.h"
#include "read/raw_source.h"

/* The state of a goroutine or P in the library's numbers, from the reader's @state. */
#define API_GO_STATE(state) (GOTAP_STATE_GO_UNDETERMINED + (state))
#define API_PROC_STATE(state) (GOTAP_STATE_PROC_UNDETERMINED + (state))

/* Adds an argument named @name to @spec. The end of the name is its type. */
void api_add_arg(struct gotap_kind_spec *spec, struct gotap_text name);

/* Opens @source for the caller's @in. Returns 0 or -errno with @err. */
int api_source(struct raw_source *source, const struct gotap_input *in, struct error *err);

/* Fills the caller's @err, which may be NULL, from @from; returns its code. */
int api_error(struct gotap_error *err, const struct error *from);

/* An internal error as the caller's type, which has the same layout. */
static inline const struct gotap_error *api_error_view(const struct error *err)
{
	_Static_assert(sizeof(struct gotap_error) == sizeof(struct error) &&
		       offsetof(struct gotap_error, code) == offsetof(struct error, code) &&
		       offsetof(struct gotap_error, text) == offsetof(struct error, text),
		       "one layout");
	return (const struct gotap_error *)(const void *)err;
}

/*
 * Copies @from, of @n bytes, to the caller's struct @to of @size bytes; sets bytes beyond @n to 0.
 */
static inline void api_give(void *to, size_t size, const void *from, size_t n)
{
	memcpy(to, from, size < n ? size : n);
	if (size > n)
		memset((char *)to + n, 0, size - n);
}

/*
 * Copies the caller's struct @from of @size bytes to @to of @n bytes; sets missing bytes to 0.
 * Ignores the bytes that a newer caller has beyond @n.
 */
static inline void api_take(void *to, size_t n, const void *from, size_t size)
{
	memset(to, 0, n);
	memcpy(to, from, size < n ? size : n);
}

#endif
