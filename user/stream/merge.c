// SPDX-License-Identifier: Apache-2.0
/*
 * merge: see merge.h. Each CPU has a queue: the bytes of its records and an index of (time, offset)
 * that is sorted. Records of a ring are in the order of their reserves, and a probe takes the time
 * right after the reserve. Therefore they are sorted already, unless a program was preempted in
 * between: insertion from the end of the index is cheap. The records of a damaged file may be in
 * any order: then the whole queue is sorted at once.
 */
#include "stream/merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { MOST_SHIFT = 8 };	/* for vec_lately(): a burst counts for some seconds */
enum { MOVES_MAX = 1 << 20 };	/* moved entries of a queue, for the records of one chunk */

struct entry {
	uint64_t time;
	size_t at;		/* offset in bytes */
};

struct queue {
	uint32_t cpu;
	struct buf bytes;
	struct vec entries;	/* struct entry, sorted by time from next on */
	size_t next;		/* first entry that merge_next() has not given */
	size_t most_bytes, most_entries;	/* recent maximum (vec_lately()) */
};

/* A queue in the heap. */
struct head {
	uint64_t time;		/* of the next record of the queue */
	struct queue *queue;
};

struct merge {
	struct vec queues;	/* struct queue, sorted by cpu */
	struct vec heap;	/* struct head: the one with the earliest record first */
	size_t heap_len;	/* queues in the heap */
	/*
	 * The queue of which merge_next() gives the records up to time run_until: those of all
	 * other queues come later. NULL: the heap must be rebuilt.
	 */
	struct queue *run;
	uint64_t run_until;
	uint64_t watermark;	/* of the last chunk, in ns */
	uint64_t taken;
};

struct merge *merge_new(void)
{
	return xcalloc(1, sizeof(struct merge));
}

static struct queue *queue_of_cpu(struct merge *m, uint32_t cpu)
{
	struct queue *q;
	size_t i;

	for (i = 0; i < m->queues.len; i++) {
		q = vec_at(&m->queues, struct queue, i);
		if (q->cpu == cpu)
			return q;
		if (q->cpu > cpu)
			break;
	}
	vec_push(&m->queues, sizeof(struct queue));
	q = vec_at(&m->queues, struct queue, i);
	memmove(q + 1, q, (m->queues.len - 1 - i) * sizeof(*q));
	*q = (struct queue){ .cpu = cpu };
	return q;
}

/*
 * Inserts an entry, for which the queue has space. Moves at most @most later entries; returns the
 * number of entries that it moved.
 */
static size_t queue_insert(struct queue *q, uint64_t time, size_t at, size_t most)
{
	struct entry *e = q->entries.data;
	size_t end = q->entries.len++, i = end;

	for (; i > q->next && e[i - 1].time > time && end - i < most; i--)
		e[i] = e[i - 1];
	e[i] = (struct entry){ time, at };
	return end - i;
}

/* Compares times, then offsets: in one queue offsets rise in the order of arrival. */
static int entry_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void queue_sort(struct queue *q)
{
	vec_sort_from(&q->entries, q->next, sizeof(struct entry), entry_order);
}

static int queue_add(struct queue *q, const uint8_t *p, size_t len)
{
	size_t base = q->bytes.len, at, n, moves = MOVES_MAX;
	const struct rec *r;
	int e = 0;

	buf_add(&q->bytes, p, len);
	vec_reserve(&q->entries, q->entries.len + len / sizeof(struct rec), sizeof(struct entry));
	for (at = base; at < base + len; at += n) {
		r = (const struct rec *)(q->bytes.data + at);
		n = record_size(r, base + len - at);
		if (!n) {
			e = -EBADMSG;
			break;
		}
		moves -= queue_insert(q, r->time, at, moves);
	}
	if (!moves)	/* MOVES_MAX is reached: the last records are not sorted yet */
		queue_sort(q);
	return e;
}

/* All records of the queue were given out: frees storage that only an earlier burst needed. */
static void queue_empty(struct queue *q)
{
	buf_fit(&q->bytes, vec_lately(&q->most_bytes, q->bytes.len, MOST_SHIFT));
	vec_fit(&q->entries, vec_lately(&q->most_entries, q->entries.len, MOST_SHIFT),
		sizeof(struct entry));
	q->next = 0;
}

/* Removes the records that were given out. */
static void queue_compact(struct queue *q)
{
	struct entry *e = q->entries.data;
	size_t from = q->bytes.len, i;

	if (!q->next)
		return;
	if (q->next == q->entries.len) {
		queue_empty(q);
		return;
	}
	for (i = q->next; i < q->entries.len; i++)
		if (e[i].at < from)
			from = e[i].at;
	memmove(q->bytes.data, q->bytes.data + from, q->bytes.len - from);
	q->bytes.len -= from;
	for (i = q->next; i < q->entries.len; i++)
		e[i - q->next] = (struct entry){ e[i].time, e[i].at - from };
	q->entries.len -= q->next;
	q->next = 0;
}

