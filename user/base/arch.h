/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch: the architecture on which gotap itself runs, and of the programs that it can record. That
 * of a program whose file it reads may be another one: its facts are in symbol/goarch.h. A port to
 * a further host adds a row here, and code or rows in
 *
 *	bpf/arch_ARCH*.h	the registers of a probe and of a task
 *	live/registers.h	the registers of a thread under ptrace
 *	bpf/emit.h		rec_submit(): in which order other CPUs see stores
 *
 * inline/x86 and bpf/inline, --attach inline, are for amd64: instructions, registers, the time
 * stamp counter. The sizes in sched/memory.c are those of linux/amd64 and linux/arm64.
 */
#ifndef GOTAP_BASE_ARCH_H
#define GOTAP_BASE_ARCH_H

#include <elf.h>
#include <stdint.h>

#if defined(__x86_64__)

#define ARCH_NAME "amd64"	/* GOARCH */

enum { ARCH_ELF_MACHINE = EM_X86_64 };

/* A function that does nothing. The kernel emulates its first instruction under a uprobe. */
#define ARCH_EMPTY_FUNCTION "\tpush %rbp\n\tpop %rbp\n\tret\n"
/* One of which the kernel has to step the first instruction. */
#define ARCH_RETURNING_FUNCTION "\tret\n"

/*
 * What a probe costs on an instruction that the kernel has to step, in percent of one that it
 * emulates: measured in a virtual machine (docs/measurements.md).
 */
enum { ARCH_STEP_PERCENT = 1375 };

/*
 * A probe reads the clock after it has reserved its record, by an instruction that other CPUs see
 * before all later ones.
 */
enum { ARCH_TIME_SLACK_NS = 0 };

/* runtime.netpollblock has &pollDesc.rg or wg there: Go 1.19 to 1.27, from the stack pointer on. */
enum { ARCH_POLL_SLOT = 32 };

/*
 * Returns the stack pointer of the caller of a function with the frame pointer @bp, which has saved
 * the frame pointer @saved of that caller.
 */
static inline uint64_t arch_caller_sp(uint64_t bp, uint64_t saved) { (void)saved; return bp + 16; }

/* For a loop that waits for another thread. */
static inline void arch_pause(void) { __builtin_ia32_pause(); }

/* The counter that the runtime's cputicks() reads; it is read after all loads before the call. */
static inline uint64_t arch_ticks(void)
{
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
}

#elif defined(__aarch64__)

#define ARCH_NAME "arm64"

enum { ARCH_ELF_MACHINE = EM_AARCH64 };

#define ARCH_EMPTY_FUNCTION "\tb 1f\n1:\tret\n"
#define ARCH_RETURNING_FUNCTION "\tmov x1, x1\n\tret\n"

/* This one is the ratio of instructions, which were counted in an emulator (docs/arm64.md). */
enum { ARCH_STEP_PERCENT = 175 };

/*
 * The kernel reads the counter after an ISB, which does not wait until other CPUs see the record
 * as reserved: a record with a time up to this much earlier may be found later.
 */
enum { ARCH_TIME_SLACK_NS = 2000 };

enum { ARCH_POLL_SLOT = 48 };

/* The frame pointer is the word below the stack pointer. */
static inline uint64_t arch_caller_sp(uint64_t bp, uint64_t saved) { (void)bp; return saved + 8; }

static inline void arch_pause(void) { __asm__ volatile("yield"); }

static inline uint64_t arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

#else
#error "gotap knows no machine code of this architecture"
#endif

/* What other tools and files call the architecture. */
enum {
	/* AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64: as seccomp has it */
	ARCH_AUDIT = ARCH_ELF_MACHINE == EM_X86_64 ? 0xc000003e : 0xc00000b7,
};
/* Whether other CPUs see plain stores in the order of the program. */
enum { ARCH_ORDERED_STORES = ARCH_ELF_MACHINE == EM_X86_64 };
/* A field of struct thread_struct of the kernel that other architectures lack. */
#define ARCH_THREAD_FIELD (ARCH_ELF_MACHINE == EM_X86_64 ? "fsbase" : "uw")
#define ARCH_KERNEL_NAME (ARCH_ELF_MACHINE == EM_X86_64 ? "x86-64" : "arm64")

#endif
