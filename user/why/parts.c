// SPDX-License-Identifier: Apache-2.0
/* parts: see parts.h. */
#include "why/parts.h"

#include <string.h>

enum { IN_MEMORY = 8 << 20 };

void parts_init(struct parts *s, struct spans *spans)
{
	*s = (struct parts){ .s = spans,
			     .store = store_new(sizeof(struct thread_part), IN_MEMORY) };
}

void parts_free(struct parts *s)
{
	store_free(s->store);
}

/*
 * Is @by of the part the task that caused it? If an interrupt woke the thread, @by is only the task
 * that it interrupted.
 */
static bool has_task(const struct oncpu_part *p)
{
	return p->queued && p->queued != QUEUED_BY_INTERRUPT && p->by.tid;
}

static bool is_queued(uint8_t state)
{
	return state == THREAD_QUEUED || state == THREAD_THROTTLED;
}

/*
 * Is the wait for a CPU still open? While it is, threads_now() does not know which part of it is
 * throttled. At the end of a span no such wait is open, since a goroutine begins and ends its stays
 * on a CPU.
 */
static bool parts_is_open(const struct parts *s, uint64_t m, const struct oncpu_part *p)
{
	struct thread_span now;

	return is_queued(p->state) && threads_now(oncpu_threads(s->oncpu), (uint32_t)m, &now) &&
	       is_queued(now.state) && (int64_t)now.from <= p->from;
}

static struct thread_part parts_of_thread(struct parts *s, uint64_t m, const struct oncpu_part *p)
{
	struct thread_part part = { .from = p->from,
				    .to = p->to,
				    .state = p->state,
				    .queued = p->queued,
				    .syscall = (int32_t)p->syscall };

	if (parts_is_open(s, m, p)) {
		part.state = THREAD_UNKNOWN;
		part.queued = QUEUED_UNKNOWN;
	} else if (has_task(p)) {
		part.comm = spans_text(s->s, p->by.comm, strnlen(p->by.comm, sizeof(p->by.comm)));
		part.tid = p->by.tid;
		part.pid = p->by.pid;
	}
	return part;
}

uint32_t parts_add(struct parts *s, uint64_t m, int64_t from, int64_t to, uint32_t prev)
{
	size_t n, i;
	const struct oncpu_part *parts = oncpu_parts(s->oncpu, m, from, to, &n);

	for (i = 0; i < n; i++) {
		struct thread_part part = parts_of_thread(s, m, &parts[i]);

		part.prev = prev;
		prev = store_add(s->store, &part);
	}
	return prev;
}

static bool parts_alike(const struct thread_part *a, const struct thread_part *b)
{
	return a->state == b->state && a->queued == b->queued && a->comm == b->comm &&
	       a->tid == b->tid && a->syscall == b->syscall;
}

struct thread_part parts_before(struct parts *s, uint32_t *at, int64_t time, int64_t floor)
{
	struct thread_part none = { .from = floor,
				    .to = time,
				    .state = THREAD_UNKNOWN,
				    .syscall = -1 },
			   part, other;

	while (*at != STORE_NONE) {
		part = *(const struct thread_part *)store_at(s->store, *at);
		if (part.from < time)
			break;
		*at = part.prev;
	}
	if (*at == STORE_NONE || part.to < time) {
		if (*at != STORE_NONE && part.to > floor)
			none.from = part.to;
		return none;
	}
	part.to = time;
	/* stays are also cut where the goroutine woke another one: equal parts are joined */
	while (part.from > floor && part.prev != STORE_NONE) {
		other = *(const struct thread_part *)store_at(s->store, part.prev);
		if (other.to != part.from || !parts_alike(&part, &other))
			break;
		*at = part.prev;
		part.from = other.from;
		part.prev = other.prev;
	}
	if (part.from < floor)
		part.from = floor;
	return part;
}
