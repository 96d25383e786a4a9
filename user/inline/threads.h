/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads: the threads of the target, by /proc/PID/task: where one is blocked, without stopping it;
 * and which of them sleep at a system call instruction of the runtime that gotap may use
 * (inject.h).
 */
#ifndef GOTAP_INLINE_THREADS_H
#define GOTAP_INLINE_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "inline/inject.h"

struct where {
	/* false: it runs or is runnable, and the other members are unknown */
	bool blocked;
	/* number of the system call; -1: blocked outside of one, e.g. by a page fault */
	long call;
	uint64_t args[6], sp, pc;
};

/* Stores where the thread is. -ESRCH: there is no such thread. */
int thread_where(const struct process *p, pid_t tid, struct where *ret);
/* Returns a number of its status file, or of the process's (@tid 0); -1: there is none. */
long thread_status(const struct process *p, pid_t tid, const char *field);
/* Returns its state in that file ('S', 'T', ...); 0: there is none. */
char thread_state(const struct process *p, pid_t tid);

/*
 * Appends the ids (pid_t) of some threads that sleep in @hosts. Threads that only another thread
 * wakes come first: to hold one of these disturbs the program less than to hold sysmon, the monitor
 * of the runtime, which sleeps for a limited time.
 */
void threads_asleep(const struct process *p, const struct inject_hosts *hosts, struct vec *ret);
/*
 * Returns the pc at which the thread sleeps in @hosts, after a system call instruction; 0: it does
 * not.
 */
uint64_t thread_sleeps_at(const struct process *p, const struct inject_hosts *hosts, pid_t tid);
/* Returns whether these registers of a held thread are those of a sleep in @hosts. */
bool thread_is_asleep(const struct inject_hosts *hosts, const struct user_regs_struct *regs);
/*
 * Returns whether a thread at @pc, in the system call @call or right before it (-1: the call is not
 * known), is in @hosts with a call that the runtime itself does not make there.
 */
bool thread_has_call(const struct inject_hosts *hosts, long call, uint64_t pc);

#endif
