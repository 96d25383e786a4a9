// SPDX-License-Identifier: Apache-2.0
/*
 * process_load: a launched program up to its own first instruction. In: a process
 * stopped at its exec. Out: the same, stopped where a library has just been
 * mapped. The loader is followed by its system calls, and its end is a breakpoint
 * in a debug register: not a byte of the program is changed.
 */
#define _GNU_SOURCE
#include "capture/process.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { SYSCALL_STOP = SIGTRAP | 0x80, EXECUTE_0 = 1 };

static int set_debug_register(const struct process *p, int n, uint64_t value)
{
	size_t at = offsetof(struct user, u_debugreg) + (size_t)n * sizeof(long);

	return ptrace(PTRACE_POKEUSER, p->pid, at, value) ? -errno : 0;
}

static int set_breakpoint(const struct process *p, uint64_t addr)
{
	int r = set_debug_register(p, 0, addr);

	return r ? r : set_debug_register(p, 7, EXECUTE_0);
}

static void clear_breakpoint(const struct process *p)
{
	set_debug_register(p, 7, 0);
	set_debug_register(p, 0, 0);
}

/* At the end of a system call that mapped code of a file? (At its begin rax is -ENOSYS.) */
static bool mapped_code(const struct user_regs_struct *regs)
{
	return regs->orig_rax == SYS_mmap && (long)regs->rax > 0 && regs->rdx & PROT_EXEC &&
	       (int)regs->r8 >= 0;
}

enum stop { STOP_SYSCALL, STOP_BREAKPOINT, STOP_ENDED };

/* Signals for the program are passed on to it. */
static enum stop run_to_stop(struct process *p, uint64_t entry, struct user_regs_struct *regs)
{
	long signal = 0;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, p->pid, NULL, signal) ||
		    waitpid(p->pid, &p->status, 0) < 0 || !WIFSTOPPED(p->status) ||
		    ptrace(PTRACE_GETREGS, p->pid, NULL, regs))
			return STOP_ENDED;
		signal = WSTOPSIG(p->status);
		if (signal == SYSCALL_STOP)
			return STOP_SYSCALL;
		if (signal == SIGTRAP && regs->rip == entry)
			return STOP_BREAKPOINT;
	}
}

static int run_loader(struct process *p, uint64_t entry, bool (*is_it)(void *ctx), void *ctx,
		      struct error *err)
{
	struct user_regs_struct regs;

	for (;;) {
		switch (run_to_stop(p, entry, &regs)) {
		case STOP_SYSCALL:
			if (mapped_code(&regs) && is_it(ctx))
				return 0;
			break;
		case STOP_BREAKPOINT:
			return error_set(err, -ENOEXEC, "no such library");
		case STOP_ENDED:
			p->held = false;
			p->reaped = true;
			return error_set(err, -ESRCH, "the program ended before it began");
		}
	}
}

int process_load(struct process *p, bool (*is_it)(void *ctx), void *ctx, struct error *err)
{
	uint64_t entry;
	int r = process_entry(p, &entry, err);

	if (r)
		return r;
	if (ptrace(PTRACE_SETOPTIONS, p->pid, NULL, PTRACE_O_TRACESYSGOOD) ||
	    set_breakpoint(p, entry))
		return error_set(err, -errno, "cannot follow the loader of process %d: %s", p->pid,
				 strerror(errno));
	r = run_loader(p, entry, is_it, ctx, err);
	clear_breakpoint(p);
	return r;
}
