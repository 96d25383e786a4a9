// SPDX-License-Identifier: Apache-2.0
/* code: see target/code.h; the questions that are short to answer for amd64. */
#define _GNU_SOURCE
#include "target/code.h"

#include <string.h>

#include "target/x86/insn.h"

bool code_is_emulated(const struct gobin *b, uint64_t addr)
{
	const uint8_t *code = NULL;
	struct x86_insn insn;
	size_t n;

	for (n = ARCH_INSN_MAX; n && !code; n--)
		code = gobin_bytes(b, addr, n);
	return code && !x86_decode(&insn, code, n + 1) && x86_is_emulated(&insn);
}

bool code_is_call(const struct gobin *b, uint64_t addr, uint64_t *target)
{
	enum { CALL = 0xe8 };
	const uint8_t *code = gobin_bytes(b, addr, ARCH_CALL_LEN);
	struct x86_insn insn;

	if (!code || x86_decode(&insn, code, ARCH_CALL_LEN) || insn.opcode != CALL || insn.len != ARCH_CALL_LEN)
		return false;
	*target = addr + ARCH_CALL_LEN + (uint64_t)insn.imm;
	return true;
}

bool code_is_readable(int reg)
{
	const unsigned int readable = 1 << X86_RAX | 1 << X86_RCX | 1 << X86_RDX | 1 << X86_RBX |
				      1 << X86_RSI | 1 << X86_RDI;

	return readable >> reg & 1;
}

bool code_keeps_arguments(const struct site *site)
{
	const uint16_t used = 1 << X86_RAX | 1 << X86_RBX | 1 << X86_RCX | 1 << X86_RDI |
			      1 << X86_RSI | 1 << X86_R14;

	return !(site->lost_regs & used);
}

/* asm_amd64.s calls the function through RDI. */
uint64_t code_systemstack_return(const struct gobin *b, const struct gobin_func *fn)
{
	static const uint8_t call_rdi[] = { 0xff, 0xd7 };
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size), *at;
	size_t behind;

	at = code ? memmem(code, fn->size, call_rdi, sizeof(call_rdi)) : NULL;
	if (!at)
		return 0;
	behind = (size_t)(at - code) + sizeof(call_rdi);
	if (memmem(code + behind, fn->size - behind, call_rdi, sizeof(call_rdi)))
		return 0;
	return fn->addr + behind;
}
