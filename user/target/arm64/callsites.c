// SPDX-License-Identifier: Apache-2.0
/* callsites: see target/callsites.h; for arm64, where every aligned word is one instruction. */
#include <string.h>

#include "target/arm64/walk.h"
#include "target/code_ops.h"

/* Bounds hostile files: every function of Go's runtime has far fewer callers. */
enum { ARM64_MAX_SITES = 1 << 16 };

/* Returns whether the word at @p, which has the address @addr, is `bl` to @target. */
static bool arm64_is_call_to(const uint8_t *p, uint64_t addr, uint64_t target)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w >> 26 == 0x25 &&
	       addr + (uint64_t)((int64_t)((uint64_t)w << 38) >> 36) == target;
}

uint64_t arm64_callsites_first(const struct gobin *b, const struct gobin_func *fn,
			       uint64_t target)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	size_t i, n = code ? arm64_code_size(code, fn->size) : 0;

	for (i = 0; i + ARM64_LEN <= n; i += ARM64_LEN)
		if (arm64_is_call_to(code + i, fn->addr + i, target))
			return fn->addr + i + ARM64_LEN;
	return 0;
}

/* Returns whether the word at @addr is a constant behind the instructions of @fn. */
static bool arm64_is_constant(const struct gobin *b, const struct gobin_func *fn, uint64_t addr)
{
	struct arm64_walk w;

	return !arm64_open_func(&w, b, fn) && addr - fn->addr >= w.n;
}

void arm64_callsites_find(const struct gobin *b, uint64_t target, struct vec *ret)
{
	uint64_t start, end, addr;
	const uint8_t *code;
	size_t left = ARM64_MAX_SITES;

	gobin_runtime_range(b, &start, &end);
	code = gobin_bytes(b, start, end - start);
	for (addr = (start + 3) & ~3ULL; code && addr + ARM64_LEN <= end && left;
	     addr += ARM64_LEN) {
		struct callsite site = { .return_addr = addr + ARM64_LEN };

		if (!arm64_is_call_to(code + (addr - start), addr, target))
			continue;
		left--;
		if (gobin_func_at(b, addr, &site.func))
			site.func = (struct gobin_func){ .name = "", .addr = addr };
		else if (arm64_is_constant(b, &site.func, addr))
			continue;
		*(struct callsite *)vec_push(ret, sizeof(site)) = site;
	}
}

bool arm64_callsite_is_call(const struct gobin *b, const struct callsite *c)
{
	uint64_t target;

	return arm64_code_is_call(b, c->return_addr - ARM64_LEN, &target);
}

static void arm64_follow_constant(int *value, const struct arm64_insn *insn, unsigned int reg)
{
	if (!arm64_writes(insn, reg))
		return;
	*value = insn->op == ARM64_CONST && insn->rd == reg && insn->imm == (int)insn->imm ?
			 (int)insn->imm : -1;
}

/* The compiler sets the arguments right before the call, in straight code. */
void arm64_callsite_constants(const struct gobin *b, const struct callsite *c, int *second,
			      int *third)
{
	uint64_t call = c->return_addr - ARM64_LEN;
	struct arm64_walk w;

	*second = *third = -1;
	if (arm64_open_func(&w, b, &c->func))
		return;
	for (; w.at < w.n && w.start + w.at < call; w.at += ARM64_LEN) {
		if (!arm64_decode_at(&w)) {
			*second = *third = -1;
			return;
		}
		arm64_follow_constant(second, &w.insn, ARM64_R1);
		arm64_follow_constant(third, &w.insn, ARM64_R2);
		if (arm64_is_call(&w.insn) || arm64_ends_flow(&w.insn))
			*second = *third = -1;
	}
}
