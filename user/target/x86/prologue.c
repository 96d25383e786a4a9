// SPDX-License-Identifier: Apache-2.0
/*
 * prologue: see target/prologue.h. The kernel emulates `push reg`, conditional jumps and
 * `nop`. Go functions begin with one of these (cmd/internal/obj/x86/obj6.go):
 *
 *	nosplit, since Go 1.21		push %rbp; ...
 *	split stack, since 1.21		cmp 0x10(%r14),%rsp; jbe; push %rbp
 *	  large frame			lea -N(%rsp),%r12; cmp; jbe; push
 *	  huge frame			mov %rsp,%r12; sub $N,%r12; jb; cmp; jbe; push
 *	split stack, up to 1.20		the same checks (1.15: g in %rcx, from %fs); jbe;
 *					sub $N,%rsp; mov %rbp,..; lea ..,%rbp
 *	nosplit, up to 1.20		sub $N,%rsp; mov %rbp,..; lea ..,%rbp; ...
 *
 * The `jbe` of a stack check is taken if CF or ZF is set: the condition is always "below
 * or equal".
 */
#include "target/code_ops.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "target/x86/insn.h"

/* offsetof(g, stackguard0), and stackguard1, which //go:systemstack functions check */
enum { STACKGUARD0 = 0x10, STACKGUARD1 = 0x18 };

/* Bounds the search: Go's prologues have at most some ten instructions before a site. */
enum { MAX_INSNS = 32, MAX_FRAME = 1 << 30 };

/* The parts of the stack check that were found so far. */
enum check {
	CHECK_NONE,		/* none seen (yet) */
	/* begun; a jump in this state leads to morestack and is not the last one */
	CHECK_OPEN,
	CHECK_COMPARED,		/* the flags are those of its last comparison */
};

struct walk {
	const uint8_t *code;
	size_t n, at;
	struct x86_insn insn;
	enum check check;
	bool g_in_rcx;		/* Go <= 1.16: g was loaded from thread-local storage */
	uint16_t from_rsp;	/* registers that hold rsp minus something */
	uint16_t lost;
	uint32_t frame;
	size_t nop;		/* a nop seen on the way, + 1 */
};

static bool is_push_rbp(const struct x86_insn *insn)
{
	return insn->opcode == 0x55 && insn->len == 1;
}

static bool is_nop(const struct x86_insn *insn)
{
	return insn->opcode == 0x90 && insn->len == 1;
}

/*
 * A nop of any length. The assembler puts nops between a comparison and its jump, to align jumps.
 */
static bool prologue_is_padding(const struct x86_insn *insn)
{
	return (insn->opcode == 0x90 && !(insn->rex & 1)) || insn->opcode == (X86_MAP_0F | 0x1f);
}

static bool is_stack_guard(const struct walk *w)
{
	enum x86_reg g = w->g_in_rcx ? X86_RCX : X86_R14;

	return (w->insn.rex & 8) && (x86_has_mem(&w->insn, g, STACKGUARD0) ||
				     x86_has_mem(&w->insn, g, STACKGUARD1));
}

/* --- one instruction that is not a site --- */

/* sub $N,%rsp makes the frame; a prologue of Go changes rsp in no other way. */
static int prologue_step_rsp(struct walk *w)
{
	int64_t moved;

	if (!x86_moves_rsp(&w->insn, &moved) || moved >= 0 || moved < -(int64_t)MAX_FRAME)
		return -ENOTSUP;
	w->frame += (uint32_t)-moved;
	return w->frame <= MAX_FRAME ? 0 : -ENOTSUP;
}

/* cmp 0x10(%r14),REG */
static bool is_guard_cmp(const struct walk *w)
{
	return w->insn.opcode == 0x3b && is_stack_guard(w) &&
	       (w->from_rsp & 1 << w->insn.reg);
}

