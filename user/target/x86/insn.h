/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_insn: lengths and operands of the x86-64 instructions that Go's compiler emits. In: bytes at
 * an instruction boundary. Out: one decoded instruction.
 *
 * A probe in the middle of an instruction breaks the traced program, so that the decoder never
 * guesses: an instruction that its tables do not have (x87, EVEX, address-size prefixes, far and
 * privileged instructions, prefixes in an order that no compiler writes) is an error.
 */
#ifndef GOTAP_TARGET_X86_INSN_H
#define GOTAP_TARGET_X86_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a direct call, and of the longest instruction. */
enum { X86_CALL_LEN = 5, X86_INSN_MAX = 15 };

/* Numbers of general registers in ModRM, with REX; pt_regs and DWARF have other numbers. */
enum x86_reg {
	X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI,
	X86_R8, X86_R9, X86_R10, X86_R11, X86_R12, X86_R13, X86_R14, X86_R15,
	X86_RIP, X86_NO_REG,
};

/* Low four bits of the opcodes of conditional jumps. */
enum x86_cond {
	X86_COND_B = 2, X86_COND_AE = 3, X86_COND_E = 4, X86_COND_NE = 5, X86_COND_BE = 6,
};

/* Opcodes: the opcode byte, with its map in the second byte. */
enum x86_map { X86_MAP_0F = 0x100, X86_MAP_0F38 = 0x200, X86_MAP_0F3A = 0x300 };

struct x86_insn {
	uint8_t len;
	uint8_t rex;		/* 0 if there is none */
	uint8_t seg;		/* 0x64 = fs, 0x65 = gs, 0 = neither */
	bool lock, opsize, rep, repne, vex;
	uint16_t opcode;	/* with enum x86_map */
	uint16_t traits;	/* of the table entry, for x86_written() */
	bool has_modrm, has_mem;
	uint8_t reg;		/* ModRM.reg; for groups the low three bits select */
	uint8_t rm;		/* ModRM.rm as a register; only if !has_mem */
	uint8_t base, index;	/* of the memory operand, enum x86_reg */
	uint8_t scale;		/* of the index: 1, 2, 4 or 8; 0 without one */
	int32_t disp;
	int64_t imm;		/* sign extended; of a relative branch: its distance */
};

/*
 * Decodes the instruction at @p, of which @n bytes may be read. -ENOTSUP if the tables do not have
 * it, -ENODATA if the bytes end before the instruction.
 */
int x86_decode(struct x86_insn *ret, const uint8_t *p, size_t n);

/* Returns whether it is a conditional jump without prefixes, as the kernel emulates it. */
bool x86_is_jcc(const struct x86_insn *insn);
static inline enum x86_cond x86_jcc_cond(const struct x86_insn *insn)
{
	return insn->opcode & 15;
}
/*
 * Returns whether the kernel emulates the instruction in a uprobe (arch/x86/kernel/uprobes.c); if
 * not, the kernel steps a copy.
 */
bool x86_is_emulated(const struct x86_insn *insn);
/*
 * Returns whether it is a relative jump or call; imm is then the distance from the next
 * instruction.
 */
bool x86_is_branch(const struct x86_insn *insn);
/* Returns whether the next instruction in memory does not run after it: jmp, ret, ud2, int3. */
bool x86_ends_flow(const struct x86_insn *insn);
/* Returns whether it has the memory operand @disp(@base), with no index and no segment. */
bool x86_has_mem(const struct x86_insn *insn, enum x86_reg base, int32_t disp);
/*
 * Returns whether it is a 64-bit operation @op with a constant; the other operand is rm or memory.
 */
enum x86_alu { X86_ADD = 0, X86_SUB = 5, X86_CMP = 7 };
bool x86_is_alu_imm(const struct x86_insn *insn, enum x86_alu op);
/*
 * Returns whether it is `add` or `sub` of a constant to rsp; *@by is then the change of rsp. Go's
 * assembler writes a frame of 128 bytes as add $-128, which is shorter.
 */
bool x86_moves_rsp(const struct x86_insn *insn, int64_t *by);
/* Returns a bit mask (1 << enum x86_reg) of the general registers that it may change. */
uint16_t x86_written(const struct x86_insn *insn);

#endif
