/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callsites: the callers of a function of the runtime. In: a binary and its address.
 * Out: every return address of a direct call, with the function it lies in.
 * The tracer classifies a goroutine's transitions by it (casgstatus has 40 to
 * 44 call sites).
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
 * Appends the callers of @target in package runtime to @ret (struct callsite),
 * by address. Where instructions have many lengths the scan is of bytes, so a constant
 * that looks like a call may be among them: harmless, as nothing ever returns to there.
 */
void callsites_find(const struct gobin *b, uint64_t target, struct vec *ret);

/*
 * The constants that a call passes as second and third argument, in registers (Go 1.17
 * and later); -1 for one that is not a constant.
 */
void callsite_constants(const struct gobin *b, const struct callsite *c, int *second, int *third);

/*
 * Is it a call indeed, and not a constant that looks like one? A probe may sit
 * at an instruction only. False where the code before it cannot be decoded.
 */
bool callsite_is_call(const struct gobin *b, const struct callsite *c);

/*
 * The return address of the first direct call of @target in the code of @fn; 0 if
 * there is none. A scan of bytes as above, and of so little code that a constant
 * that looks like this very call can be left out of account.
 */
uint64_t callsites_first(const struct gobin *b, const struct gobin_func *fn, uint64_t target);

#endif
