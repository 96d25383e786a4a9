/* SPDX-License-Identifier: GPL-2.0 */
/*
 * read: reads of the target's memory by probes. A read fails where a page is not in memory (swapped
 * out, or without access for the moment: NUMA balancing, mprotect), since a probe cannot wait for
 * the page; the value is then 0. Each failure is counted, by CPU (struct ring_state,
 * capture/unreadable.h), because a record that is made from this 0 is false or says nothing. A
 * failure below LOWEST_ADDRESS, where nothing can be mapped, is not counted: the address comes from
 * a nil pointer, which is a regular state of the program.
 */
#ifndef GOTAP_BPF_READ_H
#define GOTAP_BPF_READ_H

int count_unreadable(void);

enum { LOWEST_ADDRESS = 65536 };

/* Reads @size bytes. False if the read failed; bpf_probe_read_user has cleared *@to then. */
static __always_inline bool read_user(void *to, __u32 size, __u64 addr)
{
	if (!bpf_probe_read_user(to, size, (void *)addr))
		return true;
	if (addr >= LOWEST_ADDRESS)
		count_unreadable();
	return false;
}

/* __u64 read_u64(__u64 addr) and so on: the word at @addr, 0 if it cannot be read. */
#define READ_WORD(bits)                                               \
	static __always_inline __u##bits read_u##bits(__u64 addr)     \
	{                                                             \
		__u##bits v = 0;                                      \
								      \
		read_user(&v, sizeof(v), addr);                       \
		return v;                                             \
	}

READ_WORD(64)
READ_WORD(32)
READ_WORD(16)
READ_WORD(8)

/*
 * FIELD(bits, base, member): the field at offset off.@member of the struct at @base, which is not
 * nil. FIELD_OF_THREAD: of a g, or an M, that the thread with the hit has. Both are as read_u64()
 * and so on in BPF, and one instruction inside the target.
 */
#ifdef GO_INLINE
#include "inline/field.h"
#else
#define FIELD(bits, base, member) read_u##bits((base) + off.member)
#define FIELD_OF_THREAD FIELD
#endif

/*
 * As read_u64(), but a failure is not counted: for addresses that may not lead to a word of the
 * runtime. 0: no such word.
 */
static __always_inline __u64 peek_u64(__u64 addr)
{
	__u64 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)addr);
	return v;
}

#endif
