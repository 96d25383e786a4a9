// SPDX-License-Identifier: Apache-2.0
/*
 * arm64_insn: see insn.h. The names of fields and classes are those of the Arm Architecture
 * Reference Manual, section C4.1, "A64 instruction set encoding".
 */
#include "target/arm64/insn.h"

#include <errno.h>
#include <string.h>

static uint32_t bits(uint32_t w, unsigned int low, unsigned int n)
{
	return w >> low & ((1u << n) - 1);
}

static int64_t signed_bits(uint32_t w, unsigned int low, unsigned int n)
{
	return (int64_t)((uint64_t)w << (64 - low - n)) >> (64 - n);
}

/* The bit of a register that is zero as 31, and of one that is the stack pointer. */
static uint32_t written_bit(unsigned int reg)
{
	return reg == ARM64_ZERO ? 0 : 1u << reg;
}

static uint32_t written_or_sp(unsigned int reg)
{
	return 1u << reg;
}

static const uint32_t written_all = UINT32_MAX;

/* --- data processing with constants --- */

/* DecodeBitMasks(): false for a reserved value. */
static bool bitmask(uint32_t w, bool wide, uint64_t *ret)
{
	uint32_t n = bits(w, 22, 1), immr = bits(w, 16, 6), imms = bits(w, 10, 6);
	uint32_t pattern = n << 6 | (~imms & 0x3f), size = 0, ones, rotate, i;
	uint64_t element;

	for (i = 1; i < 7; i++)
		if (pattern >> i & 1)
			size = 1u << i;
	if (!size || (n && !wide))
		return false;
	ones = (imms & (size - 1)) + 1;
	rotate = immr & (size - 1);
	if (ones == size)
		return false;
	element = (1ull << ones) - 1;
	if (rotate)
		element = (element >> rotate) | (element << (size - rotate));
	if (size < 64)
		element &= (1ull << size) - 1;
	for (i = size; i < 64; i *= 2)
		element |= element << i;
	*ret = wide ? element : (uint32_t)element;
	return true;
}

static int decode_add_imm(struct arm64_insn *insn, uint32_t w)
{
	bool flags = bits(w, 29, 1), subtract = bits(w, 30, 1);
	int64_t imm = bits(w, 10, 12);

	if (bits(w, 22, 1))
		imm <<= 12;
	insn->imm = subtract ? -imm : imm;
	if (!flags) {
		insn->op = ARM64_ADD_IMM;
		insn->written = written_or_sp(insn->rd);
		if (!imm && (insn->rd == ARM64_SP || insn->rn == ARM64_SP)) {	/* mov of sp */
			insn->op = ARM64_MOVE;
			insn->rm = insn->rn;
			insn->has_sp = true;
		}
		return 0;
	}
	insn->written = written_bit(insn->rd);
	if (!subtract)
		return 0;
	insn->op = insn->rd == ARM64_ZERO ? ARM64_CMP_IMM : ARM64_SUBS;
	if (insn->op == ARM64_CMP_IMM)
		insn->imm = imm;
	return 0;
}

static int decode_logical_imm(struct arm64_insn *insn, uint32_t w)
{
	enum { ORR = 1, ANDS = 3 };
	uint64_t imm;

	if (!bitmask(w, insn->wide, &imm))
		return -ENOTSUP;
	insn->written = bits(w, 29, 2) == ANDS ? written_bit(insn->rd) : written_or_sp(insn->rd);
	if (bits(w, 29, 2) == ORR && insn->rn == ARM64_ZERO && insn->rd != ARM64_SP) {
		insn->op = ARM64_CONST;
		insn->imm = (int64_t)imm;
	}
	return 0;
}

