// SPDX-License-Identifier: Apache-2.0
/*
 * inlined_code: finds the conditional jumps after the atomic operations of functions of the runtime
 * that -pgo inlined into others; see target/code.h. Each operation is there twice, with and without
 * the instructions of ARMv8.1, and the jump is behind the place where both meet:
 *
 *	tbz w4,#0,else; casal w27,w2,[x3]; cmp w27,w1; cset x4,eq; b join
 *	else: ldaxr w27,[x3]; cmp; b.ne; stlxr w27,w2,[x3]; cbnz w27,else; cset x4,eq
 *	join: tbnz w4,#0
 */
#include <errno.h>
#include <string.h>

#include "symbol/pclntab.h"
#include "target/arm64/walk.h"
#include "target/code_ops.h"

/* Goes on from the one with the new instructions to the join; false: the code has another form. */
static bool arm64_to_join(struct arm64_walk *w)
{
	enum { MOST = 8 };
	int i;

	for (i = 0; i < MOST && arm64_next(w); i++) {
		if (w->insn.op == ARM64_B)
			return arm64_go_to(w, arm64_target_offset(w));
		if (arm64_is_jump(&w->insn) || arm64_is_call(&w->insn) ||
		    arm64_ends_flow(&w->insn))
			return false;
	}
	return false;
}

/* From a join: the first conditional jump in straight code. */
static bool arm64_to_jump(struct arm64_walk *w)
{
	bool more = true;

	for (; more; more = arm64_next(w)) {
		if (arm64_is_conditional(&w->insn))
			return true;
		if (arm64_is_call(&w->insn) || arm64_ends_flow(&w->insn))
			return false;
	}
	return false;
}

int arm64_inlined_cas_jump(const struct gobin *b, const struct gobin_func *fn, unsigned int field,
			   uint32_t *offset)
{
	struct arm64_walk w, at;
	uint32_t to_field = 0;	/* registers that hold an address with the offset of the field */
	size_t found = 0;
	bool more;

	if (arm64_open_func(&w, b, fn))
		return -ENOTSUP;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		if (w.insn.op == ARM64_CAS && w.insn.size == 4 &&
		    (to_field >> w.insn.rn & 1)) {
			at = w;
			if (found || !arm64_to_join(&at) || !arm64_to_jump(&at))
				return -ENOTSUP;
			found = at.at;
		}
		to_field &= ~w.insn.written;
		if (w.insn.op == ARM64_ADD_IMM && w.insn.imm == (int64_t)field &&
		    w.insn.rd != ARM64_SP)
			to_field |= 1u << w.insn.rd;
	}
	*offset = (uint32_t)found;
	return found && arm64_at_padding(&w) ? 0 : -ENOTSUP;
}

/* Returns whether the instruction at @addr belongs to @name, or to a function inlined into it. */
static bool arm64_is_within(const struct gobin *b, uint64_t addr, const char *name)
{
	struct source_frame frames[SOURCE_MAX_INLINE];
	size_t i, n = gobin_table(b) ? pclntab_expand(gobin_table(b), addr, frames) : 0;

	for (i = 0; i + 1 < n; i++)	/* the last one is the host */
		if (!strcmp(frames[i].func, name))
			return true;
	return false;
}

/* ldaddal x2,x3,[x5]; add x3,x3,x2; b join: the sum is in x3, on both ways. */
static bool arm64_sum_of(const struct gobin *b, struct arm64_walk *w, int *reg)
{
	int old = w->insn.rd, by = w->insn.rm;

	if (!arm64_next_code(w) || w->insn.op != ARM64_ADD || !w->insn.wide ||
	    !((w->insn.rn == old && w->insn.rm == by) || (w->insn.rn == by && w->insn.rm == old)))
		return false;
	*reg = w->insn.rd;
	return arm64_to_join(w);
}

int arm64_inlined_add_jump(const struct gobin *b, const struct gobin_func *fn, const char *name,
			   uint32_t *offset, int *sum_reg)
{
	struct arm64_walk w;
	bool more;

	if (arm64_open_func(&w, b, fn))
		return -ENOTSUP;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w))
		if (w.insn.op == ARM64_ADD_ATOMIC && w.insn.wide &&
		    arm64_is_within(b, w.start + w.at, name))
			break;
	if (!more || !arm64_sum_of(b, &w, sum_reg))
		return -ENOTSUP;
	for (; more && !arm64_is_conditional(&w.insn); more = arm64_next(&w))
		if (arm64_writes(&w.insn, (unsigned int)*sum_reg) || arm64_is_jump(&w.insn) ||
		    arm64_ends_flow(&w.insn))
			return -ENOTSUP;
	*offset = (uint32_t)w.at;
	return more ? 0 : -ENOTSUP;
}
