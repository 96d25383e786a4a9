/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackalloc: the place in runtime.stackalloc of Go 1.23 and later where a stack has been allocated
 * and the runtime asks whether to trace the allocation. In: a binary. Out: the conditional jump,
 * which the kernel emulates, and where the stack's address and size are at the jump:
 *
 * 	if traceAllocFreeEnabled() {	<- here: a test of a byte and a jump
 * 		...
 * 	}
 * 	return stack{uintptr(v), uintptr(v) + uintptr(n)}
 *
 * Address and size are where the code after the jump takes its two results from.
 */
#ifndef GOTAP_TARGET_STACKALLOC_H
#define GOTAP_TARGET_STACKALLOC_H

#include "base/error.h"
#include "gooffsets.h"
#include "target/gobin.h"

struct stackalloc_site {
	uint32_t offset;	/* from the start of runtime.stackalloc */
	struct go_operand lo, size;
};

/*
 * -ENOENT if there is no such function, -ENOTSUP with a text if the function is not of that form.
 */
int stackalloc_site(const struct gobin *b, struct stackalloc_site *ret, struct error *err);

/*
 * Returns the address of runtime.mheap_, which stackalloc passes to allocManual; 0 if it cannot be
 * found in the code.
 */
uint64_t stackalloc_mheap(const struct gobin *b);

#endif
