// SPDX-License-Identifier: Apache-2.0
/* assist: see assist.h. */
#include "target/assist.h"

#include <errno.h>

#include "target/x86/insn.h"

enum { CALL = 0xe8, MOV_BYTE = 0xc6 };

static bool clears(const struct x86_insn *insn, int32_t field)
{
	return insn->opcode == MOV_BYTE && insn->has_mem && !insn->imm && !insn->seg &&
	       insn->base != X86_RSP && insn->base != X86_RIP && insn->index == X86_NO_REG &&
	       insn->disp == field;
}

/* Each end has the store twice, with and without a trace; one of them follows a call of GCMarkAssistDone. */
int assist_ends(const struct gobin *b, const struct gobin_func *fn, int32_t field,
		struct vec *ret)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	struct gobin_func done;
	struct x86_insn insn;
	size_t at, stores = 0, calls = 0;

	if (!code || gobin_func(b, "runtime.traceLocker.GCMarkAssistDone", &done))
		return -ENOTSUP;
	for (at = 0; at < fn->size; at += insn.len) {
		if (x86_decode(&insn, code + at, fn->size - at))
			return -ENOTSUP;
		if (clears(&insn, field)) {
			*(uint32_t *)vec_push(ret, sizeof(uint32_t)) = (uint32_t)at;
			stores++;
		} else if (insn.opcode == CALL &&
			   fn->addr + at + insn.len + (uint64_t)insn.imm == done.addr) {
			calls++;
		}
	}
	return calls && stores == 2 * calls ? 0 : -ENOTSUP;
}