static int decode_wide_imm(struct arm64_insn *insn, uint32_t w)
{
	enum { MOVN = 0, UNALLOCATED = 1, MOVZ = 2 };
	uint32_t opc = bits(w, 29, 2), shift = bits(w, 21, 2) * 16;
	uint64_t imm = (uint64_t)bits(w, 5, 16) << shift;

	if (opc == UNALLOCATED || (!insn->wide && shift > 16))
		return -ENOTSUP;
	insn->written = written_bit(insn->rd);
	if (opc == MOVZ || opc == MOVN) {
		insn->op = ARM64_CONST;
		imm = opc == MOVN ? ~imm : imm;
		insn->imm = (int64_t)(insn->wide ? imm : (uint32_t)imm);
	} else {
		insn->op = ARM64_CONST_PART;
		insn->imm = (int64_t)imm;
		insn->bit = (uint8_t)shift;
	}
	return 0;
}

static int decode_immediate(struct arm64_insn *insn, uint32_t w)
{
	switch (bits(w, 23, 3)) {
	case 0:
	case 1:
		insn->op = bits(w, 31, 1) ? ARM64_ADRP : ARM64_ADR;
		insn->imm = signed_bits(w, 5, 19) * 4 + bits(w, 29, 2);
		if (insn->op == ARM64_ADRP)
			insn->imm *= 1 << 12;
		insn->written = written_bit(insn->rd);
		return 0;
	case 2:
		return decode_add_imm(insn, w);
	case 4:
		return decode_logical_imm(insn, w);
	case 5:
		return decode_wide_imm(insn, w);
	case 6:			/* bit fields */
	case 7:			/* extract */
		if (bits(w, 22, 1) != bits(w, 31, 1))
			return -ENOTSUP;
		insn->written = written_bit(insn->rd);
		return 0;
	}
	return -ENOTSUP;	/* addresses with tags */
}

/* --- branches, exceptions, system --- */

/* No general register but the result of mrs, and of a system call, is written. */
static const uint32_t system_nop = 0xd503201f;

/*
 * Does the kernel step it under a uprobe? Not a write to a system register; of hints only some, of
 * which Go emits nop alone (aarch64_insn_is_steppable() of arch/arm64/kernel/probes).
 */
static bool system_is_steppable(uint32_t w)
{
	bool hint = (w & 0xfffff01f) == system_nop, msr = (w & 0xfff00000) == 0xd5100000;
	bool msr_constant = (w & 0xfff8f01f) == 0xd500401f;

	return w == system_nop || !(hint || msr || msr_constant);
}

static int decode_system(struct arm64_insn *insn, uint32_t w)
{

	if (bits(w, 24, 8) == 0xd4) {
		insn->op = bits(w, 21, 3) == 0 ? ARM64_OTHER : ARM64_TRAP;	/* svc; brk, hlt */
		insn->written = written_all;
		insn->steppable = false;
		return 0;
	}
	if (bits(w, 22, 10) != 0x354)
		return -ENOTSUP;
	if (w == system_nop)
		insn->op = ARM64_NOP;
	else if ((w & ~0x1fu) == 0xd53bd040)
		insn->op = ARM64_THREAD_POINTER;
	insn->steppable = system_is_steppable(w);
	insn->written = bits(w, 21, 1) ? written_bit(insn->rd) : 0;	/* mrs, sysl */
	return 0;
}

static int decode_branch_register(struct arm64_insn *insn, uint32_t w)
{
	insn->rn = (uint8_t)bits(w, 5, 5);
	if (bits(w, 10, 11) != 0x7c0 || bits(w, 0, 5))
		return -ENOTSUP;	/* with authentication, which Go does not use; eret */
	switch (bits(w, 21, 4)) {
	case 0:
		insn->op = ARM64_BR;
		return 0;
	case 1:
		insn->op = ARM64_BLR;
		insn->written = written_all;
		return 0;
	case 2:
		insn->op = ARM64_RET;
		return 0;
	}
	return -ENOTSUP;
}

