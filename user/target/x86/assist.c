// SPDX-License-Identifier: Apache-2.0
/* assist: see assist.h. */
#include "target/assist.h"

#include <errno.h>

#include "target/code_ops.h"
#include "target/x86/flow.h"

enum { CALL = 0xe8, MOV_BYTE = 0xc6 };

static bool assist_clears(const struct x86_insn *insn, int32_t field)
{
	return insn->opcode == MOV_BYTE && insn->has_mem && !insn->imm && !insn->seg &&
	       insn->base != X86_RSP && insn->base != X86_RIP && insn->index == X86_NO_REG &&
	       insn->disp == field;
}

/*
 * The source has the store twice, with and without a trace (assist.h); exactly one of the two
 * follows a call of GCMarkAssistDone.
 */
int x86_assist_ends(const struct gobin *b, const struct gobin_func *fn, int32_t field,
		struct vec *ret)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	struct gobin_func done;
	struct x86_insn insn;
	size_t at, stores = 0, calls = 0;

	if (!code || gobin_func(b, "runtime.traceLocker.GCMarkAssistDone", &done))
		return -ENOTSUP;
	for (at = 0; at < fn->size; at += insn.len) {
		if (x86_decode(&insn, code + at, fn->size - at))
			return -ENOTSUP;
		if (assist_clears(&insn, field)) {
			*(uint32_t *)vec_push(ret, sizeof(uint32_t)) = (uint32_t)at;
			stores++;
		} else if (insn.opcode == CALL &&
			   fn->addr + at + insn.len + (uint64_t)insn.imm == done.addr) {
			calls++;
		}
	}
	return calls && stores == 2 * calls ? 0 : -ENOTSUP;
}

/* --- the questions to the tracer --- */

struct ends {
	struct flow f;
	struct flow_set stores;		/* of 0 to inMarkAssist */
	struct flow_set questions;	/* the questions; one of them runs before each store */
};

/*
 * Returns whether all ways from the question at @at lead to a store, before they lead to a question
 * or to the end of the function.
 */
static bool leads_to_store(const struct ends *e, size_t at, const struct flow_set *asked)
{
	struct flow_set seen = flow_set(&e->f);
	struct flow f = e->f;
	bool leads = !flow_decode(&f, at);
	size_t i, next = at + f.insn.len;

	leads = leads && !flow_reach(&f, &next, 1, &e->stores, &seen) && !flow_returns(&f, &seen);
	for (i = 0; i < f.n && leads; i++)
		leads = !flow_has(&seen, i) || !flow_has(asked, i);
	flow_free(&seen);
	return leads;
}

/* Adds the offsets of all questions of the function to @asked, and their hooks to @hooks. */
static int find_asked(const struct ends *e, struct flow_set *asked, struct vec *hooks)
{
	struct trace_hook hook;
	struct flow f = e->f;
	size_t at, next;

	for (at = 0; at < f.n; at = next) {
		if (flow_decode(&f, at))
			return -ENOTSUP;
		next = at + f.insn.len;
		if (flow_asks_tracer(&f, &hook))
			continue;
		flow_put(asked, at);
		*(struct trace_hook *)vec_push(hooks, sizeof(hook)) = hook;
	}
	return 0;
}

/*
 * Adds the questions of the function that lead to the end of an assist to e->questions, and their
 * hooks to @ret.
 */
static int find_questions(struct ends *e, struct vec *ret)
{
	struct flow_set asked = flow_set(&e->f);
	struct vec hooks = {0};
	int r = find_asked(e, &asked, &hooks);
	size_t i, at;

	for (i = 0; i < hooks.len && !r; i++) {
		const struct trace_hook *hook = vec_at(&hooks, struct trace_hook, i);

		at = (hook->test ? hook->test : hook->call) - e->f.start;
		if (!leads_to_store(e, at, &asked))
			continue;
		flow_put(&e->questions, at);
		*(struct trace_hook *)vec_push(ret, sizeof(*hook)) = *hook;
	}
	flow_free(&asked);
	vec_free(&hooks);
	return r;
}

/*
 * Returns whether a way from after an instruction of @from, or with @start from the function's
 * start, leads to an instruction of @from without one of @stop in between.
 */
static bool assist_meets(const struct ends *e, const struct flow_set *from,
			 const struct flow_set *stop, bool start)
{
	struct flow_set seen = flow_set(&e->f);
	struct flow f = e->f;
	size_t at, next = 0;
	bool met = start && flow_reach(&f, &next, 1, stop, &seen);

	for (at = 0; at < f.n && !met; at++) {
		if (!flow_has(from, at))
			continue;
		met = flow_decode(&f, at);
		next = at + f.insn.len;
		met = met || flow_reach(&f, &next, 1, stop, &seen);
	}
	for (at = 0; at < f.n && !met; at++)
		met = flow_has(&seen, at) && flow_has(from, at);
	flow_free(&seen);
	return met;
}

/*
 * Returns whether questions and stores alternate: no store without a question since the start or
 * since the last store, and no question without a store since the last question.
 */
static bool assist_alternate(const struct ends *e)
{
	return !assist_meets(e, &e->stores, &e->questions, true) &&
	       !assist_meets(e, &e->questions, &e->stores, false);
}

static int find_hooks(struct ends *e, const struct vec *stores, struct vec *ret)
{
	size_t i;
	int r;

	for (i = 0; i < stores->len; i++)
		flow_put(&e->stores, *vec_at(stores, uint32_t, i));
	r = find_questions(e, ret);
	return r || !ret->len || !assist_alternate(e) ? -ENOTSUP : 0;
}

int x86_assist_hooks(const struct gobin *b, const struct gobin_func *fn, int32_t field,
		 struct vec *ret)
{
	struct ends e = { .f = flow_of(b, fn) };
	struct vec stores = {0};
	int r = e.f.code ? x86_assist_ends(b, fn, field, &stores) : -ENOTSUP;

	if (!r) {
		e.stores = flow_set(&e.f);
		e.questions = flow_set(&e.f);
		r = find_hooks(&e, &stores, ret);
		flow_free(&e.stores);
		flow_free(&e.questions);
	}
	vec_free(&stores);
	return r;
}
