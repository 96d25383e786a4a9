// SPDX-License-Identifier: Apache-2.0
/* x86_insn: see insn.h. */
#include "target/x86/insn.h"

#include <errno.h>
#include <string.h>

#include "target/x86/tables.h"

/* --- a cursor over the bytes --- */

struct cursor {
	const uint8_t *p;
	size_t n, at;
};

enum { MAX_LEN = 15 };

static int next_byte(struct cursor *c)
{
	return c->at < c->n && c->at < MAX_LEN ? c->p[c->at++] : -ENODATA;
}

/* Reads @size little-endian bytes, sign extended; false if they are not there. */
static bool next_signed(struct cursor *c, unsigned int size, int64_t *ret)
{
	uint64_t v = 0;
	unsigned int i;

	if (c->n - c->at < size || c->at + size > MAX_LEN)
		return false;
	for (i = 0; i < size; i++)
		v |= (uint64_t)c->p[c->at++] << 8 * i;
	*ret = (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
	return true;
}

/* --- prefixes and opcode --- */

/* Reads legacy prefixes, each at most once. Returns the byte after them. */
static int decode_prefixes(struct x86_insn *insn, struct cursor *c)
{
	for (;;) {
		int b = next_byte(c);
		bool *flag = b == 0x66 ? &insn->opsize : b == 0xf0 ? &insn->lock :
			     b == 0xf2 ? &insn->repne : b == 0xf3 ? &insn->rep : NULL;

		if (flag && *flag)
			return -ENOTSUP;
		if (flag) {
			*flag = true;
		} else if (b == 0x64 || b == 0x65) {
			if (insn->seg)
				return -ENOTSUP;
			insn->seg = (uint8_t)b;
		} else {
			return b;
		}
	}
}

/* c5 R.vvvv.L.pp op; c4 RXB.mmmmm W.vvvv.L.pp op: AVX and BMI (GOAMD64=v3). */
static int decode_vex(struct x86_insn *insn, struct cursor *c, int b)
{
	int first = next_byte(c), map = 1, op;

	if (first < 0)
		return first;
	insn->vex = true;
	insn->rex = (uint8_t)(0x40 | ((first & 0x80) ? 0 : 4));
	if (b == 0xc4) {
		map = first & 0x1f;
		insn->rex |= (uint8_t)(((first & 0x40) ? 0 : 2) | ((first & 0x20) ? 0 : 1));
		if (next_byte(c) < 0)
			return -ENODATA;
	}
	op = next_byte(c);
	if (op < 0)
		return op;
	if (map < 1 || map > 3)
		return -ENOTSUP;
	insn->opcode = (uint16_t)(map << 8 | op);
	insn->traits = MODRM | TO_ANY;
	if (map == 3 || (map == 1 && (x86_two_byte[op] & IMM8)))
		insn->traits |= IMM8;
	if (map == 1 && op == 0x77)	/* vzeroupper */
		insn->traits = OK;
	return 0;
}

/* After 0f: the second table, or one of the two three-byte maps. */
static int decode_0f(struct x86_insn *insn, struct cursor *c)
{
	int b = next_byte(c), op;

	if (b < 0)
		return b;
	if (b != 0x38 && b != 0x3a) {
		insn->opcode = (uint16_t)(X86_MAP_0F | b);
		insn->traits = x86_two_byte[b];
		return insn->traits ? 0 : -ENOTSUP;
	}
	op = next_byte(c);
	if (op < 0)
		return op;
	insn->opcode = (uint16_t)((b == 0x38 ? X86_MAP_0F38 : X86_MAP_0F3A) | op);
	insn->traits = MODRM | TO_ANY | (b == 0x3a ? IMM8 : 0);
	return 0;
}

static int decode_opcode(struct x86_insn *insn, struct cursor *c)
{
	int b = decode_prefixes(insn, c);

	if (b >= 0x40 && b <= 0x4f) {
		insn->rex = (uint8_t)b;
		b = next_byte(c);
	}
	if (b < 0)
		return b;
	if (b == 0x0f)
		return decode_0f(insn, c);
	if (b == 0xc4 || b == 0xc5) {
		/* other prefixes are encoded in VEX, and invalid before it */
		if (insn->rex || insn->opsize || insn->lock || insn->rep || insn->repne)
			return -ENOTSUP;
		return decode_vex(insn, c, b);
	}
	insn->opcode = (uint16_t)b;
	insn->traits = x86_one_byte[b];
	return insn->traits ? 0 : -ENOTSUP;
}

/* --- operands --- */

static bool decode_disp(struct x86_insn *insn, struct cursor *c, unsigned int size)
{
	int64_t disp = 0;

	if (size && !next_signed(c, size, &disp))
		return false;
	insn->disp = (int32_t)disp;
	return true;
}

static int decode_sib(struct x86_insn *insn, struct cursor *c, int mod)
{
	int sib = next_byte(c);

	if (sib < 0)
		return sib;
	insn->base = (uint8_t)((sib & 7) | (insn->rex & 1) << 3);
	insn->index = (uint8_t)((sib >> 3 & 7) | (insn->rex & 2) << 2);
	if (insn->index == X86_RSP)
		insn->index = X86_NO_REG;
	else
		insn->scale = (uint8_t)(1 << (sib >> 6));
	if ((sib & 7) != 5 || mod)
		return mod;
	insn->base = X86_NO_REG;
	return 2;	/* four bytes of displacement without a base */
}

static int decode_modrm(struct x86_insn *insn, struct cursor *c)
{
	static const unsigned int disp_sizes[] = { 0, 1, 4 };
	int modrm = next_byte(c), mod, rm;

	if (modrm < 0)
		return modrm;
	mod = modrm >> 6;
	rm = modrm & 7;
	insn->has_modrm = true;
	insn->reg = (uint8_t)((modrm >> 3 & 7) | (insn->rex & 4) << 1);
	insn->rm = (uint8_t)(rm | (insn->rex & 1) << 3);
	if (mod == 3)
		return 0;
	insn->has_mem = true;
	insn->base = insn->rm;
	if (rm == 4)
		mod = decode_sib(insn, c, mod);
	else if (rm == 5 && !mod) {
		insn->base = X86_RIP;
		mod = 2;
	}
	if (mod < 0)
		return mod;
	return decode_disp(insn, c, disp_sizes[mod]) ? 0 : -ENODATA;
}

static int decode_imm(struct x86_insn *insn, struct cursor *c)
{
	bool wide = insn->rex & 8;
	unsigned int traits = insn->traits, size;

	if ((traits & GROUP3) && (insn->reg & 7) < 2)
		traits |= insn->opcode == 0xf6 ? IMM8 : IMM32;
	size = traits & IMM8 ? 1 : (traits & IMM64) && wide ? 8 :
	       traits & (IMM32 | IMM64) ? insn->opsize && !wide ? 2 : 4 : 0;
	return !size || next_signed(c, size, &insn->imm) ? 0 : -ENODATA;
}

/*
 * Returns whether the instruction has a form that the tables cannot refuse: operand-size prefixes
 * on branches, which mean different things to Intel and AMD; c6/c7 other than mov; undefined
 * groups.
 */
static bool is_odd(const struct x86_insn *insn)
{
	unsigned int sub = insn->reg & 7;

	switch (insn->opcode) {
	case 0xc6:
	case 0xc7:
		return sub != 0;
	case 0xfe:
		return sub > 1;
	case 0xff:	/* far call and jump, undefined */
		return sub == 3 || sub == 5 || sub == 7;
	case 0x8d:	/* lea of a register */
		return !insn->has_mem;
	case X86_MAP_0F | 0xba:
		return sub < 4;
	case X86_MAP_0F | 0x0d:
		return !insn->has_mem;
	}
	return (insn->traits & BRANCH) && (insn->opsize || insn->lock || insn->rep || insn->repne);
}

int x86_decode(struct x86_insn *ret, const uint8_t *p, size_t n)
{
	struct cursor c = { .p = p, .n = n };
	int r;

	*ret = (struct x86_insn){ .base = X86_NO_REG, .index = X86_NO_REG };
	r = decode_opcode(ret, &c);
	if (!r && (ret->traits & MODRM))
		r = decode_modrm(ret, &c);
	if (!r)
		r = decode_imm(ret, &c);
	if (!r && is_odd(ret))
		r = -ENOTSUP;
	ret->len = (uint8_t)c.at;
	return r;
}

/* --- questions --- */

static bool insn_has_prefix(const struct x86_insn *insn)
{
	return insn->rex || insn->seg || insn->lock || insn->opsize || insn->rep || insn->repne;
}

bool x86_is_jcc(const struct x86_insn *insn)
{
	return !insn->vex && !insn_has_prefix(insn) &&
	       ((insn->opcode & ~15) == 0x70 || (insn->opcode & ~15) == (X86_MAP_0F | 0x80));
}

bool x86_is_emulated(const struct x86_insn *insn)
{
	return (insn->opcode >= 0x50 && insn->opcode <= 0x57) || x86_is_jcc(insn) ||
	       insn->opcode == 0xe8 || insn->opcode == 0xe9 || insn->opcode == 0xeb ||
	       insn->opcode == 0x90;
}

bool x86_is_branch(const struct x86_insn *insn)
{
	return insn->traits & BRANCH;
}

bool x86_ends_flow(const struct x86_insn *insn)
{
	switch (insn->opcode) {
	case 0xe9:
	case 0xeb:
	case 0xc3:
	case 0xcc:
	case X86_MAP_0F | 0x0b:
		return true;
	case 0xff:
		return (insn->reg & 7) == 4;
	}
	return false;
}

bool x86_has_mem(const struct x86_insn *insn, enum x86_reg base, int32_t disp)
{
	return insn->has_mem && !insn->seg && insn->base == base && insn->index == X86_NO_REG &&
	       insn->disp == disp;
}

bool x86_is_alu_imm(const struct x86_insn *insn, enum x86_alu op)
{
	return (insn->opcode == 0x81 || insn->opcode == 0x83) && (insn->rex & 8) &&
	       (insn->reg & 7) == op;
}

bool x86_moves_rsp(const struct x86_insn *insn, int64_t *by)
{
	if (insn->has_mem || insn->rm != X86_RSP)
		return false;
	*by = x86_is_alu_imm(insn, X86_SUB) ? -insn->imm : insn->imm;
	return x86_is_alu_imm(insn, X86_SUB) || x86_is_alu_imm(insn, X86_ADD);
}

/*
 * Returns the bits of register @reg. Without a REX prefix the byte registers 4 to 7 are ah, ch, dh
 * and bh: the second byte of registers 0 to 3. The bit of that register is set, too.
 */
static uint16_t reg_bit(const struct x86_insn *insn, unsigned int reg)
{
	uint16_t bit = (uint16_t)(1 << reg);

	if ((insn->traits & BYTE) && !insn->rex && reg >= 4)
		bit |= (uint16_t)(1 << (reg & 3));
	return bit;
}

/* nop, and the members of groups that only read */
static bool writes_nothing(const struct x86_insn *insn)
{
	unsigned int sub = insn->reg & 7;

	if (insn->opcode == 0x90)
		return !(insn->rex & 1);
	if (insn->opcode == (X86_MAP_0F | 0xba))
		return sub == 4;
	if (insn->traits & GROUP3)
		return sub < 2;
	return (insn->traits & NOT_7) && sub == 7;
}

uint16_t x86_written(const struct x86_insn *insn)
{
	unsigned int opreg = (insn->opcode & 7) | (insn->rex & 1) << 3;
	uint16_t mask = 0;

	if (writes_nothing(insn))
		return 0;
	if ((insn->traits & TO_ANY) || (insn->opcode == 0xff && (insn->reg & 7) > 1))
		return 0xffff;
	if ((insn->traits & TO_RM) && !insn->has_mem)
		mask |= reg_bit(insn, insn->rm);
	if (insn->traits & TO_REG)
		mask |= reg_bit(insn, insn->reg);
	if (insn->traits & TO_OPREG)
		mask |= reg_bit(insn, opreg);
	if (insn->traits & TO_AX)
		mask |= 1 << X86_RAX;
	if (insn->traits & TO_DX)
		mask |= 1 << X86_RDX;
	if (insn->traits & TO_RSP)
		mask |= 1 << X86_RSP;
	return mask;
}
