// SPDX-License-Identifier: Apache-2.0
/* sema_slot: see sema_slot.h. */
#include "target/sema_slot.h"

#include <errno.h>

#include "target/callsites.h"
#include "target/code_ops.h"
#include "target/x86/insn.h"

/* mov N(%rsp),%rax or mov %rax,N(%rsp), of 64 bits. */
static bool sema_is_move(const struct x86_insn *insn, uint16_t opcode)
{
	return insn->opcode == opcode && insn->rex & 8 && insn->reg == X86_RAX && insn->has_mem &&
	       x86_has_mem(insn, X86_RSP, insn->disp);
}

/*
 * Reads the slot from the code after the call. Up to Go 1.16 the result is on the stack, and is
 * loaded first.
 */
static int sema_slot_in(const uint8_t *code, size_t n, uint32_t *slot)
{
	struct x86_insn insn;
	size_t at = 0;

	if (x86_decode(&insn, code, n))
		return -ENOTSUP;
	if (sema_is_move(&insn, 0x8b) && !insn.disp) {
		at = insn.len;
		if (x86_decode(&insn, code + at, n - at))
			return -ENOTSUP;
	}
	if (!sema_is_move(&insn, 0x89) || insn.disp < 0 || insn.disp > 1 << 12)
		return -ENOTSUP;
	*slot = (uint32_t)insn.disp;
	return 0;
}

int x86_sema_slot(const struct gobin *b, uint64_t *start, uint64_t *end, uint32_t *slot)
{
	struct gobin_func fn, acquire;
	const uint8_t *code;
	uint64_t ret;

	if (gobin_func(b, "runtime.semacquire1", &fn) ||
	    gobin_func(b, "runtime.acquireSudog", &acquire))
		return -ENOENT;
	ret = x86_callsites_first(b, &fn, acquire.addr);
	if (!ret)
		return -ENOTSUP;
	code = gobin_bytes(b, ret, fn.addr + fn.size - ret);
	if (!code || sema_slot_in(code, fn.addr + fn.size - ret, slot))
		return -ENOTSUP;
	*start = fn.addr;
	*end = fn.addr + fn.size;
	return 0;
}
