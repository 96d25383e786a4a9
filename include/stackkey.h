/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackkey: the bits of the 64-bit key of a stack. Three places make keys: bpf/stack.bpf.c (stacks
 * that probes walk), live/snapshot_stack.c (stacks read from the process) and frames/stacks.c
 * (stacks of one function entry, and stacks of samples). A key names a REC_STACK. Key 0: no stack.
 *
 *	63	the other bits are an address: the entry of a function, without callers
 *	62	the probe walked at most SHORT_STACK frames (--budget): the key differs from
 *		that of the whole stack
 *	61	the memory after the last frame could not be read: the stack may have more frames
 *	60..0	hash of the class and the return addresses
 */
#ifndef GOTAP_STACKKEY_H
#define GOTAP_STACKKEY_H

#define STACK_KEY_ENTRY (1ULL << 63)
#define STACK_KEY_SHORT (1ULL << 62)
#define STACK_KEY_CUT	(1ULL << 61)

/* The number of frames of a short stack. */
enum { SHORT_STACK = 8 };

/* The key of a stack with the hash @hash. @marks: STACK_KEY_SHORT, STACK_KEY_CUT, or 0. */
static inline __attribute__((always_inline)) unsigned long long
stack_key_of_hash(unsigned long long hash, unsigned long long marks)
{
	unsigned long long key = hash & ~(STACK_KEY_ENTRY | STACK_KEY_SHORT | STACK_KEY_CUT);

	key |= marks;
	return key ? key : 1;
}

/* The key of the stack with one frame, the entry of the function at @pc; 0 if @pc is 0. */
static inline __attribute__((always_inline)) unsigned long long
stack_key_of_entry(unsigned long long pc)
{
	return pc ? pc | STACK_KEY_ENTRY : 0;
}

#endif
