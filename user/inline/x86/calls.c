// SPDX-License-Identifier: Apache-2.0
/* calls: see calls.h. */
#define _GNU_SOURCE
#include "inline/calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "inline.h"
#include "inline/apart.h"
#include "inline/filter.h"
#include "inline/hold.h"
#include "inline/threads.h"

#define MS 1000000ULL
#define FORBIDDEN_NS (500 * MS)

struct worker {
	const struct process *p;
	const struct inject_hosts *hosts;
	struct job *job;
	uint64_t deadline;
};

/* The parent and the child that does the work share this. */
struct job {
	struct worker worker;
	struct call calls[CALLS_MAX];
	size_t n, n_all, made;
	int result;
	struct error err;
	struct holds held;
};

/* --- one thread --- */

/*
 * Returns whether the thread lives. ptrace reports of a thread that has just ended that it may not
 * be traced.
 */
static bool calls_is_alive(const struct process *p, pid_t tid)
{
	char state = thread_state(p, tid);

	return state && state != 'Z' && state != 'X';
}

static bool calls_has_ended(const struct process *p)
{
	return !calls_is_alive(p, 0) || process_execed(p);
}

static int calls_ended(const struct worker *w)
{
	return error_set(&w->job->err, -ESRCH,
			 "process %d has ended, or runs another program by now", w->p->pid);
}

static int calls_refused(const struct worker *w)
{
	return error_set(&w->job->err, -ENOTSUP,
			 "a seccomp filter of process %d may forbid the system "
			 "calls that put gotap's "
			 "code into it, and that could end it: record without --attach inline",
			 w->p->pid);
}

static bool allows_all(const struct hold *h, const struct filters *f, const struct job *job)
{
	struct seccomp_data d = { .arch = AUDIT_ARCH_X86_64, .instruction_pointer = h->regs.rip };
	size_t i;

	for (i = job->made; i < job->n_all; i++) {
		d.nr = (int)job->calls[i].nr;
		memcpy(d.args, job->calls[i].args, sizeof(d.args));
		if (!filters_allow(f, &d))
			return false;
	}
	return true;
}

/* Returns the seccomp mode. A kernel without seccomp has no such field. */
static int seccomp_mode(const struct process *p, pid_t tid)
{
	int mode = (int)thread_status(p, tid, "Seccomp");

	return mode < 0 && thread_status(p, tid, "Tgid") > 0 ? 0 : mode;
}

/*
 * Returns 0 if the held thread still sleeps at @pc, and its seccomp filters allow the calls;
 * neither can change during the hold. If not, a negative errno.
 */
static int look_at_thread(const struct worker *w, const struct hold *h, uint64_t pc)
{
	struct filters f;
	int r;

	if (h->regs.rip != pc || !thread_is_asleep(w->hosts, &h->regs))
		return -EAGAIN;
	if (process_execed(w->p))
		return calls_ended(w);
	r = filters_read(&f, h->tid, seccomp_mode(w->p, h->tid));
	if (r || !allows_all(h, &f, w->job))
		r = calls_refused(w);
	filters_free(&f);
	return r;
}

static int send_held(const struct worker *w, struct hold *h, uint64_t pc, const struct call *c)
{
	static const char name[8] = INLINE_NAME;
	int r = look_at_thread(w, h, pc);

	if (r) {
		hold_end(h);
		return r;
	}
	return hold_send(h, c->nr, c->args, c->with_name ? name : NULL) ? -EAGAIN : 0;
}

/*
 * Gives the call to thread @tid. -EAGAIN: not possible, but another thread may take it; -EPERM: it
 * may not be traced.
 */
static int send_to(const struct worker *w, pid_t tid, const struct call *c)
{
	uint64_t pc = thread_sleeps_at(w->p, w->hosts, tid);
	struct hold h;
	int r = pc ? hold_begin(&h, tid) : -EAGAIN;

	if (r)
		return r == -EPERM && calls_is_alive(w->p, tid) ? r : -EAGAIN;
	r = send_held(w, &h, pc, c);
	holds_add(&w->job->held, &h);
	return r;
}

/* --- one call --- */

static bool is_stopped(const struct process *p, pid_t tid)
{
	char state = thread_state(p, tid);

	return state == 'T' || state == 't';
}

/* Gives the call to the first thread that can make it. */
static int try_send(const struct worker *w, const struct call *c, pid_t *tid)
{
	struct vec tids = {0};
	size_t i;
	int r = -EAGAIN;

	threads_asleep(w->p, w->hosts, &tids);
	for (i = 0; i < tids.len && r == -EAGAIN && now_ns() < w->deadline; i++) {
		*tid = *vec_at(&tids, pid_t, i);
		if (!is_stopped(w->p, *tid))
			r = send_to(w, *tid, c);
	}
	vec_free(&tids);
	return r;
}

static int no_thread(const struct worker *w)
{
	return error_set(&w->job->err, -EAGAIN,
			 is_stopped(w->p, 0) ? "process %d is stopped: let it go on" :
					       "no thread of process %d slept in the Go runtime",
			 w->p->pid);
}

static int calls_may_not_trace(const struct worker *w)
{
	return error_set(&w->job->err, -ENOTSUP,
			 "process %d may not be traced with ptrace: another "
			 "tracer is there, or a rule forbids it",
			 w->p->pid);
}

