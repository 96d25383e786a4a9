/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_states: for group linux, what user space reads: the state of every thread at the begin and the end of a
 * recording, from /proc, and now and then the CPU quota and the pressure of the program's cgroup. As with the
 * program's memory: records first, then the read. A thread without a record before it was read was in that state since
 * REC_THREADS_BEGIN. A program may have thousands of threads: at the begin a part of them is read at a time, as rings fill meanwhile.
 */
#ifndef GOTAP_CAPTURE_THREAD_STATES_H
#define GOTAP_CAPTURE_THREAD_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "capture/user_records.h"
#include "live/process.h"
#include "proc/cgroup_mounts.h"

/* Zeroed: nothing is wanted. */
struct thread_states {
	const struct process *proc;
	struct user_records *records;
	struct cgroup_mounts mounts;
	uint64_t read_ns;	/* when the cgroup was read last */
	/* At the begin: */
	bool reading;
	struct vec tids;	/* pid_t; empty: not listed yet */
	size_t n_read, n_there;	/* of tids; those of them that were still there */
};

/* Just before the scheduler's records begin; @with: bits of enum rec_threads_with. */
void thread_states_begin(struct thread_states *t, const struct process *proc, struct user_records *records,
			 uint64_t with);
/* Once records are made, some hundred times a second: reads some threads until REC_THREADS_READ; and the cgroup, if that is due. */
void thread_states_tick(struct thread_states *t);
/* Reads all of them once more; the last record is REC_THREADS_END. */
void thread_states_end(struct thread_states *t);
void thread_states_free(struct thread_states *t);

#endif
