// SPDX-License-Identifier: Apache-2.0
/* around: see target/around.h. */
#include "target/around.h"

#include <errno.h>

#include "target/code_ops.h"
#include "target/x86/walk.h"

enum { CALL = 0xe8, GROUP5 = 0xff, CALL_NEAR = 2, RET = 0xc3, LEA = 0x8d, LOAD = 0x8b,
       STORE = 0x89, COMPARE8 = 0x80, MOVZX8 = X86_MAP_0F | 0xb6 };

static bool around_is_indirect(const struct x86_insn *insn)
{
	return insn->opcode == GROUP5 && (insn->reg & 7) == CALL_NEAR;
}

static bool around_is_call(const struct x86_insn *insn)
{
	return insn->opcode == CALL || around_is_indirect(insn);
}

/* Places @c at the instruction at @addr. */
static bool around_open(struct walk *c, const struct gobin *b, const struct gobin_func *fn,
			uint64_t addr)
{
	if (walk_open_func(c, b, fn) || addr < fn->addr)
		return false;
	c->at = addr - fn->addr;
	return walk_decode(c);
}

uint64_t x86_around_jump(const struct gobin *b, const struct gobin_func *fn, uint64_t addr)
{
	struct walk c;
	bool more;

	for (more = around_open(&c, b, fn, addr); more; more = walk_next(&c)) {
		if (x86_is_jcc(&c.insn))
			return c.start + c.at;
		if (around_is_call(&c.insn) || x86_is_branch(&c.insn) || x86_ends_flow(&c.insn))
			return 0;
	}
	return 0;
}

uint64_t x86_around_call(const struct gobin *b, const struct gobin_func *fn, uint64_t addr,
		     bool *direct)
{
	struct walk c;
	bool more;

	for (more = around_open(&c, b, fn, addr); more; more = walk_next(&c)) {
		if (around_is_call(&c.insn)) {
			*direct = c.insn.opcode == CALL;
			return c.start + c.at;
		}
		if (x86_is_branch(&c.insn) || x86_ends_flow(&c.insn))
			return 0;
	}
	return 0;
}

uint64_t x86_around_first_call(const struct gobin *b, const struct gobin_func *fn)
{
	struct walk c;
	bool more, checked = false;

	for (more = around_open(&c, b, fn, fn->addr); more; more = walk_next(&c)) {
		bool check = x86_is_jcc(&c.insn) && x86_jcc_cond(&c.insn) == X86_COND_BE;

		if (around_is_call(&c.insn))
			return c.insn.opcode == CALL ? c.start + c.at : 0;
		if ((x86_is_branch(&c.insn) && (checked || !check)) || x86_ends_flow(&c.insn))
			return 0;
		checked |= check;
	}
	return 0;
}

void x86_around_addresses(const struct gobin *b, const struct gobin_func *fn, uint64_t end,
		      struct vec *ret)
{
	struct walk c;
	bool more;

	for (more = around_open(&c, b, fn, fn->addr); more && c.start + c.at < end;
	     more = walk_next(&c))
		if (c.insn.opcode == LEA && c.insn.has_mem && c.insn.base == X86_RIP)
			*(uint64_t *)vec_push(ret, sizeof(uint64_t)) = walk_rip_address(&c);
}

int x86_around_returns(const struct gobin *b, const struct gobin_func *fn, struct vec *ret)
{
	struct walk c;
	bool more;

	for (more = around_open(&c, b, fn, fn->addr); more; more = walk_next(&c))
		if (c.insn.opcode == RET)
			*(uint64_t *)vec_push(ret, sizeof(uint64_t)) = c.start + c.at;
	return ret->len && c.at >= c.n ? 0 : -ENOTSUP;
}

bool x86_around_calls(const struct gobin *b, const struct gobin_func *fn)
{
	struct walk c;
	bool more;

	for (more = around_open(&c, b, fn, fn->addr); more; more = walk_next(&c))
		if (around_is_call(&c.insn))
			return true;
	return c.at < c.n;
}

/* mov D(%reg),%other, of 64 bits if @wide, of 32 if not */
static bool around_is_load(const struct x86_insn *insn, bool wide)
{
	return insn->opcode == LOAD && insn->has_mem && insn->base != X86_RIP &&
	       !(insn->rex & 8) == !wide && !insn->opsize &&
	       x86_has_mem(insn, insn->base, insn->disp);
}

int x86_around_word_field(const struct gobin *b, const struct gobin_func *fn, int32_t *at)
{
	struct walk c;
	bool more, found = false;

	for (more = around_open(&c, b, fn, fn->addr); more; more = walk_next(&c)) {
		if (!around_is_load(&c.insn, false) || c.insn.base == X86_RSP)
			continue;
		if (found && *at != c.insn.disp)
			return -ENOTSUP;
		*at = c.insn.disp;
		found = true;
	}
	return found && c.at >= c.n ? 0 : -ENOTSUP;
}

