// SPDX-License-Identifier: Apache-2.0
/* arm64_walk: see walk.h. */
#include "target/arm64/walk.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

enum {
	ARM64_MAX_SIZE = 1 << 20,	/* of a function */
	ARM64_MAX_POOL = 1 << 8,	/* bytes of constants of which none is loaded */
};

/*
 * Constants follow a jump to itself, or the last instruction, which no other one follows. Not all
 * of them are loaded: the assembler may have found a shorter form, so that a word that no
 * instruction has shows them, too. What lies between it and the instruction that ends the flow
 * before it cannot run.
 */
size_t arm64_code_size(const uint8_t *code, size_t n)
{
	size_t at, target, jump_end = 0, flow_end = 0;
	struct arm64_insn insn;

	for (at = 0; at + ARM64_LEN <= n; at += ARM64_LEN) {
		if (arm64_decode(&insn, code + at, n - at)) {
			if (jump_end && n - jump_end <= ARM64_MAX_POOL)
				return jump_end;
			if (flow_end && n - flow_end <= ARM64_MAX_POOL)
				return flow_end;
			continue;
		}
		if (arm64_ends_flow(&insn) && insn.op != ARM64_TRAP)
			flow_end = at + ARM64_LEN;
		if (insn.op == ARM64_B && !insn.imm)
			jump_end = at + ARM64_LEN;
		if (insn.op != ARM64_LITERAL)
			continue;
		target = at + (size_t)insn.imm;
		if (target > at && target < n)
			n = target;
	}
	return n;
}

int arm64_open_func(struct arm64_walk *w, const struct gobin *b, const struct gobin_func *fn)
{
	*w = (struct arm64_walk){ .b = b, .start = fn->addr };
	if (fn->size > ARM64_MAX_SIZE || fn->addr % ARM64_LEN)
		return -ENOTSUP;
	w->bytes = gobin_bytes(b, fn->addr, fn->size);
	if (!w->bytes)
		return -ENOTSUP;
	w->n = arm64_code_size(w->bytes, fn->size);
	return 0;
}

int arm64_open(struct arm64_walk *w, const struct gobin *b, const char *name)
{
	struct gobin_func fn;

	*w = (struct arm64_walk){ .b = b };
	if (gobin_func(b, name, &fn))
		return -ENOENT;
	return arm64_open_func(w, b, &fn);
}

bool arm64_decode_at(struct arm64_walk *w)
{
	return w->at < w->n && !arm64_decode(&w->insn, w->bytes + w->at, w->n - w->at);
}

static void addresses_follow(struct arm64_addresses *a, const struct arm64_insn *insn,
			     uint64_t pc)
{
	uint64_t value = 0;
	bool known = true;

	if (insn->op == ARM64_ADRP)
		value = (pc & ~0xfffULL) + (uint64_t)insn->imm;
	else if (insn->op == ARM64_ADR)
		value = pc + (uint64_t)insn->imm;
	else if (insn->op == ARM64_ADD_IMM && a->known >> insn->rn & 1)
		value = a->of[insn->rn] + (uint64_t)insn->imm;
	else
		known = false;
	a->known &= ~insn->written;
	if (known && insn->rd != ARM64_SP) {
		a->of[insn->rd] = value;
		a->known |= 1u << insn->rd;
	}
	if (arm64_ends_flow(insn))
		a->known = 0;
}

bool arm64_next(struct arm64_walk *w)
{
	addresses_follow(&w->addresses, &w->insn, w->start + w->at);
	w->at += ARM64_LEN;
	return arm64_decode_at(w);
}

bool arm64_next_code(struct arm64_walk *w)
{
	do {
		if (!arm64_next(w))
			return false;
	} while (w->insn.op == ARM64_NOP);
	return true;
}

bool arm64_go_to(struct arm64_walk *w, size_t at)
{
	w->at = at;
	return arm64_decode_at(w);
}

uint64_t arm64_target(const struct arm64_walk *w)
{
	return w->start + w->at + (uint64_t)w->insn.imm;
}

size_t arm64_target_offset(const struct arm64_walk *w)
{
	return w->at + (size_t)w->insn.imm;
}

bool arm64_at_padding(const struct arm64_walk *w)
{
	struct arm64_walk at = *w;

	for (; at.at + ARM64_LEN <= at.n; at.at += ARM64_LEN)
		if (arm64_decode(&at.insn, at.bytes + at.at, ARM64_LEN) ||
		    (at.insn.op != ARM64_TRAP && at.insn.op != ARM64_NOP))
			return false;
	return true;
}

