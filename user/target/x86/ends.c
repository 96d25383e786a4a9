// SPDX-License-Identifier: Apache-2.0
/* ends: see target/ends.h; for amd64. */
#include "target/ends.h"

#include <errno.h>

#include "target/code_ops.h"
#include "target/x86/flow.h"

enum { CALL = 0xe8, RET = 0xc3 };

static void ends_push(struct vec *v, size_t at)
{
	*(uint32_t *)vec_push(v, sizeof(uint32_t)) = (uint32_t)at;
}

/* All of both kinds, in straight order: the function is code from its begin to its end. */
static int ends_sweep(struct flow *f, uint64_t callee, struct vec *calls, struct vec *returns)
{
	size_t at;

	for (at = 0; at < f->n; at += f->insn.len) {
		if (flow_decode(f, at))
			return -ENOTSUP;
		if (f->insn.opcode == RET)
			ends_push(returns, at);
		else if (callee && f->insn.opcode == CALL &&
			 f->start + flow_branch_target(f) == callee)
			ends_push(calls, at);
	}
	return 0;
}

/* Drops those of @returns, from @first on, that may run after one of the @n instructions @from. */
static int ends_drop_reached(struct flow *f, const size_t *from, size_t n, struct vec *returns,
			     size_t first)
{
	struct flow_set none = flow_set(f), seen = flow_set(f);
	size_t i, left = first;
	int r = flow_reach(f, from, n, &none, &seen);

	for (i = first; i < returns->len && !r; i++) {
		uint32_t at = *vec_at(returns, uint32_t, i);

		if (!flow_has(&seen, at))
			*vec_at(returns, uint32_t, left++) = at;
	}
	if (!r)
		returns->len = left;
	flow_free(&none);
	flow_free(&seen);
	return r;
}

int x86_ends_find(const struct gobin *b, const struct gobin_func *fn, uint64_t callee,
	      struct vec *calls, struct vec *returns)
{
	size_t first_call = calls->len, first_return = returns->len, n, i;
	struct flow f = flow_of(b, fn);
	struct vec from = {0};
	int r;

	if (!f.code)
		return -ENOTSUP;
	r = ends_sweep(&f, callee, calls, returns);
	n = calls->len - first_call;
	for (i = first_call; i < calls->len && !r; i++)
		*(size_t *)vec_push(&from, sizeof(size_t)) = *vec_at(calls, uint32_t, i);
	if (!r && n)
		r = ends_drop_reached(&f, vec_at(&from, size_t, 0), n, returns, first_return);
	vec_free(&from);
	return r;
}
