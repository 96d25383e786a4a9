/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inlined: which functions of the runtime others have inlined. In: a binary and
 * names. Out: the functions whose code contains theirs, by the inline trees of
 * .gopclntab. With -pgo the compiler inlines what a profile calls hot into its
 * callers, while the function itself stays: who only looks for that sees some
 * of its calls and takes them for all.
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

/*
 * Offset in @fn of the conditional jump behind the one compare-and-swap of the
 * 32-bit field at @field. -ENOTSUP if there is none, or more than one.
 */
int inlined_cas_jump(const struct gobin *b, const struct gobin_func *fn, unsigned int field,
		     uint32_t *offset);

/*
 * Offset in @fn of the conditional jump behind the first atomic addition of the
 * function @name inlined into it, and the register (enum x86_reg) that holds the
 * sum there. -ENOTSUP if the code is unlike that.
 */
int inlined_add_jump(const struct gobin *b, const struct gobin_func *fn, const char *name,
		     uint32_t *offset, int *sum_reg);

#endif
