/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_states: reads for group linux, from /proc, the state of every thread at the begin and the
 * end of a recording, and regularly the CPU quota and the pressure of the program's cgroup. The
 * probes make records before the first state is read, as with the program's memory: a thread that
 * has no record when it is read has been in that state since REC_THREADS_BEGIN. A program may have
 * thousands of threads: at the begin they are read a part at a time, since rings fill meanwhile.
 */
#ifndef GOTAP_CAPTURE_THREAD_STATES_H
#define GOTAP_CAPTURE_THREAD_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "capture/user_records.h"
#include "live/process.h"
#include "proc/cgroup_mounts.h"

/* Zeroed: group linux is not recorded, and the functions do nothing. */
struct thread_states {
	const struct process *proc;
	struct user_records *records;
	struct cgroup_mounts mounts;
	uint64_t read_ns;	/* when the cgroup was read last */
	/* At the begin: */
	bool reading;
	struct vec tids;	/* pid_t; empty: not listed yet */
	/* how many of tids were read, and how many of these still existed */
	size_t n_read, n_there;
};

/* To be called just before the scheduler's records begin. @with: bits of enum rec_threads_with. */
void thread_states_begin(struct thread_states *t, const struct process *proc,
			 struct user_records *records, uint64_t with);
/*
 * To be called some hundred times a second while records are made: reads some threads, until all
 * are read (REC_THREADS_READ), and the cgroup if that is due.
 */
void thread_states_tick(struct thread_states *t);
/* Reads all threads once more; the last record is REC_THREADS_END. */
void thread_states_end(struct thread_states *t);
void thread_states_free(struct thread_states *t);

#endif
