/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold: one thread of the target, stopped by ptrace for some 100 us. calls.c makes it do a system
 * call, inside.c looks where it is. A process that may be killed at any instant does this: the
 * thread then goes on by itself.
 *
 * The call is made after the hold: the thread is let go with other registers, does it, and comes
 * back to where it slept as from a wake-up without cause, which the runtime takes for granted there
 * (inject.h). To stop it at the call's begin and end would give its result, but each stop costs the
 * thread its processor, which on a busy machine it gets back after milliseconds.
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
	/* when it stopped, as now_ns() has it; and how long it was held */
	uint64_t since, ns;
	/* of that time, ns that the caller waited for a processor */
	uint64_t waited_ns;
	/* the caller's own schedstat file, open; -1: the kernel has none */
	int sched;
	struct user_regs_struct regs;	/* as it was found */
	int policy;			/* the caller's own scheduling policy */
};

/*
 * Stops @tid. The caller has blocked SIGCHLD; until the end of the hold it is a real-time thread,
 * if it may be. 0; -EAGAIN: not now (a signal came, or it is stopped by job control); -ESRCH: it
 * has ended; -EPERM: may not be traced.
 */
int hold_begin(struct hold *h, pid_t tid);
/* Releases the thread as it was found. */
void hold_end(struct hold *h);
/*
 * Releases the thread with a system call to make, by the instruction after which it was found; it
 * then goes on from there. If @name is not NULL, these 8 bytes are put below its stack, and their
 * address is the first argument. 0, or -ESRCH. The hold is over.
 */
int hold_send(struct hold *h, long nr, const uint64_t args[6], const char name[8]);

/*
 * The number of holds, the length of the longest one, and how much of that one the caller waited
 * for a processor.
 */
struct holds {
	unsigned int n;
	uint64_t ns, waited_ns;
};

/* holds_add() counts a hold that is over; holds_join() adds all of @more. */
void holds_add(struct holds *all, const struct hold *h);
void holds_join(struct holds *all, const struct holds *more);

/* Only tests have this one: called before each step that another process can see. */
void inject_step(void) __attribute__((weak));
#define INJECT_STEP() ((void)(inject_step && (inject_step(), 0)))

#endif
