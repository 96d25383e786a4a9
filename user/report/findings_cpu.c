// SPDX-License-Identifier: Apache-2.0
/*
 * findings_cpu: goroutines that run for Go's scheduler while their threads have no CPU: throttled,
 * preempted, in a page fault, stopped. The states are those of the file of threads (user/oncpu);
 * without this file the family has no findings.
 *
 * Two kinds of time are lost: the time of the goroutine itself, and the time of ready goroutines
 * that wait for its P, since the thread of the P has no CPU. findings_ps counts the second kind as
 * waits for a P; this family knows its cause. findings_cpu_judge.c judges the sums.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_cpu.h"

enum { TAKERS_MAX = 1024, CPU_PLACES_MAX = 1 << 14, CPUS_MAX = 1 << 14, OWN_MAX = 1 << 10 };

static void cpu_new(struct findings *f)
{
	struct cpu *c = xcalloc(1, sizeof(*c));

	vec_push(&c->takers, sizeof(struct cpu_taker));
	vec_push(&c->places, sizeof(struct cpu_place));
	f->cpu = c;
}

static void cpu_free(struct findings *f)
{
	struct cpu *c = f->cpu;

	vec_free(&c->takers);
	vec_free(&c->places);
	map64_free(&c->taker_of);
	map64_free(&c->place_of);
	map64_free(&c->cpus);
	map64_free(&c->own);
	free(c);
}

/*
 * Adds a time in which a thread was stopped. The times of several threads overlap, as a signal
 * stops all threads: each moment counts once.
 */
static void add_stop(struct cpu_stop *s, int64_t from, int64_t to)
{
	int64_t since = from > s->end ? from : s->end;

	if (to - from > s->to - s->from && to > from) {
		s->from = from;
		s->to = to;
	}
	if (to <= since)
		return;
	s->ns += (double)(to - since);
	s->end = to;
}

/*
 * Returns a hash of the name up to its NUL: the kernel may leave bytes of an older name after the
 * NUL.
 */
static uint64_t finding_cpu_key_of(const char comm[17])
{
	uint64_t words[2] = {0};

	memcpy(words, comm, strnlen(comm, sizeof(words)));
	return hash64(words[0]) ^ words[1];
}

/*
 * Adds the name of a thread. Most threads of a program have the same name: a name that equals the
 * last one is not added again.
 */
static void add_own(struct cpu *c, const char comm[17])
{
	if (!comm[0] || !strcmp(comm, c->own_last) || c->own.len >= OWN_MAX)
		return;
	memcpy(c->own_last, comm, sizeof(c->own_last));
	*map64_put(&c->own, finding_cpu_key_of(comm), NULL) = 1;
}

static void thread_span(void *ctx, const struct thread_span *span)
{
	struct cpu *c = ctx;

	add_own(c, span->thread->comm);
	if (span->to > 0 && span->to <= INT64_MAX)
		add_stop(&c->stops[span->state],
			 (int64_t)span->from > spans_first(c->findings->spans) ?
				 (int64_t)span->from :
				 spans_first(c->findings->spans),
			 (int64_t)span->to);
	if (span->state == THREAD_RUNNING && c->cpus.len < CPUS_MAX)
		*map64_put(&c->cpus, span->cpu, NULL) = 1;
}

void findings_threads(struct findings *f, struct oncpu *o, const struct thread_sums *sums)
{
	f->cpu->findings = f;
	f->cpu->oncpu = o;
	f->cpu->sums = sums;
	threads_visit(oncpu_threads(o),
		      &(struct threads_visitor){ .ctx = f->cpu, .span = thread_span });
}

void findings_forget_threads(struct findings *f)
{
	f->cpu->oncpu = NULL;
}

static void cpu_begins(struct findings *f, int64_t first)
{
	if (f->cpu->oncpu && !oncpu_begins(f->cpu->oncpu, first))
		f->cpu->oncpu = NULL;
}

/* --- sums --- */

/* The ns of a part if it is a long one, else 0. */
static double late_ns(const struct oncpu_part *p)
{
	return p->to - p->from >= CPU_LATE_NS ? (double)(p->to - p->from) : 0;
}

