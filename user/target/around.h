/* SPDX-License-Identifier: Apache-2.0 */
/*
 * around: what a function does before and after one of its calls, and which fields it uses. In: a
 * binary and one of its functions. Out: addresses of instructions, offsets of fields. All of it is
 * read from the instructions in their order in memory; code that the decoder does not know ends the
 * search without a result.
 */
#ifndef GOTAP_TARGET_AROUND_H
#define GOTAP_TARGET_AROUND_H

#include "base/vec.h"
#include "target/gobin.h"

/*
 * Returns the address of the first conditional jump at @addr or after it in @fn, if no other jump,
 * no call and no return is before it; else 0.
 */
uint64_t around_jump(const struct gobin *b, const struct gobin_func *fn, uint64_t addr);
/*
 * Returns the address of the first call at @addr or after it in @fn, if no jump and no return is
 * before it; else 0. @direct: it has its target in the instruction.
 */
uint64_t around_call(const struct gobin *b, const struct gobin_func *fn, uint64_t addr,
		     bool *direct);
/*
 * Returns the address of the first call in @fn, if it is a direct one and each run of @fn gets
 * there: no jump is before it but that of the check of the stack; else 0.
 */
uint64_t around_first_call(const struct gobin *b, const struct gobin_func *fn);
/*
 * Appends the addresses (uint64_t) that instructions of @fn before @end load, relative to the pc.
 */
void around_addresses(const struct gobin *b, const struct gobin_func *fn, uint64_t end,
		      struct vec *ret);
/*
 * Appends the addresses (uint64_t) of the returns of @fn. -ENOTSUP if some code cannot be decoded
 * or there is none.
 */
int around_returns(const struct gobin *b, const struct gobin_func *fn, struct vec *ret);
/* Returns whether @fn calls something. True also if some code cannot be decoded. */
bool around_calls(const struct gobin *b, const struct gobin_func *fn);
/*
 * Stores the offset of the only 32-bit field that @fn loads through a pointer. -ENOTSUP if there is
 * no such load, or more than one offset.
 */
int around_word_field(const struct gobin *b, const struct gobin_func *fn, int32_t *at);
/*
 * Returns how many pointers lead from the argument of @fn (register AX; up to Go 1.16, @on_stack,
 * its first word) to the field at @at of 32 bits that @fn loads: 0: it is a field of what the
 * argument points to; 1: the first field of that is the pointer. -ENOTSUP: @fn has no such load, or
 * both.
 */
int around_word_depth(const struct gobin *b, const struct gobin_func *fn, int32_t at,
		      bool on_stack);
/*
 * Finds the string of which @fn compares the first byte with @byte, in the struct that its argument
 * in register DI points to, or, up to Go 1.16 (@on_stack), its fourth word. Stores its offset in
 * that struct, and in *@in -1; or *@in is the offset of a pointer in that struct, and *@at the
 * offset of the string where that pointer leads to. -ENOTSUP if there is no such place, or a second
 * one with other offsets.
 */
int around_string_field(const struct gobin *b, const struct gobin_func *fn, uint8_t byte,
			bool on_stack, int32_t *in, int32_t *at);

#endif
