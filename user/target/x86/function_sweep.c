// SPDX-License-Identifier: Apache-2.0
/*
 * function_sweep: see target/code_ops.h, for amd64. A linear sweep finds every instruction, because
 * Go's linker puts no data into its text: jump tables are read-only data (1.19 and later), and
 * padding is int3, or zeros.
 */
#include <errno.h>

#include "target/code_ops.h"
#include "target/x86/insn.h"

static bool sweep_is_return(const struct x86_insn *insn)
{
	return insn->opcode == 0xc3;
}

static bool sweep_is_call(const struct x86_insn *insn)
{
	return insn->opcode == 0xe8;
}

/* The bytes that the linker puts between functions: int3, up to 1.15 in some places zeros. */
static bool sweep_is_padding(const uint8_t *code, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (code[i] != code[0] || (code[0] && code[0] != 0xcc))
			return false;
	return true;
}

static void sweep_take(struct function_sweep *s, const struct x86_insn *insn, size_t at, size_t n)
{
	int64_t target = (int64_t)(at + insn->len) + insn->imm;

	if (sweep_is_return(insn))
		*(uint32_t *)vec_push(s->ends, sizeof(uint32_t)) = (uint32_t)at;
	if (x86_is_branch(insn) && !sweep_is_call(insn)) {
		s->restarts |= !target;
		if (target < 0 || target >= (int64_t)n)
			*(int64_t *)vec_push(&s->jumps, sizeof(target)) = target;
	}
}

int x86_function_sweep(const uint8_t *code, size_t n, struct function_sweep *ret, uint32_t *at)
{
	struct x86_insn insn;
	size_t i;

	for (i = 0; i < n; i += insn.len) {
		if (x86_decode(&insn, code + i, n - i)) {
			*at = (uint32_t)i;
			return sweep_is_padding(code + i, n - i) ? 0 : -ENOTSUP;
		}
		sweep_take(ret, &insn, i, n);
	}
	return 0;
}

/* Instructions that the kernel refuses to step (arch/x86/kernel/uprobes.c). */
static bool sites_can_be_stepped(const struct x86_insn *insn)
{
	return !insn->lock && insn->opcode != 0xcc && insn->opcode != 0x9c && insn->opcode != 0x9d;
}

enum first_step x86_function_first(const uint8_t *code, size_t n)
{
	struct x86_insn first;

	if (x86_decode(&first, code, n) || !sites_can_be_stepped(&first))
		return FIRST_REFUSED;
	return x86_is_emulated(&first) ? FIRST_EMULATED : FIRST_STEPPED;
}
