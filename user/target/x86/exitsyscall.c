// SPDX-License-Identifier: Apache-2.0
/* exitsyscall: see exitsyscall.h. */
#include "target/exitsyscall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "release/release.h"
#include "target/x86/insn.h"

enum {
	MAX_SIZE = 1 << 16,	/* of the function: 1 KB in fact */
	MAX_WAY = 12,		/* instructions from the test of the tracer's flag to that of the answer: five in fact */
	CALL = 0xe8, RET = 0xc3, JMP8 = 0xeb, JMP32 = 0xe9, XOR = 0x31,
};

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

	return w->insn.opcode == CALL &&
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

static bool is_padding(const struct x86_insn *insn)
{
	return insn->opcode == 0x90 || insn->opcode == (X86_MAP_0F | 0x1f);
}

static int wait_for_jump(struct walk *w)
{
	if (is_padding(&w->insn))
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
	size_t goal;
	bool *seen;		/* by offset */
	size_t *todo, ntodo;
	bool returns, avoided, arrives;		/* what was met: a return, @avoid, @goal */
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
	struct walk *w = &r->w;

	w->at = r->todo[--r->ntodo];
	if (w->at == r->avoid) {
		r->avoided = true;
		return 0;
	}
	if (x86_decode(&w->insn, w->code + w->at, w->n - w->at))
		return -ENOTSUP;
	r->arrives |= w->at == r->goal;
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
	struct reach before = { .w = w, .avoid = w.at, .goal = SIZE_MAX }, after = before;
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

/* --- the question to the runtime's tracer --- */

static int decode_at(struct walk *w, size_t at)
{
	w->at = at;
	return at >= w->n || x86_decode(&w->insn, w->code + at, w->n - at) ? -ENOTSUP : 0;
}

/* From @at on, to the first instruction that is no padding. */
static int skip_padding(struct walk *w, size_t at)
{
	int r = decode_at(w, at);

	while (!r && is_padding(&w->insn))
		r = decode_at(w, w->at + w->insn.len);
	return r;
}

/* Can @goal be reached from @from without going through @avoid? True if that cannot be found out, too. */
static bool may_reach(struct walk w, size_t from, size_t avoid, size_t goal)
{
	struct reach r = { .w = w, .avoid = avoid, .goal = goal };

	return reach_from(&r, &from, 1) || r.arrives;
}

/* xor %reg,%reg */
static bool clears(const struct x86_insn *insn, unsigned int reg)
{
	return insn->opcode == XOR && !insn->has_mem && insn->reg == reg && insn->rm == reg;
}

/*
 * Straight on from @at, over jumps, to the test of trace.ok(), which is one of RBX: the tracer has
 * @set it, or it is cleared on the way.
 */
static int find_ok(struct walk *w, size_t at, bool set)
{
	int i;

	for (i = 0; i < MAX_WAY && !skip_padding(w, at); i++) {
		if (is_test_of(&w->insn, X86_RBX))
			return set ? 0 : -ENOTSUP;
		at = w->at + w->insn.len;
		if (w->insn.opcode == JMP8 || w->insn.opcode == JMP32)
			at = branch_target(w);
		else if (x86_is_branch(&w->insn) || x86_ends_flow(&w->insn))
			return -ENOTSUP;
		else if (clears(&w->insn, X86_RBX) && !set)
			set = true;
		else if (x86_written(&w->insn) & 1 << X86_RBX)
			return -ENOTSUP;
	}
	return -ENOTSUP;
}

/* @w is at the test of the flag: the jump behind it, the call where it is set, and that both ways meet. */
static int find_call(struct walk *w, struct exit_hook *ret)
{
	size_t set, unset, met;

	if (skip_padding(w, w->at + w->insn.len) || !x86_is_jcc(&w->insn))
		return -ENOTSUP;
	set = branch_target(w);
	unset = w->at + w->insn.len;
	if (x86_jcc_cond(&w->insn) == X86_COND_E) {
		unset = set;
		set = w->at + w->insn.len;
	} else if (x86_jcc_cond(&w->insn) != X86_COND_NE) {
		return -ENOTSUP;
	}
	if (find_ok(w, unset, false))
		return -ENOTSUP;
	met = w->at;
	if (skip_padding(w, set) || !calls(w, "runtime.traceAcquireEnabled"))
		return -ENOTSUP;
	ret->call = w->start + w->at;
	ret->callee = "runtime.traceAcquireEnabled";
	return find_ok(w, w->at + w->insn.len, true) || w->at != met ? -ENOTSUP : 0;
}

static bool is_flag_test(const struct x86_insn *insn)
{
	return insn->opcode == 0x80 && (insn->reg & 7) == X86_CMP && !insn->imm && insn->len == EXIT_TEST_LEN &&
	       x86_has_mem(insn, X86_RIP, insn->disp);
}

/* The first instruction on the side of the jump at @site where there is a P. */
static int find_question(struct walk *w, size_t with_p, struct exit_hook *ret)
{
	size_t first;

	if (skip_padding(w, with_p))
		return -ENOTSUP;
	first = w->at;
	if (calls(w, "runtime.traceAcquire")) {
		ret->call = w->start + first;
		ret->callee = "runtime.traceAcquire";
		return 0;
	}
	if (!is_flag_test(&w->insn))
		return -ENOTSUP;
	ret->test = w->start + first;
	ret->flag = ret->test + w->insn.len + (uint64_t)(int64_t)w->insn.disp;
	if (find_call(w, ret) || may_reach(*w, 0, first, ret->call - w->start))
		return -ENOTSUP;
	w->at = first;
	return 0;
}

/*
 * That first instruction is reached by that side of the jump alone, and once. Nothing goes round the
 * jump (check_runs_once).
 */
static int find_hook(struct walk *w, const struct exit_site *site, struct exit_hook *ret)
{
	size_t sides[2];
	bool zero_jumps = site->cond == X86_COND_E;

	if (decode_at(w, site->offset) || !x86_is_jcc(&w->insn))
		return -ENOTSUP;
	sides[0] = w->at + w->insn.len;
	sides[1] = branch_target(w);
	if (find_question(w, sides[!zero_jumps], ret))
		return -ENOTSUP;
	if (decode_at(w, w->at) || may_reach(*w, sides[zero_jumps], site->offset, w->at) ||
	    may_reach(*w, w->at + w->insn.len, site->offset, w->at))
		return -ENOTSUP;
	return 0;
}

int exitsyscall_hook(const struct gobin *b, const struct exit_site *site, struct exit_hook *ret,
		     struct error *err)
{
	struct walk w = { .b = b };
	struct gobin_func fn;

	*ret = (struct exit_hook){0};
	if (gobin_func(b, "runtime.exitsyscall", &fn) || fn.size > MAX_SIZE)
		return error_set(err, -ENOENT, "no function runtime.exitsyscall in '%s'", gobin_path(b));
	w.start = fn.addr;
	w.n = fn.size;
	w.code = gobin_bytes(b, fn.addr, fn.size);
	if (!w.code || find_hook(&w, site, ret))
		return error_set(err, -ENOTSUP, "it does not ask in the known way whether to trace");
	return 0;
}
