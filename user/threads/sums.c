// SPDX-License-Identifier: Apache-2.0
/* sums: see sums.h. */
#include "threads/sums.h"

#include <stdlib.h>
#include <string.h>

static void thread_begin(void *ctx, const struct thread *t)
{
	struct thread_sums *s = ctx;

	*map64_put(&s->live, t->tid, NULL) = (uintptr_t)xcalloc(1, sizeof(struct thread_sum));
}

static struct thread_sum *sum_of(struct thread_sums *s, const struct thread *t)
{
	return (struct thread_sum *)(uintptr_t)*map64_get(&s->live, t->tid);
}

/* --- takers of CPUs --- */

/* Returns an entry for a new taker: adds the one with the least time to "others" and returns it. */
static struct taker *room_of_least(struct thread_sums *s)
{
	struct taker *least = vec_at(&s->takers, struct taker, 0), *other;
	size_t i;

	for (i = 1; i < s->takers.len; i++) {
		other = vec_at(&s->takers, struct taker, i);
		if (other->ns < least->ns)
			least = other;
	}
	s->other_takers.times += least->times;
	s->other_takers.ns += least->ns;
	map64_del(&s->taker_at, least->pid);
	return least;
}

static struct taker *taker_of(struct thread_sums *s, const struct task_ref *task)
{
	uint64_t *at = map64_get(&s->taker_at, task->pid);
	struct taker *taker;

	if (at)
		return vec_at(&s->takers, struct taker, *at - 1);
	taker = s->takers.len < SUMS_TAKERS ? vec_push(&s->takers, sizeof(*taker)) :
					      room_of_least(s);
	*taker = (struct taker){ .pid = task->pid };
	memcpy(taker->comm, task->comm, sizeof(taker->comm));
	*map64_put(&s->taker_at, task->pid, NULL) =
		(uint64_t)(taker - (struct taker *)s->takers.data) + 1;
	return taker;
}

static void note_taker(struct thread_sums *s, const struct thread_span *span)
{
	struct taker *taker = span->by.tid ? taker_of(s, &span->by) : NULL;

	if (!taker)
		return;
	taker->times++;
	taker->ns += span->to - span->from;
}

/* --- spans --- */

static void sums_add_span(void *ctx, const struct thread_span *span)
{
	struct thread_sums *s = ctx;
	struct thread_sum *sum = sum_of(s, span->thread);

	sum->state_ns[span->state] += span->to - span->from;
	sum->life_ns += span->to - span->from;
	sum->stays += span->state == THREAD_RUNNING;
	if (span->state != THREAD_QUEUED)
		return;
	sum->preempted += span->queued == QUEUED_PREEMPTED;
	sum->woken += span->queued == QUEUED_WOKEN || span->queued == QUEUED_BY_INTERRUPT;
	if (span->queued == QUEUED_PREEMPTED)
		note_taker(s, span);
}

static void add_sum(struct thread_sum *to, const struct thread_sum *from)
{
	unsigned int i;

	for (i = 0; i < THREAD_STATES; i++)
		to->state_ns[i] += from->state_ns[i];
	to->life_ns += from->life_ns;
	to->ran_ns += from->ran_ns;
	to->waited_ns += from->waited_ns;
	to->stays += from->stays;
	to->preempted += from->preempted;
	to->woken += from->woken;
	to->moves += from->moves;
}

static void thread_end(void *ctx, const struct thread *t, uint64_t time, bool ended)
{
	struct thread_sums *s = ctx;
	struct thread_sum *sum = sum_of(s, t);

	sum->tid = t->tid;
	memcpy(sum->comm, t->comm, sizeof(sum->comm));
	sum->ran_ns = t->ran_ns;
	sum->waited_ns = t->waited_ns;
	sum->moves = t->moves;
	add_sum(&s->total, sum);
	if (s->done.len < SUMS_THREADS) {
		*(struct thread_sum *)vec_push(&s->done, sizeof(*sum)) = *sum;
	} else {
		add_sum(&s->others, sum);
		s->n_others++;
	}
	map64_del(&s->live, t->tid);
	free(sum);
}

/* --- the cgroup, and the machine --- */

static void add_cgroup(void *ctx, const struct rec_cgroup *c)
{
	struct thread_sums *s = ctx;
	size_t i;

	for (i = 0; i < s->n_cgroups && s->cgroups[i].up != c->r.flags; i++)
		;
	if (i == SUMS_CGROUPS)
		return;
	if (i == s->n_cgroups) {
		s->n_cgroups++;
		s->cgroups[i] = (struct cgroup_sum){ .up = c->r.flags, .first = *c };
	}
	s->cgroups[i].last = *c;
}

static void add_pressure(void *ctx, const struct rec *r)
{
	struct thread_sums *s = ctx;
	struct pressure_sum *p;

	if (r->sub < REC_RESOURCE_CPU || r->sub > REC_RESOURCE_IO)
		return;
	p = &s->pressures[r->sub];
	if (!p->any)
		*p = (struct pressure_sum){ .any = true, .machine = r->flags & 1, .first = *r };
	p->last = *r;
}

static void count_switch(void *ctx, uint64_t time, uint32_t cpu, enum rec_off why,
			 const struct task_ref *from, const struct task_ref *to)
{
	((struct thread_sums *)ctx)->cpu_switches++;
}

struct thread_sums *thread_sums_new(struct threads *t)
{
	struct thread_sums *s = xcalloc(1, sizeof(*s));

	s->cpus = cpus_new(t, NULL, NULL);
	threads_visit(t, &(struct threads_visitor){
				 .ctx = s,
				 .thread_begin = thread_begin,
				 .span = sums_add_span,
				 .thread_end = thread_end,
				 .cpu_switch = count_switch,
				 .cgroup = add_cgroup,
				 .pressure = add_pressure,
			 });
	return s;
}

void thread_sums_free(struct thread_sums *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->live.made; i++)
		if (s->live.slots[i].used)
			free((void *)(uintptr_t)s->live.slots[i].value);
	map64_free(&s->live);
	map64_free(&s->taker_at);
	cpus_free(s->cpus);
	vec_free(&s->done);
	vec_free(&s->takers);
	free(s);
}

const struct cgroup_sum *thread_sums_limit(const struct thread_sums *s)
{
	const struct cgroup_sum *least = NULL;
	size_t i;

	for (i = 0; i < s->n_cgroups; i++) {
		const struct cgroup_sum *c = &s->cgroups[i];

		if (c->last.r.id && c->last.r.ptr &&
		    (!least || cgroup_sum_cpus(c) < cgroup_sum_cpus(least)))
			least = c;
	}
	return least;
}

double cgroup_sum_cpus(const struct cgroup_sum *c)
{
	return c->last.r.ptr ? (double)c->last.r.id / (double)c->last.r.ptr : 0;
}
