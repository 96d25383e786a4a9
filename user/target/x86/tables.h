/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_tables: the operands that follow an opcode, and the registers that it writes. For insn.c
 * only.
 */
#ifndef GOTAP_TARGET_X86_TABLES_H
#define GOTAP_TARGET_X86_TABLES_H

#include <stdint.h>

/* Traits of an opcode. 0 = not supported. */
enum x86_trait {
	OK = 1,			/* known, with none of the traits below */
	MODRM = 1 << 1,
	IMM8 = 1 << 2,
	IMM32 = 1 << 3,		/* 2 bytes with an operand-size prefix */
	IMM64 = 1 << 4,		/* 8 bytes with REX.W, or else as IMM32 */
	BRANCH = 1 << 5,	/* the immediate is a distance */
	GROUP3 = 1 << 6,	/* f6, f7: test has an immediate, the others do not */
	/* the general registers that it writes */
	BYTE = 1 << 7,		/* operands are bytes: without REX, 4 to 7 are ah to bh */
	TO_RM = 1 << 8,
	TO_REG = 1 << 9,
	TO_OPREG = 1 << 10,	/* the register in the opcode's low bits */
	TO_AX = 1 << 11,
	TO_DX = 1 << 12,
	TO_ANY = 1 << 13,	/* calls, and instructions that do not repay an exact answer */
	NOT_7 = 1 << 14,	/* a group whose /7 (cmp) writes nothing */
	TO_RSP = 1 << 15,	/* pushes and pops */
};

/* Indexed by the opcode of one byte, and by the byte after 0f. */
extern const uint16_t x86_one_byte[256], x86_two_byte[256];

#endif
