// SPDX-License-Identifier: Apache-2.0
/* globals: which variables of the program a function names (code_globals() of code.h). */
#include "target/code.h"
#include "target/code_ops.h"
#include "target/x86/walk.h"

static bool globals_has(const uint64_t *list, size_t n, uint64_t addr)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i] == addr)
			return true;
	return false;
}

/* Padding at the end: int3, up to 1.15 in some places zeros. */
static bool globals_at_end(const struct walk *c)
{
	size_t i;

	for (i = c->at; i < c->n; i++)
		if (c->bytes[i] && c->bytes[i] != 0xcc)
			return false;
	return true;
}

size_t x86_code_globals(const struct gobin *b, const struct gobin_func *fn, uint64_t *ret,
			size_t max, bool *whole)
{
	uint64_t start, end, addr;
	struct walk c;
	size_t n = 0;
	bool more;

	*whole = false;
	gobin_data_range(b, &start, &end);
	if (walk_open_func(&c, b, fn))
		return 0;
	for (more = walk_decode(&c); more && n < max; more = walk_next(&c)) {
		if (!c.insn.has_mem || c.insn.base != X86_RIP)
			continue;
		addr = walk_rip_address(&c);
		if (addr >= start && addr < end && !globals_has(ret, n, addr))
			ret[n++] = addr;
	}
	*whole = globals_at_end(&c);
	return n;
}
