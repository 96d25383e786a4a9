// SPDX-License-Identifier: Apache-2.0
/* calls: see calls.h. */
#define _GNU_SOURCE
#include "inline/calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "inline.h"
#include "inline/apart.h"
#include "inline/filter.h"
#include "inline/hold.h"
#include "inline/threads.h"

#define MS 1000000ULL
#define ENOUGH_NS (1 * MS)	/* a hold that is older begins no further call */

struct worker {
	const struct process *p;
	const struct inject_hosts *hosts;
	struct job *job;
	uint64_t deadline;
};

/* Shared by the child, which does the work, and its parent. */
struct job {
	struct worker worker;
	struct call calls[CALLS_MAX];
	size_t n, made;
	int result;
	struct error err;
	uint64_t held_ns;
	unsigned int held;
};

/* --- in the child: one thread --- */

static int refused(const struct worker *w, struct error *err)
{
	return error_set(err, -ENOTSUP, "a seccomp filter of process %d may forbid the system calls that put gotap's "
			 "code into it, and that could end it: record without --attach inline", w->p->pid);
}

static struct seccomp_data as_filters_see(const struct hold *h, const struct call *c)
{
	struct seccomp_data d = { .nr = (int)c->nr, .arch = AUDIT_ARCH_X86_64,
				  .instruction_pointer = h->found.rip };

	memcpy(d.args, c->args, sizeof(d.args));
	return d;
}

static bool allows_all(const struct hold *h, const struct filters *f, const struct job *job)
{
	struct seccomp_data d;
	size_t i;

	for (i = job->made; i < job->n; i++) {
		d = as_filters_see(h, &job->calls[i]);
		if (!filters_allow(f, &d))
			return false;
	}
	return true;
}

static int place_name(struct hold *h, struct job *job)
{
	static const char name[8] = INLINE_NAME;
	uint64_t at;
	size_t i;

	for (i = job->made; i < job->n; i++) {
		if (!job->calls[i].with_name)
			continue;
		at = h->word_at ? h->word_at : hold_push(h, name);
		if (!at)
			return -EAGAIN;
		job->calls[i].args[0] = at;
	}
	return 0;
}

/* May this thread do it? A thread that is held changes neither its filters nor its program. */
static int look_at_thread(const struct worker *w, struct hold *h)
{
	struct filters f;
	int r;

	if (!thread_is_asleep(w->p, w->hosts, &h->found))
		return -EAGAIN;
	if (process_execed(w->p))
		return error_set(&w->job->err, -ESRCH, "process %d runs another program by now", w->p->pid);
	r = place_name(h, w->job);
	if (r)
		return r;
	r = filters_read(&f, h->tid, (int)thread_status(w->p, h->tid, "Seccomp"));
	if (r || !allows_all(h, &f, w->job))
		r = refused(w, &w->job->err);
	filters_free(&f);
	return r;
}

static int failed(const struct worker *w, const struct call *c)
{
	int e = (int)c->result;

	return error_set(&w->job->err, e, "%s in process %d: %s", c->name, w->p->pid, strerror(-e));
}

/* The hold is over if this does not return 0, or a result of failed(). */
static int make_calls(const struct worker *w, struct hold *h, bool *over)
{
	struct job *job = w->job;
	int r;

	*over = false;
	while (job->made < job->n && hold_age(h) < ENOUGH_NS) {
		struct call *c = &job->calls[job->made];

		r = hold_call(h, c->nr, c->args, &c->result);
		*over = r;
		if (r)
			return r;
		if (c->result < 0 && c->result > -4096)
			return failed(w, c);
		job->made++;
		INJECT_STEP();
	}
	return 0;
}

static void count_hold(struct job *job, uint64_t ns)
{
	job->held++;
	if (ns > job->held_ns)
		job->held_ns = ns;
}

/* 0: the thread was of use, or may be the next time. */
static int use_thread(const struct worker *w, pid_t tid)
{
	struct hold h;
	bool over = false;
	int r = hold_begin(&h, tid);

	if (r == -EPERM)
		return error_set(&w->job->err, -ENOTSUP, "process %d may not be traced with ptrace: another tracer is "
				 "there, or a rule forbids it", w->p->pid);
	if (r)
		return -EAGAIN;
	if (hold_age(&h) < ENOUGH_NS)
		r = look_at_thread(w, &h);
	if (!r)
		r = make_calls(w, &h, &over);
	if (!over)
		hold_end(&h);
	count_hold(w->job, hold_age(&h));
	return r == -ESRCH && !w->job->err.code ? -EAGAIN : r;
}

/* --- in the child: the process --- */

static bool is_stopped(const struct process *p, pid_t tid)
{
	char state = thread_state(p, tid);

	return state == 'T' || state == 't';
}

/* With the first one that is of use. */
static int use_threads(const struct worker *w)
{
	struct vec tids = {0};
	size_t i;
	int r = -EAGAIN;

	threads_asleep(w->p, w->hosts, &tids);
	for (i = 0; i < tids.len && r == -EAGAIN && now_ns() < w->deadline; i++)
		if (!is_stopped(w->p, *vec_at(&tids, pid_t, i)))
			r = use_thread(w, *vec_at(&tids, pid_t, i));
	vec_free(&tids);
	return r;
}

static int no_thread(const struct process *p, struct error *err)
{
	if (is_stopped(p, 0))
		return error_set(err, -EAGAIN, "process %d is stopped: let it go on", p->pid);
	return error_set(err, -EAGAIN, "no thread of process %d slept in the Go runtime", p->pid);
}

static int work(const struct worker *w)
{
	char state;
	int r = 0;

	while (w->job->made < w->job->n) {
		if (now_ns() >= w->deadline)
			return no_thread(w->p, &w->job->err);
		r = use_threads(w);
		if (r && r != -EAGAIN)
			return r;
		state = thread_state(w->p, 0);
		if (!state || state == 'Z' || state == 'X')
			return error_set(&w->job->err, -ESRCH, "process %d has ended", w->p->pid);
		if (r)
			sleep_ns(MS / 2);
	}
	return 0;
}

static void work_apart(void *shared)
{
	const struct worker *w = &((struct job *)shared)->worker;

	w->job->result = work(w);
}

/* --- in the parent --- */

static int cannot_start(int r, struct error *err)
{
	return error_set(err, r, "cannot start a process that holds threads: %s", strerror(-r));
}

static int run(const struct worker *w, int timeout_ms, struct error *err)
{
	int r = apart_run(work_apart, w->job, timeout_ms);

	if (r == -ECANCELED)
		return error_set(err, -EAGAIN, "a thread of process %d that was held got no processor for %d ms",
				 w->p->pid, timeout_ms);
	if (r)
		return cannot_start(r, err);
	return w->job->result ? error_set(err, w->job->result, "%s", w->job->err.text) : 0;
}

int calls_make(const struct process *p, const struct inject_hosts *hosts, struct call *calls, size_t n,
	       int timeout_ms, size_t *made, struct injected *held, struct error *err)
{
	struct job *job = apart_memory(sizeof(*job));
	int r;

	*made = 0;
	if (!job)
		return cannot_start(-errno, err);
	job->worker = (struct worker){ p, hosts, job, now_ns() + (uint64_t)timeout_ms * MS };
	memcpy(job->calls, calls, n * sizeof(*calls));
	job->n = n;
	r = run(&job->worker, timeout_ms, err);
	memcpy(calls, job->calls, n * sizeof(*calls));
	*made = job->made;
	held->held += job->held;
	if (job->held_ns > held->held_ns)
		held->held_ns = job->held_ns;
	munmap(job, sizeof(*job));
	return r;
}
