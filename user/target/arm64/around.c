// SPDX-License-Identifier: Apache-2.0
/* around: see target/around.h; for arm64. */
#include <errno.h>

#include "target/arm64/walk.h"
#include "target/code_ops.h"

/* Places @w at the instruction at @addr. */
static bool arm64_around_open(struct arm64_walk *w, const struct gobin *b,
			      const struct gobin_func *fn, uint64_t addr)
{
	if (arm64_open_func(w, b, fn) || addr < fn->addr)
		return false;
	return arm64_go_to(w, addr - fn->addr);
}

uint64_t arm64_around_jump(const struct gobin *b, const struct gobin_func *fn, uint64_t addr)
{
	struct arm64_walk w;
	bool more;

	for (more = arm64_around_open(&w, b, fn, addr); more; more = arm64_next(&w)) {
		if (arm64_is_conditional(&w.insn))
			return w.start + w.at;
		if (arm64_is_call(&w.insn) || arm64_ends_flow(&w.insn))
			return 0;
	}
	return 0;
}

uint64_t arm64_around_call(const struct gobin *b, const struct gobin_func *fn, uint64_t addr,
			   bool *direct)
{
	struct arm64_walk w;
	bool more;

	for (more = arm64_around_open(&w, b, fn, addr); more; more = arm64_next(&w)) {
		if (arm64_is_call(&w.insn)) {
			*direct = w.insn.op == ARM64_BL;
			return w.start + w.at;
		}
		if (arm64_is_jump(&w.insn) || arm64_ends_flow(&w.insn))
			return 0;
	}
	return 0;
}

/* Jumps before the call: that of the check of the stack, b.ls. */
uint64_t arm64_around_first_call(const struct gobin *b, const struct gobin_func *fn)
{
	bool more, checked = false;
	struct arm64_walk w;

	for (more = arm64_around_open(&w, b, fn, fn->addr); more; more = arm64_next(&w)) {
		bool check = w.insn.op == ARM64_B_COND && w.insn.cond == ARM64_LS;

		if (arm64_is_call(&w.insn))
			return w.insn.op == ARM64_BL ? w.start + w.at : 0;
		if ((arm64_is_jump(&w.insn) && (checked || !check)) || arm64_ends_flow(&w.insn))
			return 0;
		checked |= check;
	}
	return 0;
}

void arm64_around_addresses(const struct gobin *b, const struct gobin_func *fn, uint64_t end,
			    struct vec *ret)
{
	struct arm64_walk w;
	bool more;

	for (more = arm64_around_open(&w, b, fn, fn->addr); more && w.start + w.at < end;
	     more = arm64_next(&w))
		if (w.insn.op == ARM64_ADD_IMM && arm64_operand(&w))
			*(uint64_t *)vec_push(ret, sizeof(uint64_t)) = arm64_operand(&w);
}

int arm64_around_returns(const struct gobin *b, const struct gobin_func *fn, struct vec *ret)
{
	struct arm64_walk w;
	bool more;

	for (more = arm64_around_open(&w, b, fn, fn->addr); more; more = arm64_next(&w))
		if (w.insn.op == ARM64_RET)
			*(uint64_t *)vec_push(ret, sizeof(uint64_t)) = w.start + w.at;
	return ret->len && arm64_at_padding(&w) ? 0 : -ENOTSUP;
}

bool arm64_around_calls(const struct gobin *b, const struct gobin_func *fn)
{
	struct arm64_walk w;
	bool more;

	for (more = arm64_around_open(&w, b, fn, fn->addr); more; more = arm64_next(&w))
		if (arm64_is_call(&w.insn))
			return true;
	return !arm64_at_padding(&w);
}

/* --- fields --- */

enum { ARM64_WORD = 8, ARM64_NOWHERE = -1, ARM64_FOURTH = 3 };

/* A load of @size bytes through a register. */
static bool arm64_loads(const struct arm64_insn *insn, unsigned int size)
{
	return insn->op == ARM64_LOAD && insn->size == size && !insn->vector && !insn->pair &&
	       !insn->by;
}

int arm64_around_word_field(const struct gobin *b, const struct gobin_func *fn, int32_t *at)
{
	bool more, found = false;
	struct arm64_walk w;

	for (more = arm64_around_open(&w, b, fn, fn->addr); more; more = arm64_next(&w)) {
		if (!arm64_loads(&w.insn, 4) || w.insn.rn == ARM64_SP || arm64_operand(&w))
			continue;
		if (found && *at != w.insn.imm)
			return -ENOTSUP;
		*at = (int32_t)w.insn.imm;
		found = true;
	}
	return found && arm64_at_padding(&w) ? 0 : -ENOTSUP;
}

/* What a register holds. */
struct arm64_holds {
	/* BYTE: the first byte of what a register with the rest of this value points to */
	enum { ARM64_NOTHING, ARM64_STRUCT, ARM64_FIELD, ARM64_DEEPER } is;
	bool byte;
	int32_t in, at;		/* ARM64_FIELD: at; ARM64_DEEPER: in, at */
};

struct arm64_around {
	struct arm64_holds regs[32];
	/* where the stack keeps the argument: an offset from sp at the entry; 0: nowhere */
	int64_t slot;
	int64_t moved;		/* sp since the entry */
	/* a large frame: sp + .below is in register .below_reg, from which sp is set */
	unsigned int below_reg;
	int64_t below;
};

