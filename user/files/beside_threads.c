// SPDX-License-Identifier: Apache-2.0
/*
 * beside_threads: states of threads (threads/threads.h) as those of Perfetto, for beside.c and
 * `gotap perfetto`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/beside.h"

static const enum perfetto_linux_state linux_states[THREAD_STATES + 1] = {
	[THREAD_UNKNOWN] = LINUX_UNKNOWN,
	[THREAD_RUNNING] = LINUX_RUNNING,
	[THREAD_QUEUED] = LINUX_RUNNABLE,
	[THREAD_THROTTLED] = LINUX_RUNNABLE,
	[THREAD_SLEEPING] = LINUX_SLEEPING,
	[THREAD_FAULT] = LINUX_UNINTERRUPTIBLE,
	[THREAD_IO] = LINUX_UNINTERRUPTIBLE,
	[THREAD_BLOCKED] = LINUX_UNINTERRUPTIBLE,
	[THREAD_STOPPED] = LINUX_STOPPED,
	[THREAD_TRACED] = LINUX_STOPPED,
	[THREAD_FROZEN] = LINUX_UNINTERRUPTIBLE,
	[THREAD_STATES] = LINUX_GONE,	/* its end */
};

/* Returns the reason of a stay as Perfetto shows it; NULL: the state has no further reason. */
static const char *why_of(const struct thread_span *s)
{
	switch (s->state) {
	case THREAD_QUEUED:
		return s->queued == QUEUED_PREEMPTED ? "preempted" : NULL;
	case THREAD_RUNNING: case THREAD_SLEEPING: case THREAD_STATES:
		return NULL;
	default:
		return thread_state_words(s->state);
	}
}

/* @named: the ids of wakers are of the same PID namespace as those of the program's threads. */
static void beside_threads_convert(struct beside_span *ret, const struct thread_span *s, bool named)
{
	bool woken = named && s->state == THREAD_QUEUED && s->queued == QUEUED_WOKEN;

	*ret = (struct beside_span){ .span = {
		.from = (int64_t)s->from, .to = (int64_t)s->to, .tid = s->thread->tid,
		/*
		 * Perfetto refuses a file with a CPU that no machine has; off a CPU the number
		 * says nothing.
		 */
		.cpu = s->cpu == THREAD_NO_CPU ? 0 : s->cpu,
		.state = linux_states[s->state], .why = why_of(s), .waker = woken ? s->by.tid : 0,
	} };
	memcpy(ret->comm, s->thread->comm, sizeof(ret->comm));
	if (ret->span.why && s->by.tid)
		snprintf(ret->by, sizeof(ret->by), "%s %u", s->by.comm, s->by.tid);
}

/* Returns the state of another program's task after it left its CPU. */
static enum perfetto_linux_state other_state(enum rec_off why)
{
	switch (why) {
	case REC_OFF_RUNNABLE: case REC_OFF_THROTTLED: return LINUX_RUNNABLE;
	case REC_OFF_BLOCKED: case REC_OFF_IO: case REC_OFF_FROZEN: return LINUX_UNINTERRUPTIBLE;
	case REC_OFF_STOPPED: case REC_OFF_TRACED: return LINUX_STOPPED;
	case REC_OFF_DEAD: return LINUX_GONE;
	default: return LINUX_SLEEPING;
	}
}

/*
 * Another program's stay on a CPU: two spans, the second one of the state after it. False: there
 * is none after it.
 */
static bool convert_other(struct beside_span ret[2], const struct cpu_span *s)
{
	ret[0] = (struct beside_span){ .span = {
					       .from = (int64_t)s->from,
					       .to = (int64_t)s->to,
					       .tid = s->task.tid,
					       .other = s->task.pid,
					       .cpu = s->cpu,
					       .state = LINUX_RUNNING,
				       } };
	memcpy(ret[0].comm, s->task.comm, sizeof(ret[0].comm));
	ret[1] = ret[0];
	ret[1].span.from = (int64_t)s->to;
	ret[1].span.state = other_state(s->why);
	return s->why != REC_OFF_UNKNOWN;
}

/* --- the feed --- */

struct beside_feed {
	struct threads *threads;
	struct cpus *cpus;
	beside_span_fn *fn;
	void *ctx;
};

/*
 * Returns whether the program's threads are recorded with ids of their own PID namespace. Other
 * tasks have ids of the machine, which may be equal to these.
 */
static bool has_inner_ids(const struct beside_feed *f)
{
	return threads_with(f->threads) & REC_WITH_INNER_IDS;
}

static void on_thread_span(void *ctx, const struct thread_span *span)
{
	struct beside_feed *f = ctx;
	struct beside_span s;

	beside_threads_convert(&s, span, !has_inner_ids(f));
	f->fn(f->ctx, &s);
}

static void on_thread_end(void *ctx, const struct thread *t, uint64_t time, bool ended)
{
	struct beside_feed *f = ctx;
	struct thread_span end = { .thread = t, .state = THREAD_STATES, .from = time, .to = time };
	struct beside_span s;

	beside_threads_convert(&s, &end, false);
	if (!ended)
		s.span.state = LINUX_UNKNOWN;
	f->fn(f->ctx, &s);
}

static void on_cpu_span(void *ctx, const struct cpu_span *span)
{
	struct beside_feed *f = ctx;
	struct beside_span s[2];
	bool goes_on;

	if (has_inner_ids(f))
		return;
	goes_on = convert_other(s, span);
	f->fn(f->ctx, &s[0]);
	if (goes_on)
		f->fn(f->ctx, &s[1]);
}

struct beside_feed *beside_feed_new(struct threads *t, beside_span_fn *fn, void *ctx)
{
	struct beside_feed *f = xcalloc(1, sizeof(*f));

	*f = (struct beside_feed){ .threads = t, .fn = fn, .ctx = ctx };
	f->cpus = cpus_new(t, on_cpu_span, f);
	threads_visit(t, &(struct threads_visitor){
				 .ctx = f, .span = on_thread_span, .thread_end = on_thread_end });
	return f;
}

void beside_feed_free(struct beside_feed *f)
{
	if (!f)
		return;
	cpus_free(f->cpus);
	free(f);
}

void beside_put(struct perfetto *p, const struct beside_span *s)
{
	struct perfetto_thread_span span = s->span;

	span.comm = s->comm;
	span.by = s->by;
	perfetto_thread_span(p, &span);
}
