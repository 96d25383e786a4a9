/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers: the registers of a thread that ptrace has stopped: its pc, and the system call that it
 * makes. For process_load.c and follow/catch.c. Each architecture has a row of names here.
 */
#ifndef GOTAP_LIVE_REGISTERS_H
#define GOTAP_LIVE_REGISTERS_H

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__)

#define REGISTERS_MACHINE EM_X86_64
#define REGISTERS_PC rip
#define REGISTERS_SP rsp
#define REGISTERS_CALL orig_rax		/* number of the system call */
#define REGISTERS_RESULT rax		/* -ENOSYS at the begin of the call */
#define REGISTERS_HAS_RESULT(regs) ((long)(regs)->rax != -ENOSYS)
#define REGISTERS_MMAP_PROT rdx		/* the third argument of mmap() */
#define REGISTERS_MMAP_FD r8		/* the fifth */
#define REGISTERS_VECTORS NT_X86_XSTATE		/* vector registers, and their note in core files */
#define REGISTERS_VECTORS_NOTE "LINUX"

#elif defined(__aarch64__)

#define REGISTERS_MACHINE EM_AARCH64
#define REGISTERS_PC pc
#define REGISTERS_SP sp
#define REGISTERS_CALL regs[8]
#define REGISTERS_RESULT regs[0]		/* the first argument at the begin of the call */
/* At a stop of a system call x7 is 0 at its begin, 1 at its end (arch/arm64/kernel/ptrace.c). */
#define REGISTERS_HAS_RESULT(registers) ((registers)->regs[7] == 1)
#define REGISTERS_MMAP_PROT regs[2]
#define REGISTERS_MMAP_FD regs[4]
#define REGISTERS_VECTORS NT_PRFPREG
#define REGISTERS_VECTORS_NOTE "CORE"

#else
#error "gotap knows no registers of this architecture"
#endif

/* False also for a thread of a 32-bit program, which has fewer registers. */
static inline bool registers_read(pid_t pid, struct user_regs_struct *ret)
{
	struct iovec to = { ret, sizeof(*ret) };

	return !ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &to) &&
	       to.iov_len == sizeof(*ret);
}

#endif