bool arm64_calls(const struct arm64_walk *w, uint64_t callee)
{
	return w->insn.op == ARM64_BL && arm64_target(w) == callee;
}

uint64_t arm64_operand(const struct arm64_walk *w)
{
	const struct arm64_insn *insn = &w->insn;
	bool names = insn->op == ARM64_ADD_IMM || insn->op == ARM64_LOAD ||
		     insn->op == ARM64_STORE;

	if (!names || !(w->addresses.known >> insn->rn & 1))
		return 0;
	return w->addresses.of[insn->rn] + (uint64_t)insn->imm;
}

/* --- flags --- */

/* adrp x27, page; ldrb w5, [x27, #offset]; tbz w5, #0, label */
uint64_t arm64_flag_test(struct arm64_walk *w)
{
	struct arm64_walk at = *w;
	unsigned int reg = w->insn.rd;
	uint64_t flag;

	if (w->insn.op != ARM64_LOAD || w->insn.size != 1 || w->insn.pair)
		return 0;
	flag = arm64_operand(w);
	if (!flag || !arm64_next_code(&at) || at.insn.op < ARM64_CBZ ||
	    !arm64_is_conditional(&at.insn) || at.insn.rd != reg || at.insn.bit)
		return 0;
	*w = at;
	return flag;
}

uint64_t arm64_first_flag(struct arm64_walk *w)
{
	uint64_t flag = 0;
	bool more;

	for (more = arm64_decode_at(w); more && !flag; more = flag ? more : arm64_next(w))
		flag = arm64_flag_test(w);
	return flag;
}

bool arm64_into_flag(struct arm64_walk *w, bool set)
{
	bool jumps_if_set = w->insn.op == ARM64_CBNZ || w->insn.op == ARM64_TBNZ;

	if (jumps_if_set != set)
		return arm64_next(w);
	return arm64_go_to(w, arm64_target_offset(w));
}

/* --- what runs after what --- */

struct arm64_set arm64_set(const struct arm64_walk *w)
{
	return (struct arm64_set){ .has = xcalloc(w->n / ARM64_LEN + 1, sizeof(bool)), .n = w->n };
}

void arm64_put(struct arm64_set *s, size_t at)
{
	if (at < s->n)
		s->has[at / ARM64_LEN] = true;
}

bool arm64_has(const struct arm64_set *s, size_t at)
{
	return at < s->n && s->has[at / ARM64_LEN];
}

void arm64_set_free(struct arm64_set *s)
{
	free(s->has);
	*s = (struct arm64_set){0};
}

struct arm64_reach {
	struct arm64_walk w;
	const struct arm64_set *stop;
	struct arm64_set *seen;
	size_t *todo, ntodo;
};

static void arm64_reach_add(struct arm64_reach *r, size_t at)
{
	if (at >= r->w.n || arm64_has(r->seen, at))
		return;
	arm64_put(r->seen, at);
	r->todo[r->ntodo++] = at;
}

static int arm64_reach_step(struct arm64_reach *r)
{
	struct arm64_walk *w = &r->w;

	if (!arm64_go_to(w, r->todo[--r->ntodo]))
		return -ENOTSUP;
	if (arm64_has(r->stop, w->at))
		return 0;
	if (w->insn.op == ARM64_BR)
		return -ENOTSUP;
	if (arm64_is_jump(&w->insn))
		arm64_reach_add(r, arm64_target_offset(w));
	if (!arm64_ends_flow(&w->insn))
		arm64_reach_add(r, w->at + ARM64_LEN);
	return 0;
}

int arm64_reach(const struct arm64_walk *w, const size_t *from, size_t n,
		const struct arm64_set *stop, struct arm64_set *seen)
{
	struct arm64_reach r = { .w = *w, .stop = stop, .seen = seen };
	size_t i;
	int rc = 0;

	r.todo = xcalloc(w->n / ARM64_LEN + 1, sizeof(*r.todo));
	for (i = 0; i < n; i++)
		arm64_reach_add(&r, from[i]);
	while (r.ntodo && !rc)
		rc = arm64_reach_step(&r);
	free(r.todo);
	return rc;
}

bool arm64_is_entered(const struct arm64_walk *w, size_t first, size_t last)
{
	struct arm64_walk at = *w;

	for (at.at = 0; at.at + ARM64_LEN <= at.n; at.at += ARM64_LEN) {
		size_t target;

		if (!arm64_decode_at(&at))
			return true;
		target = arm64_target_offset(&at);
		if (arm64_is_jump(&at.insn) && (at.at < first || at.at > last) &&
		    target >= first && target <= last)
			return true;
	}
	return false;
}
