/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch: the architecture on which gotap itself runs, and of the programs that it can record. That
 * of a program whose file it reads may be another one: its facts are in symbol/goarch.h. A port to
 * a further host adds a row here, and code or rows in
 *
 *	bpf/arch_ARCH*.h	the registers of a probe and of a task
 *	live/registers.h	the registers of a thread under ptrace
 *	base/rights.c		the number that seccomp has for the architecture
 *
 * These files depend on amd64, too, and have no rows per architecture yet:
 *
 *	inline/, bpf/inline/	--attach inline: instructions, registers, the time stamp counter
 *	bpf/emit.h		rec_submit(): other CPUs see stores in their order
 *	threads/switches.c	the number of sched_yield(2)
 *	frames/stacks.c		the return address of a function without a frame is on its stack
 *	sched/memory.c		sizes of the runtime on linux/amd64
 */
#ifndef GOTAP_BASE_ARCH_H
#define GOTAP_BASE_ARCH_H

#include <elf.h>

#if defined(__x86_64__)

#define ARCH_NAME "amd64"	/* GOARCH */

enum { ARCH_ELF_MACHINE = EM_X86_64 };

/* A function that does nothing. The kernel emulates its first instruction under a uprobe. */
#define ARCH_EMPTY_FUNCTION "\tpush %rbp\n\tpop %rbp\n\tret\n"
/* One of which the kernel has to step the first instruction. */
#define ARCH_RETURNING_FUNCTION "\tret\n"

#else
#error "gotap knows no machine code of this architecture"
#endif

#endif