/* Huge frames up to 1.16: mov 0x10(%rcx),%rsi; ...; lea, sub %rsi; cmp $N,%rax; jbe */
static bool is_guard_load(const struct walk *w)
{
	return w->insn.opcode == 0x8b && is_stack_guard(w) && w->g_in_rcx &&
	       w->insn.reg == X86_RSI;
}

static bool is_imm_cmp_of_rax(const struct x86_insn *insn)
{
	return (insn->opcode == 0x3d && (insn->rex & 8)) ||
	       (!insn->has_mem && insn->rm == X86_RAX && x86_is_alu_imm(insn, X86_CMP));
}

static void step_check(struct walk *w)
{
	const struct x86_insn *insn = &w->insn;

	if (is_guard_cmp(w) ||
	    (w->check == CHECK_OPEN && w->g_in_rcx && is_imm_cmp_of_rax(insn)))
		w->check = CHECK_COMPARED;
	else if (is_guard_load(w) ||
		 (insn->opcode == 0x89 && !insn->has_mem && insn->reg == X86_RSP &&
		  insn->rm == X86_R12))
		w->check = CHECK_OPEN;
}

/* Notes the registers that a lea, mov or sub makes a copy of rsp minus a number. */
static void step_registers(struct walk *w, uint16_t written)
{
	const struct x86_insn *insn = &w->insn;
	bool keeps = x86_is_alu_imm(insn, X86_SUB) ||	/* sub $N,%r12 */
		     (insn->opcode == 0x2b && w->check == CHECK_OPEN);
	bool makes = (insn->opcode == 0x8d && insn->base == X86_RSP &&
		      insn->index == X86_NO_REG) ||
		     (insn->opcode == 0x89 && insn->reg == X86_RSP);

	if (makes)
		w->from_rsp |= written;
	else if (!keeps)
		w->from_rsp &= (uint16_t)~written;
	if (insn->opcode == 0x8b && insn->seg == 0x64 && insn->reg == X86_RCX)
		w->g_in_rcx = true;
	else if (written & 1 << X86_RCX)
		w->g_in_rcx = false;
	w->lost |= written;
}

static int prologue_step(struct walk *w)
{
	const struct x86_insn *insn = &w->insn;
	uint16_t written = x86_written(insn);

	if (x86_is_branch(insn) || x86_ends_flow(insn) || written == 0xffff)
		return -ENOTSUP;	/* the end of the straight code */
	if (is_nop(insn) && w->check == CHECK_NONE && !w->nop)
		w->nop = w->at + 1;
	step_check(w);
	step_registers(w, written);
	return written & 1 << X86_RSP ? prologue_step_rsp(w) : 0;
}

/* --- choosing --- */

static int prologue_load(struct walk *w)
{
	return w->at < w->n ? x86_decode(&w->insn, w->code + w->at, w->n - w->at) : -ENODATA;
}

static void set_site(struct walk *w, struct site *ret, enum site_kind kind)
{
	*ret = (struct site){
		.offset = (uint32_t)w->at,
		.kind = kind,
		.len = w->insn.len,
		.cond = kind == SITE_BRANCH ? (uint8_t)x86_jcc_cond(&w->insn) : 0,
		.drop_taken = kind == SITE_BRANCH && w->check == CHECK_COMPARED,
		.frame = w->frame,
		.lost_regs = w->lost,
	};
}

/*
 * After the stack check's last jump: the site is the push after it if there is one, or else the
 * jump.
 */
static int site_after_check(struct walk *w, struct site *ret)
{
	struct x86_insn next;
	size_t after = w->at + w->insn.len;

	if (x86_jcc_cond(&w->insn) != X86_COND_BE)
		return -ENOTSUP;
	if (x86_decode(&next, w->code + after, w->n - after) || !is_push_rbp(&next)) {
		set_site(w, ret, SITE_BRANCH);
		return 1;
	}
	w->at = after;
	w->insn = next;
	set_site(w, ret, SITE_FRAME);
	return 1;
}

