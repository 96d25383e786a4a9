/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch: changes operands of instructions of the running target, each under a breakpoint that is a uprobe of
 * gotap's own: no thread executes the instruction itself meanwhile, and the kernel emulates (or steps
 * through a copy of) the one in the file, so that nothing is missed. Runs in the prober.
 */
#ifndef GOTAP_INLINE_PATCH_H
#define GOTAP_INLINE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "live/process.h"

/* What is changed: four bytes at @addr + @at of an instruction of @len bytes. */
struct patch {
	uint64_t addr;		/* of the instruction, in the target */
	uint8_t bytes[8];	/* the instruction as it is in the file */
	uint8_t len, at;	/* call rel32: 5, 1; cmpb $0, disp32(%rip): 7, 2 */
	uint64_t to;		/* the new destination: a stub, or the byte that is never 0 */
	bool done;		/* is in place */
	char why[80];		/* if not: why */
};

/*
 * Puts those of @n patches in place whose instruction is as expected: first byte 0xCC (the uprobe), the rest
 * as in the file, destination within reach. Says of each whether it is done. @undo: the reverse, for those
 * that are done. The caller attaches the uprobes before and detaches them after, which is what makes a
 * patch take effect. 0, or -errno if nothing can be written at all (membarrier, ptrace rights, the process has ended).
 */
int patch_apply(const struct process *p, struct patch *patches, size_t n, bool undo, struct error *err);

/* Returns when all CPUs have gone through an instruction that makes them see changed code (membarrier GLOBAL). */
int patch_barrier(struct error *err);

#endif
