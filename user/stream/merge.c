// SPDX-License-Identifier: Apache-2.0
/*
 * merge: see merge.h. Each CPU has a queue of records that are sorted by time. Records of a ring
 * are in the order of their reserves, and a probe takes the time right after the reserve. Therefore
 * they are sorted already, unless a program was preempted in between. The queue then refers to them
 * where they lie, in the chunk. Records that wait for a later watermark are copied; where some are
 * not in order, the records of their queue are copied in order.
 */
#include "stream/merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHIFT = 8 };	/* for vec_lately(): a burst counts for some seconds */
enum { MOVES_MAX = 1 << 20 };	/* moved entries of a queue that is sorted by insertion */
enum { PLAIN_MAX = UINT8_MAX };	/* bytes of a record without texts and frames: rec_plain_size[] */

struct span {
	const uint8_t *at, *end;
};

struct merge_queue {
	uint64_t time;		/* of the next record, while the queue is in the heap */
	uint32_t cpu;
	bool in_chunk;		/* now lies in the chunk, not in kept */
	bool unsorted;		/* now is in any order */
	struct span now, next;	/* next is empty, or lies in the chunk */
	uint64_t last;		/* the latest time in now and next */
	struct buf kept;	/* copies of records that wait */
	size_t most;		/* recent maximum of its length (vec_lately()) */
};

/* A record of a queue that is being sorted. */
struct entry {
	uint64_t time;
	size_t at;		/* offset in bytes */
};

struct merge *merge_new(void)
{
	return xcalloc(1, sizeof(struct merge));
}

static struct merge_queue *queue_at(const struct merge *m, size_t i)
{
	return vec_at(&m->queues, struct merge_queue, i);
}

static struct merge_queue *queue_of_cpu(struct merge *m, uint32_t cpu)
{
	struct merge_queue *q;
	size_t i;

	for (i = 0; i < m->queues.len; i++) {
		q = queue_at(m, i);
		if (q->cpu == cpu)
			return q;
		if (q->cpu > cpu)
			break;
	}
	vec_push(&m->queues, sizeof(*q));
	q = queue_at(m, i);
	memmove(q + 1, q, (m->queues.len - 1 - i) * sizeof(*q));
	*q = (struct merge_queue){ .cpu = cpu };
	return q;
}

static size_t span_len(const struct span *s)
{
	return (size_t)(s->end - s->at);
}

static uint64_t span_time(const struct span *s)
{
	return ((const struct rec *)s->at)->time;
}

/*
 * Copies the records of the queue that lie in the chunk behind those that were kept, and frees
 * storage that only an earlier burst needed. Records that were given out are removed when they are
 * half of all.
 */
static void queue_keep(struct merge_queue *q)
{
	size_t given = 0;

	if (q->in_chunk) {
		q->kept.len = 0;
		buf_add(&q->kept, q->now.at, span_len(&q->now));
	} else if (q->kept.len) {
		given = (size_t)(q->now.at - q->kept.data);
	}
	buf_add(&q->kept, q->next.at, span_len(&q->next));
	vec_lately(&q->most, q->kept.len, MOST_SHIFT);
	if (given > q->kept.len / 2) {
		q->kept.len -= given;
		memmove(q->kept.data, q->kept.data + given, q->kept.len);
		given = 0;
	}
	q->in_chunk = false;
	q->now = q->next = (struct span){0};
	if (q->kept.len)
		q->now = (struct span){ q->kept.data + given, q->kept.data + q->kept.len };
	else
		buf_fit(&q->kept, q->most);
}

/* --- a queue that is not in order --- */

/*
 * Inserts an entry, for which there is space. Moves at most @most later entries; returns the number
 * of entries that it moved.
 */