static int decode_branch(struct arm64_insn *insn, uint32_t w)
{
	if (bits(w, 26, 5) == 5) {
		insn->op = bits(w, 31, 1) ? ARM64_BL : ARM64_B;
		insn->written = insn->op == ARM64_BL ? written_all : 0;
		insn->imm = signed_bits(w, 0, 26) * ARM64_LEN;
		return 0;
	}
	if (bits(w, 25, 6) == 0x1a) {
		insn->op = bits(w, 24, 1) ? ARM64_CBNZ : ARM64_CBZ;
		insn->imm = signed_bits(w, 5, 19) * ARM64_LEN;
		return 0;
	}
	if (bits(w, 25, 6) == 0x1b) {
		insn->op = bits(w, 24, 1) ? ARM64_TBNZ : ARM64_TBZ;
		insn->bit = (uint8_t)(bits(w, 31, 1) << 5 | bits(w, 19, 5));
		insn->imm = signed_bits(w, 5, 14) * ARM64_LEN;
		return 0;
	}
	if (bits(w, 24, 8) == 0x54 && !bits(w, 4, 1)) {
		insn->op = ARM64_B_COND;
		insn->cond = (uint8_t)bits(w, 0, 4);
		insn->imm = signed_bits(w, 5, 19) * ARM64_LEN;
		return 0;
	}
	if (bits(w, 25, 7) == 0x6b)
		return decode_branch_register(insn, w);
	if (bits(w, 24, 7) == 0x54 || bits(w, 24, 8) == 0xd5)
		return decode_system(insn, w);
	return -ENOTSUP;
}

/* --- loads and stores --- */

/* Exclusive and ordered accesses, and compare-and-swap. */
static int decode_exclusive(struct arm64_insn *insn, uint32_t w)
{
	bool ordered = bits(w, 23, 1), load = bits(w, 22, 1), other = bits(w, 21, 1);

	insn->size = (uint8_t)(1 << bits(w, 30, 2));
	insn->wide = bits(w, 30, 2) == 3;
	/* the masks of kernels before 6.14 take all of them for exclusive ones, and refuse them */
	insn->steppable = false;
	if (!ordered && other && !bits(w, 31, 1)) {	/* casp */
		insn->op = ARM64_ATOMIC;
		insn->written = written_bit(insn->rm) | written_bit(insn->rm | 1);
	} else if (!ordered) {
		insn->op = load ? ARM64_LOAD_EXCLUSIVE : ARM64_STORE_EXCLUSIVE;
		insn->pair = other;
		insn->written = load ? written_bit(insn->rd) : written_bit(insn->rm);
		if (load && other)
			insn->written |= written_bit(insn->rt2);
	} else if (other) {
		insn->op = ARM64_CAS;
		insn->written = written_bit(insn->rm);
	} else {
		insn->op = ARM64_ORDERED;
		insn->written = load ? written_bit(insn->rd) : 0;
	}
	return 0;
}

static int decode_literal(struct arm64_insn *insn, uint32_t w)
{
	insn->op = ARM64_LITERAL;
	insn->vector = bits(w, 26, 1);
	insn->imm = signed_bits(w, 5, 19) * ARM64_LEN;
	insn->written = insn->vector || bits(w, 30, 2) == 3 ? 0 : written_bit(insn->rd);
	insn->steppable = false;	/* some kernels crash: CVE-2024-50099 */
	return 0;
}

/* Pre- and post-index: the access itself is at .rn + .imm. */
static void set_index(struct arm64_insn *insn, bool pre, int64_t imm)
{
	insn->by = (int32_t)imm;
	insn->imm = pre ? imm : 0;
	insn->written |= written_or_sp(insn->rn);
}

