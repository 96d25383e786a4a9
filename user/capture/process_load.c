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
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "capture/process_internal.h"

enum { EXECUTE_0 = 1 };

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

static int run_loader(struct process *p, uint64_t entry, bool (*is_it)(void *ctx), void *ctx,
		      struct error *err)
{
	struct user_regs_struct regs;
	int signal = 0;

	for (;;) {
		enum stop stop = process_run(p, PTRACE_SYSCALL, signal);

		signal = 0;
		if (stop == STOP_ENDED)
			return error_set(err, -ECHILD, "the program ended before it began");
		if (stop == STOP_EXEC)	/* by a constructor of a library */
			return process_open_exe(p, err) ? err->code :
			       error_set(err, -EAGAIN, "another program was run");
		if (ptrace(PTRACE_GETREGS, p->pid, NULL, &regs))
			continue;	/* it is being killed */
		if (stop == STOP_SYSCALL && mapped_code(&regs) && is_it(ctx))
			return 0;
		if (stop == STOP_TRAP && regs.rip == entry)
			return error_set(err, -ENOEXEC, "no such library");
		if (stop == STOP_TRAP)
			signal = SIGTRAP;
	}
}

int process_load(struct process *p, bool (*is_it)(void *ctx), void *ctx, struct error *err)
{
	uint64_t entry;
	int r = process_entry(p, &entry, err);

	if (r == -ESRCH)	/* of a program that is not of 64 bits */
		return error_set(err, -ENOEXEC, "no loader to follow");
	if (r)
		return r;
	if (set_breakpoint(p, entry))
		return error_set(err, -errno, "cannot follow the loader of process %d: %s", p->pid,
				 strerror(errno));
	r = run_loader(p, entry, is_it, ctx, err);
	clear_breakpoint(p);
	return r;
}
