// SPDX-License-Identifier: Apache-2.0
/*
 * throttled: throttled>T, from the records of group linux: the quota of a cgroup keeps a thread off
 * its CPU longer than T. The fact is found when the stay ends, at most one period of the quota
 * later.
 */
#include "trigger/internal.h"

static void throttled_look(struct rule *r, const struct thread_span *s)
{
	uint64_t ns = s->to - s->from;

	if (ns <= r->is->limit)
		return;
	fire(r, &(struct fact_place){ .time = s->from + r->is->limit, .since = s->from,
				       .until = s->to, .tid = s->thread->tid },
	     "a CPU quota kept thread %u off its CPU for %s%s", s->thread->tid,
	     s->open_begin ? "at least " : "", span_text(ns).text);
}

static void throttled_on_span(void *ctx, const struct thread_span *s)
{
	struct triggers *t = ctx;
	size_t i;

	if (s->state != THREAD_THROTTLED)
		return;
	for (i = 0; i < t->opts.n; i++)
		if (t->rules[i].is->kind == TRIGGER_THROTTLED)
			throttled_look(&t->rules[i], s);
}

void triggers_threads(struct triggers *t, struct threads *threads)
{
	size_t i;

	for (i = 0; i < t->opts.n; i++)
		if (t->rules[i].is->kind == TRIGGER_THROTTLED)
			break;
	if (i < t->opts.n)
		threads_visit(threads,
			      &(struct threads_visitor){ .ctx = t, .span = throttled_on_span });
}

const struct family family_throttled = { .stream = false };
