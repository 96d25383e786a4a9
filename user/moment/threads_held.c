// SPDX-License-Identifier: Apache-2.0
/* threads_held: see threads_held.h. */
#define _GNU_SOURCE
#include "moment/threads_held.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/registers.h"

/* Raises the priority of the caller: whoever took its processor would make the stop longer. */
static void held_be_quick(struct threads_held *h)
{
	struct sched_param lowest = { .sched_priority = 1 };

	h->policy = sched_getscheduler(0);
	sched_setscheduler(0, SCHED_FIFO, &lowest);
}

static void held_be_as_before(const struct threads_held *h)
{
	struct sched_param none = { 0 };

	if (h->policy >= 0 && h->policy != SCHED_FIFO && h->policy != SCHED_RR)
		sched_setscheduler(0, h->policy, &none);
}

static struct held_thread *held_at(const struct threads_held *h, size_t i)
{
	return vec_at(&h->all, struct held_thread, i);
}

static struct held_thread *held_find(const struct threads_held *h, pid_t tid)
{
	const uint64_t *at = map64_get(&h->index, (uint64_t)tid);

	return at ? held_at(h, *at) : NULL;
}

static void held_add(struct threads_held *h, pid_t tid)
{
	*map64_put(&h->index, (uint64_t)tid, NULL) = h->all.len;
	*(struct held_thread *)vec_push(&h->all, sizeof(struct held_thread)) =
		(struct held_thread){ .tid = tid };
	h->waited++;
}

/*
 * Threads that cannot be traced, and run no code of the program: a first thread that has ended
 * before the others, which is still listed, and workers of io_uring, which have no tracer.
 */
static bool held_runs_no_code(const struct process *p, pid_t tid)
{
	struct buf text = { 0 };
	char what[64];
	const char *s;
	bool ret = true;

	snprintf(what, sizeof(what), "task/%d/status", tid);
	if (!procfs_read(&p->fs, p->pid, what, 4096, &text)) {
		s = (const char *)text.data;
		ret = strstr(s, "\nState:\tZ") || strstr(s, "\nState:\tX") ||
		      (!strncmp(s, "Name:\tiou-", 10) && strstr(s, "\nTracerPid:\t0\n"));
	}
	buf_free(&text);
	return ret;
}

/* Requests a stop. 1: done, 0: the thread has ended, -errno. */
static int held_request(struct threads_held *h, const struct process *p, pid_t tid)
{
	MOMENT_STEP("seize");
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL)) {
		int r = -errno;

		return r == -ESRCH || (r == -EPERM && held_runs_no_code(p, tid)) ? 0 : r;
	}
	MOMENT_STEP("interrupt");
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	held_add(h, tid);
	return 1;
}

/* Requests stops of all threads that have none yet; returns their number, or -errno. */
static int held_request_new(struct threads_held *h, const struct process *p)
{
	struct vec tids = { 0 };
	int n = 0, r = 0;

	procfs_tids(&p->fs, p->pid, &tids);
	for (size_t i = 0; i < tids.len && r >= 0; i++) {
		pid_t tid = *vec_at(&tids, pid_t, i);

		if (held_find(h, tid))
			continue;
		r = held_request(h, p, tid);
		n += r > 0;
	}
	if (!tids.len)
		r = -ESRCH;
	vec_free(&tids);
	return r < 0 ? r : n;
}

/* Takes a report of wait(2). -ESRCH: the process runs another program. */
static int stop_take(struct threads_held *h, pid_t tid, int status)
{
	struct held_thread *t = held_find(h, tid);

	if (!t || t->state != HELD_ASKED)
		return 0;
	h->waited--;
	t->state = WIFSTOPPED(status) ? HELD_STOPPED : HELD_ENDED;
	if (t->state == HELD_ENDED)
		return 0;
	/* the stop of PTRACE_INTERRUPT, or of job control, which the kernel handles by itself */
	t->signal = status >> 16 ? 0 : WSTOPSIG(status);
	return status >> 16 == PTRACE_EVENT_EXEC ? -ESRCH : 0;
}

/* Sleeps until a report may have come. False: it is later than @deadline. */
static bool held_sleep(uint64_t deadline)
{
	uint64_t now = now_ns();
	uint64_t ns = now < deadline ? deadline - now : 0;
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &t);
	return ns;
}

/* Waits for the reports of all requests. */
static int held_wait(struct threads_held *h, uint64_t deadline)
{
	bool in_time = true;

	while (h->waited) {
		int status, r;
		pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);

		if (tid > 0) {
			r = stop_take(h, tid, status);
			if (r)
				return r;
		} else if (tid < 0 && errno == ECHILD) {
			return -ESRCH;
		} else if (!in_time) {
			return -ETIME;
		} else {
			in_time = held_sleep(deadline);
		}
	}
	return 0;
}

/* Until no thread has been made meanwhile: one that has not stopped yet can make others. */
static int held_stop_all(struct threads_held *h, const struct process *p, uint64_t deadline)
{
	int n, r;

	do {
		n = held_request_new(h, p);
		r = n > 0 ? held_wait(h, deadline) : n;
	} while (n > 0 && !r);
	MOMENT_STEP("stopped");
	return r;
}

int threads_hold(struct threads_held *h, const struct process *p, uint64_t deadline)
{
	int r;

	h->all.len = 0;
	h->waited = 0;
	map64_clear(&h->index);
	held_be_quick(h);
	h->since = now_ns();
	r = held_stop_all(h, p, deadline);
	if (r)
		threads_release(h);
	return r;
}

static uint32_t held_vectors(pid_t tid, uint8_t to[MOMENT_VECTORS])
{
	struct iovec at = { to, MOMENT_VECTORS };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)REGISTERS_VECTORS, &at))
		return 0;
	return (uint32_t)at.iov_len;
}

bool threads_registers(const struct threads_held *h, size_t i, struct moment_thread *ret)
{
	if (held_at(h, i)->state != HELD_STOPPED)
		return false;
	ret->tid = held_at(h, i)->tid;
	ret->vectors_size = held_vectors(ret->tid, ret->vectors);
	return registers_read(ret->tid, &ret->regs);
}

static void stop_detach(struct held_thread *t)
{
	MOMENT_STEP("detach");
	/* one that was killed meanwhile is to be reaped: an exec of another thread waits for that
	 */
	if (ptrace(PTRACE_DETACH, t->tid, NULL, (long)t->signal) && errno == ESRCH)
		waitpid(t->tid, NULL, __WALL | WNOHANG);
	t->state = HELD_RELEASED;
}

/*
 * A thread that was asked to stop and has not done so cannot be released yet: PTRACE_DETACH needs a
 * stop. It stops before its next instruction of user code, and is released at once.
 */
static void held_release_late(struct threads_held *h)
{
	while (h->waited) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL);
		struct held_thread *t = tid > 0 ? held_find(h, tid) : NULL;

		if (tid < 0 && errno == ECHILD)
			return;
		if (tid > 0)
			stop_take(h, tid, status);
		if (t && t->state == HELD_STOPPED)
			stop_detach(t);
	}
}

uint64_t threads_release(struct threads_held *h)
{
	for (size_t i = 0; i < h->all.len; i++)
		if (held_at(h, i)->state == HELD_STOPPED)
			stop_detach(held_at(h, i));
	h->ns = now_ns() - h->since;
	__atomic_store_n(h->held, 0, __ATOMIC_RELEASE);
	held_release_late(h);
	held_be_as_before(h);
	return h->ns;
}

void threads_held_free(struct threads_held *h)
{
	vec_free(&h->all);
	map64_free(&h->index);
}
