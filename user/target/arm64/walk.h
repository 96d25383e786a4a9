/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm64_walk: one function, instruction by instruction, with the addresses that registers hold, and
 * which instructions run after others. All files of target/arm64/ use it.
 */
#ifndef GOTAP_TARGET_ARM64_WALK_H
#define GOTAP_TARGET_ARM64_WALK_H

#include "target/arm64/insn.h"
#include "target/gobin.h"

/*
 * Addresses that `adrp`, `adr` and additions to them have put into registers. They are forgotten at
 * calls, and after an instruction that the next one does not follow.
 */
struct arm64_addresses {
	uint64_t of[32];
	uint32_t known;		/* bits 1 << number */
};

struct arm64_walk {
	const struct gobin *b;
	uint64_t start;
	const uint8_t *bytes;
	size_t n, at;
	struct arm64_insn insn;	/* at @at, once it is decoded */
	struct arm64_addresses addresses;	/* before that instruction */
};

/*
 * Returns how many of the @n bytes of a function are instructions: the assembler puts constants
 * behind them, which `ldr literal` loads.
 */
size_t arm64_code_size(const uint8_t *code, size_t n);
/*
 * Places @w at the function's start, with nothing decoded. -ENOENT if there is no such function,
 * -ENOTSUP if it is too long, or if its code is not in the file.
 */
int arm64_open(struct arm64_walk *w, const struct gobin *b, const char *name);
int arm64_open_func(struct arm64_walk *w, const struct gobin *b, const struct gobin_func *fn);
/* Decodes the instruction at @w. False after the last one, or if it cannot be decoded. */
bool arm64_decode_at(struct arm64_walk *w);
/* Goes on to the instruction in memory after the decoded one, and decodes that. */
bool arm64_next(struct arm64_walk *w);
/* As arm64_next(), past nops. */
bool arm64_next_code(struct arm64_walk *w);
/* Goes on to @at, an offset, and decodes the instruction there. The addresses are kept. */
bool arm64_go_to(struct arm64_walk *w, size_t at);
/* Returns the target of the decoded jump or bl, as an address and as an offset in the function. */
uint64_t arm64_target(const struct arm64_walk *w);
size_t arm64_target_offset(const struct arm64_walk *w);
/* Returns whether the rest of the function from @w on is padding: zeros, or nops. */
bool arm64_at_padding(const struct arm64_walk *w);
/* Returns whether the decoded instruction calls @callee directly. */
bool arm64_calls(const struct arm64_walk *w, uint64_t callee);
/*
 * Returns the address of the operand that the decoded load or store has; 0 if it is not known. An
 * addition to a known address has one, too.
 */
uint64_t arm64_operand(const struct arm64_walk *w);

/*
 * Returns the address of the flag of the runtime that the decoded instruction, a load of one byte,
 * fetches for a test; 0 if it is no such test. @w then is at the jump.
 */
uint64_t arm64_flag_test(struct arm64_walk *w);
/* Goes on to the first test of a flag, to its jump. Returns the flag's address, 0 for none. */
uint64_t arm64_first_flag(struct arm64_walk *w);
/* Goes on from a flag's jump to the side with the flag set, or to the other one. */
bool arm64_into_flag(struct arm64_walk *w, bool set);

/* Offsets in a function, one for each instruction. */
struct arm64_set {
	bool *has;
	size_t n;
};

struct arm64_set arm64_set(const struct arm64_walk *w);
void arm64_put(struct arm64_set *s, size_t at);
bool arm64_has(const struct arm64_set *s, size_t at);
void arm64_set_free(struct arm64_set *s);
/*
 * Adds to @seen the instructions that may run from the @n offsets @from on, without going past
 * those of @stop, which are added. -ENOTSUP if it is not known where an instruction leads.
 */
int arm64_reach(const struct arm64_walk *w, const size_t *from, size_t n,
		const struct arm64_set *stop, struct arm64_set *seen);
/* Returns whether a jump from outside of [@first, @last] leads into it; true if nobody knows. */
bool arm64_is_entered(const struct arm64_walk *w, size_t first, size_t last);

#endif
