// SPDX-License-Identifier: Apache-2.0
/*
 * v2_reader: see v2_reader.h. Input: generations. Output: events. The reader tries the earliest
 * next event of all threads, and those of the other threads only if it has to wait
 * (Reader.ReadEvent of internal/trace/reader.go, Go 1.27).
 */
#include "read/v2_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/raw_source.h"
#include "read/v2_event_ids.h"
#include "read/v2_resync.h"
#include "read/v2_stream.h"
#include "read/wait_lock.h"

enum { FEW_THREADS = 64 };

struct trace_reader {
	struct raw_source source;
	struct raw_specs specs;
	int version;
	int64_t serial;		/* number of batches read */
	int64_t last_time;
	uint64_t syncs;
	bool in_gen;		/* gen is the generation of the last event */
	bool done;		/* the last TRACE_SYNC has been returned */
	bool last_gen;		/* header < 26: gen is the last generation */
	bool sync_before_fault;	/* one more TRACE_SYNC is returned before @pending */
	struct v2_fault fault, pending;
	uint64_t given;		/* offset up to which the input was returned, or counted as lost */
	/* number and first time of the last generation that was read */
	uint64_t entered, near;
	uint64_t resumed;	/* offset at which reading continued after the last fault */
	uint64_t unread;	/* bytes of the events of gen that a fault made unreadable */
	struct v2_generation gen;
	struct v2_frontier frontier;
	struct vec streams;	/* struct v2_stream *: unused ones */
	struct v2_streams from;
	struct event_ids ids;
	size_t next_sample;
	struct order order;
	struct trace_event sync;
};

static struct trace_reader *reader_new(void)
{
	struct trace_reader *r = xcalloc(1, sizeof(*r));

	raw_specs_init(&r->specs);
	event_ids_init(&r->ids, &r->specs, &r->fault);
	order_init(&r->order, &r->specs, &r->fault);
	r->from = (struct v2_streams){ &r->source, &r->gen, &r->specs, &r->fault };
	return r;
}

static struct trace_reader *v2_reader_start(struct trace_reader *r, struct error *err)
{
	if (source_header(&r->source, &r->version, err)) {
		trace_reader_close(r);
		return NULL;
	}
	/*
	 * Readers since Go 1.23 accept later events under header 1.22. The reader of Go 1.22, the
	 * release of this header, does not.
	 */
	raw_specs_limit(&r->specs, r->version);
	return r;
}

struct trace_reader *trace_reader_open(const char *path, struct error *err)
{
	struct trace_reader *r = reader_new();

	if (!source_open(&r->source, path, err))
		return v2_reader_start(r, err);
	trace_reader_close(r);
	return NULL;
}

struct trace_reader *trace_reader_open_source(const struct raw_source *source, struct error *err)
{
	struct trace_reader *r = reader_new();

	r->source = *source;
	return v2_reader_start(r, err);
}

struct trace_reader *trace_reader_open_memory(const void *data, size_t n, struct error *err)
{
	struct trace_reader *r = reader_new();

	source_open_memory(&r->source, data, n);
	return v2_reader_start(r, err);
}

static void end_stream(struct trace_reader *r, struct v2_stream *s)
{
	*(struct v2_stream **)vec_push(&r->streams, sizeof(s)) = s;
}

static void v2_reader_drop_threads(struct trace_reader *r)
{
	size_t i;

	for (i = 0; i < r->frontier.len; i++)
		if (r->frontier.heap[i].stream)
			end_stream(r, r->frontier.heap[i].stream);
	r->frontier.len = 0;
}

void trace_reader_close(struct trace_reader *r)
{
	size_t i;

	if (!r)
		return;
	v2_reader_drop_threads(r);
	for (i = 0; i < r->streams.len; i++)
		stream_free(*vec_at(&r->streams, struct v2_stream *, i));
	vec_free(&r->streams);
	free(r->frontier.heap);
	generation_free(&r->gen);
	order_free(&r->order);
	source_close(&r->source);
	free(r);
}

