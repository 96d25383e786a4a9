// SPDX-License-Identifier: Apache-2.0
/* stackalloc: see stackalloc.h. */
#include "target/stackalloc.h"

#include <errno.h>

#include "target/code_ops.h"
#include "target/x86/walk.h"

enum {
	/* at most so many instructions from the jump to the return; Go's code has ten */
	MAX_PATH = 64,
	CALL = 0xe8, RET = 0xc3, POP_RBP = 0x5d, JMP8 = 0xeb, JMP32 = 0xe9,
	MOV_TO_RM = 0x89, MOV_TO_REG = 0x8b, LEA = 0x8d,
};

/* --- where the results come from --- */

/* The value of a register, given as values at the jump. */
struct value {
	enum { UNKNOWN, WAS, SUM } kind;
	struct go_operand was;	/* WAS: the value; SUM: the first term, */
	struct go_operand more;	/* and the second */
};

static bool same_operand(const struct go_operand *a, const struct go_operand *b)
{
	return a->reg == b->reg && a->in_frame == b->in_frame && a->disp == b->disp;
}

static struct value stackalloc_load(const struct x86_insn *insn)
{
	struct value v = { .kind = UNKNOWN };

	if (x86_has_mem(insn, X86_RSP, insn->disp) && insn->disp == (short)insn->disp) {
		v.kind = WAS;
		v.was = (struct go_operand){ .in_frame = 1, .disp = (short)insn->disp };
	}
	return v;
}

/* lea (%a)(%b*1), %reg */
static struct value stackalloc_sum(const struct x86_insn *insn, const struct value *regs)
{
	struct value v = { .kind = UNKNOWN };

	if (insn->base >= X86_RIP || insn->index >= X86_RIP || insn->scale != 1 || insn->disp ||
	    regs[insn->base].kind != WAS || regs[insn->index].kind != WAS)
		return v;
	v.kind = SUM;
	v.was = regs[insn->base].was;
	v.more = regs[insn->index].was;
	return v;
}

/*
 * Moves keep the whole value, or its low half, which is the whole of a size, because sizes are
 * below 2^32.
 */
static void stackalloc_step(const struct x86_insn *insn, struct value regs[16])
{
	uint16_t written = x86_written(insn);
	struct value v = { .kind = UNKNOWN };
	unsigned int to = insn->reg, i;

	if (insn->opcode == MOV_TO_REG && insn->has_mem)
		v = stackalloc_load(insn);
	else if (insn->opcode == MOV_TO_REG)
		v = regs[insn->rm];
	else if (insn->opcode == LEA)
		v = stackalloc_sum(insn, regs);
	if (insn->opcode == MOV_TO_RM && !insn->has_mem) {
		v = regs[insn->reg];
		to = insn->rm;
	}
	for (i = 0; i < 16; i++)
		if (written & 1 << i)
			regs[i].kind = UNKNOWN;
	if (written & 1 << to)
		regs[to] = v;
}

/*
 * Follows the straight code from @c to the return. The frame must not change, so that an offset
 * from the stack pointer names the same slot as at the jump.
 */
static int stackalloc_follow(struct walk *c, struct value regs[16])
{
	bool left_frame = false;
	int64_t by;
	int i;

	for (i = 0; i < MAX_PATH && walk_decode(c); i++) {
		if (c->insn.opcode == RET)
			return 0;
		if (c->insn.opcode == JMP8 || c->insn.opcode == JMP32) {
			c->at += c->insn.len + (uint64_t)c->insn.imm;
			continue;
		}
		if (x86_is_branch(&c->insn) || x86_ends_flow(&c->insn) ||
		    (left_frame && c->insn.has_mem))
			return -ENOTSUP;
		left_frame |= x86_moves_rsp(&c->insn, &by) || c->insn.opcode == POP_RBP;
		stackalloc_step(&c->insn, regs);
		c->at += c->insn.len;
	}
	return -ENOTSUP;
}

/* At the return RAX must be the address, and RBX address plus size. */
static int stackalloc_split(const struct value regs[16], struct stackalloc_site *ret)
{
	const struct value *lo = &regs[X86_RAX], *hi = &regs[X86_RBX];

	if (lo->kind != WAS || hi->kind != SUM)
		return -ENOTSUP;
	ret->lo = lo->was;
	if (same_operand(&hi->was, &lo->was))
		ret->size = hi->more;
	else if (same_operand(&hi->more, &lo->was))
		ret->size = hi->was;
	else
		return -ENOTSUP;
	return 0;
}

/* @c is at the test of the flag; the jump follows it. */
static int stackalloc_find(struct walk c, struct stackalloc_site *ret)
{
	struct value regs[16];
	unsigned int i;
	int r;

	for (i = 0; i < 16; i++)
		regs[i] = (struct value){ .kind = WAS, .was = { .reg = (unsigned char)i } };
	if (!walk_next(&c) || !x86_is_jcc(&c.insn))
		return -ENOTSUP;
	ret->offset = (uint32_t)c.at;
	if (x86_jcc_cond(&c.insn) == X86_COND_E)
		c.at += c.insn.len + (uint64_t)c.insn.imm;
	else if (x86_jcc_cond(&c.insn) == X86_COND_NE)
		c.at += c.insn.len;
	else
		return -ENOTSUP;
	r = stackalloc_follow(&c, regs);
	return r ? r : stackalloc_split(regs, ret);
}

/* As go_reg() in bpf/goabi.h. */
static bool stackalloc_is_readable(const struct go_operand *o)
{
	return o->in_frame || o->reg <= X86_RBX || o->reg == X86_RSI || o->reg == X86_RDI;
}

int x86_stackalloc_site(const struct gobin *b, struct stackalloc_site *ret, struct error *err)
{
	struct walk alloc, release;
	uint64_t flag;

	if (walk_open(&alloc, b, "runtime.stackalloc") == -ENOENT)
		return error_set(err, -ENOENT, "runtime.stackalloc is not in the binary");
	walk_open(&release, b, "runtime.stackfree");
	flag = walk_first_flag(&alloc);
	/* The flag is known without a symbol because both functions test it first. */
	if (!flag || flag != walk_first_flag(&release) || stackalloc_find(alloc, ret) ||
	    !stackalloc_is_readable(&ret->lo) || !stackalloc_is_readable(&ret->size))
		return error_set(err, -ENOTSUP,
				 "runtime.stackalloc of %s does not ask in the known "
				 "way whether to trace",
				 gobin_go_version(b));
	return 0;
}

uint64_t x86_stackalloc_mheap(const struct gobin *b)
{
	struct gobin_func fn;
	struct walk c;
	uint64_t rax = 0;
	bool more;

	if (walk_open(&c, b, "runtime.stackalloc") ||
	    gobin_func(b, "runtime.(*mheap).allocManual", &fn))
		return 0;
	for (more = walk_decode(&c); more; more = walk_next(&c)) {
		if (c.insn.opcode == CALL &&
		    c.start + c.at + c.insn.len + (uint64_t)c.insn.imm == fn.addr)
			return rax;
		if (c.insn.opcode == LEA && c.insn.reg == X86_RAX && c.insn.base == X86_RIP)
			rax = walk_rip_address(&c);
		else if (x86_written(&c.insn) & 1 << X86_RAX)
			rax = 0;
	}
	return 0;
}
