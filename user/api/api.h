/* SPDX-License-Identifier: Apache-2.0 */
/* api: what the parts of the public library share: inputs, errors and structs that grow. */
#ifndef GOTAP_API_API_H
#define GOTAP_API_API_H

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "gotap/event.h"
#include "read/raw_source.h"

/* A state of the reader, of a goroutine or P, as the caller sees it. */
#define API_GO_STATE(state) (GOTAP_STATE_GO_UNDETERMINED + (state))
#define API_PROC_STATE(state) (GOTAP_STATE_PROC_UNDETERMINED + (state))

/* Adds an argument of that name: the name says its type. */
void api_add_arg(struct gotap_kind_spec *spec, struct gotap_text name);

/* Opens @source as the caller's @in says. */
int api_source(struct raw_source *source, const struct gotap_input *in, struct error *err);

/* Fills the caller's @err, which may be NULL, and returns the code. */
int api_error(struct gotap_error *err, const struct error *from);

/* An error of the inside, as the caller sees it. */
static inline const struct gotap_error *api_error_view(const struct error *err)
{
	_Static_assert(sizeof(struct gotap_error) == sizeof(struct error) &&
		       offsetof(struct gotap_error, code) == offsetof(struct error, code) &&
		       offsetof(struct gotap_error, text) == offsetof(struct error, text),
		       "one layout");
	return (const struct gotap_error *)(const void *)err;
}

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