void trace_reader_keep_cut(struct trace_reader *r)
{
	r->gen.keep_cut = true;
}

const struct v2_fault *trace_reader_fault(const struct trace_reader *r)
{
	return &r->fault;
}

int trace_reader_version(const struct trace_reader *r)
{
	return r->version;
}

const struct v2_generation *trace_reader_generation(const struct trace_reader *r)
{
	return r->in_gen ? &r->gen : NULL;
}

struct order *trace_reader_order(struct trace_reader *r)
{
	return &r->order;
}

const struct raw_specs *trace_reader_specs(const struct trace_reader *r)
{
	return &r->specs;
}

static bool v2_reader_wait(struct trace_reader *r, const struct trace_event *ev,
			   struct trace_wait *ret, uint64_t *stack)
{
	struct v2_generation *g = &r->gen;

	*stack = 0;
	if (ev->type == EV_GoBlock) {
		*stack = ev->args[1];
		return wait_table_of_reason(&g->waits, &g->tables, ev->args[0], ret);
	}
	if ((ev->type != EV_GoStatus && ev->type != EV_GoStatusStack) || ev->args[2] != G_WAITING)
		return false;
	if (ev->type == EV_GoStatusStack)
		*stack = ev->args[3];
	return wait_table_of_goroutine(&g->waits, &g->tables, ev->args[0], ret);
}

/* @time in units of the trace, of which clock_ns() makes ns. */
static uint64_t v2_reader_units(const struct trace_reader *r, int64_t time)
{
	double units = (double)time / r->gen.clock.ns_per_unit;

	return units >= 0 && units < 0x1p63 ? (uint64_t)units : 0;
}

bool trace_reader_wait(struct trace_reader *r, const struct trace_event *ev,
		       struct trace_wait *ret)
{
	uint64_t stack;

	if (!r->in_gen || !v2_reader_wait(r, ev, ret, &stack))
		return false;
	if (ret->kind == WAIT_NETWORK)
		ret->network.socket = wait_table_socket(&r->gen.waits, &r->gen.tables,
							wait_address(ret, 0),
							v2_reader_units(r, ev->time));
	if (ret->kind == WAIT_SEMAPHORE)
		wait_name_lock(ret, &r->gen.tables, tables_stack(&r->gen.tables, stack));
	return true;
}

const char *trace_reader_string(const struct trace_reader *r, uint64_t id, size_t *len)
{
	return tables_string(&r->gen.tables, id, len);
}

static struct trace_event *give_sync(struct trace_reader *r, int64_t time)
{
	r->sync = (struct trace_event){
		.type = TRACE_SYNC, .time = time, .m = TRACEV2_NO_ID, .p = TRACEV2_NO_ID,
		.g = TRACEV2_NO_ID, .args = { ++r->syncs, r->in_gen },
		.place = { .gen = r->in_gen ? r->gen.gen : 0, .thread = TRACEV2_NO_ID,
			   .batch = r->in_gen ? r->gen.first_batch : r->serial,
			   .offset = source_offset(&r->source) },
	};
	return &r->sync;
}

/*
 * Ends the readable part: returns a last TRACE_SYNC; then the pending fault follows, if there is
 * one.
 */
static struct trace_event *v2_reader_leave(struct trace_reader *r)
{
	r->in_gen = false;
	r->done = !r->pending.set;
	return give_sync(r, r->last_time);
}

/*
 * Makes a stream at the first event of thread @i. Returns 1, 0 if the thread has no event, negative
 * with the fault set.
 */
static int begin_stream(struct trace_reader *r, uint32_t i, struct v2_stream **s)
{
	if (r->streams.len)
		*s = *vec_at(&r->streams, struct v2_stream *, --r->streams.len);
	else
		*s = xcalloc(1, sizeof(**s));
	stream_init(*s, idtab_at(&r->gen.threads, i));
	return stream_next_slowly(*s, &r->from);
}

/*
 * Adds all threads to the frontier. A stream takes much more memory than a thread with one event
 * takes in the file. Therefore threads beyond FEW_THREADS have a stream only to find the time of
 * their first event, and again when it is due.
 */
