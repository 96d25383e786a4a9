// SPDX-License-Identifier: Apache-2.0
/* threads: the program's threads, and their states in Linux (group linux). Part of tableset.c. */
#include <stdio.h>
#include <string.h>

#include "tables/internal.h"

/* --- threads that were seen --- */

static struct seen_thread *seen_at(struct tableset *t, uint32_t number)
{
	return vec_at(&t->threads.all, struct seen_thread, number - 1);
}

static struct seen_thread *seen_find(struct tableset *t, uint64_t tid, int64_t time)
{
	uint32_t *front = &t->threads.front[tid % SEEN_FRONT];
	struct seen_thread *thread;
	uint64_t *number;
	bool is_new;

	if (*front && seen_at(t, *front)->tid == tid)
		return seen_at(t, *front);
	number = map64_put(&t->threads.numbers, tid, &is_new);
	if (is_new) {
		thread = vec_push(&t->threads.all, sizeof(*thread));
		*thread = (struct seen_thread){ tid, time, time, NULL };
		*number = t->threads.all.len;
	}
	*front = (uint32_t)*number;
	return seen_at(t, *front);
}

void threads_seen(struct tableset *t, uint64_t tid, int64_t from, int64_t to)
{
	struct seen_thread *thread = seen_find(t, tid, from);

	if (from < thread->first)
		thread->first = from;
	if (to > thread->last)
		thread->last = to;
}

void threads_put(struct tableset *t)
{
	const char *pid = t->origin.facts[ORIGIN_PID];
	char tid[24];
	int64_t *row;
	size_t i;

	for (i = 0; i < t->threads.all.len; i++) {
		struct seen_thread *thread = seen_at(t, (uint32_t)i + 1);

		row = tableset_new_row(t, TABLE_THREAD);
		row[COLUMN_OF(THREAD, TID)] = (int64_t)thread->tid;
		row[COLUMN_OF(THREAD, NAME)] = cell_text(thread->name);
		row[COLUMN_OF(THREAD, START_TS)] = thread->first;
		row[COLUMN_OF(THREAD, END_TS)] = thread->last;
		if (pid) {
			snprintf(tid, sizeof(tid), "%llu", (unsigned long long)thread->tid);
			row[COLUMN_OF(THREAD, IS_MAIN)] = !strcmp(tid, pid);
		}
		tableset_put_row(t, TABLE_THREAD);
	}
}

/* --- states in Linux --- */

static const char *const causes[] = {
	[QUEUED_UNKNOWN] = NULL, [QUEUED_PREEMPTED] = "preempted", [QUEUED_YIELDED] = "yielded",
	[QUEUED_WOKEN] = "woken", [QUEUED_BY_INTERRUPT] = "interrupt", [QUEUED_NEW] = "new",
};

static int64_t threads_put_name(struct tableset *t, const char *name)
{
	return *name ? cell_text(strset_add(t->texts, name, strlen(name))) : TABLE_NULL;
}

static bool threads_is_queued(const struct thread_span *s)
{
	return s->state == THREAD_QUEUED || s->state == THREAD_THROTTLED;
}

static void threads_put_cause(struct tableset *t, int64_t *row, const struct thread_span *s)
{
	row[COLUMN_OF(THREAD_STATE, CAUSE)] = cell_text(causes[s->queued]);
	if (s->by.tid)
		row[COLUMN_OF(THREAD_STATE, WAKER)] = s->by.tid;
	row[COLUMN_OF(THREAD_STATE, WAKER_NAME)] = threads_put_name(t, s->by.comm);
}

static void threads_on_state(void *ctx, const struct thread_span *s)
{
	struct tableset *t = ctx;
	struct seen_thread *thread;
	int64_t from = tableset_time(t, (int64_t)s->from), to = tableset_time(t, (int64_t)s->to);
	int64_t *row;

	thread = seen_find(t, s->thread->tid, from);
	if (*s->thread->comm)
		thread->name = strset_add(t->texts, s->thread->comm, strlen(s->thread->comm));
	threads_seen(t, s->thread->tid, from, to);
	row = tableset_new_row(t, TABLE_THREAD_STATE);
	row[COLUMN_OF(THREAD_STATE, TS)] = from;
	row[COLUMN_OF(THREAD_STATE, DUR)] = cell_length((int64_t)s->from, (int64_t)s->to);
	row[COLUMN_OF(THREAD_STATE, TID)] = s->thread->tid;
	row[COLUMN_OF(THREAD_STATE, NAME)] = threads_put_name(t, s->thread->comm);
	row[COLUMN_OF(THREAD_STATE, STATE)] = cell_text(thread_state_name(s->state));
	if (s->cpu != THREAD_NO_CPU)
		row[COLUMN_OF(THREAD_STATE, CPU)] = s->cpu;
	if (threads_is_queued(s))
		threads_put_cause(t, row, s);
	if (s->syscall >= 0 && s->state != THREAD_RUNNING)
		row[COLUMN_OF(THREAD_STATE, SYSCALL)] = s->syscall;
	if (s->state == THREAD_RUNNING)
		row[COLUMN_OF(THREAD_STATE, RAN)] = (int64_t)s->ran;
	row[COLUMN_OF(THREAD_STATE, OPEN_BEGIN)] = s->open_begin;
	row[COLUMN_OF(THREAD_STATE, OPEN_END)] = s->open_end;
	tableset_put_row(t, TABLE_THREAD_STATE);
}

/* A stay of another program's task on a CPU. */
static void threads_on_other(void *ctx, const struct cpu_span *s)
{
	struct tableset *t = ctx;
	int64_t *row = tableset_new_row(t, TABLE_THREAD_STATE);

	row[COLUMN_OF(THREAD_STATE, TS)] = tableset_time(t, (int64_t)s->from);
	row[COLUMN_OF(THREAD_STATE, DUR)] = cell_length((int64_t)s->from, (int64_t)s->to);
	row[COLUMN_OF(THREAD_STATE, TID)] = s->task.tid;
	row[COLUMN_OF(THREAD_STATE, OTHER)] = s->task.pid;
	row[COLUMN_OF(THREAD_STATE, NAME)] = threads_put_name(t, s->task.comm);
	row[COLUMN_OF(THREAD_STATE, STATE)] = cell_text(thread_state_name(THREAD_RUNNING));
	row[COLUMN_OF(THREAD_STATE, CPU)] = s->cpu;
	row[COLUMN_OF(THREAD_STATE, OPEN_BEGIN)] = 0;
	row[COLUMN_OF(THREAD_STATE, OPEN_END)] = s->why == REC_OFF_UNKNOWN;
	tableset_put_row(t, TABLE_THREAD_STATE);
}

void tableset_states_begin(struct tableset *t, struct threads *threads)
{
	t->cpus = cpus_new(threads, threads_on_other, t);
	threads_visit(threads, &(struct threads_visitor){ .ctx = t, .span = threads_on_state });
}

void tableset_states_end(struct tableset *t)
{
	cpus_free(t->cpus);
	t->cpus = NULL;
}

void tableset_states_fault(struct tableset *t, const char *text)
{
	losses_fault(t, "threads", text);
}
