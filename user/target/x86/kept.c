// SPDX-License-Identifier: Apache-2.0
/*
 * kept: an argument that a function stores in the room that its caller has for it on the stack, and
 * the call that runs only after the store. Code inside the target reads the argument there while
 * the call runs (bpf/http_route.h). It may do so only if no way to the call avoids the store: the
 * room has an old word before, which leads anywhere.
 */
#include "target/code_ops.h"
#include "target/x86/flow.h"

enum {
	CALL = 0xe8,
	STORE = 0x89,		/* of a register */
	LOAD = 0x8b,
	GROUP5 = 0xff,
	GROUP5_CALL = 2,
	WORD = 8,
	WIDEST = 64,		/* bytes that one instruction stores */
	/* from RBP: the caller's frame pointer, the return address, three arguments */
	FOURTH = 2 * WORD + 3 * WORD,
};

/* Offsets in the function, and the displacement of the room from RSP. */
struct kept {
	size_t begin;		/* behind the stack check: from here on nothing starts again */
	size_t store;
	int32_t room;
};

static bool kept_is_indirect(const struct x86_insn *insn)
{
	return insn->opcode == GROUP5 && (insn->reg & 7) == GROUP5_CALL;
}

/* Finds the stack check, and then the size of the frame. */
static bool kept_frame(struct flow *f, struct kept *k)
{
	int64_t by;
	size_t at = 0;

	for (; !flow_decode(f, at); at += f->insn.len) {
		if (x86_is_jcc(&f->insn) && !k->begin)
			k->begin = at + f->insn.len;
		else if (x86_is_branch(&f->insn) || x86_ends_flow(&f->insn))
			return false;
		if (!x86_moves_rsp(&f->insn, &by))
			continue;
		k->room = (int32_t)(FOURTH - by);
		return k->begin && by < 0;
	}
	return false;
}

/* Does the instruction touch the room, other than to read it? */
static bool kept_touches(const struct x86_insn *insn, const struct kept *k)
{
	return insn->has_mem && insn->base == X86_RSP && insn->opcode != LOAD &&
	       insn->disp > k->room - WIDEST && insn->disp < k->room + WORD;
}

static bool kept_is_word_store(const struct x86_insn *insn)
{
	return insn->opcode == STORE && insn->rex & 8 && !insn->opsize &&
	       insn->index == X86_NO_REG;
}

/* Finds the only instruction that touches the room: it stores RDI. */
static bool kept_store(struct flow *f, struct kept *k)
{
	size_t at;

	for (at = 0; at < f->n && !flow_decode(f, at); at += f->insn.len) {
		if (!kept_touches(&f->insn, k) ||
		    (kept_is_word_store(&f->insn) && f->insn.disp <= k->room - WORD))
			continue;
		if (!kept_is_word_store(&f->insn) || f->insn.disp != k->room ||
		    f->insn.reg != X86_RDI || k->store)
			return false;
		k->store = at;
	}
	return at >= f->n && k->store;
}

/* Does RDI have the argument at the store, on all ways, and does the store run once? */
static bool kept_is_argument(struct flow *f, const struct kept *k)
{
	struct flow_set stop = flow_set(f), seen = flow_set(f);
	bool good;
	size_t i;

	flow_put(&stop, k->store);
	good = !flow_reach(f, &k->begin, 1, &stop, &seen) && flow_has(&seen, k->store);
	for (i = 0; good && i < f->n; i++) {
		if (!flow_has(&seen, i) || i == k->store || flow_decode(f, i))
			continue;
		if (f->insn.opcode == CALL || kept_is_indirect(&f->insn) ||
		    x86_written(&f->insn) & 1 << X86_RDI)
			good = !flow_may_reach(f, i + f->insn.len, f->n, k->store);
	}
	flow_free(&stop);
	flow_free(&seen);
	return good && !flow_decode(f, k->store) &&
	       !flow_may_reach(f, k->store + f->insn.len, f->n, k->store);
}

/* Offset of the one indirect call that may run after the store; 0: there is not exactly one. */
static size_t kept_call(struct flow *f, const struct kept *k)
{
	struct flow_set none = flow_set(f), seen = flow_set(f);
	size_t call = 0, i;
	bool good = !flow_reach(f, &k->store, 1, &none, &seen);

	for (i = 0; good && i < f->n; i++) {
		if (!flow_has(&seen, i) || flow_decode(f, i) || !kept_is_indirect(&f->insn))
			continue;
		good = !call;
		call = i;
	}
	flow_free(&none);
	flow_free(&seen);
	return good ? call : 0;
}

uint64_t x86_code_call_with_kept_fourth(const struct gobin *b, const struct gobin_func *fn)
{
	struct flow f = flow_of(b, fn);
	struct kept k = {0};
	size_t call;

	if (!f.code || !kept_frame(&f, &k) || !kept_store(&f, &k) || !kept_is_argument(&f, &k))
		return 0;
	call = kept_call(&f, &k);
	if (!call || flow_may_reach(&f, k.begin, k.store, call) || flow_decode(&f, call))
		return 0;
	return fn->addr + call + f.insn.len;
}