/* --- a binary heap of queues by (time of the first record, cpu) --- */

static bool head_is_before(const struct head *a, const struct head *b)
{
	return a->time != b->time ? a->time < b->time : a->queue->cpu < b->queue->cpu;
}

static void heap_sink(struct head *h, size_t n, size_t i)
{
	struct head sinking = h[i];
	size_t child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && head_is_before(&h[child + 1], &h[child]))
			child++;
		if (head_is_before(&sinking, &h[child]))
			break;
		h[i] = h[child];
	}
	h[i] = sinking;
}

static void heap_build(struct merge *m)
{
	struct head *h;
	size_t i, n = 0;

	vec_reserve(&m->heap, m->queues.len, sizeof(*h));
	h = m->heap.data;
	for (i = 0; i < m->queues.len; i++) {
		struct queue *q = vec_at(&m->queues, struct queue, i);

		if (q->next < q->entries.len)
			h[n++] = (struct head){
				vec_at(&q->entries, struct entry, q->next)->time, q };
	}
	for (i = n / 2; i-- > 0;)
		heap_sink(h, n, i);
	m->heap_len = n;
}

/* --- chunks in --- */

/* Adds the first segment of the @left bytes at @p. Returns its length; -EBADMSG: it is damaged. */
static int64_t merge_segment(struct merge *m, const uint8_t *p, size_t left)
{
	struct segment s;
	int r;

	if (left < sizeof(s))
		return -EBADMSG;
	memcpy(&s, p, sizeof(s));
	if (s.len > left - sizeof(s) || s.len % 8)
		return -EBADMSG;
	r = queue_add(queue_of_cpu(m, s.cpu), p + sizeof(s), s.len);
	return r ? r : (int64_t)(sizeof(s) + s.len);
}

int merge_add(struct merge *m, const struct chunk *c, struct error *err)
{
	int64_t n = 0;
	size_t at;

	m->run = NULL;
	m->watermark = c->watermark;
	for (at = 0; at < c->data.len; at += (size_t)n) {
		n = merge_segment(m, c->data.data + at, c->data.len - at);
		if (n < 0)
			return error_set(err, (int)n, "damaged record in the capture");
	}
	return 0;
}

void merge_finish(struct merge *m)
{
	m->watermark = UINT64_MAX;
}

/* --- records out --- */

/* All records up to the watermark were given out: removes them. */
static const struct rec *merge_end(struct merge *m)
{
	size_t i;

	m->run = NULL;
	for (i = 0; i < m->queues.len; i++)
		queue_compact(vec_at(&m->queues, struct queue, i));
	return NULL;
}

/* The time up to which no queue but the first has a record, at most the watermark. */
static uint64_t merge_run_until(const struct merge *m)
{
	const struct head *h = m->heap.data, *second = h + 1;
	uint64_t until;

	if (m->heap_len < 2)
		return m->watermark;
	if (m->heap_len > 2 && head_is_before(h + 2, second))
		second++;
	until = second->time - (second->queue->cpu < h->queue->cpu);
	return until < m->watermark ? until : m->watermark;
}

/* The queue of which the next run is. NULL: no record is as old as the watermark. */
static struct queue *merge_turn(struct merge *m)
{
	struct queue *q = m->run;
	struct head *h = m->heap.data;

	if (!q) {
		heap_build(m);
		h = m->heap.data;
	} else {
		if (q->next < q->entries.len)
			h[0].time = vec_at(&q->entries, struct entry, q->next)->time;
		else
			h[0] = h[--m->heap_len];
		heap_sink(h, m->heap_len, 0);
	}
	if (!m->heap_len || h[0].time > m->watermark)
		return NULL;
	m->run = h[0].queue;
	m->run_until = merge_run_until(m);
	return m->run;
}

const struct rec *merge_next(struct merge *m)
{
	struct queue *q = m->run;
	const struct entry *e = q ? vec_at(&q->entries, struct entry, q->next) : NULL;

	if (!q || q->next == q->entries.len || e->time > m->run_until) {
		q = merge_turn(m);
		if (!q)
			return merge_end(m);
		e = vec_at(&q->entries, struct entry, q->next);
	}
	q->next++;
	m->taken++;
	return (const struct rec *)(q->bytes.data + e->at);
}

uint64_t merge_taken(const struct merge *m)
{
	return m->taken;
}

size_t merge_pending(const struct merge *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->queues.len; i++)
		n += vec_at(&m->queues, struct queue, i)->bytes.len;
	return n;
}

void merge_free(struct merge *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->queues.len; i++) {
		struct queue *q = vec_at(&m->queues, struct queue, i);

		buf_free(&q->bytes);
		vec_free(&q->entries);
	}
	vec_free(&m->queues);
	vec_free(&m->heap);
	free(m);
}
