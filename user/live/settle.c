// SPDX-License-Identifier: Apache-2.0
/* settle: see settle.h. Facts: kernel/sched/stats.c, /proc/PID/task/TID/schedstat. */
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
	 * From a probe to the change are some ten instructions and a return from a
	 * trap; interrupts meanwhile may count as the thread's own time.
	 */
	PROGRESS_NS = 100 * 1000,
	PAUSE_NS = 1000 * 1000,
	NO_SCHEDSTAT_PAUSES = 20,	/* a kernel without CONFIG_SCHED_INFO: just wait */
};

struct thread {
	pid_t tid;
	uint64_t run_ns;	/* CPU time at first, then at a moment since recording began */
	bool exact;		/* the latter */
	bool arrived;
};

/*
 * CPU time used so far; false if the thread is gone or the kernel does not tell.
 * While the thread is on a CPU the kernel adds to it once a tick: what it says
 * may be some milliseconds old.
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
 * Stopped by a signal or a tracer: in a syscall? A thread stops on its way back to user
 * mode, which from a probe is just behind that probe, so that the change is still to come.
 */
static bool stopped_in_syscall(const struct process *p, pid_t tid)
{
	struct buf text = {0};
	char what[64];
	bool in_syscall = false;

	snprintf(what, sizeof(what), "task/%d/syscall", tid);
	if (!procfs_read(&p->fs, p->pid, what, 128, &text))
		in_syscall = text.len && text.data[0] >= '0' && text.data[0] <= '9';
	buf_free(&text);
	return in_syscall;
}

/* In a syscall. In state D it may as well be in a probe, waiting for the lock of its memory. */
static bool sleeps(const struct process *p, pid_t tid)
{
	struct procfs_status st;
	char what[64];

	snprintf(what, sizeof(what), "task/%d/status", tid);
	if (procfs_status(&p->fs, p->pid, what, &st))
		return true;
	if (st.state == 'T' || st.state == 't')
		return stopped_in_syscall(p, tid);
	return st.state != 'R' && st.state != 'D';
}

/* The first change only tells what the time was when it changed, which is since recording began. */
static bool has_arrived(const struct process *p, struct thread *t)
{
	uint64_t now;

	if (sleeps(p, t->tid) || !run_time(p, t->tid, &now))
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

/* Threads that have not arrived yet. */
static size_t look(const struct process *p, struct vec *threads)
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
		left = look(p, &threads);
		if (least)
			least--;
	} while (((left && rounds--) || least) && !stop_requested(stop));
	vec_free(&threads);
	return left;
}
