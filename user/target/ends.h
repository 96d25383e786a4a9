/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends: where a function ends. In: its code, and optionally the address of a function that it calls
 * last, where all is well. Out: the direct calls of that function, and the returns. A probe at a
 * call costs a tenth of one at a return, which the kernel must step through: returns that a call
 * may get to are left out. Each architecture implements this header (target/code.h).
 */
#ifndef GOTAP_TARGET_ENDS_H
#define GOTAP_TARGET_ENDS_H

#include <stdint.h>

#include "base/vec.h"
#include "target/gobin.h"

/*
 * Appends the offsets (uint32_t) in @fn of the direct calls of @callee (0: of none) to @calls, and
 * those of the returns that cannot run after one of these calls to @returns. -ENOTSUP if some code
 * cannot be decoded, or if it is not known where a jump behind a call leads.
 */
int ends_find(const struct gobin *b, const struct gobin_func *fn, uint64_t callee,
	      struct vec *calls, struct vec *returns);

#endif
