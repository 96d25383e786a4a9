/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code: the questions that gotap has about machine code of any architecture. In: the code of a Go
 * binary. Out: where probes can sit, and where values are at these places. Each architecture has a
 * folder (target/x86/, target/arm64/) that implements this header and the headers that it includes
 * (code.def); plan/ and cmd/ use nothing else of that folder. The architecture is that of the
 * program, whatever gotap runs on. A register is the number that instructions have for it, which
 * bpf/arch_ARCH.h understands, too.
 */
#ifndef GOTAP_TARGET_CODE_H
#define GOTAP_TARGET_CODE_H

#include "target/alloc_type.h"
#include "target/assist.h"
#include "target/callsites.h"
#include "target/ends.h"
#include "target/exitsyscall.h"
#include "target/function_sites.h"
#include "target/mallocgc.h"
#include "target/prologue.h"
#include "target/ready_skip.h"
#include "target/references.h"
#include "target/sema_slot.h"
#include "target/stackalloc.h"
#include "target/tls_g.h"
#include "target/trace_flag.h"

/*
 * Returns whether the kernel emulates the instruction at @addr in a uprobe; if not, it steps a
 * copy.
 */
bool code_is_emulated(const struct gobin *b, uint64_t addr);
/*
 * Returns whether a uprobe may sit at the instruction at @addr: false where the kernel refuses or
 * breaks it, and where a trap would change what the program does.
 */
bool code_may_probe(const struct gobin *b, uint64_t addr);
/*
 * Returns whether the instruction at @addr is a direct call; *@target is then the callee's address.
 */
bool code_is_call(const struct gobin *b, uint64_t addr, uint64_t *target);
/*
 * Returns whether the instruction at @addr loads an address as the first argument of a call of
 * @callee after it; *@call is then that call.
 */
bool code_is_argument(const struct gobin *b, uint64_t addr, uint64_t callee, uint64_t *call);
/*
 * Returns the first call after @addr in @fn, in straight code, while the register of a second
 * result and argument keeps its value. @addr is a return address. 0 if the code is not of that
 * form, or if a jump leads in between.
 */
uint64_t code_call_with_second(const struct gobin *b, const struct gobin_func *fn, uint64_t addr);
/*
 * Stores the offset of the field that @fn stores a register to, in the instruction after the one
 * that stores true to a field of the same struct: "x.flag = true; x.field = value". -ENOTSUP if
 * there is no such place, or more than one with different fields.
 */
int code_store_after_flag(const struct gobin *b, const struct gobin_func *fn, int32_t *at);
/*
 * Stores the offset of the field of one byte that @fn loads through a register that is not the
 * stack pointer. -ENOTSUP if there is no such load, or more than one.
 */
int code_byte_load(const struct gobin *b, const struct gobin_func *fn, int32_t *at);
/*
 * Returns the last conditional jump in @fn before its first call of a method of an interface, if
 * the register of a first result has the third argument of that method from the jump on. 0 if the
 * code is not of that form.
 */
uint64_t code_jump_before_method(const struct gobin *b, const struct gobin_func *fn);
/*
 * Stores the addresses of the program's writable data that the instructions of @fn name, in the
 * order of the instructions, each once; at most @max. Returns their number. *@whole: these are all;
 * false if there are more, or if an instruction cannot be decoded: those behind it are left out.
 */
size_t code_globals(const struct gobin *b, const struct gobin_func *fn, uint64_t *ret, size_t max,
		    bool *whole);
/*
 * Returns the return address of the one indirect call that @fn may make after it has stored its
 * fourth argument in the room that its caller has for it; every way to this call leads over the
 * store, and nothing else changes the room. 0 if the code is not of that form.
 */
uint64_t code_call_with_kept_fourth(const struct gobin *b, const struct gobin_func *fn);
/* Returns whether the BPF side can read register @reg by its number (go_reg() in bpf/goabi.h). */
bool code_is_readable(const struct gobin *b, int reg);
/* Returns whether g and the arguments are at @site in the registers that they have on entry. */
bool code_keeps_arguments(const struct gobin *b, const struct site *site);
/*
 * Returns the address at which the function that runtime.systemstack, @fn, runs on the system stack
 * returns to systemstack: the instruction after its one indirect call. 0 if there is not exactly
 * one such call.
 */
uint64_t code_systemstack_return(const struct gobin *b, const struct gobin_func *fn);

/*
 * Stores the offset in @fn of the conditional jump after the one compare-and-swap of the 32-bit
 * field at @field. -ENOTSUP if there is no such compare-and-swap, or more than one.
 */
int inlined_cas_jump(const struct gobin *b, const struct gobin_func *fn, unsigned int field,
		     uint32_t *offset);
/*
 * Stores the offset in @fn of the conditional jump after the first atomic addition of the function
 * @name, which is inlined into @fn, and the register that holds the sum there. -ENOTSUP if the code
 * is not of that form.
 */
int inlined_add_jump(const struct gobin *b, const struct gobin_func *fn, const char *name,
		     uint32_t *offset, int *sum_reg);

#endif
