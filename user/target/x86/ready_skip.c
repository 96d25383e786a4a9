// SPDX-License-Identifier: Apache-2.0
/* ready_skip: see ready_skip.h. */
#include "target/ready_skip.h"

#include <errno.h>

#include "target/callsites.h"
#include "target/code_ops.h"
#include "target/x86/insn.h"
#include "target/x86/ready_skip.h"

struct walk {
	const uint8_t *code;
	size_t n, upto, at;
	struct x86_insn insn;
	int64_t rsp, rbp;	/* relative to rsp on entry */
	bool has_frame;		/* rbp is this function's own */
	uint16_t lost;
	unsigned int reg;
	size_t stored;		/* offset after the store, 0: not seen yet */
	int32_t slot;		/* offset of the slot from rsp */
};

/* mov %REG,N(%rsp), of any size */
static bool is_stack_store(const struct x86_insn *insn)
{
	return (insn->opcode == 0x89 || insn->opcode == 0x88 || insn->opcode == 0xc7 ||
		insn->opcode == 0xc6) && x86_has_mem(insn, X86_RSP, insn->disp);
}

/* The stack pointer moves only in the prologue, by push, sub or add. */
static int ready_skip_step_rsp(struct walk *w)
{
	int64_t by;

	if (w->insn.opcode == 0x55)
		by = -8;
	else if (!x86_moves_rsp(&w->insn, &by))
		return -ENOTSUP;
	if (w->stored || by < -(1 << 30) || by > 0)
		return -ENOTSUP;
	w->rsp += by;
	return 0;
}

/* mov %rsp,%rbp, and lea N(%rsp),%rbp up to Go 1.20 */
static void step_rbp(struct walk *w)
{
	const struct x86_insn *insn = &w->insn;

	w->has_frame = true;
	if (insn->opcode == 0x89 && !insn->has_mem && insn->reg == X86_RSP)
		w->rbp = w->rsp;
	else if (insn->opcode == 0x8d && x86_has_mem(insn, X86_RSP, insn->disp))
		w->rbp = w->rsp + insn->disp;
	else
		w->has_frame = false;
}

static int step_store(struct walk *w)
{
	const struct x86_insn *insn = &w->insn;

	if (w->stored)		/* the slot must keep its value */
		return insn->disp == w->slot ? -ENOTSUP : 0;
	if (insn->opcode != 0x89 || !(insn->rex & 8) || insn->reg != w->reg ||
	    (w->lost & 1 << w->reg) || !w->has_frame)
		return 0;
	w->stored = w->at + insn->len;
	w->slot = insn->disp;
	return 0;
}

static int ready_skip_step(struct walk *w)
{
	bool is_call = w->insn.opcode == 0xe8;
	uint16_t written = x86_written(&w->insn);
	int r = 0;

	if (is_stack_store(&w->insn))
		r = step_store(w);
	else if (w->insn.opcode == 0x55 || (!is_call && (written & 1 << X86_RSP)))
		r = ready_skip_step_rsp(w);
	else if (!is_call && (written & 1 << X86_RBP))
		step_rbp(w);
	w->lost |= written;
	return r;
}

/* Checks that no jump from outside enters the code between the store and @upto. */
static int check_dominates(struct walk w)
{
	for (w.at = 0; w.at < w.n; w.at += w.insn.len) {
		size_t target;

		if (x86_decode(&w.insn, w.code + w.at, w.n - w.at))
			return -ENOTSUP;
		target = w.at + w.insn.len + (uint64_t)w.insn.imm;
		if (x86_is_branch(&w.insn) && w.insn.opcode != 0xe8 &&
		    (w.at < w.stored || w.at > w.upto) && target >= w.stored && target <= w.upto)
			return -ENOTSUP;
	}
	return 0;
}

int x86_spill_slot(const uint8_t *code, size_t n, size_t upto, unsigned int reg, int *fp_off)
{
	struct walk w = { .code = code, .n = n, .upto = upto, .reg = reg };

	for (; w.at < upto; w.at += w.insn.len) {
		if (w.at >= n || x86_decode(&w.insn, code + w.at, n - w.at) || ready_skip_step(&w))
			return -ENOTSUP;
	}
	if (!w.stored || check_dominates(w))
		return -ENOTSUP;
	*fp_off = (int)(w.rsp + w.slot - w.rbp);
	/* a slot below the return address would be a local variable of the function itself */
	return *fp_off >= 16 ? 0 : -ENOTSUP;
}

/* Offset in @fn of its first call of @target, 0 if there is none. */
static size_t ready_skip_first_call(const struct gobin *b, const struct gobin_func *fn,
				    uint64_t target)
{
	struct vec sites = {0};
	size_t i, found = 0;

	x86_callsites_find(b, target, &sites);
	for (i = 0; i < sites.len && !found; i++) {
		const struct callsite *site = vec_at(&sites, struct callsite, i);

		if (site->func.addr == fn->addr && site->return_addr - fn->addr > X86_CALL_LEN)
			found = site->return_addr - fn->addr - X86_CALL_LEN;
	}
	vec_free(&sites);
	return found;
}

int x86_ready_skip_slot(const struct gobin *b, int *fp_off, struct error *err)
{
	struct gobin_func ready, casgstatus;
	const uint8_t *code;
	size_t call;

	if (gobin_func(b, "runtime.ready", &ready) ||
	    gobin_func(b, "runtime.casgstatus", &casgstatus))
		return error_set(err, -ENOENT, "no runtime.ready in '%s'", gobin_path(b));
	code = gobin_bytes(b, ready.addr, ready.size);
	call = ready_skip_first_call(b, &ready, casgstatus.addr);
	if (!code || !call || x86_spill_slot(code, ready.size, call, X86_RBX, fp_off))
		return error_set(err, -ENOTSUP, "runtime.ready of %s does not keep its second "
				 "argument in memory", gobin_go_version(b));
	return 0;
}
