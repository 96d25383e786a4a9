/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: one function of the runtime, instruction by instruction, and its tests of a flag of the
 * runtime (trace.enabled): cmpb $0, flag(%rip) and a conditional jump. Used by stackalloc.c,
 * trace_flag.c and other files that find a place at such a jump.
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
 * Places @c at the function's start, with nothing decoded. -ENOENT if there is no such function,
 * -ENOTSUP if it is too long.
 */
int walk_open(struct walk *c, const struct gobin *b, const char *name);
int walk_open_func(struct walk *c, const struct gobin *b, const struct gobin_func *fn);
/* Decodes the instruction at @c. False after the last instruction, or if it cannot be decoded. */
bool walk_decode(struct walk *c);
/* Goes on to the instruction after the decoded one, and decodes that. */
bool walk_next(struct walk *c);
/* Returns the target of the decoded relative jump or call. */
uint64_t walk_branch_target(const struct walk *c);
/* Returns the address of the operand that the decoded pc-relative instruction has. */
uint64_t walk_rip_address(const struct walk *c);
/*
 * Returns whether the decoded instruction tests a byte in memory: only the flags of the tracer and
 * of `debug` are bytes.
 */
bool walk_is_flag_test(const struct walk *c);
/*
 * Finds the first test of a flag in the function and leaves @c there. Returns the flag's address, 0
 * if there is no test.
 */
uint64_t walk_first_flag(struct walk *c);
/*
 * Goes on from a flag's test to its jump (*@jump, an offset in the function), and to the side with
 * the flag set. False if no jump on equal or not equal follows the test.
 */
bool walk_into_flag(struct walk *c, size_t *jump);

#endif