/* --- the field of a string --- */

enum { WORD = 8, NOWHERE = -1 };

/* What a register holds. */
struct around_value {
	enum { AROUND_OTHER, AROUND_STRUCT, AROUND_FIELD, AROUND_DEEPER } is;
	int32_t in, at;		/* AROUND_FIELD: at; AROUND_DEEPER: in, at */
};

struct around_state {
	struct around_value regs[16];
	/* where the frame keeps the argument: an offset from rsp at the entry; 0: nowhere */
	int64_t slot;
	int64_t moved;		/* rsp since the entry */
};

static struct around_value around_loaded(const struct around_state *s, const struct x86_insn *insn)
{
	struct around_value from = { AROUND_OTHER };

	if (insn->base == X86_RSP) {
		if (s->slot && insn->disp + s->moved == s->slot)
			from.is = AROUND_STRUCT;
		return from;
	}
	from = s->regs[insn->base];
	if (from.is == AROUND_STRUCT)
		return (struct around_value){ AROUND_FIELD, NOWHERE, insn->disp };
	if (from.is == AROUND_FIELD)
		return (struct around_value){ AROUND_DEEPER, from.at, insn->disp };
	return (struct around_value){ AROUND_OTHER };
}

static void around_forget(struct around_state *s, uint16_t regs)
{
	int i;

	for (i = 0; i < 16; i++)
		if (regs >> i & 1)
			s->regs[i] = (struct around_value){ AROUND_OTHER };
}

static void around_step(struct around_state *s, const struct x86_insn *insn)
{
	int64_t by;

	if (around_is_call(insn)) {
		around_forget(s, UINT16_MAX);
	} else if (x86_moves_rsp(insn, &by)) {
		s->moved += by;
	} else if (insn->opcode >= 0x50 && insn->opcode < 0x58) {	/* push */
		s->moved -= WORD;
	} else if (around_is_load(insn, true)) {
		s->regs[insn->reg & 15] = around_loaded(s, insn);
	} else if (insn->opcode == STORE && insn->has_mem && insn->base == X86_RSP &&
		   insn->rex & 8 && s->regs[insn->reg & 15].is == AROUND_STRUCT) {
		s->slot = insn->disp + s->moved;
	} else if (insn->opcode == STORE && !insn->has_mem && insn->rex & 8) {
		s->regs[insn->rm & 15] = s->regs[insn->reg & 15];
	} else {
		around_forget(s, x86_written(insn));
	}
}

int x86_around_word_depth(const struct gobin *b, const struct gobin_func *fn, int32_t at,
		      bool on_stack)
{
	struct around_state s = { .slot = on_stack ? WORD : 0 };
	bool more, direct = false, deeper = false;
	struct walk c;

	if (!on_stack)
		s.regs[X86_RAX].is = AROUND_STRUCT;
	for (more = around_open(&c, b, fn, fn->addr); more; more = walk_next(&c)) {
		if (around_is_load(&c.insn, false) && c.insn.base != X86_RSP &&
		    c.insn.disp == at) {
			const struct around_value *v = &s.regs[c.insn.base];

			direct |= v->is == AROUND_STRUCT;
			deeper |= v->is == AROUND_FIELD && !v->at;
		}
		around_step(&s, &c.insn);
	}
	return direct == deeper ? -ENOTSUP : deeper;
}

/* cmpb $@byte,(%reg) */
static bool around_compares(const struct x86_insn *insn, uint8_t byte)
{
	return insn->opcode == COMPARE8 && (insn->reg & 7) == X86_CMP && insn->has_mem &&
	       insn->base != X86_RSP && insn->base != X86_RIP && !insn->scale &&
	       (uint8_t)insn->imm == byte && !insn->disp;
}

int x86_around_string_field(const struct gobin *b, const struct gobin_func *fn, uint8_t byte,
			bool on_stack, int32_t *in, int32_t *at)
{
	struct around_state s = { .slot = on_stack ? 4 * WORD : 0 };
	struct walk c;
	bool more, found = false;

	if (!on_stack)
		s.regs[X86_RDI].is = AROUND_STRUCT;
	for (more = around_open(&c, b, fn, fn->addr); more; more = walk_next(&c)) {
		const struct around_value *v;

		if (around_compares(&c.insn, byte)) {
			v = &s.regs[c.insn.base];
			if (v->is == AROUND_FIELD || v->is == AROUND_DEEPER) {
				if (found && (*in != v->in || *at != v->at))
					return -ENOTSUP;
				*in = v->in;
				*at = v->at;
				found = true;
			}
		}
		around_step(&s, &c.insn);
	}
	return found && c.at >= c.n ? 0 : -ENOTSUP;
}
