// SPDX-License-Identifier: Apache-2.0
/* exitsyscall: see exitsyscall.h. */
#include "target/exitsyscall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "release/release.h"
#include "target/x86/insn.h"

enum { MAX_SIZE = 1 << 16 };	/* of the function: 1 KB in fact */

/* The instructions found so far, in the order of the source. */
enum stage {
	BEFORE_CAS, BEFORE_OLDP, BEFORE_P, HAVE_P, TESTED_P, AT_JUMP,
};

struct walk {
	const struct gobin *b;
	const struct go_offsets *offsets;
	uint64_t start;
	const uint8_t *code;
	size_t n, at;
	struct x86_insn insn;
	enum stage stage;
	size_t cas;		/* offset of the CAS */
	uint8_t p;		/* register with m.p */
};

static size_t branch_target(const struct walk *w)
{
	return w->at + w->insn.len + (uint64_t)w->insn.imm;
}

static bool calls(const struct walk *w, const char *name)
{
	struct gobin_func fn;

	return w->insn.opcode == 0xe8 &&
	       !gobin_func_at(w->b, w->start + branch_target(w), &fn) && !strcmp(fn.name, name);
}

static bool is_cas(const struct walk *w)
{
	return (w->insn.opcode == (X86_MAP_0F | 0xb1) && w->insn.lock && w->insn.has_mem &&
		w->insn.disp == (int32_t)w->offsets->g_atomicstatus) || calls(w, "runtime.casgstatus");
}

/* mov @offset(%reg),%reg of 64 bits */
static bool is_load(const struct x86_insn *insn, unsigned int offset)
{
	return insn->opcode == 0x8b && (insn->rex & 8) && insn->base != X86_RSP &&
	       x86_has_mem(insn, insn->base, (int32_t)offset);
}

static bool is_test_of(const struct x86_insn *insn, unsigned int reg)
{
	return insn->opcode == 0x85 && (insn->rex & 8) && !insn->has_mem && insn->reg == reg &&
	       insn->rm == reg;
}

/*
 * Between load and test the compiler may spill p; with inlining off it passes
 * it through puintptr.ptr, which returns its argument.
 */
static int wait_for_test(struct walk *w)
{
	if (is_test_of(&w->insn, w->p)) {
		w->stage = TESTED_P;
		return 0;
	}
	if (w->p == X86_RAX && calls(w, "runtime.puintptr.ptr"))
		return 0;
	if (x86_is_branch(&w->insn) || x86_ends_flow(&w->insn) ||
	    (x86_written(&w->insn) & 1 << w->p))
		return -ENOTSUP;
	return 0;
}

static int wait_for_jump(struct walk *w)
{
	if (w->insn.opcode == 0x90 || w->insn.opcode == (X86_MAP_0F | 0x1f))
		return 0;
	if (!x86_is_jcc(&w->insn) || (x86_jcc_cond(&w->insn) != X86_COND_E &&
				      x86_jcc_cond(&w->insn) != X86_COND_NE))
		return -ENOTSUP;
	w->stage = AT_JUMP;
	return 0;
}

static int visit(struct walk *w)
{
	switch (w->stage) {
	case BEFORE_CAS:
		if (is_cas(w)) {
			w->stage = BEFORE_OLDP;
			w->cas = w->at;
		}
		return 0;
	case BEFORE_OLDP:
		if (is_load(&w->insn, w->offsets->m_oldp))
			w->stage = BEFORE_P;
		return 0;
	case BEFORE_P:
		if (is_load(&w->insn, w->offsets->m_p)) {
			w->stage = HAVE_P;
			w->p = w->insn.reg;
		}
		return 0;
	case HAVE_P:
		return wait_for_test(w);
	default:
		return wait_for_jump(w);
	}
}

static int find_jump(struct walk *w)
{
	int r = 0;

	for (;; w->at += w->insn.len) {
		if (w->at >= w->n || x86_decode(&w->insn, w->code + w->at, w->n - w->at))
			return -ENOTSUP;
		r = visit(w);
		if (r || w->stage == AT_JUMP)
			return r;
	}
}

/* Which instructions run after others, in a function without computed jumps. */
struct reach {
	struct walk w;
	size_t avoid;		/* never gone through */
	bool *seen;		/* by offset */
	size_t *todo, ntodo;
	bool returns, avoided;	/* what was met */
};

static void reach_add(struct reach *r, size_t at)
{
	if (at >= r->w.n || r->seen[at])
		return;
	r->seen[at] = true;
	r->todo[r->ntodo++] = at;
}

static int reach_step(struct reach *r)
{
	enum { CALL = 0xe8, RET = 0xc3 };
	struct walk *w = &r->w;

	w->at = r->todo[--r->ntodo];
	if (w->at == r->avoid) {
		r->avoided = true;
		return 0;
	}
	if (x86_decode(&w->insn, w->code + w->at, w->n - w->at))
		return -ENOTSUP;
	r->returns |= w->insn.opcode == RET;
	if (x86_is_branch(&w->insn) && w->insn.opcode != CALL)
		reach_add(r, branch_target(w));
	if (!x86_ends_flow(&w->insn))
		reach_add(r, w->at + w->insn.len);
	return 0;
}

/* From the offsets @from on, @n of them. */
static int reach_from(struct reach *r, const size_t *from, size_t n)
{
	size_t i;
	int rc = 0;

	r->seen = xcalloc(r->w.n, sizeof(*r->seen));
	r->todo = xcalloc(r->w.n, sizeof(*r->todo));
	for (i = 0; i < n; i++)
		reach_add(r, from[i]);
	while (r->ntodo && !rc)
		rc = reach_step(r);
	free(r->seen);
	free(r->todo);
	return rc;
}

/*
 * Every call passes the site once: what runs after it does not lead back to it,
 * and without it no return is reached.
 */
static int check_runs_once(struct walk w)
{
	struct reach before = { .w = w, .avoid = w.at }, after = before;
	size_t start = 0, next[] = { w.at + w.insn.len, branch_target(&w) };

	if (reach_from(&after, next, 2) || after.avoided)
		return -ENOTSUP;
	if (reach_from(&before, &start, 1) || before.returns)
		return -ENOTSUP;
	return 0;
}

static int find(const struct gobin *b, const struct go_offsets *offsets,
		const struct gobin_func *fn, struct exit_site *ret)
{
	struct walk w = { .b = b, .offsets = offsets, .start = fn->addr, .n = fn->size };
	int r;

	if (fn->size > MAX_SIZE)
		return -ENOTSUP;
	w.code = gobin_bytes(b, fn->addr, fn->size);
	if (!w.code)
		return -ENOTSUP;
	r = find_jump(&w);
	if (!r)
		r = check_runs_once(w);
	if (r)
		return r;
	*ret = (struct exit_site){
		.offset = (uint32_t)w.at,
		.len = w.insn.len,
		.cond = (uint8_t)x86_jcc_cond(&w.insn),
		.pp_reg = w.p,
	};
	return 0;
}

int exitsyscall_site(const struct gobin *b, const struct go_offsets *offsets,
		     struct exit_site *ret, struct error *err)
{
	static const char name[] = "runtime.exitsyscall";
	struct gobin_func fn;

	if (gobin_func(b, name, &fn))
		return error_set(err, -ENOENT, "no function %s in '%s'", name, gobin_path(b));
	if (!release_has(gobin_go_minor(b), RELEASE_SYSCALL_SITES) || find(b, offsets, &fn, ret))
		return error_set(err, -ENOTSUP, "%s of %s has no single place that tells whether "
				 "the P was kept", name, gobin_go_version(b));
	return 0;
}
