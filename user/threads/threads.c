// SPDX-License-Identifier: Apache-2.0
/*
 * threads: see threads.h. This file passes each record to its function; the effects are in
 * switches.c, and the table of threads is in table.c.
 */
#include <stdlib.h>

#include "symbol/goarch.h"
#include "threads/internal.h"

/* --- records --- */

static void cpu_switch(struct threads *t, const struct rec_thread *r)
{
	struct task_ref from = { .tid = r->r.tid, .pid = (uint32_t)r->stack }, to = task_of(r);

	SHOW(t, cpu_switch, r->r.time, r->r.flags, r->r.sub, &from, &to);
}

bool threads_now(const struct threads *t, uint32_t tid, struct thread_span *ret)
{
	const struct thread *th = threads_find(t, tid);

	if (!th)
		return false;
	*ret = th->inner->now;
	ret->to = 0;
	return true;
}

static void threads_end_all(struct threads *t, uint64_t time)
{
	size_t i;

	if (t->finished)
		return;
	t->finished = true;
	t->end = time > t->end ? time : t->end;
	for (i = 0; i < t->by_tid.made; i++)
		if (t->by_tid.slots[i].used)
			switch_end(t, (struct thread *)(uintptr_t)t->by_tid.slots[i].value, t->end);
	SHOW(t, finish, t->end);
}

static void threads_step(struct threads *t, const struct rec *r)
{
	if (r->sub == REC_THREADS_BEGIN)
		t->with = r->ptr;
	else if (r->sub == REC_THREADS_READ)
		t->read = true;
	else if (r->sub == REC_THREADS_END)
		threads_end_all(t, r->time);
}

static void threads_lose(struct threads *t, const struct rec_long *r)
{
	t->lost += r->arg;
	if (r->r.id <= UINT16_MAX)
		t->on_cpu[r->r.id] = 0;
}

/*
 * Returns whether the record has an id that no thread has. 0 is the id of a thread that ends
 * (tid_of_off()); other such ids are damage of the file.
 */
static bool has_no_thread(struct threads *t, const struct rec *r)
{
	switch (r->kind) {
	case REC_THREAD_OFF: break;
	case REC_THREAD_ON:
	case REC_THREAD_WAKE:
	case REC_THREAD_NEW:
	case REC_THREAD_MOVE:
	case REC_SNAP_THREAD:
		if (!r->tid)
			return true;
		break;
	default: return false;
	}
	t->lost += r->tid > THREADS_TID_MAX;
	return r->tid > THREADS_TID_MAX;
}

void threads_record(struct threads *t, const struct rec *r)
{
	if (t->finished)
		return;
	if (!t->any)
		t->begin = r->time;
	t->any = true;
	t->end = r->time > t->end ? r->time : t->end;
	SHOW(t, record, r);
	if (has_no_thread(t, r))
		return;
	switch (r->kind) {
	case REC_THREAD_OFF: switch_off(t, (const struct rec_thread *)r); break;
	case REC_THREAD_ON: switch_on(t, r); break;
	case REC_THREAD_WAKE: switch_wake(t, (const struct rec_thread *)r); break;
	case REC_THREAD_NEW: switch_new(t, (const struct rec_thread *)r); break;
	case REC_THREAD_MOVE: switch_move(t, (const struct rec_long *)r); break;
	case REC_CPU_SWITCH: cpu_switch(t, (const struct rec_thread *)r); break;
	case REC_SNAP_THREAD:
		(t->read ? switch_read_last : switch_read_first)(t, (const struct rec_thread *)r);
		break;
	case REC_THREADS: threads_step(t, r); break;
	case REC_THREADS_LOST: threads_lose(t, (const struct rec_long *)r); break;
	case REC_CGROUP_CPU: SHOW(t, cgroup, (const struct rec_cgroup *)r); break;
	case REC_PRESSURE: SHOW(t, pressure, r); break;
	}
}

void threads_finish(struct threads *t, uint64_t time)
{
	if (t->any)
		threads_end_all(t, time);
}

/* --- the whole --- */

struct threads *threads_new(void)
{
	return xcalloc(1, sizeof(struct threads));
}

void threads_set_machine(struct threads *t, uint16_t machine)
{
	const struct goarch *arch = goarch_of_recording(machine);

	t->knows_yield = arch;
	t->nr_sched_yield = arch ? arch->nr_sched_yield : 0;
}

void threads_free(struct threads *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->by_tid.made; i++)
		if (t->by_tid.slots[i].used)
			free((void *)(uintptr_t)t->by_tid.slots[i].value);
	map64_free(&t->by_tid);
	vec_free(&t->visitors);
	free(t);
}

void threads_visit(struct threads *t, const struct threads_visitor *visitor)
{
	*(struct threads_visitor *)vec_push(&t->visitors, sizeof(*visitor)) = *visitor;
}

bool threads_any(const struct threads *t)
{
	return t->any;
}

uint64_t threads_begin_time(const struct threads *t)
{
	return t->begin;
}

uint64_t threads_end_time(const struct threads *t)
{
	return t->end;
}

uint64_t threads_lost(const struct threads *t)
{
	return t->lost;
}

uint64_t threads_missing(const struct threads *t)
{
	return t->missing;
}

uint64_t threads_with(const struct threads *t)
{
	return t->with;
}