/* 1: *@ret is set; 0: go on with the next instruction. */
static int prologue_visit(struct walk *w, struct site *ret)
{
	if (is_push_rbp(&w->insn)) {
		if (w->check != CHECK_NONE)
			return -ENOTSUP;
		set_site(w, ret, SITE_FRAME);
		return 1;
	}
	if (w->check == CHECK_COMPARED && !x86_is_jcc(&w->insn))
		return prologue_is_padding(&w->insn) ? 0 : -ENOTSUP;
	if (!x86_is_jcc(&w->insn))
		return prologue_step(w);
	if (w->check == CHECK_COMPARED)
		return site_after_check(w, ret);
	if (w->check == CHECK_OPEN)	/* jb, je to morestack */
		return 0;
	set_site(w, ret, SITE_BRANCH);
	return 1;
}

/* Uses a nop that was passed if the straight code ends without a jump. */
static int fall_back_to_nop(struct walk *w, struct site *ret)
{
	size_t nop = w->nop;
	struct walk again = { .code = w->code, .n = w->n,
			      .from_rsp = 1 << X86_RSP };

	if (!nop || w->check != CHECK_NONE)
		return -ENOTSUP;
	for (; again.at < nop - 1; again.at += again.insn.len) {
		if (prologue_load(&again) || prologue_step(&again))
			return -ENOTSUP;
	}
	if (prologue_load(&again))
		return -ENOTSUP;
	set_site(&again, ret, SITE_NOP);
	return 1;
}

static int find_site(struct walk *w, struct site *ret)
{
	int i, r;

	for (i = 0; i < MAX_INSNS; i++, w->at += w->insn.len) {
		r = prologue_load(w);
		if (!r)
			r = prologue_visit(w, ret);
		if (r)
			return r < 0 ? fall_back_to_nop(w, ret) : r;
	}
	return fall_back_to_nop(w, ret);
}

/*
 * Checks that no jump of the whole function leads to the site or before it, so that a call passes
 * it once.
 */
static int prologue_check_runs_once(const uint8_t *code, size_t n, const struct site *site)
{
	struct x86_insn insn;
	size_t at;

	for (at = 0; at < n; at += insn.len) {
		int64_t target;

		if (x86_decode(&insn, code + at, n - at))
			return -ENOTSUP;
		target = (int64_t)(at + insn.len) + insn.imm;
		if (x86_is_branch(&insn) && insn.opcode != 0xe8 && target >= 0 &&
		    target <= (int64_t)site->offset)
			return -ENOTSUP;
	}
	return 0;
}

static void prologue_describe(struct site *s)
{
	static const char *const conds[16] = {
		"jo", "jno", "jb", "jae", "je", "jne", "jbe", "ja",
		"js", "jns", "jp", "jnp", "jl", "jge", "jle", "jg",
	};
	const char *name = s->kind == SITE_FRAME ? "push %rbp" :
			   s->kind == SITE_NOP ? "nop" : conds[s->cond & 15];
	int n = snprintf(s->text, sizeof(s->text), "%s at +0x%x", name, s->offset);

	if (s->frame)
		n += snprintf(s->text + n, sizeof(s->text) - (size_t)n, ", frame 0x%x", s->frame);
	if (s->drop_taken)
		snprintf(s->text + n, sizeof(s->text) - (size_t)n, ", dropped if taken");
}

int x86_prologue_site(const uint8_t *code, size_t n, struct site *ret)
{
	struct walk w = { .code = code, .n = n, .from_rsp = 1 << X86_RSP };
	struct site site;
	bool by_form;
	int r = find_site(&w, &site);

	if (r < 0)
		return r;
	/*
	 * A push at the start or after the stack check runs once by the form of the prologue: no
	 * code of the function can jump to it. Other sites need the proof from the whole function.
	 */
	by_form = site.drop_taken || (site.kind == SITE_FRAME &&
				      (!site.offset || w.check == CHECK_COMPARED));
	if (!by_form && prologue_check_runs_once(code, n, &site))
		return -ENOTSUP;
	prologue_describe(&site);
	*ret = site;
	return 0;
}
