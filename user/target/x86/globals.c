// SPDX-License-Identifier: Apache-2.0
/* globals: which variables of the program a function names (code_globals() of target/code.h). */
#include "target/code.h"
#include "target/x86/walk.h"

static bool globals_has(const uint64_t *list, size_t n, uint64_t addr)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i] == addr)
			return true;
	return false;
}

size_t code_globals(const struct gobin *b, const struct gobin_func *fn, uint64_t *ret, size_t max)
{
	uint64_t start, end, addr;
	struct walk c;
	size_t n = 0;
	bool more;

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
	return n;
}
