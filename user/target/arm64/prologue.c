// SPDX-License-Identifier: Apache-2.0
/*
 * prologue: see target/prologue.h; for arm64. Functions of Go begin in one of these ways
 * (cmd/internal/obj/arm64/obj7.go, the same from 1.15 to 1.27 but for the registers):
 *
 *	split stack		ldr x16,[x28,#16]; cmp sp,x16; b.ls
 *	  larger frame		ldr x16; sub x17,sp,#N; cmp x17,x16; b.ls
 *	  huge frame		ldr x16; mov x27,#N; subs x17,sp,x27; b.lo; cmp x17,x16; b.ls
 *	the frame		str x30,[sp,#-N]!; stur x29,[sp,#-8]; sub x29,sp,#8
 *	  larger		sub x20,sp,#N; stp x29,x30,[x20,#-8]; mov sp,x20; sub x29,sp,#8
 *
 * The site is the `b.ls` of the stack check: the kernel simulates it, the return address is in x30,
 * and x29 is the caller's. It runs once more after the stack has grown. A function without a check
 * has its site at its first conditional branch or call, behind the code that makes the frame: x30
 * still has the return address there, but x29 leads to the function's own frame.
 */
#include <errno.h>
#include <stdio.h>

#include "target/arm64/walk.h"
#include "target/code_ops.h"

/* offsetof(g, stackguard0), and stackguard1, which //go:systemstack functions check */
enum { ARM64_STACKGUARD0 = 16, ARM64_STACKGUARD1 = 24 };

/* Bounds the search: functions without a check have at most 23 instructions before the site. */
enum { ARM64_MAX_INSNS = 48, ARM64_MAX_FRAME = 1 << 30 };

struct arm64_prologue {
	struct arm64_walk w;
	uint32_t lost;
	uint32_t from_sp;	/* registers that hold sp minus something */
	unsigned int guard;	/* the register with g.stackguard; ARM64_SP: none yet */
	bool opened;		/* a comparison of a huge frame was passed */
	bool compared;		/* the flags are those of the check */
	int64_t frame;
};

static bool arm64_loads_guard(const struct arm64_insn *insn)
{
	return insn->op == ARM64_LOAD && insn->wide && !insn->pair &&
	       (arm64_has_mem(insn, ARM64_G, ARM64_STACKGUARD0) ||
		arm64_has_mem(insn, ARM64_G, ARM64_STACKGUARD1));
}

/* Follows sp, and the registers that are made of it. -ENOTSUP: sp moves in an unknown way. */
static int arm64_step_sp(struct arm64_prologue *p)
{
	const struct arm64_insn *insn = &p->w.insn;
	bool makes = (insn->op == ARM64_ADD_IMM && insn->rn == ARM64_SP) ||
		     (insn->op == ARM64_MOVE && insn->has_sp) ||
		     (insn->op == ARM64_SUBS && p->guard != ARM64_SP);

	if (arm64_writes(insn, ARM64_SP)) {
		if (insn->by && insn->rn == ARM64_SP)
			p->frame -= insn->by;
		else if (insn->op == ARM64_ADD_IMM && insn->rn == ARM64_SP)
			p->frame -= insn->imm;
		else if (insn->op != ARM64_MOVE || !(p->from_sp >> insn->rm & 1))
			return -ENOTSUP;
		else	/* mov sp,x20: of a large frame, whose size no site needs */
			p->frame += p->frame ? 0 : 1;
		return p->frame < 0 || p->frame > ARM64_MAX_FRAME ? -ENOTSUP : 0;
	}
	if (makes && insn->rd != ARM64_SP)
		p->from_sp |= 1u << insn->rd;
	else
		p->from_sp &= ~insn->written;
	return 0;
}

static bool arm64_compares_guard(const struct arm64_prologue *p)
{
	const struct arm64_insn *insn = &p->w.insn;

	return insn->op == ARM64_CMP && p->guard != ARM64_SP && insn->rm == p->guard &&
	       (insn->rn == ARM64_SP || (p->from_sp >> insn->rn & 1));
}

static void arm64_set_site(const struct arm64_prologue *p, struct site *ret)
{
	static const char *const conds[16] = {
		"b.eq", "b.ne", "b.hs", "b.lo", "b.mi", "b.pl", "b.vs", "b.vc",
		"b.hi", "b.ls", "b.ge", "b.lt", "b.gt", "b.le", "b.al", "b.nv",
	};
	static const char *const tests[] = {
		[ARM64_CBZ] = "cbz", [ARM64_CBNZ] = "cbnz", [ARM64_TBZ] = "tbz",
		[ARM64_TBNZ] = "tbnz", [ARM64_BL] = "bl",
	};
	const struct arm64_insn *insn = &p->w.insn;

	*ret = (struct site){
		.offset = (uint32_t)p->w.at,
		.kind = insn->op == ARM64_BL ? SITE_CALL : SITE_BRANCH,
		.len = ARM64_LEN,
		.cond = insn->op == ARM64_B_COND ? insn->cond : 0,
		.drop_taken = p->compared,
		.frame = (uint32_t)p->frame,
		.lost_regs = p->lost,
	};
	snprintf(ret->text, sizeof(ret->text), "%s at +0x%x%s%s",
		 insn->op == ARM64_B_COND ? conds[insn->cond] : tests[insn->op], ret->offset,
		 p->frame ? ", in its frame" : "", p->compared ? ", dropped if taken" : "");
}

