// SPDX-License-Identifier: Apache-2.0
/*
 * settle: see settle.h. The facts are those of kernel/sched/stats.c and lib/syscall.c, shown in
 * task/TID/schedstat and task/TID/syscall.
 */
#define _GNU_SOURCE
#include "live/settle.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"

enum {
	/*
	 * Between a probe and the change are some ten instructions and a return from a trap;
	 * interrupts meanwhile may count as the thread's own time.
	 */
	PROGRESS_NS = 100 * 1000,
	PAUSE_NS = 1000 * 1000,
	/* on a kernel without CONFIG_SCHED_INFO settle() waits so many pauses */
	NO_SCHEDSTAT_PAUSES = 20,
};

struct thread {
	pid_t tid;
	/* CPU time at the first look, later at a look after recording began */
	uint64_t run_ns;
	bool exact;		/* run_ns is of a look after recording began */
	bool arrived;
};

/*
 * Stores the CPU time used so far; false if the thread is gone or the kernel has no schedstat.
 * While the thread is on a CPU the kernel adds to this time once a tick, so that the number may be
 * some milliseconds old.
 */
static bool run_time(const struct process *p, pid_t tid, uint64_t *ret)
{
	struct buf text = {0};
	char what[64];
	bool ok;

	snprintf(what, sizeof(what), "task/%d/schedstat", tid);
	ok = !procfs_read(&p->fs, p->pid, what, 128, &text);
	if (ok)
		*ret = strtoull((const char *)text.data, NULL, 10);
	buf_free(&text);
	return ok;
}

/*
 * Where a thread is. The kernel shows for a thread that waits whether it is IN_SYSCALL or OUTSIDE.
 * The reason to wait does not matter in a system call: futex, a file server that hangs, a stop by a
 * signal or a tracer, a freezer. OUTSIDE the thread waits in a page fault or in a probe, or is on
 * its way back to user mode. From a probe that way leads to the instruction after the probe: the
 * change is still to come.
 */
enum place { RUNNING, OUTSIDE, IN_SYSCALL, GONE };

/*
 * Derives the place from the thread's state, for a kernel without HAVE_ARCH_TRACEHOOK, or without
 * the right to read task/TID/syscall.
 */
static enum place place_by_state(const struct process *p, pid_t tid)
{
	struct procfs_status st;
	char what[64];

	snprintf(what, sizeof(what), "task/%d/status", tid);
	if (procfs_status(&p->fs, p->pid, what, &st))
		return GONE;
	switch (st.state) {
	case 'Z':
	case 'X':
		return GONE;
	case 'R':
		return RUNNING;
	case 'S':
	case 'I':
		return IN_SYSCALL;
	/* D: it may be in a probe, and wait for the lock of its memory; T, t: anywhere */
	default:
		return OUTSIDE;
	}
}

/*
 * Reads task/TID/syscall (fs/proc/base.c): "running"; or the number of a system call and its
 * arguments; or "-1" and the registers of a thread that waits outside of a system call. A zombie,
 * such as the main thread after pthread_exit(), has "-1", too.
 */
static enum place settle_place_of(const struct process *p, pid_t tid)
{
	struct buf text = {0};
	enum place place;
	char what[64], first;

	snprintf(what, sizeof(what), "task/%d/syscall", tid);
	first = procfs_read(&p->fs, p->pid, what, 256, &text) ? 0 : (char)text.data[0];
	buf_free(&text);
	if (first >= '0' && first <= '9')
		return IN_SYSCALL;
	if (first == 'r')
		return RUNNING;
	place = place_by_state(p, tid);
	return first == '-' && place != GONE ? OUTSIDE : place;
}

/*
 * Returns whether the thread has settled. A change of its CPU time since the first look shows that
 * it ran after recording began, but not when: the time of the look that found the change begins the
 * measurement.
 */
static bool has_arrived(const struct process *p, struct thread *t)
{
	uint64_t now;

	if (settle_place_of(p, t->tid) >= IN_SYSCALL || !run_time(p, t->tid, &now))
		return true;
	if (t->exact)
		return now - t->run_ns >= PROGRESS_NS;
	t->exact = now != t->run_ns;
	t->run_ns = now;
	return false;
}

static void list_threads(const struct process *p, struct vec *ret)
{
	struct map64 tids = {0};
	size_t i;

	procfs_map_tids(&p->fs, p->pid, &tids);
	for (i = 0; i < tids.cap; i++) {
		struct thread *t;

		if (!tids.slots[i].used)
			continue;
		t = vec_push(ret, sizeof(*t));
		t->tid = (pid_t)tids.slots[i].value;
		t->arrived = !run_time(p, t->tid, &t->run_ns);
	}
	map64_free(&tids);
}

/* Returns the number of threads that have not settled yet. */
static size_t settle_look(const struct process *p, struct vec *threads)
{
	size_t i, left = 0;

	for (i = 0; i < threads->len; i++) {
		struct thread *t = vec_at(threads, struct thread, i);

		if (t->arrived)
			continue;
		t->arrived = has_arrived(p, t);
		left += !t->arrived;
	}
	return left;
}

size_t settle(const struct process *p, uint64_t timeout_ns, const struct stop_request *stop)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint64_t rounds = timeout_ns / PAUSE_NS, least = 0, dummy;
	struct vec threads = {0};
	size_t left;

	if (!run_time(p, p->pid, &dummy))
		least = NO_SCHEDSTAT_PAUSES;
	list_threads(p, &threads);
	do {
		nanosleep(&pause, NULL);
		left = settle_look(p, &threads);
		if (least)
			least--;
	} while (((left && rounds--) || least) && !stop_requested(stop));
	vec_free(&threads);
	return left;
}
