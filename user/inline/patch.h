/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch: changes operands of instructions of the running target, each under a breakpoint that is a
 * uprobe of gotap's own. Meanwhile no thread executes the instruction itself: the kernel emulates
 * the instruction of the file, or steps a copy of it, so that no hit is missed. Runs in the prober.
 *
 * This is safe by the rules of the processor (Intel SDM volume 3, "Handling Self- and
 * Cross-Modifying Code"): a processor may execute an instruction that another one changes only
 * after it has executed a serializing instruction. The order here is that of the kernel's own
 * text_poke_bp() (arch/x86/kernel/alternative.c):
 *
 * 	1. int3 is the first byte: one byte, of which each processor sees the old value or the
 * 	   new one. A thread that executes it enters the kernel, and IRET, with which it comes
 * 	   back, serializes.
 * 	2. patch_barrier(). No processor has the old instruction in its pipeline any more.
 * 	3. The operand is written, in any number of steps, over any boundary of 8 bytes or of a
 * 	   cache line: no thread executes it.
 * 	4. patch_barrier(). A processor that fetches the instruction from here on fetches the new
 * 	   operand.
 * 	5. The first byte is written again: the new instruction is whole.
 *
 * The processors therefore need no alignment of the operand. The writer does: the kernel writes
 * page by page, and a SIGKILL can end the write between two pages. The uprobe of the killed process
 * and its breakpoint then go, and threads would execute half an operand. An operand over two pages
 * is therefore never written (patch_is_torn()).
 */
#ifndef GOTAP_INLINE_PATCH_H
#define GOTAP_INLINE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "live/process.h"

/* A change: four bytes at @addr + @at, in an instruction of @len bytes. */
struct patch {
	uint64_t addr;		/* of the instruction, in the target */
	uint8_t bytes[8];	/* the instruction as it is in the file */
	uint8_t len, at;	/* call rel32: 5, 1; cmpb $0, disp32(%rip): 7, 2 */
	uint64_t to;		/* the new destination: a stub, or the byte that is never 0 */
	bool done;		/* the new operand is in place */
	bool barred;		/* the instruction must not be changed */
	char why[80];		/* why the operand is not in place, if it is not */
};

/* Returns whether the operand lies in two pages. */
bool patch_is_torn(const struct patch *pt);

/*
 * Puts those of @n patches in place that find the expected instruction: first byte 0xCC (the
 * uprobe), the rest as in the file, destination within reach. Sets in each whether it is done.
 * @undo: the reverse, for those that are done. The caller attaches the uprobes first. Patches take
 * effect by patch_uncover(), their reverse when the caller detaches the uprobes. 0, or -errno if no
 * byte can be written (no membarrier, or the program's memory is gone).
 *
 * @mem is the program's memory, from a vm_open() before the memory at @to was made. A program that
 * the process execs later may have the same instructions and gotap's uprobes at the same addresses,
 * but no memory at @to: @mem does not lead to that program.
 */
int patch_apply(const struct process *p, int mem, struct patch *patches, size_t n, bool undo,
		struct error *err);

/*
 * Removes the breakpoints from those of @n patches that are done, by writing the first byte of the
 * instruction. The uprobes must remain registered until this returns, because they handle a thread
 * that has just met the breakpoint. To detach a uprobe is not enough: the kernel first removes its
 * consumer, and the breakpoint some 10 ms later (register_for_each_vma() waits for a grace period).
 * Meanwhile the kernel executes the instruction of the file, and no probe sees the hit.
 */
int patch_uncover(const struct process *p, int mem, const struct patch *patches, size_t n,
		  struct error *err);

/*
 * Checks patches that all took effect. -1: each has the instruction that gotap wrote; or the index
 * of one that has another: another tracer has put a breakpoint there since, under which the kernel
 * executes the instruction of the file.
 */
ssize_t patch_disturbed(const struct process *p, const struct patch *patches, size_t n);

/*
 * Bars those patches that find another instruction than in the file: another tracer has a
 * breakpoint there, under which the kernel would emulate the instruction of the file. The caller
 * calls this before gotap has uprobes in the program.
 */
void patch_look(const struct process *p, struct patch *patches, size_t n);

/*
 * Returns when all CPUs have executed an instruction after which they see changed code (membarrier
 * GLOBAL).
 */
int patch_barrier(struct error *err);

#endif