static size_t entry_insert(struct vec *entries, uint64_t time, size_t at, size_t most)
{
	struct entry *e = entries->data;
	size_t end = entries->len++, i = end;

	for (; i && e[i - 1].time > time && end - i < most; i--)
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

/*
 * Makes the index of the records in @s, sorted. Few of them are not in order: insertion from the
 * end is cheap. The records of a damaged file may be in any order: then the whole index is sorted
 * at once.
 */
static void entries_make(struct vec *entries, const struct span *s)
{
	size_t at, n, moves = MOVES_MAX;

	entries->len = 0;
	vec_reserve(entries, span_len(s) / sizeof(struct rec), sizeof(struct entry));
	for (at = 0; at < span_len(s); at += n) {
		const struct rec *r = (const struct rec *)(s->at + at);

		n = record_size(r, SIZE_MAX);
		moves -= entry_insert(entries, r->time, at, moves);
	}
	if (!moves)	/* MOVES_MAX is reached: the last records are not sorted yet */
		vec_sort(entries, sizeof(struct entry), entry_order);
}

/* Copies the records of @s in the order of @entries; those that lie side by side at once. */
static void entries_copy(const struct vec *entries, const struct span *s, struct buf *to)
{
	size_t from = 0, end = 0, i, at;

	to->len = 0;
	buf_reserve(to, span_len(s));
	for (i = 0; i < entries->len; i++) {
		at = vec_at(entries, struct entry, i)->at;
		if (at != end) {
			buf_add(to, s->at + from, end - from);
			from = end = at;
		}
		end += record_size((const struct rec *)(s->at + at), SIZE_MAX);
	}
	buf_add(to, s->at + from, end - from);
}

/* A recording on a busy machine needs this for many chunks: the storage stays for the next one. */
static void queue_sort(struct merge *m, struct merge_queue *q)
{
	struct buf sorted;

	entries_make(&m->entries, &q->now);
	entries_copy(&m->entries, &q->now, &m->spare);
	sorted = m->spare;
	m->spare = q->kept;
	m->spare.len = sorted.len;	/* the need of the next one */
	q->kept = sorted;
	q->now = (struct span){ sorted.data, sorted.data + sorted.len };
	q->in_chunk = q->unsorted = false;
}

/* Frees storage that only an earlier burst needed. */
static void merge_fit(struct merge *m)
{
	size_t most = vec_lately(&m->most, m->spare.len, MOST_SHIFT);

	buf_fit(&m->spare, most);
	vec_fit(&m->entries, most / sizeof(struct rec), sizeof(struct entry));
}

/* --- a binary heap of queues by (time of the first record, cpu) --- */

static inline bool queue_is_before(const struct merge_queue *a, const struct merge_queue *b)
{
	return a->time != b->time ? a->time < b->time : a->cpu < b->cpu;
}

static inline void heap_sink(struct merge_queue **heap, size_t n, size_t i)
{
	struct merge_queue *sinking = heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && queue_is_before(heap[child + 1], heap[child]))
			child++;
		if (queue_is_before(sinking, heap[child]))
			break;
		heap[i] = heap[child];
	}
	heap[i] = sinking;
}

static void heap_build(struct merge *m)
{
	size_t i, n = 0;

	vec_reserve(&m->heap, m->queues.len, sizeof(struct merge_queue *));
	for (i = 0; i < m->queues.len; i++) {
		struct merge_queue *q = queue_at(m, i);

		if (q->unsorted)
			queue_sort(m, q);
		if (!span_len(&q->now))
			continue;
		q->time = span_time(&q->now);
		*vec_at(&m->heap, struct merge_queue *, n++) = q;
	}
	m->heap_len = n;
	for (i = n / 2; i-- > 0;)
		heap_sink(m->heap.data, n, i);
}

/* --- chunks in --- */

/*
 * Returns the bytes of whole records at the begin of @s. *@last is a time: sets it to the latest
 * one of it and of the records. *@sorted: none is earlier than one before it, or than *@last.
 */
static size_t span_check(const struct span *s, uint64_t *last, bool *sorted)
{
	const uint8_t *at = s->at;
	uint64_t latest = *last;
	size_t n = 1;

	for (*sorted = true; n; at += n) {
		const struct rec *r = (const struct rec *)at;

		/* nearly all records have a length that follows from their kind alone */
		n = s->end - at >= PLAIN_MAX ? rec_plain_size[r->kind] : 0;
		n = n ? n : record_size(r, (size_t)(s->end - at));
		if (!n)
			break;
		*sorted &= r->time >= latest;
		latest = r->time > latest ? r->time : latest;
	}
	*last = latest;
	return (size_t)(at - s->at);
}

/* Copies @s to the end of the queue. */
static void queue_append(struct merge_queue *q, const struct span *s, bool sorted)
{
	size_t given;

	queue_keep(q);
	given = q->kept.len - span_len(&q->now);
	buf_add(&q->kept, s->at, span_len(s));
	q->now = (struct span){ q->kept.data + given, q->kept.data + q->kept.len };
	q->unsorted |= !sorted;
}

