/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the table of threads, which table.c owns, and the effect that each record has on its
 * thread, which is in switches.c. Part of threads.h.
 */
#ifndef GOTAP_THREADS_INTERNAL_H
#define GOTAP_THREADS_INTERNAL_H

#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "threads/threads.h"

/* The state by which the next record of a thread is interpreted. */
struct thread_inner {
	bool known;		/* it had a record, or /proc was read for it */
	struct thread_span now;	/* the span that goes on; @to is not set */
	uint64_t ran, waited;	/* sums in the last record that had them */
	bool has_ran, has_waited;
	uint64_t ran_at, waited_at;	/* times of these records */
	/*
	 * if @ran is from /proc, at the begin of the recording: a time just before that was read;
	 * if not, 0
	 */
	uint64_t read_at;
	bool ran_unseen;	/* it has run since @ran_at, in spans that are UNKNOWN */
	/*
	 * During a wait for a CPU: the counter of throttled ns of the queue when the thread entered
	 * it, and the throttled ns of earlier queues.
	 */
	bool has_base;
	uint64_t base, throttled;
};

struct threads {
	struct vec visitors;	/* struct threads_visitor */
	struct map64 by_tid;	/* struct thread * */
	uint64_t begin, end;
	uint64_t lost, with;
	uint64_t missing;	/* switches, see threads_missing() */
	uint32_t nr_sched_yield;	/* if knows_yield */
	bool any, finished, knows_yield;
	/* the states at the begin have been read: states read from now on are those at the end */
	bool read;
	/* tid of the thread that went on the CPU last; 0: none, or not known */
	uint32_t on_cpu[UINT16_MAX + 1];
};

#define SHOW(t, function, ...)                                                                    \
	do {                                                                                      \
		size_t i_;                                                                        \
		for (i_ = 0; i_ < (t)->visitors.len; i_++) {                                      \
			const struct threads_visitor *v_ =                                        \
				vec_at(&(t)->visitors, struct threads_visitor, i_);               \
			if (v_->function)                                                         \
				v_->function(v_->ctx, __VA_ARGS__);                               \
		}                                                                                 \
	} while (0)

static inline void put_comm(char to[17], const char from[16])
{
	memcpy(to, from, 16);
	to[16] = 0;
}

static inline struct task_ref task_of(const struct rec_thread *r)
{
	struct task_ref task = { .tid = (uint32_t)r->r.id, .pid = (uint32_t)(r->r.id >> 32) };

	put_comm(task.comm, r->comm);
	return task;
}

/* --- table.c --- */

/* Returns the thread @tid; NULL: there is no such thread. */
struct thread *threads_find(const struct threads *t, uint32_t tid);
/*
 * Adds a thread; @comm NULL: its name is not known. Returns NULL if there are THREADS_MAX already.
 */
struct thread *threads_add(struct threads *t, uint32_t tid, const char *comm, uint64_t since);
/*
 * Shows the begin of the thread to visitors, once. Called with its first record, which may have its
 * name.
 */
void threads_begin(struct threads *t, struct thread *th);
/*
 * Returns the thread @tid, and adds it if it has had no record. Such a thread is older than the
 * recording. Once all states at the begin have been read it is not: the record of its creation is
 * missing, and it begins at @time. NULL: there are THREADS_MAX already.
 */
struct thread *threads_get(struct threads *t, uint32_t tid, uint64_t time);
/* Shows the end of the thread to visitors, and frees it. */
void threads_drop(struct threads *t, struct thread *th, uint64_t time, bool ended);

/* --- switches.c: records, and the spans that they end and begin --- */

void switch_on(struct threads *t, const struct rec *r);
void switch_off(struct threads *t, const struct rec_thread *r);
void switch_wake(struct threads *t, const struct rec_thread *r);
void switch_new(struct threads *t, const struct rec_thread *r);
void switch_move(struct threads *t, const struct rec_long *r);
/* Take the state that /proc had when the recording began, and when it ended. */
void switch_read_first(struct threads *t, const struct rec_thread *r);
void switch_read_last(struct threads *t, const struct rec_thread *r);
/* Ends the thread's span at the end of the recording, and drops the thread. */
void switch_end(struct threads *t, struct thread *th, uint64_t time);

#endif
