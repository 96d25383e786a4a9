/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code: all that is asked of machine code, whichever architecture's it is. In: the
 * code of a Go binary. Out: where probes can sit and where values are there. Each
 * architecture has a folder (target/x86/) that implements this header and those it
 * includes; plan/ and cmd/ see nothing else of it. A register is a small number that
 * bpf/arch_ARCH.h understands, too: the one that instructions have for it.
 */
#ifndef GOTAP_TARGET_CODE_H
#define GOTAP_TARGET_CODE_H

#include "base/arch.h"
#include "target/assist.h"
#include "target/callsites.h"
#include "target/exitsyscall.h"
#include "target/mallocgc.h"
#include "target/prologue.h"
#include "target/ready_skip.h"
#include "target/references.h"
#include "target/stackalloc.h"
#include "target/trace_flag.h"

/*
 * Does the kernel emulate the instruction at @addr in a uprobe, instead of stepping through a copy?
 */
bool code_is_emulated(const struct gobin *b, uint64_t addr);
/* Is the instruction at @addr a direct call? *@target is where it leads. */
bool code_is_call(const struct gobin *b, uint64_t addr, uint64_t *target);
/*
 * Does the instruction at @addr load an address as the first argument of the call of @callee behind
 * it? *@call is that call.
 */
bool code_is_argument(const struct gobin *b, uint64_t addr, uint64_t callee, uint64_t *call);
/*
 * The first call that follows @addr in @fn, straight on, while the register of a second result and
 * argument keeps its value: @addr is where another call returns to. 0 if that is not so, or if a
 * jump leads in between.
 */
uint64_t code_call_with_second(const struct gobin *b, const struct gobin_func *fn, uint64_t addr);
/* Can the BPF side read register @reg by its number (go_reg)? */
bool code_is_readable(int reg);
/* Are g and the arguments in their registers at @site, as on entry? */
bool code_keeps_arguments(const struct site *site);
/*
 * Where runtime.systemstack, @fn, returns to from the function that it runs on the
 * system stack: behind its one indirect call. 0 if there is not exactly one.
 */
uint64_t code_systemstack_return(const struct gobin *b, const struct gobin_func *fn);

/*
 * Offset in @fn of the conditional jump behind the one compare-and-swap of the
 * 32-bit field at @field. -ENOTSUP if there is none, or more than one.
 */
int inlined_cas_jump(const struct gobin *b, const struct gobin_func *fn, unsigned int field,
		     uint32_t *offset);
/*
 * Offset in @fn of the conditional jump behind the first atomic addition of the
 * function @name inlined into it, and the register that holds the sum there. -ENOTSUP
 * if the code is unlike that.
 */
int inlined_add_jump(const struct gobin *b, const struct gobin_func *fn, const char *name,
		     uint32_t *offset, int *sum_reg);

#endif
