// SPDX-License-Identifier: Apache-2.0
/*
 * exitsyscall: see target/exitsyscall.h; for arm64, which tests P and jumps in one instruction:
 *
 *	casal w27,w2,[x3] and the same by ldaxr, stlxr; or bl runtime.casgstatus
 *	ldr x3,[x2,#m.oldp]; ...; ldr x2,[x2,#m.p]; str x2,[sp,#32]; cbz x2
 */
#include <errno.h>
#include <stdio.h>

#include "release/release.h"
#include "target/arm64/walk.h"
#include "target/code_ops.h"

enum arm64_exit_stage { ARM64_BEFORE_CAS, ARM64_BEFORE_OLDP, ARM64_BEFORE_P, ARM64_HAVE_P };

static bool arm64_loads_field(const struct arm64_insn *insn, unsigned int offset)
{
	return insn->wide && !insn->pair && insn->op == ARM64_LOAD && insn->rn != ARM64_SP &&
	       arm64_has_mem(insn, insn->rn, (int64_t)offset);
}

/*
 * Between load and test the compiler may spill p. Returns 1 at the test, 0 to go on, -ENOTSUP if
 * the register changes.
 */
static int arm64_wait_for_test(const struct arm64_walk *w, unsigned int reg)
{
	if ((w->insn.op == ARM64_CBZ || w->insn.op == ARM64_CBNZ) && w->insn.rd == reg &&
	    w->insn.wide)
		return 1;
	return arm64_is_jump(&w->insn) || arm64_is_call(&w->insn) || arm64_ends_flow(&w->insn) ||
			       arm64_writes(&w->insn, reg) ?
		       -ENOTSUP :
		       0;
}

static int arm64_exit_visit(const struct arm64_walk *w, const struct go_offsets *offsets,
			    uint64_t casgstatus, enum arm64_exit_stage *stage, unsigned int *reg)
{
	switch (*stage) {
	case ARM64_BEFORE_CAS:
		if (w->insn.op == ARM64_CAS || arm64_calls(w, casgstatus))
			*stage = ARM64_BEFORE_OLDP;
		return 0;
	case ARM64_BEFORE_OLDP:
		if (arm64_loads_field(&w->insn, offsets->m_oldp))
			*stage = ARM64_BEFORE_P;
		return 0;
	case ARM64_BEFORE_P:
		if (arm64_loads_field(&w->insn, offsets->m_p)) {
			*stage = ARM64_HAVE_P;
			*reg = w->insn.rd;
		}
		return 0;
	default:
		return arm64_wait_for_test(w, *reg);
	}
}

/*
 * Checks that every call passes the site once: no code after it leads back to it, and no way that
 * avoids it reaches a return.
 */
static bool arm64_passes_once(struct arm64_walk w)
{
	struct arm64_set site = arm64_set(&w), after = arm64_set(&w), before = arm64_set(&w);
	size_t next[] = { w.at + ARM64_LEN, arm64_target_offset(&w) }, at = w.at;
	bool once;

	arm64_put(&site, at);
	once = !arm64_reach(&w, next, 2, &site, &after) && !arm64_has(&after, at) &&
	       !arm64_reach(&w, (size_t[]){ 0 }, 1, &site, &before);
	for (w.at = 0; w.at < w.n && once; w.at += ARM64_LEN)
		once = !arm64_has(&before, w.at) || !arm64_decode_at(&w) ||
		       w.insn.op != ARM64_RET;
	arm64_set_free(&site);
	arm64_set_free(&after);
	arm64_set_free(&before);
	return once;
}

static int arm64_exit_find(const struct gobin *b, const struct go_offsets *offsets,
			   struct arm64_walk w, struct exit_site *ret)
{
	enum arm64_exit_stage stage = ARM64_BEFORE_CAS;
	struct gobin_func casgstatus = {0};
	unsigned int reg = 0;
	int r = 0;

	gobin_func(b, "runtime.casgstatus", &casgstatus);
	for (; !r; w.at += r ? 0 : ARM64_LEN) {
		if (!arm64_decode_at(&w))
			return -ENOTSUP;
		r = arm64_exit_visit(&w, offsets, casgstatus.addr, &stage, &reg);
	}
	if (r < 0 || !arm64_passes_once(w))
		return -ENOTSUP;
	*ret = (struct exit_site){
		.offset = (uint32_t)w.at,
		.len = ARM64_LEN,
		.cond = w.insn.op == ARM64_CBZ ? ARM64_EQ : ARM64_NE,
		.pp_reg = (uint8_t)reg,
	};
	snprintf(ret->text, sizeof(ret->text), "%s",
		 w.insn.op == ARM64_CBZ ? "cbz" : "cbnz");
	return 0;
}

int arm64_exitsyscall_site(const struct gobin *b, const struct go_offsets *offsets,
			   struct exit_site *ret, struct error *err)
{
	struct arm64_walk w;
	int r = arm64_open(&w, b, "runtime.exitsyscall");

	if (r == -ENOENT)
		return error_set(err, r, "no function runtime.exitsyscall in '%s'",
				 gobin_path(b));
	if (r || !release_has(gobin_go_minor(b), RELEASE_SYSCALL_SITES) ||
	    arm64_exit_find(b, offsets, w, ret))
		return error_set(err, -ENOTSUP, "runtime.exitsyscall of %s has no single place "
				 "that shows whether the P was kept", gobin_go_version(b));
	return 0;
}
