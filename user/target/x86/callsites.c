// SPDX-License-Identifier: Apache-2.0
/* callsites: see callsites.h. */
#include "target/callsites.h"

#include <string.h>

#include "target/code_ops.h"
#include "target/x86/insn.h"

enum { CALL = 0xe8 };

/* Bounds hostile files: every function of Go's runtime has far fewer callers. */
enum { MAX_SITES = 1 << 16, MAX_BEFORE = 1 << 16 };

static void add_site(const struct gobin *b, uint64_t return_addr, struct vec *ret)
{
	struct callsite *site = vec_push(ret, sizeof(*site));

	site->return_addr = return_addr;
	if (gobin_func_at(b, return_addr - 1, &site->func))
		site->func = (struct gobin_func){ .name = "", .addr = return_addr };
}

/*
 * Returns whether a call of @target is at @p. It runs for every byte e8, of which 37 MB of code
 * have a million.
 */
static bool is_call_to(const uint8_t *p, uint64_t addr, uint64_t target)
{
	int32_t distance;

	memcpy(&distance, p + 1, sizeof(distance));
	return addr + X86_CALL_LEN + (uint64_t)(int64_t)distance == target;
}

uint64_t x86_callsites_first(const struct gobin *b, const struct gobin_func *fn, uint64_t target)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	size_t i;

	for (i = 0; code && i + X86_CALL_LEN <= fn->size; i++)
		if (code[i] == CALL && is_call_to(code + i, fn->addr + i, target))
			return fn->addr + i + X86_CALL_LEN;
	return 0;
}

void x86_callsites_find(const struct gobin *b, uint64_t target, struct vec *ret)
{
	const uint8_t *code, *p, *last;
	uint64_t start, end;
	size_t left = MAX_SITES;

	gobin_runtime_range(b, &start, &end);
	code = gobin_bytes(b, start, end - start);
	if (!code || end - start < X86_CALL_LEN)
		return;
	last = code + (end - start) - X86_CALL_LEN;
	for (p = code; p <= last && left; p++) {
		p = memchr(p, CALL, (size_t)(last - p) + 1);
		if (!p)
			return;
		if (is_call_to(p, start + (uint64_t)(p - code), target)) {
			add_site(b, start + (uint64_t)(p - code) + X86_CALL_LEN, ret);
			left--;
		}
	}
}

/* mov $imm32,%reg */
static bool is_constant(const struct x86_insn *insn, unsigned int reg)
{
	return insn->opcode == 0xb8 + reg && !(insn->rex & 1);
}

static void calls_follow(int *value, const struct x86_insn *insn, unsigned int reg)
{
	if (is_constant(insn, reg))
		*value = (int)insn->imm;
	else if (x86_written(insn) & 1 << reg)
		*value = -1;
}

bool x86_callsite_is_call(const struct gobin *b, const struct callsite *c)
{
	const uint8_t *code = gobin_bytes(b, c->func.addr, c->func.size);
	size_t at, end = c->return_addr - c->func.addr - X86_CALL_LEN;
	struct x86_insn insn;

	if (!code || end > MAX_BEFORE)
		return false;
	for (at = 0; at < end; at += insn.len)
		if (x86_decode(&insn, code + at, c->func.size - at))
			return false;
	return at == end;
}

/*
 * The compiler sets the arguments right before the call. No known code jumps in between with other
 * arguments.
 */
void x86_callsite_constants(const struct gobin *b, const struct callsite *c, int *second,
			    int *third)
{
	const uint8_t *code = gobin_bytes(b, c->func.addr, c->func.size);
	size_t at, end = c->return_addr - c->func.addr - X86_CALL_LEN;
	struct x86_insn insn;

	*second = *third = -1;
	if (end > MAX_BEFORE)
		return;
	for (at = 0; code && at < end; at += insn.len) {
		if (x86_decode(&insn, code + at, c->func.size - at)) {
			*second = *third = -1;
			return;
		}
		calls_follow(second, &insn, X86_RBX);
		calls_follow(third, &insn, X86_RCX);
		if (insn.opcode == CALL || x86_ends_flow(&insn))
			*second = *third = -1;
	}
}