static bool v2_reader_add_threads(struct trace_reader *r)
{
	struct v2_stream *s;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < r->gen.threads.made && ret >= 0; i++) {
		bool keep = i < FEW_THREADS;

		ret = begin_stream(r, i, &s);
		if (ret > 0)
			frontier_add(&r->frontier,
				     &(struct v2_front){ s->time, keep ? s : NULL, i });
		if (ret <= 0 || !keep)
			end_stream(r, s);
	}
	return ret >= 0;
}

/* The bytes of a thread's batches from batch @i on. */
static uint64_t bytes_from(const struct v2_generation *gen, uint32_t i)
{
	uint64_t n = 0;

	for (; i != V2_NO_BATCH; i = vec_at(&gen->batches, struct v2_note, i)->next)
		n += vec_at(&gen->batches, struct v2_note, i)->size;
	return n;
}

/* The bytes of events that the threads of the generation have not returned. */
static uint64_t unread_bytes(const struct trace_reader *r)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < r->frontier.len; i++) {
		const struct v2_front *f = &r->frontier.heap[i];
		const struct v2_thread *thread = idtab_at(&r->gen.threads, f->thread);
		const struct v2_stream *s = f->stream;

		n += bytes_from(&r->gen, s ? s->batch : thread->first);
		if (s && s->batch != V2_NO_BATCH)	/* minus the returned part */
			n -= vec_at(&r->gen.batches, struct v2_note, s->batch)->size -
			     (uint64_t)(s->end - s->pos);
	}
	return n;
}

static struct trace_event *v2_reader_enter(struct trace_reader *r)
{
	r->in_gen = true;
	r->entered = r->gen.gen;
	r->near = r->gen.min_time;
	r->given = source_offset(&r->source);
	r->next_sample = 0;
	if (!v2_reader_add_threads(r)) {
		r->unread += unread_bytes(r);
		v2_reader_drop_threads(r);
		return NULL;
	}
	order_enter(&r->order, r->gen.gen, &r->gen.tables, r->frontier.len);
	return give_sync(r, clock_ns(&r->gen.clock, r->gen.min_time));
}

/* Returns the TRACE_SYNC of the next generation, or of the end. */
static struct trace_event *v2_reader_next_generation(struct trace_reader *r)
{
	if (r->pending.set && !r->sync_before_fault) {
		r->fault = r->pending;
		return NULL;
	}
	r->sync_before_fault = r->ids.drop_unknown = false;
	if (!r->given)
		r->given = source_offset(&r->source);
	if (r->pending.set || (r->in_gen && r->last_gen))
		return v2_reader_leave(r);
	switch (generation_read(&r->gen, &r->source, r->version, &r->serial, &r->pending)) {
	case GEN_READ:
		return v2_reader_enter(r);
	case GEN_READ_LAST:
		r->last_gen = true;
		return v2_reader_enter(r);
	case GEN_READ_THEN_FAULT:
		r->ids.drop_unknown = r->gen.keep_cut;
		r->sync_before_fault = true;
		return v2_reader_enter(r);
	default:	/* on GEN_END and GEN_FAULT */
		return v2_reader_leave(r);
	}
}

static struct trace_event *v2_reader_next_sample(struct trace_reader *r)
{
	const struct v2_sample *sample;

	sample = vec_at(&r->gen.samples, struct v2_sample, r->next_sample);
	if (r->frontier.len && sample->time >= r->frontier.heap[0].time)
		return NULL;
	r->next_sample++;
	r->sync = (struct trace_event){
		.type = EV_CPUSample, .time = sample->time, .m = sample->m, .p = sample->p,
		.g = sample->g, .args = { sample->stack },
		.place = { .gen = r->gen.gen, .batch = -1, .offset = sample->offset,
			   .thread = sample->m },
	};
	return &r->sync;
}

static enum advance __attribute__((cold)) v2_reader_refuse(struct trace_reader *r,
						 const struct trace_event *ev)
{
	event_describe(ev, &r->specs, r->fault.event, sizeof(r->fault.event));
	order_describe(&r->order, ev, r->fault.state, sizeof(r->fault.state));
	return ADVANCE_FAIL;
}