static int decode_pair(struct arm64_insn *insn, uint32_t w)
{
	enum { NO_ALLOCATE, POST, OFFSET, PRE };
	uint32_t opc = bits(w, 30, 2), index = bits(w, 23, 2);
	bool load = bits(w, 22, 1);

	insn->vector = bits(w, 26, 1);
	if (opc == 3 || (opc == 1 && !insn->vector && !load))
		return -ENOTSUP;
	insn->op = load ? ARM64_LOAD : ARM64_STORE;
	insn->pair = true;
	insn->size = (uint8_t)(insn->vector ? 4 << opc : opc == 2 ? 8 : 4);
	insn->wide = opc == 2 && !insn->vector;
	insn->imm = signed_bits(w, 15, 7) * insn->size;
	if (load && !insn->vector)
		insn->written = written_bit(insn->rd) | written_bit(insn->rt2);
	if (index == POST || index == PRE)
		set_index(insn, index == PRE, insn->imm);
	return 0;
}

/* Atomic operations: ldadd, swp and others; ldapr. */
static int decode_atomic(struct arm64_insn *insn, uint32_t w)
{
	if (insn->vector)
		return -ENOTSUP;
	insn->op = !bits(w, 12, 4) ? ARM64_ADD_ATOMIC : ARM64_ATOMIC;
	insn->size = (uint8_t)(1 << bits(w, 30, 2));
	insn->wide = bits(w, 30, 2) == 3;
	insn->written = written_bit(insn->rd);
	return 0;
}

/*
 * One register. opc is 0 for stores; 2 and 3 are loads with a sign, the first with 64 bits; size 3
 * with opc 2 is a prefetch.
 */
static int decode_single(struct arm64_insn *insn, uint32_t w)
{
	uint32_t log = bits(w, 30, 2), opc = bits(w, 22, 2);
	bool load = opc != 0, prefetch = false;

	insn->vector = bits(w, 26, 1);
	if (!bits(w, 24, 1) && bits(w, 21, 1) && !bits(w, 10, 2))
		return decode_atomic(insn, w);
	if (insn->vector) {
		load = opc & 1;
		log |= (opc & 2) << 1;
		if (log > 4)
			return -ENOTSUP;
	} else if (log == 3 && opc >= 2) {
		prefetch = opc == 2;
		if (!prefetch)
			return -ENOTSUP;
	}
	insn->size = (uint8_t)(1 << log);
	insn->wide = log == 3 || opc == 2;
	insn->op = load ? ARM64_LOAD : ARM64_STORE;
	insn->written = load && !insn->vector && !prefetch ? written_bit(insn->rd) : 0;
	if (bits(w, 24, 1)) {
		insn->imm = (int64_t)bits(w, 10, 12) << log;
	} else if (bits(w, 21, 1)) {
		if (bits(w, 10, 2) != 2)
			return -ENOTSUP;	/* with authentication */
		insn->op = load ? ARM64_LOAD_AT : ARM64_STORE_AT;
	} else {
		insn->imm = signed_bits(w, 12, 9);
		if (bits(w, 10, 1))
			set_index(insn, bits(w, 11, 1), insn->imm);
	}
	if (prefetch)
		insn->op = ARM64_OTHER;
	return 0;
}

/* ld1 and others; the address may move. */
static int decode_structures(struct arm64_insn *insn, uint32_t w)
{
	if (bits(w, 31, 1))
		return -ENOTSUP;
	insn->vector = true;
	insn->written = bits(w, 23, 1) ? written_or_sp(insn->rn) : 0;
	return 0;
}

static int decode_memory(struct arm64_insn *insn, uint32_t w)
{
	switch (bits(w, 28, 2)) {
	case 0:
		if (bits(w, 26, 1))
			return decode_structures(insn, w);
		return bits(w, 24, 1) ? -ENOTSUP : decode_exclusive(insn, w);
	case 1:
		return bits(w, 24, 1) ? -ENOTSUP : decode_literal(insn, w);
	case 2:
		return decode_pair(insn, w);
	}
	return decode_single(insn, w);
}

/* --- data processing with registers --- */

