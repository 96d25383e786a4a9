/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inlined: which functions are inlined into which others, of the runtime above all. In: a binary
 * and names. Out: the functions whose code contains the named ones, by the inline trees of
 * .gopclntab. With -pgo the compiler inlines functions that a profile shows as hot into their
 * callers, and keeps the function itself, too: gotap would see only a part of its calls there.
 * target/code.h finds places for probes in such code.
 */
#ifndef GOTAP_TARGET_INLINED_H
#define GOTAP_TARGET_INLINED_H

#include "base/vec.h"
#include "target/callsites.h"
#include "target/gobin.h"

struct inlined {
	const char *name;	/* one of the names asked for */
	struct gobin_func host;
};

/*
 * Appends each function of @names and each host of it to @ret (struct inlined). Without a function
 * table there are none.
 */
void inlined_find(const struct gobin *b, const char *const *names, size_t n, struct vec *ret);
/* Likewise for the hosts that are not in package runtime. */
void inlined_find_outside(const struct gobin *b, const char *const *names, size_t n,
			  struct vec *ret);

/*
 * Appends the functions that call @at->name in the source, among those in the code of @at->host,
 * with @at->host itself (const char *, owned by the binary).
 */
void inlined_callers(const struct gobin *b, const struct inlined *at, struct vec *ret);

/*
 * Returns whether @c is, in the source, a call by @function, which may itself be inlined into
 * another function.
 */
bool inlined_is_caller(const struct gobin *b, const struct callsite *c, const char *function);

#endif