/*
 * Removes a thread without further events. Its last event is valid until the next call: until then
 * its stream is not reused.
 */
static void __attribute__((noinline)) end_thread(struct trace_reader *r, size_t i)
{
	end_stream(r, r->frontier.heap[i].stream);
	frontier_remove(&r->frontier, i);
}

/* Makes the stream of the thread at @i of the frontier. NULL if the file has changed. */
static struct v2_stream *__attribute__((noinline)) begin_front(struct trace_reader *r, size_t i)
{
	static const struct v2_place place = { .batch = -1, .thread = TRACEV2_NO_ID };
	struct v2_front *front = &r->frontier.heap[i];

	if (begin_stream(r, front->thread, &front->stream) > 0)
		return front->stream;
	if (!r->source.error)
		r->source.error = ESTALE;
	fault_set(&r->fault, &place, "the file changed while it was read");
	return NULL;
}

static inline struct v2_stream *stream_at(struct trace_reader *r, size_t i)
{
	struct v2_stream *s = r->frontier.heap[i].stream;

	return s ? s : begin_front(r, i);
}

/* Tries the next event of the thread at @i of the frontier, in most cases the first one. */
static inline __attribute__((always_inline))
enum advance try_thread(struct trace_reader *r, size_t i)
{
	struct v2_stream *s = stream_at(r, i);
	enum advance result;
	int ret;

	if (!s)
		return ADVANCE_FAIL;
	result = order_advance(&r->order, s->ev, &s->m);
	if (result == ADVANCE_FAIL)
		return v2_reader_refuse(r, s->ev);
	if (result == ADVANCE_WAIT)
		return result;
	ret = stream_next(s, &r->from);
	if (ret > 0)
		frontier_update(&r->frontier, i, s->time);
	else if (!ret)
		end_thread(r, i);
	return ret < 0 ? ADVANCE_FAIL : ADVANCE_DONE;
}

/* All threads wait for each other: reports the reason of each, the earliest event first. */
static void report_stuck(struct trace_reader *r)
{
	struct v2_fault *f = &r->fault;
	char why[160];
	size_t i, n = 0;

	for (i = 0; i < r->frontier.len && n < sizeof(f->state); i++) {
		struct v2_stream *s = stream_at(r, i);
		char text[sizeof(f->event)];

		if (!s)
			return;
		why[0] = 0;
		r->order.explain = why;
		r->order.explain_size = sizeof(why);
		order_advance(&r->order, s->ev, &s->m);
		r->order.explain = NULL;
		event_describe(s->ev, &r->specs, text, sizeof(text));
		if (!f->set) {
			fault_set(f, &s->ev->place, "broken trace: failed to advance: %s", why);
			memcpy(f->event, text, sizeof(text));
			order_describe(&r->order, s->ev, f->state, sizeof(f->state));
			n = strlen(f->state);
		} else {
			n += (size_t)snprintf(f->state + n, sizeof(f->state) - n,
					      "; M %lld waits with %s: %s",
					      (long long)s->ev->place.thread, text, why);
		}
	}
}

/* Tries the other threads in the order of time, which is rare. A sorted heap is still a heap. */
static enum advance __attribute__((noinline)) try_others(struct trace_reader *r)
{
	enum advance result = ADVANCE_WAIT;
	size_t i;

	frontier_sort(&r->frontier);
	for (i = 1; i < r->frontier.len && result == ADVANCE_WAIT; i++)
		result = try_thread(r, i);
	if (result == ADVANCE_WAIT)
		report_stuck(r);
	return result;
}

static inline __attribute__((always_inline))
struct trace_event *next_ordered(struct trace_reader *r)
{
	enum advance result = try_thread(r, 0);

	if (__builtin_expect(result == ADVANCE_WAIT, 0))
		result = try_others(r);
	return result == ADVANCE_DONE ? order_take(&r->order) : NULL;
}

