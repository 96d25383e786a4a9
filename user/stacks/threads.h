/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads: where a thread of the process stands in user space, if that can be known without
 * stopping it: the kernel says it of a thread that does not run now (/proc/PID/task/TID/syscall). A
 * running goroutine has its stack only in its thread's registers, so this is the only way to it; it
 * helps with a process that is stopped or frozen, and with threads that wait in the kernel (page
 * faults, system calls that the runtime does not know of).
 */
#ifndef GOTAP_STACKS_THREADS_H
#define GOTAP_STACKS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "live/process.h"

struct thread_place {
	uint64_t pc, sp;
	uint64_t switches;	/* how often the thread was taken from a CPU */
};

/* False if it runs, or if that cannot be known. */
bool thread_place(const struct process *p, uint32_t tid, struct thread_place *ret);
/*
 * Both looks were at one stay in the kernel: what was read of its memory in between is of this
 * place.
 */
bool thread_stayed(const struct thread_place *before, const struct thread_place *after);

#endif
