// SPDX-License-Identifier: Apache-2.0
/* table: the threads by tid, and the words of their states. See internal.h. */
#include <stdlib.h>

#include "threads/internal.h"

static const struct {
	const char *json, *words, *title;
} table_states[THREAD_STATES] = {
#define STATE(name, json, words, title) { json, words, title },
#include "threads/states.def"
#undef STATE
};

const char *thread_state_name(enum thread_state s)
{
	return s < THREAD_STATES ? table_states[s].json : "";
}

const char *thread_state_words(enum thread_state s)
{
	return s < THREAD_STATES ? table_states[s].words : "";
}

const char *thread_state_title(enum thread_state s)
{
	return s < THREAD_STATES ? table_states[s].title : "";
}

struct thread *threads_find(const struct threads *t, uint32_t tid)
{
	uint64_t *slot = map64_get(&t->by_tid, tid);

	return slot ? (struct thread *)(uintptr_t)*slot : NULL;
}

struct thread *threads_add(struct threads *t, uint32_t tid, const char *comm, uint64_t since)
{
	struct thread *th;

	if (t->by_tid.len >= THREADS_MAX) {
		t->lost++;
		return NULL;
	}
	th = xcalloc(1, sizeof(*th) + sizeof(*th->inner));
	th->tid = tid;
	th->since = since;
	th->inner = (struct thread_inner *)(th + 1);
	th->inner->now = (struct thread_span){
		.thread = th, .from = since, .cpu = THREAD_NO_CPU, .syscall = -1
	};
	if (comm)
		put_comm(th->comm, comm);
	*map64_put(&t->by_tid, tid, NULL) = (uintptr_t)th;
	return th;
}

/* The name is known with the first record, or never (internal.h). */
void threads_begin(struct threads *t, struct thread *th)
{
	if (th->inner->known)
		return;
	th->inner->known = true;
	SHOW(t, thread_begin, th);
}

struct thread *threads_get(struct threads *t, uint32_t tid, uint64_t time)
{
	struct thread *th = threads_find(t, tid);

	if (!th) {
		th = threads_add(t, tid, NULL, t->read ? time : t->begin);
		if (!th)
			return NULL;
		th->inner->now.open_begin = !t->read;
	}
	threads_begin(t, th);
	return th;
}

void threads_drop(struct threads *t, struct thread *th, uint64_t time, bool ended)
{
	SHOW(t, thread_end, th, time, ended);
	map64_del(&t->by_tid, th->tid);
	free(th);
}
