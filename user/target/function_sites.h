/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function_sites: where a function begins and where it ends, for probes that measure its calls.
 * In: the code of one function. Out: one instruction that each call passes once, before the
 * function moves the stack pointer, and every return. Each architecture implements this header
 * (target/code.h).
 *
 * At all these places the stack pointer leads to the return address of the call. The begin is the
 * instruction that saves the frame pointer, which is behind the stack check, up to Go 1.20 the
 * branch of that check; in a function without either it is the first instruction, which the
 * kernel must step. On amd64 a return must always be stepped, at ten times the price (10 us in a
 * virtual machine); on arm64 the kernel simulates it.
 */
#ifndef GOTAP_TARGET_FUNCTION_SITES_H
#define GOTAP_TARGET_FUNCTION_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "target/gobin.h"

struct function_sites {
	uint32_t begin;		/* offset of the first probe */
	char begin_text[80];	/* "push %rbp at +0x6" */
	bool begin_is_stepped, ends_are_stepped;
	/*
	 * a hit does not count if the branch there is taken: the stack grows, the function
	 * restarts
	 */
	bool drop_taken;
	struct vec ends;	/* uint32_t: offsets of all returns, in their order */
};

/*
 * Finds the sites of @fn; function_sites_free() frees them in any case. -ENOTSUP, with a text
 * that says why: some bytes are no instruction that the decoder knows, the function does not
 * return, it leaves by a jump to another function (wrappers, assembly), or it has no place for
 * the begin that is not its return.
 */
int function_sites_find(const struct gobin *b, const struct gobin_func *fn,
			struct function_sites *ret, struct error *err);
void function_sites_free(struct function_sites *s);

#endif
