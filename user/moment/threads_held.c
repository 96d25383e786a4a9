// SPDX-License-Identifier: Apache-2.0
/* threads_held: see threads_held.h. */
#define _GNU_SOURCE
#include "moment/threads_held.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
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

static void held_add(struct threads_held *h, pid_t tid, bool foreign)
{
	*map64_put(&h->index, (uint64_t)tid, NULL) = h->all.len;
	*(struct held_thread *)vec_push(&h->all, sizeof(struct held_thread)) =
		(struct held_thread){ .tid = tid, .foreign = foreign };
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

/*
 * Returns whether thread @tid, which has a tracer and so is listed until that reaps it, is one of
 * the process: its id may have had another owner before.
 */
static bool held_is_own(const struct process *p, pid_t tid)
{
	char path[PROCFS_PATH], what[32];

	snprintf(what, sizeof(what), "task/%d", tid);
	procfs_path(&p->fs, p->pid, what, path);
	return !access(path, F_OK);
}

/* Requests a stop. 1: done, 0: the thread has ended, -errno. */
static int held_request(struct threads_held *h, const struct process *p, pid_t tid)
{
	MOMENT_STEP("seize");
	/* a thread that execs gets the id of the first one: a stop then reports the exec */
	if (ptrace(PTRACE_SEIZE, tid, NULL, (long)PTRACE_O_TRACEEXEC)) {
		int r = -errno;

		return r == -ESRCH || (r == -EPERM && held_runs_no_code(p, tid)) ? 0 : r;
	}
	MOMENT_STEP("interrupt");
	held_add(h, tid, !held_is_own(p, tid));
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
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

/* --- reports of waitid(2): a stop with an event of ptrace, one for a signal, or the end --- */

static bool report_is_stop(const siginfo_t *s)
{
	return s->si_code == CLD_TRAPPED || s->si_code == CLD_STOPPED;
}

static int report_event(const siginfo_t *s)
{
	return report_is_stop(s) ? s->si_status >> 8 : 0;
}

/* The signal that the thread is about to get, and gets when it continues; 0: none. */
static int report_signal(const siginfo_t *s)
{
	return report_is_stop(s) && !report_event(s) ? s->si_status : 0;
}

/*
 * Looks for a report, which remains: once that of a signal is taken, the signal is lost with the
 * end of the caller. 1: there is one, 0: none yet, -1: no thread is traced.
 */
static int report_look(siginfo_t *s, int flags)
{
	*s = (siginfo_t){ 0 };
	if (waitid(P_ALL, 0, s, WEXITED | WSTOPPED | WNOWAIT | __WALL | flags))
		return errno == ECHILD ? -1 : 0;
	return s->si_pid ? 1 : 0;
}

/* Takes the report of the thread of @s; it may be another one by now. */
static bool report_take(siginfo_t *s)
{
	pid_t tid = s->si_pid;

	*s = (siginfo_t){ 0 };
	return !waitid(P_PID, (id_t)tid, s, WEXITED | WSTOPPED | WNOHANG | __WALL) && s->si_pid;
}

static bool stop_detach(pid_t tid, int signal)
{
	MOMENT_STEP("detach");
	return !ptrace(PTRACE_DETACH, tid, NULL, (long)signal);
}

/*
 * Gives the thread its signal at once, whatever happens to the caller, and requests the stop again:
 * this one has ended the first request.
 */
static void stop_pass_signal(const siginfo_t *s)
{
	MOMENT_STEP("signal");
	ptrace(PTRACE_INTERRUPT, s->si_pid, NULL, NULL);
	ptrace(PTRACE_CONT, s->si_pid, NULL, (long)report_signal(s));
}

/*
 * Handles a report. A stop is that of PTRACE_INTERRUPT, or of job control, which the kernel goes on
 * with by itself. -ESRCH: the process runs another program; the report remains for the release.
 */
static int stop_take(struct threads_held *h, siginfo_t *s)
{
	struct held_thread *t;

	if (report_event(s) == PTRACE_EVENT_EXEC)
		return -ESRCH;
	if (report_signal(s)) {
		stop_pass_signal(s);
		return 0;
	}
	t = report_take(s) ? held_find(h, s->si_pid) : NULL;
	if (!t)
		return 0;
	h->waited -= t->state == HELD_ASKED;
	t->state = report_is_stop(s) ? HELD_STOPPED : HELD_ENDED;
	if (t->foreign && t->state == HELD_STOPPED && stop_detach(t->tid, 0))
		t->state = HELD_RELEASED;
	return report_event(s) == PTRACE_EVENT_EXEC ? -ESRCH : 0;
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
		siginfo_t s;
		int seen = report_look(&s, WNOHANG);
		int r = seen > 0 ? stop_take(h, &s) : 0;

		if (r)
			return r;
		if (seen < 0)
			return -ESRCH;
		if (seen > 0)
			continue;
		if (!in_time)
			return -ETIME;
		in_time = held_sleep(deadline);
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

/* Returns whether the process is the one that was opened, and runs the same program. */
static bool held_is_process(const struct process *p)
{
	struct pollfd end = { .fd = p->pidfd, .events = POLLIN };

	return !poll(&end, 1, 0) && !process_execed(p);
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
	if (!r && !held_is_process(p))
		r = -ESRCH;
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

int threads_registers(const struct threads_held *h, size_t i, struct moment_thread *ret)
{
	if (held_at(h, i)->state != HELD_STOPPED)
		return 0;
	ret->tid = held_at(h, i)->tid;
	ret->vectors_size = held_vectors(ret->tid, ret->vectors);
	return registers_read(ret->tid, &ret->regs) ? 1 : -ESRCH;
}

/*
 * Waits until no thread is traced. One that was asked to stop and has not done so cannot be
 * released yet: PTRACE_DETACH needs a stop. It stops before its next instruction of user code, and
 * is released at once, by whatever id: with an exec a thread gets that of the first one. One that
 * was killed meanwhile is reaped: an exec of another thread waits for that.
 */
static void held_release_late(void)
{
	siginfo_t s;

	while (report_look(&s, 0) >= 0) {
		/* no request reaches a thread with a new id until its exec's report is taken */
		if (!report_signal(&s) && !report_take(&s))
			continue;
		if (report_is_stop(&s))
			stop_detach(s.si_pid, report_signal(&s));
	}
}

uint64_t threads_release(struct threads_held *h)
{
	for (size_t i = 0; i < h->all.len; i++) {
		struct held_thread *t = held_at(h, i);

		if (t->state == HELD_STOPPED && stop_detach(t->tid, 0))
			t->state = HELD_RELEASED;
	}
	h->ns = now_ns() - h->since;
	/* those that have not stopped yet: the bound begins again */
	__atomic_store_n(h->held, now_ns(), __ATOMIC_RELEASE);
	held_release_late();
	__atomic_store_n(h->held, 0, __ATOMIC_RELEASE);
	held_be_as_before(h);
	return h->ns;
}
