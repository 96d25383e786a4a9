// SPDX-License-Identifier: Apache-2.0
/*
 * order: merges one stream of events per P into one sequence.
 *
 * Format 1.5 numbers all events, gotrace has only their times. From 1.7 on each stream is in order,
 * and the streams are merged. A head is the next event of a stream. It is ready if its goroutine
 * has the state and the sequence number that the event needs. The earliest ready head comes next.
 * So the order is right even where the clocks of CPUs differ (internal/trace/order.go).
 *
 * Only the next event of each stream is decoded. A head that is not ready waits in a list of its
 * need, and is checked again only when a goroutine reaches this state: merging takes n log n time
 * for any file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "v1/order.h"

/* --- states and needs --- */

enum { DEAD, RUNNABLE, RUNNING, WAITING };

#define ANY_SEQ UINT64_MAX		/* as a need: any number; as a result: no change */
#define NEXT_SEQ (UINT64_MAX - 1)	/* as a result: the next number */
#define NO_KEY UINT64_MAX		/* concerns no goroutine, always ready */
#define GC_KEY (UINT64_MAX - 1)		/* concerns the garbage collector */

struct state {
	uint64_t seq;
	uint32_t status;
};

struct step {
	uint64_t key;		/* the goroutine */
	struct state need, give;
};

static struct step v1_order_step(uint64_t key, uint64_t seq, uint32_t status, uint64_t next_seq,
			uint32_t next_status)
{
	return (struct step){ key, { seq, status }, { next_seq, next_status } };
}

static struct step step_of_type(const struct v1_event *ev)
{
	switch (ev->type) {
	case V1_GO_CREATE:
		return v1_order_step(ev->args[0], 0, DEAD, 1, RUNNABLE);
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		return v1_order_step(ev->g, 1, RUNNABLE, 2, WAITING);
	case V1_GO_START:
	case V1_GO_START_LABEL:
		return v1_order_step(ev->g, ev->args[1], RUNNABLE, ev->args[1] + 1, RUNNING);
	case V1_GO_START_LOCAL:
		return v1_order_step(ev->g, ANY_SEQ, RUNNABLE, NEXT_SEQ, RUNNING);
	case V1_GO_SLEEP:
	case V1_GO_BLOCK:
	case V1_GO_BLOCK_SEND ... V1_GO_BLOCK_NET:
	case V1_GO_BLOCK_GC:
	case V1_GO_SYSBLOCK:
		return v1_order_step(ev->g, ANY_SEQ, RUNNING, ANY_SEQ, WAITING);
	case V1_GO_SCHED:
	case V1_GO_PREEMPT:
		return v1_order_step(ev->g, ANY_SEQ, RUNNING, ANY_SEQ, RUNNABLE);
	case V1_GO_UNBLOCK:
	case V1_GO_SYSEXIT:
		return v1_order_step(ev->args[0], ev->args[1], WAITING, ev->args[1] + 1, RUNNABLE);
	case V1_GO_UNBLOCK_LOCAL:
	case V1_GO_SYSEXIT_LOCAL:
		return v1_order_step(ev->args[0], ANY_SEQ, WAITING, NEXT_SEQ, RUNNABLE);
	case V1_GC_START:
		return v1_order_step(GC_KEY, ev->args[0], DEAD, ev->args[0] + 1, DEAD);
	default:
		return v1_order_step(NO_KEY, 0, DEAD, 0, DEAD);
	}
}

/*
 * True if the event concerns a goroutine that is not known: the event that names it is lost in
 * damage.
 */
static bool concerns_nobody(const struct v1_event *ev)
{
	switch (ev->type) {
	case V1_GO_UNBLOCK:
	case V1_GO_UNBLOCK_LOCAL:
	case V1_GO_CREATE:
	case V1_GC_START:
		return false;
	default:
		return ev->nobody;
	}
}

static struct step step_of(const struct v1_event *ev)
{
	return concerns_nobody(ev) ? v1_order_step(NO_KEY, 0, DEAD, 0, DEAD) : step_of_type(ev);
}

