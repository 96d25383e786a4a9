// SPDX-License-Identifier: Apache-2.0
/* exitsyscall: see exitsyscall.h. */
#include "target/exitsyscall.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "release/release.h"
#include "target/code_ops.h"
#include "target/x86/flow.h"

enum { MAX_SIZE = 1 << 16 };	/* bound for the size of the function, which has 1 KB */

/* The steps of the search, in the order of the source. */
enum stage {
	BEFORE_CAS, BEFORE_OLDP, BEFORE_P, HAVE_P, TESTED_P, AT_JUMP,
};

struct walk {
	struct flow f;
	const struct go_offsets *offsets;
	enum stage stage;
	size_t cas;		/* offset of the CAS */
	uint8_t p;		/* register with m.p */
};

static bool exitsys_is_cas(const struct walk *w)
{
	return (w->f.insn.opcode == (X86_MAP_0F | 0xb1) && w->f.insn.lock && w->f.insn.has_mem &&
		w->f.insn.disp == (int32_t)w->offsets->g_atomicstatus) ||
	       flow_calls(&w->f, "runtime.casgstatus");
}

/* mov @offset(%reg),%reg of 64 bits */
static bool exitsys_is_load(const struct x86_insn *insn, unsigned int offset)
{
	return insn->opcode == 0x8b && (insn->rex & 8) && insn->base != X86_RSP &&
	       x86_has_mem(insn, insn->base, (int32_t)offset);
}

/*
 * Between load and test the compiler may spill p. With inlining off the code passes p through
 * puintptr.ptr, which returns its argument.
 */
static int wait_for_test(struct walk *w)
{
	if (flow_is_test_of(&w->f.insn, w->p)) {
		w->stage = TESTED_P;
		return 0;
	}
	if (w->p == X86_RAX && flow_calls(&w->f, "runtime.puintptr.ptr"))
		return 0;
	if (x86_is_branch(&w->f.insn) || x86_ends_flow(&w->f.insn) ||
	    (x86_written(&w->f.insn) & 1 << w->p))
		return -ENOTSUP;
	return 0;
}

static int wait_for_jump(struct walk *w)
{
	if (flow_is_padding(&w->f.insn))
		return 0;
	if (!x86_is_jcc(&w->f.insn) || (x86_jcc_cond(&w->f.insn) != X86_COND_E &&
				      x86_jcc_cond(&w->f.insn) != X86_COND_NE))
		return -ENOTSUP;
	w->stage = AT_JUMP;
	return 0;
}

static int exitsys_visit(struct walk *w)
{
	switch (w->stage) {
	case BEFORE_CAS:
		if (exitsys_is_cas(w)) {
			w->stage = BEFORE_OLDP;
			w->cas = w->f.at;
		}
		return 0;
	case BEFORE_OLDP:
		if (exitsys_is_load(&w->f.insn, w->offsets->m_oldp))
			w->stage = BEFORE_P;
		return 0;
	case BEFORE_P:
		if (exitsys_is_load(&w->f.insn, w->offsets->m_p)) {
			w->stage = HAVE_P;
			w->p = w->f.insn.reg;
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

	for (;; w->f.at += w->f.insn.len) {
		if (w->f.at >= w->f.n ||
		    x86_decode(&w->f.insn, w->f.code + w->f.at, w->f.n - w->f.at))
			return -ENOTSUP;
		r = exitsys_visit(w);
		if (r || w->stage == AT_JUMP)
			return r;
	}
}

/*
 * Checks that every call passes the site once: no code after the site leads back to it, and no way
 * that avoids the site reaches a return.
 */
static int exitsys_check_runs_once(struct walk w)
{
	struct flow_set site = flow_set(&w.f), seen = flow_set(&w.f);
	size_t next[] = { w.f.at + w.f.insn.len, flow_branch_target(&w.f) };
	bool once;

	flow_put(&site, w.f.at);
	once = !flow_reach(&w.f, next, 2, &site, &seen) && !flow_has(&seen, w.f.at);
	flow_clear(&seen);
	once = once && !flow_reach(&w.f, (size_t[]){ 0 }, 1, &site, &seen) &&
	       !flow_returns(&w.f, &seen);
	flow_free(&site);
	flow_free(&seen);
	return once ? 0 : -ENOTSUP;
}

static int exitsys_find(const struct gobin *b, const struct go_offsets *offsets,
		const struct gobin_func *fn, struct exit_site *ret)
{
	struct walk w = { .offsets = offsets };
	int r;

	if (fn->size > MAX_SIZE)
		return -ENOTSUP;
	w.f = flow_of(b, fn);
	if (!w.f.code)
		return -ENOTSUP;
	r = find_jump(&w);
	if (!r)
		r = exitsys_check_runs_once(w);
	if (r)
		return r;
	*ret = (struct exit_site){
		.offset = (uint32_t)w.f.at,
		.len = w.f.insn.len,
		.cond = (uint8_t)x86_jcc_cond(&w.f.insn),
		.pp_reg = w.p,
	};
	snprintf(ret->text, sizeof(ret->text), "%s", ret->cond == X86_COND_E ? "je" : "jne");
	return 0;
}

int x86_exitsyscall_site(const struct gobin *b, const struct go_offsets *offsets,
		     struct exit_site *ret, struct error *err)
{
	static const char name[] = "runtime.exitsyscall";
	struct gobin_func fn;

	if (gobin_func(b, name, &fn))
		return error_set(err, -ENOENT, "no function %s in '%s'", name, gobin_path(b));
	if (!release_has(gobin_go_minor(b), RELEASE_SYSCALL_SITES) ||
	    exitsys_find(b, offsets, &fn, ret))
		return error_set(err, -ENOTSUP, "%s of %s has no single place that shows whether "
				 "the P was kept", name, gobin_go_version(b));
	return 0;
}

/* --- the question to the runtime's tracer --- */

/*
 * Finds the hook: the first instruction on the side of the jump at @site that has a P must ask the
 * tracer. Only that side may lead to it, and once; exitsys_check_runs_once() has shown that no way
 * avoids the jump.
 */
static int find_hook(struct flow *f, const struct exit_site *site, struct trace_hook *ret)
{
	size_t sides[2], first;
	bool zero_jumps = site->cond == X86_COND_E;

	if (flow_decode(f, site->offset) || !x86_is_jcc(&f->insn))
		return -ENOTSUP;
	sides[0] = f->at + f->insn.len;
	sides[1] = flow_branch_target(f);
	if (flow_skip_padding(f, sides[!zero_jumps]))
		return -ENOTSUP;
	first = f->at;
	if (flow_asks_tracer(f, ret) || flow_decode(f, first) ||
	    flow_may_reach(f, sides[zero_jumps], site->offset, first) ||
	    flow_may_reach(f, first + f->insn.len, site->offset, first))
		return -ENOTSUP;
	return 0;
}

int x86_exitsyscall_hook(const struct gobin *b, const struct exit_site *site,
			 struct trace_hook *ret, struct error *err)
{
	struct gobin_func fn;
	struct flow f;

	*ret = (struct trace_hook){0};
	if (gobin_func(b, "runtime.exitsyscall", &fn) || fn.size > MAX_SIZE)
		return error_set(err, -ENOENT, "no function runtime.exitsyscall in '%s'",
				 gobin_path(b));
	f = flow_of(b, &fn);
	if (!f.code || find_hook(&f, site, ret))
		return error_set(err, -ENOTSUP,
				 "it does not ask in the known way whether to trace");
	return 0;
}
