/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads_held: stops all threads of a process by ptrace until a deadline, and continues them.
 * Called by the taker, which has all signals blocked.
 *
 * Whatever ends the caller, the kernel continues the threads. No signal of the process is lost: a
 * thread that is about to get one gets it, and stops then; one that arrives at the stop is
 * delivered when the thread continues. A system call that sleeps is
 * started again by the kernel, or ends with EINTR where signal(7) says so for a stop. Calls with a
 * timeout go on by restart_syscall(2): a seccomp filter that kills for it ends the program.
 */
#ifndef GOTAP_MOMENT_THREADS_HELD_H
#define GOTAP_MOMENT_THREADS_HELD_H

#include "base/map64.h"
#include "base/vec.h"
#include "live/process.h"
#include "moment/moment.h"

struct held_thread {
	pid_t tid;
	enum { HELD_ASKED, HELD_STOPPED, HELD_RELEASED, HELD_ENDED } state;
	/* the id has got another owner meanwhile, which is released when it stops */
	bool foreign;
};

struct threads_held {
	struct vec all;     /* struct held_thread */
	struct map64 index; /* from the thread's id to its number in @all */
	size_t waited;      /* threads that have been asked to stop, and have not */
	uint64_t since;     /* the first request, on the clock of now_ns() */
	/*
	 * When the stop began: gotap ends a caller that takes too long. The release sets it to the
	 * time since when only threads that have not stopped are waited for, and to 0 when no
	 * thread is traced.
	 */
	uint64_t *held;
	uint64_t ns; /* the length of the last stop, until no thread was held */
	int policy;         /* the caller's own scheduling policy */
};

/*
 * Stops all threads. -ETIME: not all of them stopped until @deadline; -EPERM: one may not be
 * traced, or has a tracer; -ESRCH: the process has ended or runs another program. After an error no
 * thread is held. Until the release the caller is a real-time thread, if it has the right.
 */
int threads_hold(struct threads_held *h, const struct process *p, uint64_t deadline);
/*
 * Reads the registers of thread @i. 1; 0: it had ended before the stop, or is of another process;
 * -ESRCH: it does not stand any more: the process was killed, or runs another program.
 */
int threads_registers(const struct threads_held *h, size_t i, struct moment_thread *ret);
/* Continues all threads. Returns the length of the stop, ns. */
uint64_t threads_release(struct threads_held *h);

#endif