static bool is_ready(const struct step *s, struct state now)
{
	return s->key == NO_KEY || ((s->need.seq == ANY_SEQ || s->need.seq == now.seq) &&
				    s->need.status == now.status);
}

/* --- the merge --- */

/* The next event of a piece or a stream: @key is its time, in 1.5 its sequence number. */
struct head {
	int64_t key;
	/* decides between equal keys: number of the stream, or offset of the event in the file */
	uint64_t tie;
	uint32_t from;		/* index of the stream or piece */
};

/* The next event of a stream. */
struct next {
	struct v1_piece piece;	/* the current piece */
	uint32_t piece_after;	/* the piece after it + 1 */
	uint32_t sample;	/* index of the next sample, in the stream of samples */
	struct v1_event ev;
	bool has_event;
};

struct v1_order {
	const struct v1_trace *t;
	struct v1_reader reader;
	struct head *heap;	/* ready heads, earliest first */
	size_t nheap;
	size_t given;
	int64_t last;		/* after damage: time of the event that was returned last */
	/* For formats before 1.7: */
	struct v1_piece *pieces;
	/* For formats from 1.7 on: */
	struct next *streams;
	/* key -> state, packed by v1_order_pack(); the zero state has no entry */
	struct map64 states;
	struct map64 waiting;	/* hash of a need -> first waiting stream + 1 */
	uint32_t *next_waiting;	/* per stream: the next one + 1 */
};

/*
 * A status takes two bits. A sequence number is at most the number of events, as each state follows
 * another one. After damage it may be any number, and only decides between events of the same time.
 */
static uint64_t v1_order_pack(struct state state)
{
	return state.seq << 2 | state.status;
}

static struct state v1_order_state_of(const struct v1_order *m, uint64_t key)
{
	const uint64_t *packed = map64_get(&m->states, key);

	return packed ? (struct state){ *packed >> 2, *packed & 3 } : (struct state){ 0, DEAD };
}

/* Removes the state of an ended goroutine: no event follows its GoEnd, or check.c refuses it. */
static void forget_ended(struct v1_order *m, const struct v1_event *ev)
{
	if (ev->type == V1_GO_END)
		map64_del(&m->states, ev->g);
}

static bool head_less(const struct head *a, const struct head *b)
{
	return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

static void heap_push(struct v1_order *m, struct head h)
{
	size_t i = m->nheap++;

	while (i && head_less(&h, &m->heap[(i - 1) / 2])) {
		m->heap[i] = m->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	m->heap[i] = h;
}

static struct head heap_pop(struct v1_order *m)
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

/* --- from 1.7 on: streams --- */

static void v1_order_next_sample(struct v1_order *m, struct next *s)
{
	const struct v1_trace *t = m->t;

	s->has_event = s->sample < t->samples.len &&
		       v1_event_at(t, &m->reader,
				   vec_at(&t->samples, struct v1_sample, s->sample)->offset,
				   &s->ev);
	s->sample++;
	s->ev.time = (int64_t)s->ev.args[0];
	s->ev.p = (int32_t)s->ev.args[1];
	s->ev.g = s->ev.args[2];
	s->ev.row = V1_ROW_PROFILE;
}

static void next_of_stream(struct v1_order *m, uint32_t stream)
{
	struct next *s = &m->streams[stream];

	if (vec_at(&m->t->streams, struct v1_stream, stream)->p == V1_SAMPLE_STREAM) {
		v1_order_next_sample(m, s);
		return;
	}
	while (!s->piece.n && s->piece_after) {
		s->piece = *vec_at(&m->t->pieces, struct v1_piece, s->piece_after - 1);
		s->piece_after = s->piece.next;
	}
	s->has_event = v1_piece_next(m->t, &m->reader, &s->piece, &s->ev);
}

/* Makes the stream's next event a head: ready, or waiting for its need. */
static void v1_order_offer(struct v1_order *m, uint32_t stream)
{
	const struct next *next = &m->streams[stream];
	struct step s;
	uint64_t *list;

	if (!next->has_event)
		return;
	s = step_of(&next->ev);
	if (s.key == NO_KEY || is_ready(&s, v1_order_state_of(m, s.key))) {
		heap_push(m, (struct head){ next->ev.time, stream, stream });
		return;
	}
	list = map64_put(&m->waiting, need_hash(s.key, s.need), NULL);
	m->next_waiting[stream] = (uint32_t)*list;
	*list = stream + 1;
}

/* Checks all streams again that wait for (@key, @need) at their heads. */
static void v1_order_wake(struct v1_order *m, uint64_t key, struct state need)
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
		v1_order_offer(m, stream);
	}
}

