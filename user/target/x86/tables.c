// SPDX-License-Identifier: Apache-2.0
/* x86_tables: see tables.h. After the Intel manual, volume 2, appendix A. */
#include "target/x86/tables.h"

/* add, or, adc, sbb, and, sub, xor; cmp only reads */
#define ALU(op, rm, reg, ax)                                                           \
	[(op)] = MODRM | BYTE | (rm), [(op) + 1] = MODRM | (rm),                       \
	[(op) + 2] = MODRM | BYTE | (reg), [(op) + 3] = MODRM | (reg),                 \
	[(op) + 4] = IMM8 | (ax), [(op) + 5] = IMM32 | (ax)

const uint16_t x86_one_byte[256] = {
	ALU(0x00, TO_RM, TO_REG, TO_AX), ALU(0x08, TO_RM, TO_REG, TO_AX),
	ALU(0x10, TO_RM, TO_REG, TO_AX), ALU(0x18, TO_RM, TO_REG, TO_AX),
	ALU(0x20, TO_RM, TO_REG, TO_AX), ALU(0x28, TO_RM, TO_REG, TO_AX),
	ALU(0x30, TO_RM, TO_REG, TO_AX), ALU(0x38, 0, 0, 0),
	[0x50 ... 0x57] = OK | TO_RSP,				/* push */
	[0x58 ... 0x5f] = OK | TO_RSP | TO_OPREG,		/* pop */
	[0x63] = MODRM | TO_REG,				/* movslq */
	[0x68] = IMM32 | TO_RSP, [0x6a] = IMM8 | TO_RSP,	/* push */
	[0x69] = MODRM | IMM32 | TO_REG,			/* imul */
	[0x6b] = MODRM | IMM8 | TO_REG,
	[0x70 ... 0x7f] = IMM8 | BRANCH,			/* jcc */
	[0x80] = MODRM | IMM8 | BYTE | TO_RM | NOT_7,
	[0x81] = MODRM | IMM32 | TO_RM | NOT_7,
	[0x83] = MODRM | IMM8 | TO_RM | NOT_7,
	[0x84] = MODRM | BYTE, [0x85] = MODRM,			/* test */
	[0x86] = MODRM | BYTE | TO_RM | TO_REG,			/* xchg */
	[0x87] = MODRM | TO_RM | TO_REG,
	[0x88] = MODRM | BYTE | TO_RM, [0x89] = MODRM | TO_RM,	/* mov */
	[0x8a] = MODRM | BYTE | TO_REG, [0x8b] = MODRM | TO_REG,
	[0x8d] = MODRM | TO_REG,				/* lea */
	[0x90 ... 0x97] = OK | TO_OPREG | TO_AX,		/* nop, xchg */
	[0x98] = OK | TO_AX, [0x99] = OK | TO_DX,		/* cltq, cqto */
	[0x9c] = OK | TO_RSP, [0x9d] = OK | TO_RSP,		/* pushf, popf */
	[0xa4] = OK | TO_ANY, [0xa5] = OK | TO_ANY,		/* movs */
	[0xa8] = IMM8, [0xa9] = IMM32,				/* test */
	[0xaa] = OK | TO_ANY, [0xab] = OK | TO_ANY,		/* stos */
	[0xb0 ... 0xb7] = IMM8 | BYTE | TO_OPREG,		/* mov */
	[0xb8 ... 0xbf] = IMM64 | TO_OPREG,
	[0xc0] = MODRM | IMM8 | BYTE | TO_RM,			/* shifts */
	[0xc1] = MODRM | IMM8 | TO_RM,
	[0xc3] = OK,						/* ret */
	[0xc6] = MODRM | IMM8 | BYTE | TO_RM,			/* mov */
	[0xc7] = MODRM | IMM32 | TO_RM,
	[0xcc] = OK,						/* int3 */
	[0xd0] = MODRM | BYTE | TO_RM, [0xd1] = MODRM | TO_RM,	/* shifts */
	[0xd2] = MODRM | BYTE | TO_RM, [0xd3] = MODRM | TO_RM,
	[0xe8] = IMM32 | BRANCH | TO_ANY,			/* call */
	[0xe9] = IMM32 | BRANCH, [0xeb] = IMM8 | BRANCH,	/* jmp */
	[0xf6] = MODRM | GROUP3 | BYTE | TO_RM | TO_AX | TO_DX,
	[0xf7] = MODRM | GROUP3 | TO_RM | TO_AX | TO_DX,
	[0xfe] = MODRM | BYTE | TO_RM,				/* inc, dec */
	[0xff] = MODRM | TO_RM,					/* inc, dec, call, jmp, push */
};

