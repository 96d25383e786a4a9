// SPDX-License-Identifier: Apache-2.0
/* hold: see hold.h. */
#define _GNU_SOURCE
#include "inline/hold.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

enum {
	SYSCALL_STOP = SIGTRAP | 0x80,
	RED_ZONE = 128,		/* bytes below the stack pointer that a function may use */
	SYSCALL_LEN = 2,	/* bytes of the instruction */
};

/* Of the kernel's linux/errno.h: what a system call that is to begin again has as its result. */
enum { ERESTARTSYS = 512, ERESTARTNOINTR = 513, ERESTARTNOHAND = 514, ERESTART_RESTARTBLOCK = 516 };

/* Until the thread's next stop; how long that takes is the scheduler's affair. -ESRCH: it has ended. */
static int next_stop(pid_t tid, int *status)
{
	static const struct timespec at_most = { .tv_nsec = 1000000 };
	sigset_t child;
	pid_t r;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!(r = waitpid(tid, status, __WALL | WNOHANG)))
		sigtimedwait(&child, NULL, &at_most);
	return r == tid && WIFSTOPPED(*status) ? 0 : -ESRCH;
}

/* The stop that PTRACE_INTERRUPT asks for. */
static bool is_interrupt(int status)
{
	return status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8);
}

/* The signal that it must get to go on as it would have; 0: none. Job control is the kernel's own affair. */
static int signal_of(int status)
{
	return status >> 16 || WSTOPSIG(status) == SYSCALL_STOP ? 0 : WSTOPSIG(status);
}

static void put_word_back(struct hold *h)
{
	if (h->word_at)
		ptrace(PTRACE_POKEDATA, h->tid, (void *)(uintptr_t)h->word_at, (void *)(uintptr_t)h->word);
	h->word_at = 0;
}

/* At a stop that is none of ours: the kernel still has to begin the first system call again. */
static void let_go_with(struct hold *h, int status)
{
	put_word_back(h);
	if (h->changed)
		ptrace(PTRACE_SETREGS, h->tid, NULL, &h->found);
	ptrace(PTRACE_DETACH, h->tid, NULL, (long)signal_of(status));
}

int hold_begin(struct hold *h, pid_t tid)
{
	int status, r;

	*h = (struct hold){ .tid = tid, .since = now_ns() };
	INJECT_STEP();
	if (ptrace(PTRACE_SEIZE, tid, NULL, (long)PTRACE_O_TRACESYSGOOD))
		return -errno;
	INJECT_STEP();
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	INJECT_STEP();
	r = next_stop(tid, &status);
	if (r)
		return r;
	if (is_interrupt(status) && !ptrace(PTRACE_GETREGS, tid, NULL, &h->found))
		return 0;
	let_go_with(h, status);
	return -EAGAIN;
}

static struct user_regs_struct regs_of_call(const struct hold *h, long nr, const uint64_t args[6])
{
	struct user_regs_struct regs = h->found;

	regs.rip -= SYSCALL_LEN;
	regs.rax = (unsigned long)nr;
	regs.orig_rax = (unsigned long)-1;	/* or the kernel would begin the found one again */
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	return regs;
}

/* To the begin of the system call, or from there to its end. */
static int go_to_call_stop(struct hold *h)
{
	int status, r;

	INJECT_STEP();
	ptrace(PTRACE_SYSCALL, h->tid, NULL, NULL);	/* fails only if it is being killed */
	INJECT_STEP();
	r = next_stop(h->tid, &status);
	if (r)
		return r;
	if (WSTOPSIG(status) == SYSCALL_STOP && !(status >> 16))
		return 0;
	let_go_with(h, status);
	return -EAGAIN;
}

int hold_call(struct hold *h, long nr, const uint64_t args[6], int64_t *result)
{
	struct user_regs_struct regs = regs_of_call(h, nr, args);
	int r;

	INJECT_STEP();
	if (ptrace(PTRACE_SETREGS, h->tid, NULL, &regs))
		return -ESRCH;
	h->changed = true;
	r = go_to_call_stop(h);
	if (!r)
		r = go_to_call_stop(h);
	if (r)
		return r;
	if (ptrace(PTRACE_GETREGS, h->tid, NULL, &regs))
		return -ESRCH;
	*result = (int64_t)regs.rax;
	return 0;
}

uint64_t hold_push(struct hold *h, const char text[8])
{
	uint64_t at = (h->found.rsp - RED_ZONE - 64) & ~15ULL, word;

	errno = 0;
	h->word = (uint64_t)ptrace(PTRACE_PEEKDATA, h->tid, (void *)(uintptr_t)at, NULL);
	if (errno)
		return 0;
	memcpy(&word, text, sizeof(word));
	INJECT_STEP();
	if (ptrace(PTRACE_POKEDATA, h->tid, (void *)(uintptr_t)at, (void *)(uintptr_t)word))
		return 0;
	h->word_at = at;
	return at;
}

/*
 * Behind a call of ours the kernel does not look whether the found one has to begin again, so its registers
 * are set to what the kernel would make of them (arch/x86/kernel/signal.c, arch_do_signal_or_restart).
 */
static void begin_again(struct user_regs_struct *regs)
{
	if ((int64_t)regs->orig_rax < 0)
		return;
	switch (-(int64_t)regs->rax) {
	case ERESTARTSYS:
	case ERESTARTNOINTR:
	case ERESTARTNOHAND:
		regs->rax = regs->orig_rax;
		break;
	case ERESTART_RESTARTBLOCK:
		regs->rax = SYS_restart_syscall;
		break;
	default:
		return;
	}
	regs->rip -= SYSCALL_LEN;
	regs->orig_rax = (unsigned long)-1;
}

void hold_end(struct hold *h)
{
	struct user_regs_struct regs = h->found;

	put_word_back(h);
	INJECT_STEP();
	if (h->changed) {
		begin_again(&regs);
		ptrace(PTRACE_SETREGS, h->tid, NULL, &regs);
		INJECT_STEP();
	}
	ptrace(PTRACE_DETACH, h->tid, NULL, NULL);
	INJECT_STEP();
}

uint64_t hold_age(const struct hold *h)
{
	return now_ns() - h->since;
}
