// SPDX-License-Identifier: Apache-2.0
/* hold: see hold.h. */
#define _GNU_SOURCE
#include "inline/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	RED_ZONE = 128,		/* bytes below the stack pointer that a function may use */
	SYSCALL_LEN = 2,	/* bytes of the system call instruction */
};

/*
 * Raises the priority of this thread: otherwise other threads could have the processor that it
 * needs to continue the held thread.
 */
static void be_quick(struct hold *h)
{
	struct sched_param lowest = { .sched_priority = 1 };

	h->policy = sched_getscheduler(0);
	sched_setscheduler(0, SCHED_FIFO, &lowest);
}

static void be_as_before(const struct hold *h)
{
	struct sched_param none = {0};

	if (h->policy >= 0 && h->policy != SCHED_FIFO && h->policy != SCHED_RR)
		sched_setscheduler(0, h->policy, &none);
}

/*
 * Returns the ns that this thread has waited for CPUs since it was made, from its schedstat file:
 * "RAN WAITED SLICES". 0: the kernel does not count them.
 */
static uint64_t hold_waited(const struct hold *h)
{
	uint64_t ns = 0;
	char text[80];
	ssize_t n = h->sched < 0 ? 0 : pread(h->sched, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%*u %" SCNu64, &ns) == 1 ? ns : 0;
}

static void begin_time(struct hold *h)
{
	h->since = now_ns();
	h->waited_ns = hold_waited(h);
}

static void hold_over(struct hold *h)
{
	h->ns = now_ns() - h->since;
	h->waited_ns = hold_waited(h) - h->waited_ns;
	if (h->sched >= 0)
		close(h->sched);
	be_as_before(h);
}

void holds_add(struct holds *all, const struct hold *h)
{
	holds_join(all, &(struct holds){ 1, h->ns, h->waited_ns });
}

void holds_join(struct holds *all, const struct holds *more)
{
	all->n += more->n;
	if (more->ns <= all->ns)
		return;
	all->ns = more->ns;
	all->waited_ns = more->waited_ns;
}

/*
 * Waits until the thread's next stop, for as long as the scheduler takes. -ESRCH: the thread has
 * ended.
 */
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

/* Returns whether it is the stop that PTRACE_INTERRUPT asks for. */
static bool is_interrupt(int status)
{
	return status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8);
}

/*
 * Returns the signal that the thread must get to run on as without gotap; 0: none. The kernel
 * handles job control by itself.
 */
static int signal_of(int status)
{
	return status >> 16 ? 0 : WSTOPSIG(status);
}

/* Continues the thread, with signal @sig. False: it has been killed, or is gone. */
static bool hold_continue(pid_t tid, int sig)
{
	return !ptrace(PTRACE_DETACH, tid, NULL, (long)sig) || errno != ESRCH;
}

/*
 * Reaps a thread that was killed meanwhile: an exec of another thread waits until the tracer has
 * done so.
 */
static void hold_reap(pid_t tid)
{
	int status;

	next_stop(tid, &status);
}

static int hold_stop(struct hold *h)
{
	int status, r;

	INJECT_STEP();
	if (ptrace(PTRACE_SEIZE, h->tid, NULL, NULL))
		return -errno;
	INJECT_STEP();
	ptrace(PTRACE_INTERRUPT, h->tid, NULL, NULL);
	INJECT_STEP();
	r = next_stop(h->tid, &status);
	begin_time(h);
	INJECT_STEP();
	if (r)
		return r;
	if (is_interrupt(status) && !ptrace(PTRACE_GETREGS, h->tid, NULL, &h->regs))
		return 0;
	if (!hold_continue(h->tid, signal_of(status)))
		hold_reap(h->tid);
	return -EAGAIN;
}

int hold_begin(struct hold *h, pid_t tid)
{
	int r;

	*h = (struct hold){ .tid = tid,
			    .sched = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC) };
	be_quick(h);
	begin_time(h);
	r = hold_stop(h);
	if (r)
		hold_over(h);
	return r;
}

void hold_end(struct hold *h)
{
	bool there;

	INJECT_STEP();
	there = hold_continue(h->tid, 0);
	hold_over(h);
	if (!there)
		hold_reap(h->tid);
	INJECT_STEP();
}

/*
 * Puts @name below the red zone of the thread's stack, where no function has data. Only the kernel
 * reads these bytes, during the call.
 */
static bool hold_push(const struct hold *h, const char name[8], uint64_t *at)
{
	uint64_t word;

	*at = (h->regs.rsp - RED_ZONE - 64) & ~15ULL;
	memcpy(&word, name, sizeof(word));
	INJECT_STEP();
	return !ptrace(PTRACE_POKEDATA, h->tid, (void *)(uintptr_t)*at, (void *)(uintptr_t)word);
}

static bool set_registers(struct hold *h, long nr, const uint64_t args[6])
{
	struct user_regs_struct regs = h->regs;

	regs.rip -= SYSCALL_LEN;
	regs.rax = (unsigned long)nr;
	/* prevents the kernel from restarting the interrupted call */
	regs.orig_rax = (unsigned long)-1;
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	INJECT_STEP();
	return !ptrace(PTRACE_SETREGS, h->tid, NULL, &regs);
}

int hold_send(struct hold *h, long nr, const uint64_t args[6], const char name[8])
{
	uint64_t with[6];
	bool sent;

	memcpy(with, args, sizeof(with));
	sent = (!name || hold_push(h, name, &with[0])) && set_registers(h, nr, with);
	hold_end(h);
	return sent ? 0 : -ESRCH;
}
