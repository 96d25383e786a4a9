/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inlined: which functions of the runtime others have inlined. In: a binary and
 * names. Out: the functions whose code contains theirs, by the inline trees of
 * .gopclntab. With -pgo the compiler inlines what a profile calls hot into its
 * callers, while the function itself stays: who only looks for that sees some
 * of its calls and takes them for all. Where in such code a probe can sit is asked of
 * target/code.h.
 */
#ifndef GOTAP_TARGET_INLINED_H
#define GOTAP_TARGET_INLINED_H

#include "base/vec.h"
#include "target/callsites.h"
#include "target/gobin.h"

struct inlined {
	const char *name;	/* of those that were asked for */
	struct gobin_func host;
};

/* Appends every pair to @ret (struct inlined). Without a function table there are none. */
void inlined_find(const struct gobin *b, const char *const *names, size_t n, struct vec *ret);

/*
 * Appends the functions that call @at->name in the source, among those that are
 * in the code of @at->host, itself included (const char *, of the binary).
 */
void inlined_callers(const struct gobin *b, const struct inlined *at, struct vec *ret);

/* Is @c, in the source, a call by @function? Its code may be part of another's by now. */
bool inlined_is_caller(const struct gobin *b, const struct callsite *c, const char *function);

#endif