/* What the words at @disp(@base) are. */
static struct arm64_holds arm64_loaded(const struct arm64_around *s, unsigned int base,
				       int64_t disp)
{
	struct arm64_holds from = { ARM64_NOTHING };

	if (base == ARM64_SP) {
		if (s->slot && disp + s->moved == s->slot)
			from.is = ARM64_STRUCT;
		return from;
	}
	from = s->regs[base];
	if (from.byte)
		return (struct arm64_holds){ ARM64_NOTHING };
	if (from.is == ARM64_STRUCT)
		return (struct arm64_holds){ ARM64_FIELD, false, ARM64_NOWHERE, (int32_t)disp };
	if (from.is == ARM64_FIELD)
		return (struct arm64_holds){ ARM64_DEEPER, false, from.at, (int32_t)disp };
	return (struct arm64_holds){ ARM64_NOTHING };
}

static void arm64_around_forget(struct arm64_around *s, uint32_t regs)
{
	unsigned int i;

	for (i = 0; i < ARM64_SP; i++)
		if (regs >> i & 1)
			s->regs[i] = (struct arm64_holds){ ARM64_NOTHING };
}

static void arm64_around_load(struct arm64_around *s, const struct arm64_insn *insn)
{
	struct arm64_holds first = arm64_loaded(s, insn->rn, insn->imm);
	struct arm64_holds second = arm64_loaded(s, insn->rn, insn->imm + insn->size);
	struct arm64_holds byte = s->regs[insn->rn];

	arm64_around_forget(s, insn->written);
	if (insn->vector || insn->rd == ARM64_ZERO)
		return;
	if (insn->size == ARM64_WORD) {
		s->regs[insn->rd] = first;
		if (insn->pair && insn->rt2 != ARM64_ZERO)
			s->regs[insn->rt2] = second;
	} else if (insn->size == 1 && !insn->imm && insn->rn != ARM64_SP) {
		byte.byte = true;
		s->regs[insn->rd] = byte;
	}
}

static void arm64_around_store(struct arm64_around *s, const struct arm64_insn *insn)
{
	bool word = insn->size == ARM64_WORD && !insn->vector && insn->rn == ARM64_SP;

	if (word && insn->rd != ARM64_ZERO && s->regs[insn->rd].is == ARM64_STRUCT)
		s->slot = insn->imm + s->moved;
	if (word && insn->pair && insn->rt2 != ARM64_ZERO &&
	    s->regs[insn->rt2].is == ARM64_STRUCT)
		s->slot = insn->imm + ARM64_WORD + s->moved;
}

/* Follows the stack pointer: sub x20,sp,#N; stp x29,x30,[x20,#-8]; mov sp,x20 for large frames. */
static void arm64_around_move(struct arm64_around *s, const struct arm64_insn *insn)
{
	if (insn->rn == ARM64_SP && insn->by) {
		s->moved += insn->by;
	} else if (insn->op == ARM64_ADD_IMM && insn->rn == ARM64_SP && insn->rd == ARM64_SP) {
		s->moved += insn->imm;
	} else if (insn->op == ARM64_ADD_IMM && insn->rn == ARM64_SP) {
		s->below_reg = insn->rd;
		s->below = insn->imm;
	} else if (insn->op == ARM64_MOVE && insn->has_sp && insn->rd == ARM64_SP &&
		   insn->rm == s->below_reg) {
		s->moved += s->below;
	}
}

static void arm64_around_step(struct arm64_around *s, const struct arm64_insn *insn)
{
	if (arm64_is_call(insn)) {
		arm64_around_forget(s, UINT32_MAX);
		return;
	}
	if (insn->op == ARM64_STORE)
		arm64_around_store(s, insn);
	if (insn->op == ARM64_LOAD) {
		arm64_around_load(s, insn);
	} else if (insn->op == ARM64_MOVE && !insn->has_sp && insn->wide) {
		if (insn->rd != ARM64_ZERO)
			s->regs[insn->rd] = s->regs[insn->rm];
	} else {
		arm64_around_forget(s, insn->written);
	}
	arm64_around_move(s, insn);
}

int arm64_around_word_depth(const struct gobin *b, const struct gobin_func *fn, int32_t at,
			    bool on_stack)
{
	struct arm64_around s = { .slot = on_stack ? ARM64_WORD : 0 };
	bool more, direct = false, deeper = false;
	struct arm64_walk w;

	if (!on_stack)
		s.regs[ARM64_R0].is = ARM64_STRUCT;
	for (more = arm64_around_open(&w, b, fn, fn->addr); more; more = arm64_next(&w)) {
		if (arm64_loads(&w.insn, 4) && w.insn.rn != ARM64_SP && w.insn.imm == at) {
			const struct arm64_holds *v = &s.regs[w.insn.rn];

			direct |= v->is == ARM64_STRUCT;
			deeper |= v->is == ARM64_FIELD && !v->at;
		}
		arm64_around_step(&s, &w.insn);
	}
	return direct == deeper ? -ENOTSUP : deeper;
}

/* ldrb w0,[x1]; cmp w0,#@byte */
int arm64_around_string_field(const struct gobin *b, const struct gobin_func *fn, uint8_t byte,
			      bool on_stack, int32_t *in, int32_t *at)
{
	struct arm64_around s = { .slot = on_stack ? 4 * ARM64_WORD : 0 };
	bool more, found = false;
	struct arm64_walk w;

	if (!on_stack)
		s.regs[ARM64_FOURTH].is = ARM64_STRUCT;
	for (more = arm64_around_open(&w, b, fn, fn->addr); more; more = arm64_next(&w)) {
		const struct arm64_holds *v = &s.regs[w.insn.rn];

		if (w.insn.op == ARM64_CMP_IMM && w.insn.imm == byte && v->byte &&
		    (v->is == ARM64_FIELD || v->is == ARM64_DEEPER)) {
			if (found && (*in != v->in || *at != v->at))
				return -ENOTSUP;
			*in = v->in;
			*at = v->at;
			found = true;
		}
		arm64_around_step(&s, &w.insn);
	}
	return found && arm64_at_padding(&w) ? 0 : -ENOTSUP;
}