/*
 * Gives the call to some thread. -EPERM counts only if it lasts for FORBIDDEN_NS: while a process
 * execs, its first thread may not be traced for a moment, since that thread has ended and the
 * thread that execs takes over its id.
 */
static int send_call(const struct worker *w, const struct call *c, pid_t *tid)
{
	uint64_t forbidden = 0, now;
	int r;

	while ((r = try_send(w, c, tid)) == -EAGAIN || r == -EPERM) {
		if (calls_has_ended(w->p))
			return calls_ended(w);
		now = now_ns();
		if (r != -EPERM || !forbidden)
			forbidden = r == -EPERM ? now : 0;
		if (forbidden && (now - forbidden >= FORBIDDEN_NS || now >= w->deadline))
			return calls_may_not_trace(w);
		if (now >= w->deadline)
			return no_thread(w);
		sleep_ns(MS / 2);
	}
	return r;
}

/*
 * Returns whether the thread is in execve(2): it has not made the call then, because it may have
 * taken over the id of the first thread, to which the call was given.
 */
static bool is_exec(long call)
{
	return call == SYS_execve || call == SYS_execveat;
}

/*
 * Returns whether the thread has made the call. A thread that was continued runs, or is runnable,
 * until it blocks in another system call: it has made this one by then. A thread that blocks for
 * another reason, by a signal that stops the process or a freezer, may not even have begun the
 * call.
 */
static bool has_made(const struct process *p, pid_t tid, const struct call *c)
{
	struct where w;

	return !thread_where(p, tid, &w) && w.blocked && w.call >= 0 && w.call != c->nr &&
	       !is_exec(w.call);
}

/*
 * Returns whether the thread has ended, for instance by an exec of another thread. It may then not
 * have made the call, and will not.
 */
static bool is_gone(const struct process *p, pid_t tid)
{
	struct where w;

	return thread_where(p, tid, &w) == -ESRCH;
}

static bool calls_is_done(const struct process *p, struct call *c)
{
	return c->done && c->done(p, c);
}

static int no_effect(const struct worker *w, const struct call *c)
{
	if (calls_has_ended(w->p))
		return calls_ended(w);
	return error_set(&w->job->err, -ENOTSUP,
			 "%s had no effect in process %d: a limit of it (open "
			 "files, address space, mappings) or a security module forbids it",
			 c->name, w->p->pid);
}

static int thread_ended(const struct worker *w)
{
	return error_set(
		&w->job->err, -EAGAIN,
		"a thread of process %d ended before it made the system call that gotap gave it",
		w->p->pid);
}

static int wait_for_effect(const struct worker *w, struct call *c, pid_t tid)
{
	bool made = false, gone = false;

	while (!calls_is_done(w->p, c)) {
		if (made)
			return c->done ? no_effect(w, c) : 0;
		if (gone)
			return calls_has_ended(w->p) ? calls_ended(w) : thread_ended(w);
		gone = is_gone(w->p, tid);
		made = !gone && has_made(w->p, tid, c);
		if (made || gone)
			continue;
		if (now_ns() >= w->deadline)
			return error_set(&w->job->err, -EINPROGRESS,
					 "a thread of process %d got no "
					 "processor in time",
					 w->p->pid);
		sleep_ns(MS / 20);
	}
	return 0;
}

static int make_call(const struct worker *w, struct call *c)
{
	pid_t tid = 0;
	int r;

	if (calls_is_done(w->p, c))
		return 0;
	r = send_call(w, c, &tid);
	if (!r)
		r = wait_for_effect(w, c, tid);
	INJECT_STEP();
	return r;
}

static void work_apart(void *shared)
{
	struct job *job = shared;
	int r = 0;

	for (; !r && job->made < job->n; job->made += !r)
		r = make_call(&job->worker, &job->calls[job->made]);
	job->result = r;
}

/* --- in the parent --- */

static int calls_cannot_start(int r, struct error *err)
{
	return error_set(err, r, "cannot start a process that holds threads: %s", strerror(-r));
}

static int calls_run(struct job *job, int timeout_ms, struct error *err)
{
	int r = apart_run(work_apart, job, timeout_ms);

	if (r == -ECANCELED)
		return error_set(err, -EINPROGRESS,
				 "the process that held a thread of process %d was "
				 "killed, or the thread got no processor in time",
				 job->worker.p->pid);
	if (r)
		return calls_cannot_start(r, err);
	return job->result ? error_set(err, job->result, "%s", job->err.text) : 0;
}

int calls_make(const struct process *p, const struct inject_hosts *hosts, struct call *calls,
	       size_t n, size_t n_all, int timeout_ms, size_t *made, struct holds *held,
	       struct error *err)
{
	struct job *job = apart_memory(sizeof(*job));
	int r;

	*made = 0;
	if (!job)
		return calls_cannot_start(-errno, err);
	job->worker = (struct worker){ p, hosts, job, now_ns() + (uint64_t)timeout_ms * MS };
	memcpy(job->calls, calls, n_all * sizeof(*calls));
	job->n = n;
	job->n_all = n_all;
	r = calls_run(job, timeout_ms, err);
	memcpy(calls, job->calls, n * sizeof(*calls));
	*made = job->made;
	holds_join(held, &job->held);
	munmap(job, sizeof(*job));
	return r;
}
