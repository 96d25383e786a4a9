/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callsites: the callers of a function of the runtime. In: a binary and the function's address.
 * Out: every return address of a direct call, with the function that it lies in. The tracer
 * classifies the transitions of goroutines by these addresses (casgstatus has 40 to 44 call sites).
 */
#ifndef GOTAP_TARGET_CALLSITES_H
#define GOTAP_TARGET_CALLSITES_H

#include "base/vec.h"
#include "target/gobin.h"

struct callsite {
	uint64_t return_addr;
	struct gobin_func func;		/* the caller; name "" if no function is known there */
};

/*
 * Appends the callers of @target in package runtime to @ret (struct callsite), by address. Where
 * instructions have many lengths the scan goes byte by byte, so that a constant that looks like a
 * call may be among them. Such an entry does no harm, because no function ever returns to its
 * address.
 */
void callsites_find(const struct gobin *b, uint64_t target, struct vec *ret);

/*
 * Stores the constants that a call passes as second and third argument, in registers (Go 1.17 and
 * later); -1 for an argument that is not a constant.
 */
void callsite_constants(const struct gobin *b, const struct callsite *c, int *second, int *third);

/*
 * Returns whether @c is an instruction, and not a constant that looks like a call: a probe may sit
 * only at an instruction. False also where the code before it cannot be decoded.
 */
bool callsite_is_call(const struct gobin *b, const struct callsite *c);

/*
 * Returns the return address of the first direct call of @target in the code of @fn; 0 if there is
 * none. It scans bytes, as callsites_find() does, but so few of them that a constant that looks
 * like this very call is not to be expected.
 */
uint64_t callsites_first(const struct gobin *b, const struct gobin_func *fn, uint64_t target);

#endif
