// SPDX-License-Identifier: Apache-2.0
/* ends, assist: see target/ends.h and target/assist.h; for arm64. */
#include <errno.h>

#include "target/arm64/walk.h"
#include "target/code_ops.h"

static void arm64_push_offset(struct vec *v, size_t at)
{
	*(uint32_t *)vec_push(v, sizeof(uint32_t)) = (uint32_t)at;
}

/* Drops those of @returns, from @first on, that may run after one of the @n instructions @from. */
static int arm64_drop_reached(const struct arm64_walk *w, const size_t *from, size_t n,
			      struct vec *returns, size_t first)
{
	struct arm64_set none = arm64_set(w), seen = arm64_set(w);
	int r = arm64_reach(w, from, n, &none, &seen);
	size_t i, left = first;

	for (i = first; i < returns->len && !r; i++) {
		uint32_t at = *vec_at(returns, uint32_t, i);

		if (!arm64_has(&seen, at))
			*vec_at(returns, uint32_t, left++) = at;
	}
	if (!r)
		returns->len = left;
	arm64_set_free(&none);
	arm64_set_free(&seen);
	return r;
}

/* All of both kinds, in the order of their addresses. */
static int arm64_ends_sweep(struct arm64_walk *w, uint64_t callee, struct vec *calls,
			    struct vec *returns)
{
	bool more;

	for (more = arm64_decode_at(w); more; more = arm64_next(w)) {
		if (w->insn.op == ARM64_RET)
			arm64_push_offset(returns, w->at);
		else if (callee && arm64_calls(w, callee))
			arm64_push_offset(calls, w->at);
	}
	return arm64_at_padding(w) ? 0 : -ENOTSUP;
}

int arm64_ends_find(const struct gobin *b, const struct gobin_func *fn, uint64_t callee,
		    struct vec *calls, struct vec *returns)
{
	size_t first_call = calls->len, first_return = returns->len, n, i;
	struct vec from = {0};
	struct arm64_walk w;
	int r = arm64_open_func(&w, b, fn);

	if (!r)
		r = arm64_ends_sweep(&w, callee, calls, returns);
	n = calls->len - first_call;
	for (i = first_call; i < calls->len && !r; i++)
		*(size_t *)vec_push(&from, sizeof(size_t)) = *vec_at(calls, uint32_t, i);
	if (!r && n)
		r = arm64_drop_reached(&w, vec_at(&from, size_t, 0), n, returns, first_return);
	vec_free(&from);
	return r;
}

/* --- the ends of an assist --- */

/* strb wzr,[xN,#field] */
static bool arm64_clears(const struct arm64_insn *insn, int32_t field)
{
	return insn->op == ARM64_STORE && insn->size == 1 && !insn->pair && !insn->vector &&
	       insn->rd == ARM64_ZERO && insn->rn != ARM64_SP && !insn->by &&
	       insn->imm == field;
}

int arm64_assist_ends(const struct gobin *b, const struct gobin_func *fn, int32_t field,
		      struct vec *ret)
{
	size_t stores = 0, calls = 0;
	struct gobin_func done;
	struct arm64_walk w;
	bool more;

	if (arm64_open_func(&w, b, fn) ||
	    gobin_func(b, "runtime.traceLocker.GCMarkAssistDone", &done))
		return -ENOTSUP;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		if (arm64_clears(&w.insn, field)) {
			arm64_push_offset(ret, w.at);
			stores++;
		} else if (arm64_calls(&w, done.addr)) {
			calls++;
		}
	}
	return calls && stores == 2 * calls && arm64_at_padding(&w) ? 0 : -ENOTSUP;
}

/* --- what only --attach inline asks for, which has no code for arm64 --- */

int arm64_assist_hooks(const struct gobin *b, const struct gobin_func *fn, int32_t field,
		       struct vec *ret)
{
	return -ENOTSUP;
}

int arm64_exitsyscall_hook(const struct gobin *b, const struct exit_site *site,
			   struct trace_hook *ret, struct error *err)
{
	return error_set(err, -ENOTSUP, "code in the target is not made for arm64");
}