static int decode_add_register(struct arm64_insn *insn, uint32_t w)
{
	bool extended = bits(w, 21, 1), flags = bits(w, 29, 1), subtract = bits(w, 30, 1);
	bool plain = extended ? bits(w, 13, 3) == 3 && !bits(w, 10, 3) :
				!bits(w, 22, 2) && !bits(w, 10, 6);

	insn->written = extended && !flags ? written_or_sp(insn->rd) : written_bit(insn->rd);
	if (flags && subtract)
		insn->op = insn->rd == ARM64_ZERO && plain ? ARM64_CMP : ARM64_SUBS;
	else if (!flags && !subtract && plain && !extended)
		insn->op = ARM64_ADD;
	return 0;
}

static int decode_register(struct arm64_insn *insn, uint32_t w)
{
	enum { ORR = 1 };

	if (!bits(w, 28, 1) && bits(w, 24, 1))
		return decode_add_register(insn, w);
	insn->written = written_bit(insn->rd);
	if (!bits(w, 28, 1)) {		/* logical */
		if (bits(w, 29, 2) != ORR || bits(w, 21, 3) || bits(w, 10, 6) ||
		    insn->rn != ARM64_ZERO)
			return 0;
		insn->op = insn->rm == ARM64_ZERO ? ARM64_CONST : ARM64_MOVE;
		return 0;
	}
	if (bits(w, 24, 1))		/* three sources */
		return 0;
	if (bits(w, 21, 3) == 2)	/* conditional compare */
		insn->written = 0;
	return bits(w, 21, 3) != 7 ? 0 : -ENOTSUP;
}

/* --- all of them --- */

static int decode_word(struct arm64_insn *insn, uint32_t w)
{
	switch (bits(w, 25, 4)) {
	case 0:			/* udf */
		insn->op = ARM64_TRAP;
		insn->steppable = false;
		return w >> 16 ? -ENOTSUP : 0;
	case 8:
	case 9:
		return decode_immediate(insn, w);
	case 10:
	case 11:
		return decode_branch(insn, w);
	case 4:
	case 6:
	case 12:
	case 14:
		return decode_memory(insn, w);
	case 5:
	case 13:
		return decode_register(insn, w);
	case 7:
	/* vectors and floating point; some have a general register as result */
	case 15:
		insn->vector = true;
		insn->written = written_bit(insn->rd);
		return 0;
	}
	return -ENOTSUP;
}

int arm64_decode(struct arm64_insn *ret, const uint8_t *p, size_t n)
{
	uint32_t w;

	if (n < ARM64_LEN)
		return -ENODATA;
	w = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	*ret = (struct arm64_insn){
		.rd = (uint8_t)bits(w, 0, 5), .rn = (uint8_t)bits(w, 5, 5),
		.rm = (uint8_t)bits(w, 16, 5), .rt2 = (uint8_t)bits(w, 10, 5),
		.wide = bits(w, 31, 1), .steppable = true,
	};
	return decode_word(ret, w);
}

/* --- questions --- */

bool arm64_is_conditional(const struct arm64_insn *insn)
{
	return insn->op >= ARM64_B_COND && insn->op <= ARM64_TBNZ;
}

bool arm64_is_jump(const struct arm64_insn *insn)
{
	return insn->op == ARM64_B || arm64_is_conditional(insn);
}

bool arm64_is_call(const struct arm64_insn *insn)
{
	return insn->op == ARM64_BL || insn->op == ARM64_BLR;
}

bool arm64_ends_flow(const struct arm64_insn *insn)
{
	return insn->op == ARM64_B || insn->op == ARM64_BR || insn->op == ARM64_RET ||
	       insn->op == ARM64_TRAP;
}

bool arm64_is_simulated(const struct arm64_insn *insn)
{
	return insn->op >= ARM64_BL && insn->op <= ARM64_ADRP;
}

bool arm64_has_mem(const struct arm64_insn *insn, unsigned int base, int64_t imm)
{
	return (insn->op == ARM64_LOAD || insn->op == ARM64_STORE) && insn->rn == base &&
	       insn->imm == imm && !insn->by;
}
