// SPDX-License-Identifier: Apache-2.0
/* walk: see walk.h. */
#include "target/x86/walk.h"

#include <errno.h>

enum { MAX_SIZE = 1 << 16, ALU8_IMM = 0x80, NOP = 0x90, LONG_NOP = X86_MAP_0F | 0x1f };

int walk_open_func(struct walk *c, const struct gobin *b, const struct gobin_func *fn)
{
	*c = (struct walk){ 0 };
	if (fn->size > MAX_SIZE)
		return -ENOTSUP;
	*c = (struct walk){ .start = fn->addr, .bytes = gobin_bytes(b, fn->addr, fn->size),
			    .n = fn->size };
	return c->bytes ? 0 : -ENOTSUP;
}

int walk_open(struct walk *c, const struct gobin *b, const char *name)
{
	struct gobin_func fn;

	*c = (struct walk){ 0 };
	if (gobin_func(b, name, &fn))
		return -ENOENT;
	return walk_open_func(c, b, &fn);
}

bool walk_decode(struct walk *c)
{
	return c->at < c->n && !x86_decode(&c->insn, c->bytes + c->at, c->n - c->at);
}

bool walk_next(struct walk *c)
{
	c->at += c->insn.len;
	return walk_decode(c);
}

uint64_t walk_branch_target(const struct walk *c)
{
	return c->start + c->at + c->insn.len + (uint64_t)c->insn.imm;
}

uint64_t walk_rip_address(const struct walk *c)
{
	return c->start + c->at + c->insn.len + (uint64_t)(int64_t)c->insn.disp;
}

bool walk_is_flag_test(const struct walk *c)
{
	const struct x86_insn *insn = &c->insn;

	return insn->opcode == ALU8_IMM && (insn->reg & 7) == X86_CMP && !insn->imm &&
	       x86_has_mem(insn, X86_RIP, insn->disp);
}

uint64_t walk_first_flag(struct walk *c)
{
	bool more;

	for (more = walk_decode(c); more; more = walk_next(c))
		if (walk_is_flag_test(c))
			return walk_rip_address(c);
	return 0;
}

/* Returns whether it is a nop, which assemblers put before jumps that would cross a cache line. */
static bool walk_is_padding(const struct x86_insn *insn)
{
	return insn->opcode == NOP || insn->opcode == LONG_NOP;
}

bool walk_into_flag(struct walk *c, size_t *jump)
{
	do {
		if (!walk_next(c))
			return false;
	} while (walk_is_padding(&c->insn));
	if (!x86_is_jcc(&c->insn))
		return false;
	*jump = c->at;
	if (x86_jcc_cond(&c->insn) == X86_COND_NE)
		c->at += c->insn.len + (uint64_t)c->insn.imm;
	else if (x86_jcc_cond(&c->insn) == X86_COND_E)
		c->at += c->insn.len;
	else
		return false;
	return walk_decode(c);
}
