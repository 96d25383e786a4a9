// SPDX-License-Identifier: Apache-2.0
/* cpus: see cpus.h. */
#include "threads/cpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"

/*
 * The task that has the CPU, if it belongs to another program; tid 0: none, a thread of the
 * program, or not known.
 */
struct cpu {
	struct task_ref task;
	uint64_t since;
	/*
	 * the CPU had a record; one task has had it from the begin of the recording to that record
	 */
	bool seen;
};

struct cpus {
	cpu_span_fn *fn;
	void *ctx;
	uint64_t begin;
	bool system;
	struct vec all;		/* struct cpu, by number */
	/*
	 * tid -> run time in ns at the task's last switch, since the task was made; for tasks that
	 * live
	 */
	struct map64 ran;
	uint64_t missing;
};

static struct cpu *cpu_at(struct cpus *c, uint32_t number)
{
	while (c->all.len <= number)
		*(struct cpu *)vec_push(&c->all, sizeof(struct cpu)) = (struct cpu){0};
	return vec_at(&c->all, struct cpu, number);
}

static void cpus_show(struct cpus *c, const struct cpu *cpu, uint32_t number, uint64_t time,
		      enum rec_off why)
{
	struct cpu_span span = {
		.task = cpu->task, .cpu = number, .from = cpu->since, .to = time, .why = why
	};

	if (c->fn && span.task.tid && time > span.from)
		c->fn(c->ctx, &span);
}

/* Notes that @task has the CPU from @time on. */
static void cpus_give(struct cpu *cpu, const struct task_ref *task, uint64_t time)
{
	*cpu = (struct cpu){ .since = time, .seen = true };
	if (task)
		cpu->task = *task;
}

static struct task_ref cpus_task_of(const struct rec_thread *r)
{
	struct task_ref task = { .tid = (uint32_t)r->r.id, .pid = (uint32_t)(r->r.id >> 32) };

	memcpy(task.comm, r->comm, sizeof(r->comm));
	return task;
}

/*
 * Returns the ns that the task which leaves has run since its last switch off a CPU; 0: not known.
 */
static uint64_t ran_since_last(struct cpus *c, const struct rec_thread *r)
{
	const uint64_t *last = map64_get(&c->ran, r->r.tid);
	uint64_t ran = last && r->r.ptr > *last ? r->r.ptr - *last : 0;

	if (!r->r.tid || !r->r.ptr)
		return 0;
	if (r->r.sub == REC_OFF_DEAD)
		map64_del(&c->ran, r->r.tid);
	else
		*map64_put(&c->ran, r->r.tid, NULL) = r->r.ptr;
	return ran;
}

/*
 * A task leaves a CPU, and the record that it went on the CPU is missing. Its stay is as long as it
 * has run since its last stay, if that is known. How long the task before it had the CPU is not
 * known.
 */
static void begin_unseen(struct cpus *c, struct cpu *cpu, uint64_t time, uint64_t ran)
{
	c->missing++;
	if (time > cpu->since && ran < time - cpu->since)
		cpu->since = time - ran;
}

static void take_switch(struct cpus *c, const struct rec_thread *r)
{
	struct cpu *cpu = cpu_at(c, r->r.flags);
	struct task_ref to = cpus_task_of(r);
	uint64_t ran = ran_since_last(c, r);

	if (!cpu->seen)
		cpu->since = c->begin;
	else if (cpu->task.tid != r->r.tid) {
		begin_unseen(c, cpu, r->r.time, ran);
		cpu->task = (struct task_ref){0};
	}
	if (!cpu->seen || cpu->task.tid == r->r.tid || ran) {
		cpu->task.tid = r->r.tid;
		cpu->task.pid = (uint32_t)r->stack;
		cpus_show(c, cpu, r->r.flags, r->r.time, r->r.sub);
	}
	cpus_give(cpu, r->arg ? NULL : &to, r->r.time);
}

/*
 * A thread of the program leaves the CPU. If the next task belongs to the program, too, a record
 * with the same time shows it.
 */
static void cpus_take_off(struct cpus *c, const struct rec_thread *r)
{
	struct task_ref to = cpus_task_of(r);

	cpus_give(cpu_at(c, r->r.flags), &to, r->r.time);
}

static void cpus_take(void *ctx, const struct rec *r)
{
	struct cpus *c = ctx;

	if (r->kind == REC_THREADS && r->sub == REC_THREADS_BEGIN) {
		c->begin = r->time;
		c->system = r->ptr & REC_WITH_SYSTEM;
	}
	if (!c->system)
		return;
	if (r->kind == REC_CPU_SWITCH)
		take_switch(c, (const struct rec_thread *)r);
	else if (r->kind == REC_THREAD_OFF)
		cpus_take_off(c, (const struct rec_thread *)r);
	else if (r->kind == REC_THREAD_ON)
		cpus_give(cpu_at(c, r->flags), NULL, r->time);
	else if (r->kind == REC_THREADS_LOST && r->id <= UINT16_MAX)
		cpus_give(cpu_at(c, (uint32_t)r->id), NULL, r->time);
}

static void cpus_finish(void *ctx, uint64_t time)
{
	struct cpus *c = ctx;
	uint32_t i;

	for (i = 0; i < c->all.len; i++)
		cpus_show(c, vec_at(&c->all, struct cpu, i), i, time, REC_OFF_UNKNOWN);
}

struct cpus *cpus_new(struct threads *t, cpu_span_fn *fn, void *ctx)
{
	struct cpus *c = xcalloc(1, sizeof(*c));

	c->fn = fn;
	c->ctx = ctx;
	threads_visit(t, &(struct threads_visitor){
				 .ctx = c, .record = cpus_take, .finish = cpus_finish });
	return c;
}

uint64_t cpus_missing(const struct cpus *c)
{
	return c->missing;
}

void cpus_free(struct cpus *c)
{
	if (!c)
		return;
	vec_free(&c->all);
	map64_free(&c->ran);
	free(c);
}