/* Adds @share of a part, for which ready goroutines waited. */
static void add_ready_part(struct findings *f, const struct oncpu_part *p, double share)
{
	struct cpu_cause *c = &f->cpu->causes[split_of(p)];

	c->ready += share * (double)(p->to - p->from);
	c->late_ready += share * late_ns(p);
}

static void add_cause(struct cpu_cause *c, const struct span *span, const struct oncpu_part *p)
{
	c->ns += (double)(p->to - p->from);
	c->late += late_ns(p);
	few_add(&c->goroutines, span->g->id);
	if (p->to - p->from > c->to - c->from) {
		c->from = p->from;
		c->to = p->to;
	}
}

/*
 * Is @task a thread of the program? If the program's threads are recorded with ids of their own PID
 * namespace, ids of other tasks cannot be compared with them: the name decides then.
 */
static bool is_own_thread(struct cpu *c, const struct task_ref *task)
{
	if (threads_with(oncpu_threads(c->oncpu)) & REC_WITH_INNER_IDS)
		return map64_get(&c->own, finding_cpu_key_of(task->comm));
	return task->pid == oncpu_info(c->oncpu)->pid;
}

static void add_taker(struct cpu *c, const struct oncpu_part *p)
{
	bool is_new;
	uint32_t number = findings_number(&c->taker_of, &c->takers, sizeof(struct cpu_taker),
					  TAKERS_MAX, finding_cpu_key_of(p->by.comm), &is_new);
	struct cpu_taker *t = vec_at(&c->takers, struct cpu_taker, number);

	memcpy(t->comm, p->by.comm, sizeof(t->comm));
	t->several |= t->pid && t->pid != p->by.pid;
	t->pid = p->by.pid;
	t->times++;
	t->ns += (double)(p->to - p->from);
}

static void finding_cpu_preempted(struct cpu *c, const struct oncpu_part *p)
{
	if (is_own_thread(c, &p->by)) {
		c->peers += (double)(p->to - p->from);
	} else {
		c->others += (double)(p->to - p->from);
		add_taker(c, p);
	}
}

static void add_place(struct findings *f, const struct span *span, enum split split,
		      const struct oncpu_part *p)
{
	uint32_t place = ps_where(f, span);
	bool is_new;
	uint32_t number = findings_number(&f->cpu->place_of, &f->cpu->places,
					  sizeof(struct cpu_place), CPU_PLACES_MAX,
					  (uint64_t)place << 8 | split, &is_new);
	struct cpu_place *at = vec_at(&f->cpu->places, struct cpu_place, number);

	if (is_new)
		*at = (struct cpu_place){ .place = place, .split = (uint8_t)split };
	at->count++;
	add_cause(&at->cause, span, p);
}

/*
 * Does the part keep a goroutine from going on? Sleep does not: if the thread of a running
 * goroutine sleeps, the thread is in the runtime, or in a system call that the trace does not have.
 * Waits for a disk in a system call belong to findings_call.c.
 */
static bool is_taken(const struct span *span, enum split split)
{
	switch (split) {
	case SPLIT_ON_CPU: case SPLIT_SLEEPING: case SPLIT_UNKNOWN:
		return false;
	case SPLIT_IO: case SPLIT_BLOCKED:
		return span->state == GO_RUNNING;
	default:
		return true;
	}
}

static bool is_wait_for_cpu(enum split split)
{
	return split == SPLIT_PREEMPTED || split == SPLIT_QUEUED || split == SPLIT_THROTTLED;
}