/* The next event, if it belongs to no thread; else NULL. */
static struct trace_event *__attribute__((noinline)) next_rare(struct trace_reader *r)
{
	if (r->done || r->fault.set)
		return NULL;
	if (r->in_gen && r->next_sample < r->gen.samples.len)
		return v2_reader_next_sample(r);
	return v2_reader_next_generation(r);
}

/* No event follows: returns 0 at the end, negative after a fault. */
static int __attribute__((cold)) v2_reader_stop(struct trace_reader *r)
{
	if (!r->fault.set)
		return 0;
	r->unread += unread_bytes(r);
	v2_reader_drop_threads(r);
	order_drop(&r->order);
	return -EINVAL;
}

bool trace_reader_resume(struct trace_reader *r, uint64_t *lost)
{
	bool found;

	/*
	 * The last search ended at this offset, but no generation could be read from it: search
	 * from the next byte on.
	 */
	if (source_offset(&r->source) == r->resumed && source_left(&r->source))
		r->source.pos++;
	found = !r->source.error && source_resync(&r->source, r->entered, r->near);
	*lost = r->unread + source_offset(&r->source) - r->given;
	r->given = r->resumed = source_offset(&r->source);
	r->unread = 0;
	if (!found)
		return false;
	memset(&r->fault, 0, sizeof(r->fault));
	memset(&r->pending, 0, sizeof(r->pending));
	r->in_gen = r->last_gen = r->done = r->sync_before_fault = false;
	r->gen.samples.len = 0;
	order_free(&r->order);
	order_init(&r->order, &r->specs, &r->fault);
	return true;
}

int trace_reader_error(const struct trace_reader *r, struct error *err)
{
	return source_check(&r->source, err);
}

int trace_reader_stopped(const struct trace_reader *r, struct error *err)
{
	const struct v2_fault *f = &r->fault;
	int ret = trace_reader_error(r, err);

	if (ret || !f->set)
		return ret;
	return error_set(err, -EBADMSG, "generation %llu, byte %llu: %s%s%s",
			 (unsigned long long)f->place.gen, (unsigned long long)f->place.offset,
			 f->event, *f->event ? ": " : "", f->rule);
}

uint64_t trace_reader_unnamed(const struct trace_reader *r)
{
	return r->ids.dropped;
}

const uint8_t *trace_reader_body(struct trace_reader *r, const struct v2_note *note,
				 uint8_t *buf)
{
	return generation_body(&r->gen, &r->source, note, buf);
}

static bool says_state(uint8_t type)
{
	switch (type) {
	case EV_ProcStatus:
	case EV_GoStatus:
	case EV_GoStatusStack:
	case EV_GCActive:
	case EV_GCSweepActive:
	case EV_GCMarkAssistActive:
		return true;
	default:
		return false;
	}
}

void trace_reader_states(struct trace_reader *r, trace_state_fn *fn, void *ctx)
{
	struct v2_fault ignored = {0};	/* the fault is reported when the event is due */
	struct v2_streams from = { &r->source, &r->gen, &r->specs, &ignored };
	struct v2_stream *s = xcalloc(1, sizeof(*s));
	uint32_t i;
	int ret;

	for (i = 0; i < r->gen.threads.made; i++) {
		stream_init(s, idtab_at(&r->gen.threads, i));
		for (ret = stream_next_slowly(s, &from); ret > 0; ret = stream_next(s, &from))
			if (says_state(s->ev->type))
				fn(ctx, s->ev);
	}
	stream_free(s);
}

int trace_reader_next(struct trace_reader *r, const struct trace_event **ev)
{
	struct trace_event *next = order_take(&r->order);

	if (!next && (!r->frontier.len || r->next_sample < r->gen.samples.len))
		next = next_rare(r);
	if (!next && r->frontier.len)
		next = next_ordered(r);
	if (!next || !event_ids_check(&r->ids, &r->gen.tables, next))
		return v2_reader_stop(r);
	if (next->time <= r->last_time)
		next->time = (int64_t)((uint64_t)r->last_time + 1);
	r->last_time = next->time;
	*ev = next;
	return 1;
}
