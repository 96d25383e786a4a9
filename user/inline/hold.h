/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold: one thread of the target, stopped by ptrace for some 100 us. calls.c makes it do a system
 * call, inside.c reads where it is. The process that holds it may be killed at any instant: the
 * kernel then continues the thread.
 *
 * The thread makes the call after the hold: gotap continues it with other registers, it makes the
 * call, and returns to where it slept as from a spurious wake-up, which the runtime expects there
 * (inject.h). Stops at the call's begin and end would give its result, but each stop costs the
 * thread its processor, which the thread gets back after milliseconds on a busy machine.
 *
 * No signal is lost, blocked or delayed beyond the hold. Single steps are not used: the kernel
 * leaves the processor's trap flag set when a tracer dies, and the trap would kill the program.
 */
#ifndef GOTAP_INLINE_HOLD_H
#define GOTAP_INLINE_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct hold {
	pid_t tid;
	/* when the thread stopped, on the clock of now_ns(), and how long it was held */
	uint64_t since, ns;
	/* the part of @ns in which the caller waited for a processor */
	uint64_t waited_ns;
	/* the caller's own schedstat file, open; -1: the kernel has none */
	int sched;
	struct user_regs_struct regs;	/* registers when the thread stopped */
	int policy;			/* the caller's own scheduling policy */
};

/*
 * Stops @tid. The caller has blocked SIGCHLD. Until the end of the hold the calling thread is a
 * real-time thread, if it has the right. 0; -EAGAIN: not now (a signal came, or job control has
 * stopped the thread); -ESRCH: it has ended; -EPERM: it may not be traced.
 */
int hold_begin(struct hold *h, pid_t tid);
/* Continues the thread with the registers that it had. */
void hold_end(struct hold *h);
/*
 * Continues the thread with a system call to make, by the instruction after which it was found; the
 * thread goes on from there afterwards. If @name is not NULL, these 8 bytes are put below its
 * stack, and their address is the first argument. The hold is over in any case. 0, or -ESRCH.
 */
int hold_send(struct hold *h, long nr, const uint64_t args[6], const char name[8]);

/*
 * The number of holds, the length of the longest one, and the part of that one in which the caller
 * waited for a processor.
 */
struct holds {
	unsigned int n;
	uint64_t ns, waited_ns;
};

/* holds_add() counts a hold that is over; holds_join() adds all of @more. */
void holds_add(struct holds *all, const struct hold *h);
void holds_join(struct holds *all, const struct holds *more);

/* Only tests define this function. It is called before each step that another process can see. */
void inject_step(void) __attribute__((weak));
#define INJECT_STEP() ((void)(inject_step && (inject_step(), 0)))

#endif
