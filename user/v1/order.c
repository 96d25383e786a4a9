// SPDX-License-Identifier: Apache-2.0
/*
 * order: one stream of events per P comes in, one sequence goes out.
 *
 * Format 1.5 numbers all events, gotrace has only their times. From 1.7 on a
 * stream is in order by itself and streams are merged: of the events at their
 * heads, those whose goroutine is in the state and at the sequence number that
 * they need are ready, and the earliest ready one comes next. So the order is
 * right even where the clocks of CPUs are not (internal/trace/order.go).
 *
 * A head that is not ready waits in a list of its need, and is looked up again
 * only when some goroutine gets there: merging takes n log n whatever the file.
 */
#include <errno.h>
#include <stdlib.h>

#include "v1/internal.h"
#include "v1/order.h"

/* --- states and needs --- */

enum { DEAD, RUNNABLE, RUNNING, WAITING };

#define ANY_SEQ UINT64_MAX		/* needed: any number; given: keep it */
#define NEXT_SEQ (UINT64_MAX - 1)	/* given: the next number */
#define NO_KEY UINT64_MAX		/* concerns nobody, always ready */
#define GC_KEY (UINT64_MAX - 1)		/* concerns the garbage collector */

struct state {
	uint64_t seq;
	uint32_t status;
};

struct step {
	uint64_t key;		/* the goroutine concerned */
	struct state need, give;
};

static struct step step(uint64_t key, uint64_t seq, uint32_t status, uint64_t next_seq,
			uint32_t next_status)
{
	return (struct step){ key, { seq, status }, { next_seq, next_status } };
}

static struct step step_of(const struct v1_event *ev)
{
	switch (ev->type) {
	case V1_GO_CREATE:
		return step(ev->args[0], 0, DEAD, 1, RUNNABLE);
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		return step(ev->g, 1, RUNNABLE, 2, WAITING);
	case V1_GO_START:
	case V1_GO_START_LABEL:
		return step(ev->g, ev->args[1], RUNNABLE, ev->args[1] + 1, RUNNING);
	case V1_GO_START_LOCAL:
		return step(ev->g, ANY_SEQ, RUNNABLE, NEXT_SEQ, RUNNING);
	case V1_GO_SLEEP:
	case V1_GO_BLOCK:
	case V1_GO_BLOCK_SEND ... V1_GO_BLOCK_NET:
	case V1_GO_BLOCK_GC:
	case V1_GO_SYSBLOCK:
		return step(ev->g, ANY_SEQ, RUNNING, ANY_SEQ, WAITING);
	case V1_GO_SCHED:
	case V1_GO_PREEMPT:
		return step(ev->g, ANY_SEQ, RUNNING, ANY_SEQ, RUNNABLE);
	case V1_GO_UNBLOCK:
	case V1_GO_SYSEXIT:
		return step(ev->args[0], ev->args[1], WAITING, ev->args[1] + 1, RUNNABLE);
	case V1_GO_UNBLOCK_LOCAL:
	case V1_GO_SYSEXIT_LOCAL:
		return step(ev->args[0], ANY_SEQ, WAITING, NEXT_SEQ, RUNNABLE);
	case V1_GC_START:
		return step(GC_KEY, ev->args[0], DEAD, ev->args[0] + 1, DEAD);
	default:
		return step(NO_KEY, 0, DEAD, 0, DEAD);
	}
}

static bool is_ready(const struct step *s, struct state now)
{
	return s->key == NO_KEY || ((s->need.seq == ANY_SEQ || s->need.seq == now.seq) &&
				    s->need.status == now.status);
}

/* --- the merge --- */

struct head {
	int64_t time;
	uint32_t stream;
};

struct merge {
	struct v1_trace *t;
	struct v1_stream *streams;
	size_t nstreams;
	struct map64 index;	/* key -> index in states */
	struct vec states;	/* struct state */
	struct map64 waiting;	/* hash of a need -> first waiting stream + 1 */
	uint32_t *next_waiting;	/* per stream: the next one + 1 */
	struct head *heap;	/* ready heads, earliest first */
	size_t nheap;
	uint32_t *out;
	size_t nout;
};

static struct state *state_of(struct merge *m, uint64_t key)
{
	bool is_new;
	uint64_t *slot = map64_put(&m->index, key, &is_new);

