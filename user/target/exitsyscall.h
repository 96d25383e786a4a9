/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exitsyscall: the one place in runtime.exitsyscall of Go 1.26 and later where the function learns
 * whether the goroutine kept its P. In: a binary and its offsets. Out: the conditional jump on the
 * m.p that was loaded just before:
 *
 * 	gp.atomicstatus.CompareAndSwap(_Gsyscall, _Grunning), or casgstatus()
 * 	oldp := gp.m.oldp.ptr(); gp.m.oldp.set(nil)
 * 	pp := gp.m.p.ptr()
 * 	if pp != nil {			<- here; pp is in a register
 */
#ifndef GOTAP_TARGET_EXITSYSCALL_H
#define GOTAP_TARGET_EXITSYSCALL_H

#include "base/error.h"
#include "gooffsets.h"
#include "target/gobin.h"
#include "target/trace_hook.h"

struct exit_site {
	uint32_t offset;	/* from the start of runtime.exitsyscall */
	uint8_t len;		/* of the jump */
	/* condition code of the jump; the code tests pp, and then jumps by the flags */
	uint8_t cond;
	/* the register with pp; 0 in it means that the goroutine lost its P */
	uint8_t pp_reg;
	char text[8];		/* the instruction: "je" */
};

/*
 * Finds where the branch with a P, to which only the jump at @site leads, asks the runtime's own
 * tracer. -ENOTSUP with a text if the code at @site is not of that form.
 */
int exitsyscall_hook(const struct gobin *b, const struct exit_site *site, struct trace_hook *ret,
		     struct error *err);

/*
 * Finds the jump. -ENOTSUP with a text if the function is not of that form (the entry of
 * exitsyscall is then the next best site), -ENOENT if there is no such function.
 */
int exitsyscall_site(const struct gobin *b, const struct go_offsets *offsets,
		     struct exit_site *ret, struct error *err);

#endif
