// SPDX-License-Identifier: Apache-2.0
/*
 * alloc_type: see target/alloc_type.h. An `adrp` and an addition put the address of a type into the
 * register of an argument. It is a constant of the call if no jump leads in between. Before Go 1.18
 * arguments are on the stack, and the type is not known.
 */
#include "target/alloc_type.h"

#include "target/arm64/walk.h"
#include "target/code_ops.h"

enum { ARGUMENTS = 16 };	/* ABIInternal: R0 to R15 */

/* Walks to @call. Returns the offset at which @reg got the address that it has at the call. */
static bool type_find(struct arm64_walk *w, uint64_t call, unsigned int reg, size_t *since)
{
	bool more;

	*since = 0;
	for (more = arm64_decode_at(w); more && w->start + w->at < call; more = arm64_next(w)) {
		const struct arm64_insn *insn = &w->insn;

		if (arm64_writes(insn, reg) && !(insn->op == ARM64_ADD_IMM && insn->rn == reg))
			*since = w->at;
	}
	return more && w->start + w->at == call && w->addresses.known >> reg & 1;
}

uint64_t arm64_code_constant_argument(const struct gobin *b, const struct gobin_func *fn,
				      uint64_t call, unsigned int arg)
{
	struct arm64_walk w;
	size_t since;

	if (arg >= ARGUMENTS || !gobin_register_args(b) || arm64_open_func(&w, b, fn) ||
	    !type_find(&w, call, arg, &since) ||
	    arm64_is_entered(&w, since + ARM64_LEN, w.at))
		return 0;
	return w.addresses.of[arg];
}