static void v1_order_give_state(struct v1_order *m, struct step *s)
{
	struct state now = v1_order_state_of(m, s->key);

	if (s->give.seq == ANY_SEQ)
		s->give.seq = now.seq;
	else if (s->give.seq == NEXT_SEQ)
		s->give.seq = now.seq + 1;
	*map64_put(&m->states, s->key, NULL) = v1_order_pack(s->give);
}

static int v1_order_apply(struct v1_order *m, const struct v1_event *ev, struct error *err)
{
	struct step s = step_of(ev);

	forget_ended(m, ev);
	if (s.key == NO_KEY)
		return 0;
	if (!is_ready(&s, v1_order_state_of(m, s.key)))
		return error_set(err, -EPROTO, "encountered impossible goroutine state transition: "
				 "%s at offset 0x%llx", v1_trace_type_name(m->t, ev->type),
				 (unsigned long long)ev->offset);
	v1_order_give_state(m, &s);
	v1_order_wake(m, s.key, s.give);
	v1_order_wake(m, s.key, (struct state){ ANY_SEQ, s.give.status });
	return 0;
}

/* The result when no head is ready. In a cut trace the remaining events wait for lost ones. */
static int no_order(const struct v1_order *m, struct error *err)
{
	const struct next *s = m->streams;

	if (m->t->is_cut && m->given)
		return 0;
	while (!s->has_event)
		s++;
	return error_set(err, -EPROTO, "no consistent ordering of events possible: stuck at %s, "
			 "offset 0x%llx, goroutine %llu", v1_trace_type_name(m->t, s->ev.type),
			 (unsigned long long)s->ev.offset, (unsigned long long)s->ev.g);
}

/* --- from 1.7 on, for a trace that continues after damage --- */

/*
 * In an undamaged trace an event that needs another one has a later time, or no reader accepts the
 * trace. In a damaged trace the needed event may be lost: therefore the merge takes events by their
 * times, ready or not. Among up to EQUAL_TIMES events of one time it takes a ready one first.
 */
enum { EQUAL_TIMES = 16 };

static bool event_is_ready(struct v1_order *m, const struct v1_event *ev)
{
	struct step s = step_of(ev);

	return s.key == NO_KEY || is_ready(&s, v1_order_state_of(m, s.key));
}

static void push_stream(struct v1_order *m, uint32_t stream)
{
	if (m->streams[stream].has_event)
		heap_push(m, (struct head){ m->streams[stream].ev.time, stream, stream });
}

static uint32_t pop_by_time(struct v1_order *m)
{
	struct head heads[EQUAL_TIMES];
	size_t i, n = 0;

	do
		heads[n] = heap_pop(m);
	while (!event_is_ready(m, &m->streams[heads[n++].from].ev) && n < EQUAL_TIMES && m->nheap &&
	       m->heap[0].key == heads[0].key);
	i = event_is_ready(m, &m->streams[heads[n - 1].from].ev) ? n - 1 : 0;
	while (n--)
		if (n != i)
			heap_push(m, heads[n]);
	return heads[i].from;
}

static int next_by_time(struct v1_order *m, struct v1_event *ev)
{
	while (m->nheap) {
		uint32_t stream = pop_by_time(m);
		struct next *next = &m->streams[stream];
		struct step s = step_of(&next->ev);
		bool doubtful = next->piece.damaged && !event_is_ready(m, &next->ev);

		*ev = next->ev;
		if (doubtful)
			next->piece.n = 0;	/* this and later events may be damaged */
		next_of_stream(m, stream);
		push_stream(m, stream);
		if (doubtful)
			continue;
		forget_ended(m, ev);
		if (s.key != NO_KEY)
			v1_order_give_state(m, &s);
		v1_make_plain(ev);
		return 1;
	}
	return 0;
}

