/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch: changes operands of instructions of the running target, each under a breakpoint that is a
 * uprobe of gotap's own: no thread executes the instruction itself meanwhile, and the kernel
 * emulates (or steps through a copy of) the one in the file, so that nothing is missed. Runs in the
 * prober.
 *
 * This is safe by the rules of the processor (Intel SDM volume 3, "Handling Self- and
 * Cross-Modifying Code"): a processor may execute an instruction that another one changes only
 * after it has executed a serializing instruction. The order here is that of the kernel's own
 * text_poke_bp() (arch/x86/kernel/alternative.c):
 *
 *	1. int3 is the first byte: one byte, of which each processor sees the old value or the
 *	   new one. A thread that executes it enters the kernel, and IRET, with which it comes
 *	   back, serializes.
 *	2. patch_barrier(). No processor has the old instruction in its pipeline any more.
 *	3. The operand is written, in any number of steps, over any boundary of 8 bytes or of a
 *	   cache line: no thread executes it.
 *	4. patch_barrier(). A processor that fetches the instruction from here on fetches the new
 *	   operand.
 *	5. The first byte is written again: the new instruction is whole.
 *
 * So no boundary matters to the processors. The border of a page matters to the writer: the kernel
 * writes page by page, and a SIGKILL can end it in between. Then the uprobe goes with the killed
 * process, and its breakpoint with it, and half an operand would be executed. Such an operand is
 * never written (patch_is_torn).
 */
#ifndef GOTAP_INLINE_PATCH_H
#define GOTAP_INLINE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "live/process.h"

/* What is changed: four bytes at @addr + @at of an instruction of @len bytes. */
struct patch {
	uint64_t addr;		/* of the instruction, in the target */
	uint8_t bytes[8];	/* the instruction as it is in the file */
	uint8_t len, at;	/* call rel32: 5, 1; cmpb $0, disp32(%rip): 7, 2 */
	uint64_t to;		/* the new destination: a stub, or the byte that is never 0 */
	bool done;		/* is in place */
	bool barred;		/* it is not to be changed */
	char why[80];		/* if not: why */
};

/* Does the operand lie in two pages? */
bool patch_is_torn(const struct patch *pt);

/*
 * @mem is the program's memory (vm_open()), from before @to was made in it: a program that the
 * process execs later has the same instructions, and gotap's uprobes, at the same addresses
 * perhaps, but nothing there that @to leads to.
 *
 * Puts those of @n patches in place whose instruction is as expected: first byte 0xCC (the uprobe),
 * the rest as in the file, destination within reach. Says of each whether it is done. @undo: the
 * reverse, for those that are done. The caller attaches the uprobes before. Patches take effect by
 * patch_uncover(), their reverse when the caller detaches the uprobes. 0, or -errno if nothing can
 * be written at all (membarrier, or the program's memory is gone).
 */
int patch_apply(const struct process *p, int mem, struct patch *patches, size_t n, bool undo,
		struct error *err);

/*
 * Takes the breakpoints away from those of @n patches that are done, by writing the first byte of
 * the instruction. The uprobes must stay registered until this returns: a thread that has just met
 * the breakpoint is still theirs. To detach a uprobe does not do: the kernel takes away its
 * consumer first, and the breakpoint some 10 ms later (register_for_each_vma() waits for a grace
 * period), in which it carries out the instruction of the file for nobody.
 */
int patch_uncover(const struct process *p, int mem, const struct patch *patches, size_t n,
		  struct error *err);

/*
 * Does each patch of @patches, all of which took effect, have the instruction that gotap wrote? -1:
 * yes; or the index of one that has another: another tracer has put a breakpoint there since, and
 * the kernel carries out the instruction of the file.
 */
ssize_t patch_disturbed(const struct process *p, const struct patch *patches, size_t n);

/*
 * To be called before gotap has uprobes in the program. Bars those patches that have another
 * instruction than the file: another tracer has a breakpoint there, and under it the kernel would
 * emulate the instruction of the file.
 */
void patch_look(const struct process *p, struct patch *patches, size_t n);

/*
 * Returns when all CPUs have gone through an instruction that makes them see changed code
 * (membarrier GLOBAL).
 */
int patch_barrier(struct error *err);

#endif
