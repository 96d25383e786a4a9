/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mallocgc: the place in runtime.mallocgc where an object has been allocated and the runtime tests
 * debug.malloc. In: a binary of Go 1.22 or later. Out: the conditional jump, which the kernel
 * emulates, and where the object's address, the bytes of its slot and its type are at the jump:
 *
 * 	if debug.malloc {	<- here: a test of a byte and a jump
 * 		postMallocgcDebug(x, elemsize, typ)
 * 	}
 * 	return x
 *
 * The three values are where the code after the jump takes its arguments from. In Go 1.22 and 1.23
 * the content of postMallocgcDebug is a part of mallocgc: the values are the arguments of
 * traceLocker.HeapObjectAlloc(x, typ) or tracealloc(x, size, typ), and the term of inittrace.bytes
 * += fullSize.
 */
#ifndef GOTAP_TARGET_MALLOCGC_H
#define GOTAP_TARGET_MALLOCGC_H

#include "base/error.h"
#include "gooffsets.h"
#include "target/gobin.h"

struct mallocgc_site {
	uint32_t offset;	/* from the start of runtime.mallocgc */
	struct go_operand object, size, type;
};

/*
 * -ENOENT if there is no such function, -ENOTSUP with a text if the function is not of that form.
 */
int mallocgc_site(const struct gobin *b, struct mallocgc_site *ret, struct error *err);

#endif
