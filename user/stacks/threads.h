/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads: the place of a thread of the process in user space, if it can be known without stopping
 * the thread: the kernel shows it for a thread that does not run now (/proc/PID/task/TID/syscall).
 * For a running goroutine there is no other way, because only the registers of its thread have its
 * place. It helps with a process that is stopped or frozen, and with threads that wait in the
 * kernel (page faults, system calls that the runtime does not know of).
 */
#ifndef GOTAP_STACKS_THREADS_H
#define GOTAP_STACKS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "live/process.h"

struct thread_place {
	uint64_t pc, sp;
	/* the link register; 0: not known, as only core files have it, or there is none */
	uint64_t link;
	uint64_t switches;	/* how often the thread was taken from a CPU */
};

/* Stores the place. False if the thread runs, or if the place cannot be known. */
bool thread_place(const struct process *p, uint32_t tid, struct thread_place *ret);
/*
 * Returns whether both looks found the same stay in the kernel: memory that was read between them
 * then belongs to this place.
 */
bool thread_stayed(const struct thread_place *before, const struct thread_place *after);

#endif
