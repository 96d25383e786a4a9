/* SPDX-License-Identifier: GPL-2.0 */
/*
 * field, for code inside the target: offsets of the runtime's fields, and places of the shared
 * memory, as constants in instructions. gotap writes them into the instructions before it writes
 * the image to the target (user/inline/x86/image.c): each is the last four bytes of an instruction,
 * and the section .fields lists where they are. A read of a field is one instruction in place of
 * five, and none of the cache lines that a server needs for itself holds an offset.
 */
#ifndef GOTAP_BPF_INLINE_FIELD_H
#define GOTAP_BPF_INLINE_FIELD_H

#define FIELD_NOTE(n)                                                    \
	"\n661:\t.pushsection .fields, \"\", @progbits\n"                \
	"\t.long 661b - 4, " n "\n\t.popsection"

#define FIELD_MOVE_64 "movq 0x7fffffff(%1), %0"
#define FIELD_MOVE_32 "movl 0x7fffffff(%1), %k0"
#define FIELD_MOVE_16 "movzwl 0x7fffffff(%1), %k0"
#define FIELD_MOVE_8 "movzbl 0x7fffffff(%1), %k0"

#define FIELD_READ(how, bits, base, member)                              \
	({                                                               \
		__u64 field_;                                            \
									 \
		__asm__ how(FIELD_MOVE_##bits FIELD_NOTE("%c2")          \
			    : "=r"(field_)                               \
			    : "r"((__u64)(base)),                        \
			      "i"(offsetof(struct go_offsets, member))); \
		(__u##bits)field_;                                       \
	})

/*
 * The field @member of the struct at @base, which is not nil where the program comes to this read.
 */
#define FIELD(bits, base, member) FIELD_READ(volatile, bits, base, member)
/*
 * The same of a struct that each thread with a hit has: its g, its M, the g0 of that. The compiler
 * may read such a field once for several uses, or earlier than where it stands.
 */
#define FIELD_OF_THREAD(bits, base, member) FIELD_READ(, bits, base, member)

/* A word of struct inline_layout, of which none needs more than 32 bits. */
#define LAYOUT(word)                                                     \
	({                                                               \
		__u64 layout_;                                           \
									 \
		__asm__("movl $0x7fffffff, %k0" FIELD_NOTE("%c1")        \
			: "=r"(layout_)                                  \
			: "i"(INLINE_FIELD_LAYOUT +                      \
			      offsetof(struct inline_layout, word)));    \
		layout_;                                                 \
	})

#endif
