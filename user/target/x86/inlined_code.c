// SPDX-License-Identifier: Apache-2.0
/*
 * inlined_code: finds the conditional jumps after the atomic operations of functions of the runtime
 * that -pgo inlined into others; see target/code.h.
 */
#include <errno.h>
#include <string.h>

#include "symbol/pclntab.h"
#include "target/code.h"
#include "target/code_ops.h"
#include "target/x86/insn.h"

/* lock cmpxchg %reg,@field(%reg) */
static bool inlined_is_cas(const struct x86_insn *insn, unsigned int field)
{
	return insn->opcode == (X86_MAP_0F | 0xb1) && insn->lock && insn->has_mem &&
	       insn->disp == (int32_t)field;
}

int x86_inlined_cas_jump(const struct gobin *b, const struct gobin_func *fn, unsigned int field,
		     uint32_t *offset)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	struct x86_insn insn;
	size_t at, found = 0;
	bool waits = false;

	for (at = 0; code && at < fn->size; at += insn.len) {
		if (x86_decode(&insn, code + at, fn->size - at))
			return -ENOTSUP;
		if (inlined_is_cas(&insn, field)) {
			if (waits || found)
				return -ENOTSUP;
			waits = true;
		} else if (waits && x86_is_jcc(&insn)) {
			found = at;
			waits = false;
		} else if (waits && (x86_is_branch(&insn) || x86_ends_flow(&insn))) {
			return -ENOTSUP;
		}
	}
	*offset = (uint32_t)found;
	return found ? 0 : -ENOTSUP;
}

/* --- an atomic addition --- */

/*
 * Returns whether the instruction at @addr belongs to @name, or to a function inlined into @name.
 */
static bool inlined_is_within(const struct gobin *b, uint64_t addr, const char *name)
{
	struct source_frame frames[SOURCE_MAX_INLINE];
	size_t i, n = gobin_table(b) ? pclntab_expand(gobin_table(b), addr, frames) : 0;

	for (i = 0; i + 1 < n; i++)	/* the last one is the host */
		if (!strcmp(frames[i].func, name))
			return true;
	return false;
}

/* lock xadd %reg,mem */
static bool is_exchange_add(const struct x86_insn *insn)
{
	return insn->opcode == (X86_MAP_0F | 0xc1) && insn->lock && insn->has_mem;
}

/* add %other,%reg of the same width: xadd has left the old value in @reg. */
static bool adds_to(const struct x86_insn *insn, int reg)
{
	enum { ADD_TO_RM = 0x01, REX_W = 8 };

	return insn->opcode == ADD_TO_RM && !insn->has_mem && insn->rm == reg &&
	       (insn->rex & REX_W);
}

int x86_inlined_add_jump(const struct gobin *b, const struct gobin_func *fn, const char *name,
		     uint32_t *offset, int *sum_reg)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	enum { SEARCH, ADDED_TO_MEMORY, ADDED } state = SEARCH;
	struct x86_insn insn;
	size_t at;
	int reg = X86_NO_REG;

	for (at = 0; code && at < fn->size; at += insn.len) {
		if (x86_decode(&insn, code + at, fn->size - at))
			return -ENOTSUP;
		if (state == SEARCH && is_exchange_add(&insn) &&
		    inlined_is_within(b, fn->addr + at, name)) {
			state = ADDED_TO_MEMORY;
			reg = insn.reg;
		} else if (state == ADDED_TO_MEMORY) {
			if (!adds_to(&insn, reg))
				return -ENOTSUP;
			state = ADDED;
		} else if (state == ADDED && x86_is_jcc(&insn)) {
			*offset = (uint32_t)at;
			*sum_reg = reg;
			return 0;
		} else if (state == ADDED && (x86_written(&insn) & 1u << reg ||
					      x86_is_branch(&insn) || x86_ends_flow(&insn))) {
			return -ENOTSUP;
		}
	}
	return -ENOTSUP;
}
