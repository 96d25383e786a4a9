/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm64_insn: the A64 instructions that Go's compiler emits. In: one word. Out: one decoded
 * instruction.
 *
 * Each instruction has four bytes and begins at a multiple of four, so that no probe can sit inside
 * of one. The decoder says exactly what it knows of: branches, moves, constants, loads and stores.
 * For all others it knows which general registers they may change. A word that no instruction has
 * (SVE, SME, unallocated) is an error.
 */
#ifndef GOTAP_TARGET_ARM64_INSN_H
#define GOTAP_TARGET_ARM64_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARM64_LEN = 4 };

/*
 * Numbers of general registers. 31 is the stack pointer as the base of memory and in additions with
 * a constant, and zero elsewhere.
 */
enum arm64_reg {
	ARM64_R0, ARM64_R1, ARM64_R2, ARM64_R3, ARM64_TMP = 27, ARM64_G = 28, ARM64_FP = 29,
	ARM64_LINK = 30, ARM64_SP = 31, ARM64_ZERO = 31,
};

/* Condition codes. */
enum arm64_cond { ARM64_EQ, ARM64_NE, ARM64_HS, ARM64_LO, ARM64_HI = 8, ARM64_LS = 9 };

enum arm64_op {
	ARM64_OTHER,		/* only .written is known */
	ARM64_BL, ARM64_BLR, ARM64_B, ARM64_BR, ARM64_RET,
	/* .imm: the distance; .cond; .rd: the register that is tested; .bit */
	ARM64_B_COND, ARM64_CBZ, ARM64_CBNZ, ARM64_TBZ, ARM64_TBNZ,
	ARM64_ADR,		/* .rd = address of the instruction + .imm */
	ARM64_ADRP,		/* .rd = page of the instruction + .imm */
	ARM64_CONST,		/* .rd = .imm */
	ARM64_CONST_PART,	/* movk: the 16 bits of .rd at .bit become those of .imm */
	ARM64_MOVE,		/* .rd = .rm; .has_sp: one of them, where it is 31, is sp */
	ARM64_ADD_IMM,		/* .rd = .rn + .imm, with sp as 31; subtractions too */
	ARM64_ADD,		/* .rd = .rn + .rm */
	ARM64_CMP_IMM,		/* .rn against .imm */
	ARM64_CMP,		/* .rn, with sp as 31, against .rm */
	ARM64_SUBS,		/* .rd = .rn - something, and sets the flags */
	/* .rd, and with .pair .rt2, at .rn + .imm; .size bytes each */
	ARM64_LOAD, ARM64_STORE,
	ARM64_LOAD_AT, ARM64_STORE_AT,	/* the same at a computed address, which is not known */
	ARM64_LITERAL,		/* load from code: `ldr Xn, label` */
	ARM64_LOAD_EXCLUSIVE,	/* .rd, .rn: ldxr, ldaxr */
	ARM64_STORE_EXCLUSIVE,
	ARM64_CAS,		/* .rm: old value and result; .rd: new one; .rn */
	ARM64_ATOMIC,		/* ldadd and others: .rm, .rd: result, .rn */
	ARM64_ADD_ATOMIC,	/* ldadd */
	ARM64_ORDERED,		/* ldar, stlr */
	ARM64_NOP,
	ARM64_THREAD_POINTER,	/* mrs .rd, tpidr_el0 */
	ARM64_TRAP,		/* brk, udf, hlt: no instruction follows */
};

struct arm64_insn {
	enum arm64_op op;
	uint8_t rd, rn, rm, rt2;
	uint8_t cond, bit;
	uint8_t size;
	bool wide;		/* 64 bits */
	bool pair, vector;
	bool has_sp;
	/* pre- or post-indexed: .rn changes by .by; .imm is the offset of the access itself */
	int32_t by;
	int64_t imm;
	/* general registers that it may change, as bits 1 << number; bit 31: the stack pointer */
	uint32_t written;
	bool steppable;		/* the kernel steps or simulates it under a uprobe */
};

/* Decodes the instruction at @p, of which @n bytes may be read. -ENOTSUP, -ENODATA. */
int arm64_decode(struct arm64_insn *ret, const uint8_t *p, size_t n);

/* Returns whether it is a branch that may not be taken. */
bool arm64_is_conditional(const struct arm64_insn *insn);
/* Returns whether it jumps by .imm: conditional branches and b, not bl. */
bool arm64_is_jump(const struct arm64_insn *insn);
bool arm64_is_call(const struct arm64_insn *insn);
/* Returns whether the next instruction in memory does not run after it. */
bool arm64_ends_flow(const struct arm64_insn *insn);
/*
 * Returns whether every kernel since 4.10 simulates it in a uprobe (arch/arm64/kernel/probes,
 * decode-insn.c): branches, and adr. nop only since Linux 6.13.
 */
bool arm64_is_simulated(const struct arm64_insn *insn);
static inline bool arm64_writes(const struct arm64_insn *insn, unsigned int reg)
{
	return insn->written >> reg & 1;
}
/* Returns whether it is a load or store at @imm(@base) that leaves @base alone. */
bool arm64_has_mem(const struct arm64_insn *insn, unsigned int base, int64_t imm);

#endif
