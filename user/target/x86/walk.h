/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: one function of the runtime, instruction by instruction, and its questions about
 * a flag of the runtime (trace.enabled): cmpb $0, flag(%rip) and a conditional jump. Used by
 * the finders of places that lie at such a jump (stackalloc.c, trace_flag.c).
 */
#ifndef GOTAP_TARGET_X86_WALK_H
#define GOTAP_TARGET_X86_WALK_H

#include "target/gobin.h"
#include "target/x86/insn.h"

struct walk {
	uint64_t start;
	const uint8_t *bytes;
	size_t n, at;
	struct x86_insn insn;	/* at @at, once it is decoded */
};

/*
 * At the function's start, nothing decoded. -ENOENT without such a function, -ENOTSUP if it is too
 * long.
 */
int walk_open(struct walk *c, const struct gobin *b, const char *name);
int walk_open_func(struct walk *c, const struct gobin *b, const struct gobin_func *fn);
/* False behind the last instruction, and where one cannot be decoded. */
bool walk_decode(struct walk *c);
/* The instruction behind the decoded one. */
bool walk_next(struct walk *c);
/* The target of a relative jump or call. */
uint64_t walk_branch_target(const struct walk *c);
/* The operand that a pc-relative instruction names. */
uint64_t walk_rip_address(const struct walk *c);
/* Only the flags of the tracer and of `debug` are bytes in memory. */
bool walk_is_flag_test(const struct walk *c);
/* The flag of the first test in the function; @c is left at that. 0 if there is none. */
uint64_t walk_first_flag(struct walk *c);
/*
 * From a flag's test: to its jump (*@jump, an offset in the function), and along the way on
 * which the flag is set. False if no jump on equal or not equal follows.
 */
bool walk_into_flag(struct walk *c, size_t *jump);

#endif