	if (is_new) {
		*slot = m->states.len;
		vec_push(&m->states, sizeof(struct state));
	}
	return vec_at(&m->states, struct state, *slot);
}

static bool head_less(const struct head *a, const struct head *b)
{
	return a->time < b->time || (a->time == b->time && a->stream < b->stream);
}

static void heap_push(struct merge *m, struct head h)
{
	size_t i = m->nheap++;

	while (i && head_less(&h, &m->heap[(i - 1) / 2])) {
		m->heap[i] = m->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	m->heap[i] = h;
}

static struct head heap_pop(struct merge *m)
{
	struct head top = m->heap[0], last = m->heap[--m->nheap];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < m->nheap) {
		if (child + 1 < m->nheap && head_less(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!head_less(&m->heap[child], &last))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = last;
	return top;
}

static uint64_t need_hash(uint64_t key, struct state need)
{
	return hash64_seeded(hash64_seeded(hash64_seeded(key) + need.seq) + need.status);
}

static uint32_t head_index(const struct v1_stream *st)
{
	return *vec_at(&st->events, uint32_t, st->next);
}

/* The stream's next event becomes a head: ready, or waiting for its need. */
static void offer(struct merge *m, uint32_t stream)
{
	struct v1_stream *st = &m->streams[stream];
	const struct v1_event *ev;
	struct step s;
	uint64_t *list;

	if (st->next == st->events.len)
		return;
	ev = v1_ev(m->t, head_index(st));
	s = step_of(ev);
	if (s.key == NO_KEY || is_ready(&s, *state_of(m, s.key))) {
		heap_push(m, (struct head){ ev->time, stream });
		return;
	}
	list = map64_put(&m->waiting, need_hash(s.key, s.need), NULL);
	m->next_waiting[stream] = (uint32_t)*list;
	*list = stream + 1;
}

/* Offers again all streams whose heads wait for (@key, @need). */
static void wake(struct merge *m, uint64_t key, struct state need)
{
	uint64_t *slot = map64_get(&m->waiting, need_hash(key, need));
	uint32_t list;

	if (!slot)
		return;
	list = (uint32_t)*slot;
	map64_del(&m->waiting, need_hash(key, need));
	while (list) {
		uint32_t stream = list - 1;

		list = m->next_waiting[stream];
		offer(m, stream);
	}
}

static int apply(struct merge *m, const struct v1_event *ev, struct error *err)
{
	struct step s = step_of(ev);
	struct state *now;

	if (s.key == NO_KEY)
		return 0;
	now = state_of(m, s.key);
	if (!is_ready(&s, *now))
		return error_set(err, -EBADMSG, "encountered impossible goroutine state transition: "
				 "%s at offset 0x%llx", v1_trace_type_name(m->t, ev->type),
				 (unsigned long long)ev->offset);
	if (s.give.seq == ANY_SEQ)
		s.give.seq = now->seq;
	else if (s.give.seq == NEXT_SEQ)
		s.give.seq = now->seq + 1;
	*now = s.give;
	wake(m, s.key, s.give);
	wake(m, s.key, (struct state){ ANY_SEQ, s.give.status });
	return 0;
}

/* Local variants only save the sequence number on the wire. */
static void make_plain(struct v1_event *ev)
{
	switch (ev->type) {
	case V1_GO_START_LOCAL:
		ev->type = V1_GO_START;
		break;
	case V1_GO_UNBLOCK_LOCAL:
		ev->type = V1_GO_UNBLOCK;
		break;
	case V1_GO_SYSEXIT_LOCAL:
		ev->type = V1_GO_SYSEXIT;
		ev->args[2] = ev->args[1];
		ev->args[1] = 0;
		break;
	}
}

static int no_order(const struct merge *m, struct error *err)
{
	const struct v1_stream *st = m->streams;

	while (st->next == st->events.len)
		st++;
	return error_set(err, -EBADMSG, "no consistent ordering of events possible: stuck at %s, "
			 "offset 0x%llx, goroutine %llu",
			 v1_trace_type_name(m->t, v1_ev(m->t, head_index(st))->type),
			 (unsigned long long)v1_ev(m->t, head_index(st))->offset,
			 (unsigned long long)v1_ev(m->t, head_index(st))->g);
}

static int merge_run(struct merge *m, struct error *err)
{
	uint32_t i;
	int ret;

	for (i = 0; i < m->nstreams; i++)
		offer(m, i);
	while (m->nheap) {
		struct v1_stream *st = &m->streams[heap_pop(m).stream];
		uint32_t index = head_index(st);

		st->next++;
		ret = apply(m, v1_ev(m->t, index), err);
		if (ret)
			return ret;
		make_plain(v1_ev(m->t, index));
		m->out[m->nout++] = index;
		offer(m, (uint32_t)(st - m->streams));
	}
	if (m->nout == m->t->events.len)
		return 0;
	if (!m->t->cut || !m->t->cut->is_cut || !m->nout)
		return no_order(m, err);
	m->t->cut->lost_events = m->t->events.len - m->nout;	/* they wait for what is lost */
	return 0;
}

/* Those that have no place come last, where they are cut off. */
static void append_lost(struct merge *m)
{
	size_t i;

	for (i = 0; i < m->nstreams; i++)
		while (m->streams[i].next < m->streams[i].events.len) {
			m->out[m->nout++] = head_index(&m->streams[i]);
			m->streams[i].next++;
		}
}

static void merge_release(struct merge *m)
{
	map64_free(&m->index);
	map64_free(&m->waiting);
	vec_free(&m->states);
	free(m->next_waiting);
	free(m->heap);
}

static int order_by_need(struct v1_trace *t, struct v1_streams *s, uint32_t *out,
			 struct error *err)
{
	struct merge m = { .t = t, .streams = s->list.data, .nstreams = s->list.len, .out = out };
	int ret;

	m.next_waiting = xcalloc(m.nstreams, sizeof(*m.next_waiting));
	m.heap = xcalloc(m.nstreams, sizeof(*m.heap));
	ret = merge_run(&m, err);
	if (!ret)
		append_lost(&m);
	merge_release(&m);
	return ret;
}

/* --- all formats --- */

/* Samples come in the order in which a signal handler got a lock. */
static void sort_samples(struct v1_trace *t, struct v1_streams *s)
{
	uint64_t *slot = map64_get(&s->by_p, V1_SAMPLE_STREAM);
	struct v1_stream *st;

	if (!slot)
		return;
	st = vec_at(&s->list, struct v1_stream, *slot);
	v1_sort_by_time(t, st->events.data, st->events.len);
}

/*
 * A GoSysExit of 1.5 is written when the thread has a P again; it brings the
 * number and the time of the exit itself.
 */
static void place_exits(struct v1_trace *t, struct v1_streams *s)
{
	size_t i;

	for (i = 0; i < t->events.len; i++) {
		struct v1_event *ev = v1_ev(t, i);

		if (ev->type != V1_GO_SYSEXIT)
			continue;
		*vec_at(&s->seqs, int64_t, i) = (int64_t)ev->args[1];
		if (ev->args[2])
			ev->time = (int64_t)ev->args[2];
	}
}

static int order_index(struct v1_trace *t, struct v1_streams *s, uint32_t *out, struct error *err)
{
	uint32_t i;

	if (t->format.version >= 7) {
		sort_samples(t, s);
		return order_by_need(t, s, out, err);
	}
	for (i = 0; i < t->events.len; i++)
		out[i] = i;
	if (t->format.version == V1_GOTRACE) {
		v1_sort_by_time(t, out, t->events.len);
		return 0;
	}
	place_exits(t, s);
	v1_sort_by_key(s->seqs.data, out, t->events.len);
	return 0;
}

static int check_sorted(const struct v1_trace *t, struct error *err)
{
	size_t i;

	for (i = 1; i < t->events.len; i++)
		if (v1_ev(t, i)->time < v1_ev(t, i - 1)->time)
			return error_set(err, -EBADMSG, "time stamps out of order: %s at offset "
					 "0x%llx is earlier than the event it must follow",
					 v1_trace_type_name(t, v1_ev(t, i)->type),
					 (unsigned long long)v1_ev(t, i)->offset);
	return 0;
}

int v1_order(struct v1_trace *t, struct v1_streams *s, struct error *err)
{
	uint32_t *index = xcalloc(t->events.len, sizeof(*index));
	int ret = order_index(t, s, index, err);

	if (!ret)
		v1_permute(t, index);
	if (!ret && t->cut)
		t->events.len -= t->cut->lost_events;
	free(index);
	return ret ? ret : check_sorted(t, err);
}