static void finding_cpu_add_part(struct findings *f, struct stay *stay, bool own,
				 const struct oncpu_part *p)
{
	enum split split = split_of(p);
	double ns = (double)(p->to - p->from);

	stay->io += split == SPLIT_IO ? ns : 0;
	stay->asleep += split == SPLIT_SLEEPING ? ns : 0;
	stay->unknown += split == SPLIT_UNKNOWN ? ns : 0;
	if (own && (split == SPLIT_ON_CPU || is_wait_for_cpu(split)))
		f->cpu->wanted += ns;
	if (!is_taken(stay->span, split))
		return;
	stay->off += ns;
	if (!own)
		return;
	add_cause(&f->cpu->causes[split], stay->span, p);
	if (split == SPLIT_PREEMPTED)
		finding_cpu_preempted(f->cpu, p);
	if (stay->span->state == GO_RUNNING && (split == SPLIT_FAULT || split == SPLIT_IO))
		add_place(f, stay->span, split, p);
}

/*
 * Adds the time for which goroutines were ready without a P while @stay ran. Each P gets an equal
 * share of that time, and a part of the run without a CPU gets its proportion of the share.
 */
static void add_ready(struct findings *f, const struct stay *stay, const struct oncpu_part *parts,
		      size_t n)
{
	const struct span *span = stay->span;
	double queue = ps_queue(f->ps, span->to) - stay->state->queue;
	size_t i;

	if (queue <= 0 || stay->off <= 0)
		return;
	queue /= (double)(span->to - span->from) * (double)ps_now(f->ps);
	for (i = 0; i < n; i++)
		if (is_taken(span, split_of(&parts[i])))
			add_ready_part(f, &parts[i], queue);
}

/*
 * Adds the time, while the goroutine was ready, in which the thread that then ran it had no
 * goroutine and waited for a CPU itself.
 */
static void add_late(struct findings *f, const struct span *span)
{
	size_t n, i;
	const struct oncpu_part *parts;

	if (span->end.m == TRACEV2_NO_ID || !span->end.type)
		return;
	parts = oncpu_idle_parts(f->cpu->oncpu, span->end.m, span->from, span->to, &n);
	for (i = 0; i < n; i++)
		if (is_taken(span, split_of(&parts[i])))
			add_ready_part(f, &parts[i], 1);
}

void cpu_stay(struct findings *f, struct stay *stay, bool own)
{
	const struct span *span = stay->span;
	const struct oncpu_part *parts;
	size_t n, i;

	if (!f->cpu->oncpu)
		return;
	if (own && span->state == GO_RUNNABLE)
		add_late(f, span);
	if ((span->state != GO_RUNNING && span->state != GO_SYSCALL) || span->to <= span->from)
		return;
	parts = oncpu_parts(f->cpu->oncpu, span->m, span->from, span->to, &n);
	for (i = 0; i < n; i++)
		finding_cpu_add_part(f, stay, own, &parts[i]);
	if (span->state != GO_RUNNING)
		return;
	add_ready(f, stay, parts, n);
}

/*
 * Returns the ns without a CPU of the current run. The next call looks at the last part again,
 * since the state of that part may change.
 */
static double off_between(struct findings *f, struct goroutine_state *s, uint64_t m, int64_t to)
{
	const struct span span = { .state = GO_RUNNING };
	size_t n, i;
	const struct oncpu_part *parts = oncpu_parts(f->cpu->oncpu, m, s->off_upto, to, &n);
	double ns;

	for (i = 0; i < n; i++) {
		ns = is_taken(&span, split_of(&parts[i])) ? (double)(parts[i].to - parts[i].from) :
							    0;
		if (i + 1 == n)
			return s->off + ns;
		s->off += ns;
		s->off_upto = parts[i].to;
	}
	return s->off;
}

double cpu_off_share(struct findings *f, const struct goroutine *g, int64_t to)
{
	struct goroutine_state *s = findings_state(f, g);
	int64_t from = g->now.from;

	if (!f->cpu->oncpu || g->now.state != GO_RUNNING || to <= from)
		return 0;
	if (s->off_from != from || s->off_upto < from) {
		s->off_from = s->off_upto = from;
		s->off = 0;
	}
	if (to < s->off_upto)
		to = s->off_upto;
	return off_between(f, s, g->now.m, to) / (double)(to - from);
}

const struct findings_family findings_of_cpu = {
	.new = cpu_new,
	.free = cpu_free,
	.trace_begin = cpu_begins,
	.judge = cpu_judge,
};