static int next_by_need(struct v1_order *m, struct v1_event *ev, struct error *err)
{
	uint32_t stream;
	int ret;

	if (!m->nheap)
		return m->given == m->t->events ? 0 : no_order(m, err);
	stream = heap_pop(m).from;
	*ev = m->streams[stream].ev;
	next_of_stream(m, stream);
	ret = v1_order_apply(m, ev, err);
	if (ret)
		return ret;
	v1_make_plain(ev);
	v1_order_offer(m, stream);
	return 1;
}

static void begin_streams(struct v1_order *m)
{
	uint32_t i, n = (uint32_t)m->t->streams.len;

	m->streams = xcalloc(n, sizeof(*m->streams));
	m->next_waiting = xcalloc(n, sizeof(*m->next_waiting));
	m->heap = xcalloc(n, sizeof(*m->heap));
	for (i = 0; i < n; i++) {
		m->streams[i].piece_after = vec_at(&m->t->streams, struct v1_stream, i)->first;
		next_of_stream(m, i);
	}
	for (i = 0; i < n; i++)
		(m->t->resumed ? push_stream : v1_order_offer)(m, i);
}

/* --- before 1.7: pieces --- */

static bool next_of_piece(struct v1_order *m, struct v1_piece *piece, struct v1_event *ev,
			  int64_t *key)
{
	if (!v1_piece_next(m->t, &m->reader, piece, ev))
		return false;
	if (piece->exit && ev->args[2])
		ev->time = (int64_t)ev->args[2];
	*key = m->t->format.version == V1_GOTRACE ? ev->time :
	       piece->exit ? (int64_t)ev->args[1] : piece->seq;
	return true;
}

/* Decodes the piece's next event only for its key, since there may be many pieces. */
static void offer_piece(struct v1_order *m, uint32_t i)
{
	struct v1_piece piece = m->pieces[i];
	struct v1_event ev;
	int64_t key;

	if (next_of_piece(m, &piece, &ev, &key))
		heap_push(m, (struct head){ key, ev.offset, i });
}

static int next_by_key(struct v1_order *m, struct v1_event *ev)
{
	uint32_t i;
	int64_t key;

	if (!m->nheap)
		return 0;
	i = heap_pop(m).from;
	next_of_piece(m, &m->pieces[i], ev, &key);
	offer_piece(m, i);
	return 1;
}

static void begin_pieces(struct v1_order *m)
{
	uint32_t i, n = (uint32_t)m->t->pieces.len;

	m->pieces = xcalloc(n, sizeof(*m->pieces));
	m->heap = xcalloc(n, sizeof(*m->heap));
	if (n)
		memcpy(m->pieces, m->t->pieces.data, n * sizeof(*m->pieces));
	for (i = 0; i < n; i++)
		offer_piece(m, i);
}

/* --- all formats --- */

struct v1_order *v1_order_new(const struct v1_trace *t)
{
	struct v1_order *m = xcalloc(1, sizeof(*m));

	m->t = t;
	v1_reader_init(&m->reader, t->data, t->size, NULL);
	if (t->format.version < 7)
		begin_pieces(m);
	else
		begin_streams(m);
	return m;
}

int v1_order_next(struct v1_order *m, struct v1_event *ev, struct error *err)
{
	int ret = m->t->format.version < 7 ? next_by_key(m, ev) :
		  m->t->resumed ? next_by_time(m, ev) : next_by_need(m, ev, err);

	if (ret > 0 && m->t->resumed) {
		if (m->given && ev->time < m->last)
			ev->time = m->last;
		m->last = ev->time;
	}
	m->given += ret > 0;
	return ret;
}

void v1_order_free(struct v1_order *m)
{
	if (!m)
		return;
	v1_reader_release(&m->reader);
	map64_free(&m->states);
	map64_free(&m->waiting);
	free(m->next_waiting);
	free(m->streams);
	free(m->pieces);
	free(m->heap);
	free(m);
}