/* Returns whether the function has stored its return address, and the register still has it. */
static bool arm64_keeps_link(const struct arm64_prologue *p)
{
	return p->frame && (p->lost >> ARM64_FP & 1) && !(p->lost >> ARM64_LINK & 1);
}

/* 1: *@ret is set; 0: go on with the next instruction. */
static int arm64_prologue_visit(struct arm64_prologue *p, struct site *ret)
{
	const struct arm64_insn *insn = &p->w.insn;

	if (p->compared && (insn->op != ARM64_B_COND || insn->cond != ARM64_LS))
		return insn->op == ARM64_NOP ? 0 : -ENOTSUP;
	if (arm64_is_conditional(insn) || (insn->op == ARM64_BL && arm64_keeps_link(p))) {
		if (p->guard != ARM64_SP && !p->compared && p->opened && insn->cond == ARM64_LO)
			return 0;	/* to morestack */
		arm64_set_site(p, ret);
		return 1;
	}
	if (arm64_is_call(insn) || arm64_ends_flow(insn) || insn->written == UINT32_MAX)
		return -ENOTSUP;
	if (arm64_compares_guard(p)) {
		p->compared = true;
		return p->frame ? -ENOTSUP : 0;
	}
	if (arm64_loads_guard(insn) && !p->frame)
		p->guard = insn->rd;
	else if (p->guard != ARM64_SP && arm64_writes(insn, p->guard))
		p->guard = ARM64_SP;
	p->opened |= insn->op == ARM64_SUBS && p->guard != ARM64_SP;
	p->lost |= insn->written;
	return arm64_step_sp(p);
}

/* Returns whether a jump leads to the site or to an instruction before it. */
static bool arm64_runs_again(const struct arm64_prologue *p)
{
	struct arm64_walk w = p->w;

	for (w.at = 0; w.at + ARM64_LEN <= w.n; w.at += ARM64_LEN) {
		if (!arm64_decode_at(&w))
			return true;
		if (arm64_is_jump(&w.insn) && arm64_target_offset(&w) <= p->w.at)
			return true;
	}
	return false;
}

int arm64_prologue_site(const uint8_t *code, size_t n, struct site *ret)
{
	struct arm64_prologue p = { .w = { .bytes = code, .n = arm64_code_size(code, n) },
				    .guard = ARM64_SP };
	int i, r = 0;

	for (i = 0; i < ARM64_MAX_INSNS && !r; i++) {
		if (!arm64_decode_at(&p.w))
			return -ENOTSUP;
		r = arm64_prologue_visit(&p, ret);
		if (!r)
			p.w.at += ARM64_LEN;
	}
	if (r != 1)
		return -ENOTSUP;
	/* the stack check runs once by the form of the prologue, if hits that grow do not count */
	return !ret->drop_taken && arm64_runs_again(&p) ? -ENOTSUP : 0;
}

/* --- all of a function --- */

static void arm64_sweep_take(struct function_sweep *s, const struct arm64_walk *w)
{
	int64_t target = (int64_t)w->at + w->insn.imm;

	if (w->insn.op == ARM64_RET)
		*(uint32_t *)vec_push(s->ends, sizeof(uint32_t)) = (uint32_t)w->at;
	if (!arm64_is_jump(&w->insn))
		return;
	s->restarts |= !target;
	if (target < 0 || target >= (int64_t)w->n)
		*(int64_t *)vec_push(&s->jumps, sizeof(target)) = target;
}

int arm64_function_sweep(const uint8_t *code, size_t n, struct function_sweep *ret, uint32_t *at)
{
	struct arm64_walk w = { .bytes = code, .n = arm64_code_size(code, n) };

	for (; w.at < w.n; w.at += ARM64_LEN) {
		if (!arm64_decode_at(&w)) {
			*at = (uint32_t)w.at;
			return -ENOTSUP;
		}
		arm64_sweep_take(ret, &w);
	}
	return 0;
}

enum first_step arm64_function_first(const uint8_t *code, size_t n)
{
	struct arm64_insn first;

	if (arm64_decode(&first, code, n) || !first.steppable)
		return FIRST_REFUSED;
	return arm64_is_simulated(&first) ? FIRST_EMULATED : FIRST_STEPPED;
}