const uint16_t x86_two_byte[256] = {
	[0x05] = OK | TO_ANY,					/* syscall */
	[0x0b] = OK,						/* ud2 */
	[0x0d] = MODRM,						/* prefetchw */
	[0x10 ... 0x1f] = MODRM,				/* SSE moves, hints, nop */
	[0x28 ... 0x2b] = MODRM,
	[0x2c ... 0x2d] = MODRM | TO_REG,			/* cvtt*2si */
	[0x2e ... 0x2f] = MODRM,
	[0x31] = OK | TO_AX | TO_DX,				/* rdtsc */
	[0x40 ... 0x4f] = MODRM | TO_REG,			/* cmov */
	[0x50] = MODRM | TO_REG,				/* movmskps */
	[0x51 ... 0x6f] = MODRM,
	[0x70 ... 0x73] = MODRM | IMM8,
	[0x74 ... 0x76] = MODRM,
	[0x7c ... 0x7d] = MODRM,
	[0x7e] = MODRM | TO_RM,					/* movd */
	[0x7f] = MODRM,
	[0x80 ... 0x8f] = IMM32 | BRANCH,			/* jcc */
	[0x90 ... 0x9f] = MODRM | BYTE | TO_RM,			/* setcc */
	[0xa2] = OK | TO_ANY,					/* cpuid */
	[0xa3] = MODRM,						/* bt */
	[0xa4] = MODRM | IMM8 | TO_RM, [0xa5] = MODRM | TO_RM,	/* shld */
	[0xab] = MODRM | TO_RM,					/* bts */
	[0xac] = MODRM | IMM8 | TO_RM, [0xad] = MODRM | TO_RM,	/* shrd */
	[0xae] = MODRM,						/* fences */
	[0xaf] = MODRM | TO_REG,				/* imul */
	[0xb0] = MODRM | BYTE | TO_RM | TO_AX,			/* cmpxchg */
	[0xb1] = MODRM | TO_RM | TO_AX,
	[0xb3] = MODRM | TO_RM,					/* btr */
	[0xb6 ... 0xb7] = MODRM | TO_REG,			/* movz */
	[0xb8] = MODRM | TO_REG,				/* popcnt */
	[0xba] = MODRM | IMM8 | TO_RM,				/* bt, bts, btr, btc */
	[0xbb] = MODRM | TO_RM,					/* btc */
	[0xbc ... 0xbf] = MODRM | TO_REG,			/* bsf, bsr, movs */
	[0xc0] = MODRM | BYTE | TO_RM | TO_REG,			/* xadd */
	[0xc1] = MODRM | TO_RM | TO_REG,
	[0xc2] = MODRM | IMM8,
	[0xc3] = MODRM,						/* movnti */
	[0xc4] = MODRM | IMM8,
	[0xc5] = MODRM | IMM8 | TO_REG,				/* pextrw */
	[0xc6] = MODRM | IMM8,
	[0xc7] = MODRM | TO_ANY,				/* cmpxchg16b */
	[0xc8 ... 0xcf] = OK | TO_OPREG,			/* bswap */
	[0xd1 ... 0xd6] = MODRM,
	[0xd7] = MODRM | TO_REG,				/* pmovmskb */
	[0xd8 ... 0xfe] = MODRM,				/* SSE2 */
};
