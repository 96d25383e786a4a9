// SPDX-License-Identifier: Apache-2.0
/* ready_skip, sema_slot: see target/ready_skip.h and target/sema_slot.h; for arm64. */
#include <errno.h>

#include "target/arm64/walk.h"
#include "target/code_ops.h"

/*
 * Finds the store of x1, while it is the second argument, into the stack before the call at @call:
 * above the frame, in the words that the caller keeps for arguments. x29 is sp - 8.
 */
static int arm64_find_spill(struct arm64_walk w, size_t call, int *fp_off)
{
	int64_t frame = 0, slot = 0;
	size_t stored = 0;
	bool lost = false;

	for (; w.at < call; w.at += ARM64_LEN) {
		const struct arm64_insn *insn = &w.insn;

		if (!arm64_decode_at(&w))
			return -ENOTSUP;
		if (arm64_writes(insn, ARM64_SP) && !arm64_is_call(insn)) {
			if (stored || frame || insn->op != ARM64_STORE || insn->by >= 0)
				return -ENOTSUP;
			frame = -insn->by;
		}
		if (insn->op == ARM64_STORE && insn->rn == ARM64_SP && frame && !insn->by) {
			if (stored && insn->imm == slot)	/* the slot must keep its value */
				return -ENOTSUP;
			if (!stored && !lost && insn->rd == ARM64_R1 && insn->wide &&
			    !insn->pair && insn->imm > frame) {
				stored = w.at + ARM64_LEN;
				slot = insn->imm;
			}
		}
		lost |= arm64_writes(insn, ARM64_R1);
	}
	if (!stored || arm64_is_entered(&w, stored, call))
		return -ENOTSUP;
	*fp_off = (int)slot + 8;
	return 0;
}

int arm64_ready_skip_slot(const struct gobin *b, int *fp_off, struct error *err)
{
	struct gobin_func ready, casgstatus;
	struct arm64_walk w;
	uint64_t ret;

	if (gobin_func(b, "runtime.ready", &ready) ||
	    gobin_func(b, "runtime.casgstatus", &casgstatus))
		return error_set(err, -ENOENT, "no runtime.ready in '%s'", gobin_path(b));
	ret = arm64_callsites_first(b, &ready, casgstatus.addr);
	if (!gobin_register_args(b) || !ret || arm64_open_func(&w, b, &ready) ||
	    arm64_find_spill(w, ret - ARM64_LEN - ready.addr, fp_off))
		return error_set(err, -ENOTSUP, "runtime.ready of %s does not keep its second "
				 "argument in memory", gobin_go_version(b));
	return 0;
}

/* str x0,[sp,#slot]; up to Go 1.17 ldr x0,[sp,#16] before: the result is on the stack */
int arm64_sema_slot(const struct gobin *b, uint64_t *start, uint64_t *end, uint32_t *slot)
{
	enum { MOST = 1 << 12 };
	struct gobin_func fn, acquire;
	struct arm64_walk w;
	uint64_t ret;

	if (gobin_func(b, "runtime.semacquire1", &fn) ||
	    gobin_func(b, "runtime.acquireSudog", &acquire))
		return -ENOENT;
	ret = arm64_callsites_first(b, &fn, acquire.addr);
	if (!ret || arm64_open_func(&w, b, &fn) || !arm64_go_to(&w, ret - fn.addr))
		return -ENOTSUP;
	if (w.insn.op == ARM64_LOAD && w.insn.rd == ARM64_R0 &&
	    arm64_has_mem(&w.insn, ARM64_SP, 8) && !arm64_next(&w))
		return -ENOTSUP;
	if (w.insn.op != ARM64_STORE || w.insn.rd != ARM64_R0 || !w.insn.wide || w.insn.pair ||
	    !arm64_has_mem(&w.insn, ARM64_SP, w.insn.imm) || w.insn.imm < 0 || w.insn.imm > MOST)
		return -ENOTSUP;
	*slot = (uint32_t)w.insn.imm;
	*start = fn.addr;
	*end = fn.addr + fn.size;
	return 0;
}
