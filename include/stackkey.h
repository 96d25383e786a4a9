/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackkey: what the 64 bits of a stack's key are; the one place that says so. A key is made
 * by bpf/stack.bpf.c (stacks that probes walk), live/snapshot_stack.c (stacks read from the
 * process) and frames/stacks.c (a single function entry, and stacks of samples), and names a
 * REC_STACK. 0 is no stack.
 *
 *	63	the rest is an address: the entry of one function, without callers
 *	62	a probe walked at most SHORT_STACK frames (--budget), so that the key is
 *		another one than that of the whole stack
 *	61	the memory behind the last frame could not be read: the stack may be longer
 *	60..0	hash of the class and the return addresses
 */
#ifndef GOTAP_STACKKEY_H
#define GOTAP_STACKKEY_H

#define STACK_KEY_ENTRY (1ULL << 63)
#define STACK_KEY_SHORT (1ULL << 62)
#define STACK_KEY_CUT	(1ULL << 61)

/* Frames of a short stack. */
enum { SHORT_STACK = 8 };

/* The key of a stack with this hash; @marks: STACK_KEY_SHORT, STACK_KEY_CUT. */
static inline __attribute__((always_inline)) unsigned long long
stack_key_of_hash(unsigned long long hash, unsigned long long marks)
{
	unsigned long long key = hash & ~(STACK_KEY_ENTRY | STACK_KEY_SHORT | STACK_KEY_CUT);

	key |= marks;
	return key ? key : 1;
}

/* The key of the one-frame stack at the start of the function at @pc; 0: none. */
static inline __attribute__((always_inline)) unsigned long long
stack_key_of_entry(unsigned long long pc)
{
	return pc ? pc | STACK_KEY_ENTRY : 0;
}

#endif
