// SPDX-License-Identifier: Apache-2.0
/* inlined: see inlined.h. */
#include "target/inlined.h"

#include <errno.h>
#include <string.h>

#include "symbol/pclntab.h"
#include "target/x86_insn.h"

struct search {
	const char *const *names;
	size_t n;
	struct gobin_func host;
	struct vec *ret;
	size_t first;		/* of this host in ret */
};

static bool is_known(const struct search *s, const char *name)
{
	size_t i;

	for (i = s->first; i < s->ret->len; i++)
		if (vec_at(s->ret, struct inlined, i)->name == name)
			return true;
	return false;
}

static bool take_name(void *ctx, const char *name, int32_t call)
{
	struct search *s = ctx;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (strcmp(s->names[i], name) || is_known(s, s->names[i]))
			continue;
		*(struct inlined *)vec_push(s->ret, sizeof(struct inlined)) =
			(struct inlined){ s->names[i], s->host };
	}
	return true;
}

void inlined_find(const struct gobin *b, const char *const *names, size_t n, struct vec *ret)
{
	struct search s = { .names = names, .n = n, .ret = ret };
	const struct pclntab *t = gobin_table(b);
	size_t i, first, end;

	if (!t)
		return;
	gobin_runtime_functions(b, &first, &end);
	for (i = first; i < end; i++) {
		struct pclntab_func f;

		if (!pclntab_func(t, i, &f))
			continue;
		s.host = (struct gobin_func){ f.name, f.entry, f.end - f.entry };
		s.first = ret->len;
		pclntab_each_inlined(t, &f, take_name, &s);
	}
}

struct callers {
	const struct gobin *b;
	const struct pclntab_func *host;
	const char *name;
	struct vec *ret;	/* const char * */
	int left;		/* bounds hostile files */
};

static void add_caller(struct vec *ret, const char *name)
{
	size_t i;

	for (i = 0; i < ret->len; i++)
		if (!strcmp(*vec_at(ret, const char *, i), name))
			return;
	*(const char **)vec_push(ret, sizeof(name)) = name;
}

static bool take_call(void *ctx, const char *name, int32_t call)
{
	struct callers *c = ctx;

	if (strcmp(name, c->name))
		return true;
	add_caller(c->ret, pclntab_inlined_caller(gobin_table(c->b), c->host, call));
	return --c->left > 0;
}

void inlined_callers(const struct gobin *b, const struct inlined *at, struct vec *ret)
{
	enum { MANY = 256 };
	struct pclntab_func host;
	struct callers c = { b, &host, at->name, ret, MANY };

	if (pclntab_func_at(gobin_table(b), at->host.addr, &host))
		pclntab_each_inlined(gobin_table(b), &host, take_call, &c);
}

bool inlined_is_caller(const struct gobin *b, const struct callsite *c, const char *function)
{
	struct source_frame frames[SOURCE_MAX_INLINE];
	size_t n;

	if (!gobin_table(b))
		return !strcmp(c->func.name, function);
	n = pclntab_expand(gobin_table(b), c->return_addr - 1, frames);
	return n && !strcmp(frames[0].func, function);
}

/* lock cmpxchg %reg,@field(%reg) */
static bool is_cas(const struct x86_insn *insn, unsigned int field)
{
	return insn->opcode == (X86_MAP_0F | 0xb1) && insn->lock && insn->has_mem &&
	       insn->disp == (int32_t)field;
}

int inlined_cas_jump(const struct gobin *b, const struct gobin_func *fn, unsigned int field,
		     uint32_t *offset)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	struct x86_insn insn;
	size_t at, found = 0;
	bool waits = false;

	for (at = 0; code && at < fn->size; at += insn.len) {
		if (x86_decode(&insn, code + at, fn->size - at))
			return -ENOTSUP;
		if (is_cas(&insn, field)) {
			if (waits || found)
				return -ENOTSUP;
			waits = true;
		} else if (waits && x86_is_jcc(&insn)) {
			found = at;
			waits = false;
		} else if (waits && (x86_is_branch(&insn) || x86_ends_flow(&insn))) {
			return -ENOTSUP;
		}
	}
	*offset = (uint32_t)found;
	return found ? 0 : -ENOTSUP;
}

/* --- an atomic addition --- */

/* Is the instruction at @addr of @name, or of what was inlined into that? */
static bool is_within(const struct gobin *b, uint64_t addr, const char *name)
{
	struct source_frame frames[SOURCE_MAX_INLINE];
	size_t i, n = gobin_table(b) ? pclntab_expand(gobin_table(b), addr, frames) : 0;

	for (i = 0; i + 1 < n; i++)	/* the last one is the host */
		if (!strcmp(frames[i].func, name))
			return true;
	return false;
}

/* lock xadd %reg,mem */
static bool is_exchange_add(const struct x86_insn *insn)
{
	return insn->opcode == (X86_MAP_0F | 0xc1) && insn->lock && insn->has_mem;
}

/* add %other,%reg, the same width: xadd has left what was there before in @reg. */
static bool adds_to(const struct x86_insn *insn, int reg)
{
	enum { ADD_TO_RM = 0x01, REX_W = 8 };

	return insn->opcode == ADD_TO_RM && !insn->has_mem && insn->rm == reg &&
	       (insn->rex & REX_W);
}

int inlined_add_jump(const struct gobin *b, const struct gobin_func *fn, const char *name,
		     uint32_t *offset, int *sum_reg)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	enum { SEARCH, ADDED_TO_MEMORY, ADDED } state = SEARCH;
	struct x86_insn insn;
	size_t at;
	int reg = X86_NO_REG;

	for (at = 0; code && at < fn->size; at += insn.len) {
		if (x86_decode(&insn, code + at, fn->size - at))
			return -ENOTSUP;
		if (state == SEARCH && is_exchange_add(&insn) &&
		    is_within(b, fn->addr + at, name)) {
			state = ADDED_TO_MEMORY;
			reg = insn.reg;
		} else if (state == ADDED_TO_MEMORY) {
			if (!adds_to(&insn, reg))
				return -ENOTSUP;
			state = ADDED;
		} else if (state == ADDED && x86_is_jcc(&insn)) {
			*offset = (uint32_t)at;
			*sum_reg = reg;
			return 0;
		} else if (state == ADDED && (x86_written(&insn) & 1u << reg ||
					      x86_is_branch(&insn) || x86_ends_flow(&insn))) {
			return -ENOTSUP;
		}
	}
	return -ENOTSUP;
}