static int queue_add(struct merge_queue *q, const uint8_t *p, size_t len)
{
	struct span s = { p, p + len };
	bool sorted;

	if (!span_len(&q->now))
		q->last = 0;
	s.end = p + span_check(&s, &q->last, &sorted);
	if (!span_len(&q->now)) {
		q->now = s;
		q->in_chunk = true;
		q->unsorted = !sorted;
	} else if (sorted && !span_len(&q->next)) {
		q->next = s;
	} else {
		queue_append(q, &s, sorted);
	}
	return s.end == p + len ? 0 : -EBADMSG;
}

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

	merge_keep(m);
	m->in_chunk = true;
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

/* The run ends: its queue goes on behind the records that were given out. */
static void merge_leave(struct merge *m)
{
	struct merge_queue *q = m->run;

	q->now.at = m->at;
	if (m->at == m->end) {
		q->now = q->next;
		q->next = (struct span){0};
		q->in_chunk = true;
	}
	m->run = NULL;
	m->at = m->end = NULL;
}

void merge_keep(struct merge *m)
{
	size_t i;

	if (m->run)
		merge_leave(m);
	if (!m->in_chunk)
		return;
	for (i = 0; i < m->queues.len; i++)
		queue_keep(queue_at(m, i));
	merge_fit(m);
	m->in_chunk = false;
}

/* The queue of the run has no further record where the run was. */
static __attribute__((noinline)) void merge_leave_end(struct merge *m)
{
	struct merge_queue **heap = m->heap.data, *q = m->run;

	merge_leave(m);
	if (span_len(&q->now))
		q->time = span_time(&q->now);
	else
		heap[0] = heap[--m->heap_len];
}

/* All records up to the watermark were given out. */
static __attribute__((noinline)) const struct rec *merge_end(struct merge *m)
{
	merge_keep(m);
	return NULL;
}

/* The run ends at the watermark, or where another queue has a record. */
static inline const struct rec *merge_begin(struct merge *m)
{
	struct merge_queue *const *heap = m->heap.data, *second;
	uint64_t until = m->watermark;

	if (!m->heap_len || heap[0]->time > m->watermark)
		return merge_end(m);
	m->run = heap[0];
	m->at = heap[0]->now.at;
	m->end = heap[0]->now.end;
	if (m->heap_len > 1) {
		second = heap[1 + (m->heap_len > 2 && queue_is_before(heap[2], heap[1]))];
		until = second->time - (second->cpu < heap[0]->cpu);
	}
	m->until = until < m->watermark ? until : m->watermark;
	return (const struct rec *)m->at;
}

/* A turn in general: the heap is built, or the queue of the run sinks in it. */
static __attribute__((noinline)) const struct rec *merge_turn_any(struct merge *m)
{
	if (!m->run) {
		heap_build(m);
		return merge_begin(m);
	}
	if (m->at == m->end)
		merge_leave_end(m);
	heap_sink(m->heap.data, m->heap_len, 0);
	return merge_begin(m);
}

/* With few CPUs the queue of the run changes places with the next one; no other queue moves. */
const struct rec *merge_turn(struct merge *m)
{
	struct merge_queue **heap = m->heap.data, *q = m->run;
	size_t second;

	if (m->at == m->end)
		return merge_turn_any(m);
	q->now.at = m->at;
	q->time = ((const struct rec *)m->at)->time;
	if (m->heap_len < 2)
		return merge_turn_any(m);
	second = 1 + (m->heap_len > 2 && queue_is_before(heap[2], heap[1]));
	if (2 * second + 1 < m->heap_len || queue_is_before(q, heap[second]))
		return merge_turn_any(m);
	heap[0] = heap[second];
	heap[second] = q;
	return merge_begin(m);
}

uint64_t merge_taken(const struct merge *m)
{
	return m->taken;
}

size_t merge_pending(const struct merge *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->queues.len; i++)
		n += span_len(&queue_at(m, i)->now) + span_len(&queue_at(m, i)->next);
	return n;
}

void merge_free(struct merge *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->queues.len; i++)
		buf_free(&queue_at(m, i)->kept);
	vec_free(&m->queues);
	vec_free(&m->heap);
	vec_free(&m->entries);
	buf_free(&m->spare);
	free(m);
}
