/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold: one thread of the target, stopped by ptrace for a moment. calls.c makes it do system calls, inside.c looks
 * where it is. A process that may be killed at any instant does this: the thread then goes on by itself.
 *
 * No signal is lost, blocked or delayed beyond the hold: one that comes ends it. Single steps are not used: the kernel
 * leaves the processor's trap flag set when a tracer dies, and the trap would kill the program.
 */
#ifndef GOTAP_INLINE_HOLD_H
#define GOTAP_INLINE_HOLD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct hold {
	pid_t tid;
	uint64_t since;			/* now_ns() */
	struct user_regs_struct found;	/* its registers at the stop */
	bool changed;			/* they are others now */
	uint64_t word_at, word;		/* of its stack, which was changed; 0: none */
};

/*
 * Stops @tid. The caller has blocked SIGCHLD. 0; -EAGAIN: not now (a signal came, or it is stopped by job control);
 * -ESRCH: it has ended; -EPERM: may not be traced.
 */
int hold_begin(struct hold *h, pid_t tid);
/*
 * Makes it do a system call by the instruction behind which it was found. 0 with *@result, else the hold is
 * over, as by hold_end(): -EAGAIN, -ESRCH.
 */
int hold_call(struct hold *h, long nr, const uint64_t args[6], int64_t *result);
/* Writes 8 bytes to below its stack until the end of the hold; their address, or 0. */
uint64_t hold_push(struct hold *h, const char text[8]);
/* Lets it go on as if nothing had been: with the registers that it had, in the system call that it was in. */
void hold_end(struct hold *h);
/* How long it is held by now, ns. */
uint64_t hold_age(const struct hold *h);

/* Only tests have this one: called before each step that another process can see. */
void inject_step(void) __attribute__((weak));
#define INJECT_STEP() ((void)(inject_step && (inject_step(), 0)))

#endif
