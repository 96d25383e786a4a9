// SPDX-License-Identifier: Apache-2.0
/*
 * tracefile: see tracefile.h. Events go into a stream per thread, full batches into one buffer per
 * generation, and all to the file when the generation ends. Sync data and tables come first, so
 * that a file that is cut within a generation still has the names of the events before the cut.
 */
#include "trace/tracefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map64.h"
#include "base/vec.h"
#include "base/write_all.h"
#include "trace/stream.h"
#include "trace/strtab.h"
#include "trace/varint.h"
#include "trace/waittab.h"

enum {
	/* longest timed event: kind, dt and four arguments */
	EVENT_MAX = 2 + VARINT_MAX * (1 + TRACEV2_MAX_ARGS),
	BATCH_HEAD_MAX = 1 + 4 * VARINT_MAX,
	/* first size of a stream: most threads of a server have few events per second */
	STREAM_FIRST = 512,
	MOST_SHIFT = 4,		/* for vec_lately(): a burst counts for some dozen generations */
	/*
	 * About the bytes of a stack in its table, with a dozen frames, which are known only at the
	 * end: the first generation has this estimate, the others have what earlier ones took.
	 */
	STACK_BYTES = 128,
	/* of a string, beside its text: the set, the order and the id of strtab.h */
	STRING_BYTES = 96,
};

struct tracefile {
	int fd;
	struct tracefile_opts opts;
	struct tracefile_counts counts;
	uint64_t gen;
	bool open;
	bool has_event;
	uint64_t first_time, last_time;	/* of the open generation, in units of opts.time_shift */
	struct map64 streams;		/* m -> struct trace_stream * */
	struct buf batches;		/* finished batches of the open generation */
	struct buf samples;		/* CPU sample records of the open generation */
	struct buf out;			/* bytes to write: tables, then all else */
	size_t most_batches, most_samples, most_out;	/* recent maxima in bytes (vec_lately()) */
	size_t most_stack;		/* likewise, of the mean length of a stack */
	struct strtab strings;
	struct waittab waits;
	size_t gen_size;		/* as tracefile_measure() has counted it last */
	struct map64 stack_ids;		/* key of the caller -> id */
	struct vec stack_keys;		/* uint64_t, item i has id i + 1 */
};

static int write_out(struct tracefile *tf, const struct buf *b, struct error *err)
{
	size_t done = b->len;
	int r = tf->fd < 0 ? 0 : write_all(tf->fd, b->data, b->len, &done);

	tf->counts.bytes += done;
	if (!r)
		return 0;
	if (!tf->opts.name)
		return error_set(err, r, "cannot write the trace: %s", strerror(-r));
	return error_set(err, r, "cannot write '%s': %s", tf->opts.name, strerror(-r));
}

/*
 * Removes the bytes after the first @whole ones from the file: the disk is full, and a reader would
 * report an error in an incomplete generation.
 */
static void cut_back(struct tracefile *tf, uint64_t whole)
{
	off_t at = lseek(tf->fd, 0, SEEK_CUR), excess = (off_t)(tf->counts.bytes - whole);
	struct stat st;

	if (at < excess || fstat(tf->fd, &st) || !S_ISREG(st.st_mode) || st.st_size != at)
		return;
	if (!ftruncate(tf->fd, at - excess))
		tf->counts.bytes = whole;
}

static void tracefile_show_header(const struct tracefile *tf, const struct buf *header)
{
	if (tf->opts.written)
		tf->opts.written(tf->opts.written_ctx, &(struct tracefile_generation){
			.parts = { { header->data, header->len } } });
}

int tracefile_new(struct tracefile **ret, int fd, const struct tracefile_opts *opts,
		  struct error *err)
{
	struct tracefile *tf;
	struct buf header = {0};
	int r;

	if (opts->version != 22 && opts->version != 23 && opts->version != 25 &&
	    opts->version != 26)
		return error_set(err, -EINVAL, "there is no trace format go1.%d", opts->version);
	tf = xcalloc(1, sizeof(*tf));
	tf->fd = fd;
	tf->opts = *opts;
	strtab_init(&tf->strings);
	buf_printf(&header, "go 1.%d trace%c%c%c", opts->version, 0, 0, 0);
	r = write_out(tf, &header, err);
	if (!r)
		tracefile_show_header(tf, &header);
	buf_free(&header);
	if (r) {
		tracefile_free(tf);
		return r;
	}
	*ret = tf;
	return 0;
}

void tracefile_gen_begin(struct tracefile *tf)
{
	tf->gen++;
	tf->open = true;
	tf->has_event = false;
	tf->last_time = 0;
}

/* To be called after each change of one of these. */
static void tracefile_measure(struct tracefile *tf)
{
	tf->gen_size = tf->batches.len + tf->samples.len + tf->strings.bytes +
		       tf->strings.order.len * STRING_BYTES + waittab_size(&tf->waits) +
		       tf->stack_keys.len *
			       (tf->most_stack > STACK_BYTES ? tf->most_stack : STACK_BYTES);
}

const size_t *tracefile_gen_size(const struct tracefile *tf)
{
	return &tf->gen_size;
}

const struct tracefile_counts *tracefile_counts(const struct tracefile *tf)
{
	return &tf->counts;
}

/* --- batches --- */

/* Adds a batch after the number of its first event: header, then the body. */
static void batch_body(struct tracefile *tf, struct buf *to, uint64_t m, uint64_t time,
		       const uint8_t *body, size_t n)
{
	buf_reserve(to, BATCH_HEAD_MAX + n);
	varint_add(to, tf->gen);
	varint_add(to, m);
	varint_add(to, time);
	varint_add(to, n);
	buf_add(to, body, n);
	tf->counts.batches++;
}

static void batch_add(struct tracefile *tf, struct buf *to, uint64_t m, uint64_t time,
		      const uint8_t *body, size_t n)
{
	buf_add_byte(to, EV_EventBatch);
	batch_body(tf, to, m, time, body, n);
}

static void stream_flush(struct trace_stream *s)
{
	if (!s->body.len)
		return;
	batch_add(s->tf, &s->tf->batches, s->m, s->base, s->body.data, s->body.len);
	s->body.len = 0;
	if (s->last > s->tf->last_time)
		s->tf->last_time = s->last;
	tracefile_measure(s->tf);
}

struct trace_stream *tracefile_stream(struct tracefile *tf, uint64_t m)
{
	bool is_new;
	uint64_t *slot = map64_put(&tf->streams, m, &is_new);
	struct trace_stream *s;

	if (!is_new) {
		s = (struct trace_stream *)(uintptr_t)*slot;
		s->done = false;
		return s;
	}
	s = xcalloc(1, sizeof(*s));
	s->tf = tf;
	s->m = m;
	s->events = tf->counts.events;
	s->time_shift = tf->opts.time_shift;
	buf_reserve(&s->body, STREAM_FIRST);
	*slot = (uint64_t)(uintptr_t)s;
	return s;
}

void tracefile_stream_done(struct tracefile *tf, uint64_t m)
{
	uint64_t *slot = map64_get(&tf->streams, m);

	if (slot)
		((struct trace_stream *)(uintptr_t)*slot)->done = true;
}

static void note_time(struct tracefile *tf, uint64_t time)
{
	if (!tf->has_event || time < tf->first_time)
		tf->first_time = time;
	tf->has_event = true;
}

/* Makes room for an event at @time, in units of the file: in the open batch, or in a new one. */
static void stream_make_room(struct trace_stream *s, uint64_t time)
{
	if (s->body.len + EVENT_MAX > TRACEV2_MAX_BATCH) {
		stream_flush(s);
		s->busy = true;
	}
	if (!s->body.len) {
		s->base = s->last = time;
		note_time(s->tf, time);
	}
	buf_reserve(&s->body, EVENT_MAX);
	s->fits = s->body.cap < TRACEV2_MAX_BATCH ? s->body.cap : TRACEV2_MAX_BATCH;
	s->fits -= EVENT_MAX;
}

static inline void stream_put(struct trace_stream *s, uint64_t time, enum tracev2_event ev,
			      int nargs, const uint64_t *args)
{
	uint8_t *p;
	int i;

	if (time < s->last)
		time = s->last;
	p = stream_put_head(s, time, ev);
	for (i = 0; i < nargs; i++)
		p = varint_put(p, args[i]);
	stream_put_end(s, time, ev, p);
}

/* A function of its own, so that trace_emit_args() has no registers to save for it. */
static __attribute__((noinline)) void stream_put_first(struct trace_stream *s, uint64_t time,
						       enum tracev2_event ev, int nargs,
						       const uint64_t *args)
{
	stream_make_room(s, time);
	stream_put(s, time, ev, nargs, args);
}

void trace_emit_args(struct trace_stream *s, uint64_t time, enum tracev2_event ev, int nargs,
		     const uint64_t *args)
{
	time >>= s->time_shift;
	if (stream_has_room(s))
		stream_put(s, time, ev, nargs, args);
	else
		stream_put_first(s, time, ev, nargs, args);
}

void tracefile_cpu_sample(struct tracefile *tf, uint64_t time, uint64_t m, uint64_t p,
			  uint64_t g, uint64_t stack)
{
	buf_add_byte(&tf->samples, EV_CPUSample);
	varint_add(&tf->samples, time >> tf->opts.time_shift);
	varint_add(&tf->samples, m);
	varint_add(&tf->samples, p);
	varint_add(&tf->samples, g);
	varint_add(&tf->samples, stack);
	tf->counts.events[EV_CPUSample]++;
	tracefile_measure(tf);
}

void tracefile_experiment(struct tracefile *tf, uint8_t exp, uint64_t m, uint64_t time,
			  const void *body, size_t n)
{
	buf_add_byte(&tf->batches, EV_ExperimentalBatch);
	buf_add_byte(&tf->batches, exp);
	batch_body(tf, &tf->batches, m, time >> tf->opts.time_shift, body, n);
	tracefile_measure(tf);
}

/* --- tables --- */

uint64_t tracefile_string(struct tracefile *tf, const char *text)
{
	return tracefile_bytes(tf, text, text ? strlen(text) : 0);
}

uint64_t tracefile_bytes(struct tracefile *tf, const char *s, size_t n)
{
	uint64_t id = strtab_put_bytes(&tf->strings, s, n, false);

	tracefile_measure(tf);
	return id;
}

uint64_t tracefile_later(struct tracefile *tf)
{
	uint64_t id = strtab_put_later(&tf->strings);

	tracefile_measure(tf);
	return id;
}

void tracefile_define(struct tracefile *tf, uint64_t id, const char *s, size_t n)
{
	strtab_define(&tf->strings, id, s, n);
	tracefile_measure(tf);
}

uint64_t tracefile_reason(struct tracefile *tf, uint64_t reason, const struct trace_wait *wait)
{
	bool is_new;
	uint64_t *id;

	if (!reason)	/* the empty text, which has no other id */
		return 0;
	id = waittab_id(&tf->waits, reason, wait, &is_new);
	if (is_new) {
		*id = strtab_put_again(&tf->strings, reason);
		waittab_reason(&tf->waits, *id, wait);
		tracefile_measure(tf);
	}
	return *id;
}

void tracefile_waiting(struct tracefile *tf, uint64_t goid, const struct trace_wait *wait)
{
	waittab_goroutine(&tf->waits, goid, wait);
}

void tracefile_socket(struct tracefile *tf, const struct trace_socket_time *s)
{
	struct trace_socket_time units = *s;

	units.from >>= tf->opts.time_shift;
	units.to >>= tf->opts.time_shift;
	waittab_socket(&tf->waits, &units);
}

uint64_t tracefile_stack(struct tracefile *tf, uint64_t key)
{
	uint64_t *id;
	bool is_new;

	if (!key || !tf->opts.frames)
		return 0;
	id = map64_put(&tf->stack_ids, key, &is_new);
	if (is_new) {
		*(uint64_t *)vec_push(&tf->stack_keys, sizeof(uint64_t)) = key;
		*id = tf->stack_keys.len;
		tracefile_measure(tf);
	}
	return *id;
}

/*
 * A table is a sequence of batches. Each body begins with @kind and has whole records. `record`
 * collects one record, table_record() appends it to the open body.
 */
struct table {
	struct tracefile *tf;
	enum tracev2_event kind;
	uint64_t m;		/* of its batches */
	struct buf body, record;
};

static void table_flush(struct table *t)
{
	if (t->body.len)
		batch_add(t->tf, &t->tf->out, t->m, t->tf->first_time, t->body.data,
			  t->body.len);
	t->body.len = 0;
}

static void table_record(struct table *t)
{
	if (t->body.len + t->record.len > TRACEV2_MAX_BATCH)
		table_flush(t);
	if (!t->body.len)
		buf_add_byte(&t->body, (uint8_t)t->kind);
	buf_add(&t->body, t->record.data, t->record.len);
	t->record.len = 0;
}

static void table_end(struct table *t)
{
	table_flush(t);
	buf_free(&t->body);
	buf_free(&t->record);
}

static void put_stacks(struct tracefile *tf)
{
	struct table t = { .tf = tf, .kind = EV_Stacks, .m = TRACEV2_NO_ID };
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	size_t i, j, n, bytes = 0;

	for (i = 0; i < tf->stack_keys.len; i++) {
		n = tf->opts.frames(tf->opts.ctx, *vec_at(&tf->stack_keys, uint64_t, i), frames,
				    TRACEV2_MAX_FRAMES);
		buf_add_byte(&t.record, EV_Stack);
		varint_add(&t.record, i + 1);
		varint_add(&t.record, n);
		for (j = 0; j < n; j++) {
			varint_add(&t.record, frames[j].pc);
			varint_add(&t.record, strtab_put(&tf->strings, frames[j].func, true));
			varint_add(&t.record, strtab_put(&tf->strings, frames[j].file, true));
			varint_add(&t.record, frames[j].line);
		}
		bytes += t.record.len;
		table_record(&t);
	}
	if (i)
		vec_lately(&tf->most_stack, bytes / i, MOST_SHIFT);
	tf->counts.stacks += tf->stack_keys.len;
	table_end(&t);
}

static void table_string(struct table *t, uint64_t id, const void *s, size_t n)
{
	buf_add_byte(&t->record, EV_String);
	varint_add(&t->record, id);
	varint_add(&t->record, n);
	buf_add(&t->record, s, n);
	table_record(t);
}

static void put_strings(struct tracefile *tf)
{
	struct table t = { .tf = tf, .kind = EV_Strings, .m = TRACEV2_NO_ID };
	size_t i;

	for (i = 0; i < tf->strings.order.len; i++) {
		const char *s = *vec_at(&tf->strings.order, const char *, i);

		table_string(&t, i + 1, s, strset_len(s));
	}
	tf->counts.strings += tf->strings.order.len;
	table_end(&t);
}

/* Their ids follow those of the other strings. */
static void put_wait_strings(struct tracefile *tf)
{
	struct table t = { .tf = tf, .kind = EV_Strings, .m = TRACEV2_WAITS };
	uint64_t id = tf->strings.order.len;
	const struct buf *whole = &tf->waits.whole;
	uint16_t n;
	size_t at;

	waittab_finish(&tf->waits);
	for (at = 0; at < whole->len; at += sizeof(n) + n) {
		memcpy(&n, whole->data + at, sizeof(n));
		table_string(&t, ++id, whole->data + at + sizeof(n), n);
	}
	tf->counts.strings += id - tf->strings.order.len;
	table_end(&t);
}

static void put_samples(struct tracefile *tf)
{
	struct table t = { .tf = tf, .kind = EV_CPUSamples, .m = TRACEV2_NO_ID };
	size_t i, start = 0;

	/*
	 * Each sample has six varints: its kind and five arguments. The loop finds the ends of
	 * samples.
	 */
	for (i = 0; i < tf->samples.len; start = i) {
		int left = 5;

		for (i++; left; i++)
			left -= !(tf->samples.data[i] & 0x80);
		buf_add(&t.record, tf->samples.data + start, i - start);
		table_record(&t);
	}
	table_end(&t);
}

static void put_sync(struct tracefile *tf, const struct trace_clock *clock)
{
	struct buf body = {0};
	uint64_t base = clock->time >> tf->opts.time_shift;

	if (tf->opts.version >= 25)
		buf_add_byte(&body, EV_Sync);
	buf_add_byte(&body, EV_Frequency);
	varint_add(&body, 1000000000 >> tf->opts.time_shift);
	if (tf->opts.version >= 25) {
		buf_add_byte(&body, EV_ClockSnapshot);
		varint_add(&body, 0);
		varint_add(&body, clock->mono_ns);
		varint_add(&body, clock->wall_sec);
		varint_add(&body, clock->wall_nsec);
	}
	batch_add(tf, &tf->out, TRACEV2_NO_ID, base, body.data, body.len);
	buf_free(&body);
}

/* --- generations --- */

/*
 * Writes the thread's batch. Frees most of its memory if the thread filled no batch in this
 * generation and used little of the memory.
 */
static void stream_finish(struct trace_stream *s)
{
	size_t used = s->body.len;

	stream_flush(s);
	if (!s->busy && s->body.cap > STREAM_FIRST && s->body.cap / 8 > used) {
		buf_free(&s->body);
		buf_reserve(&s->body, STREAM_FIRST);
	}
	s->busy = false;
}

static void streams_flush(struct tracefile *tf)
{
	size_t i;

	for (i = 0; i < tf->streams.cap; i++)
		if (tf->streams.slots[i].used)
			stream_finish((void *)(uintptr_t)tf->streams.slots[i].value);
}

static void tracefile_stream_free(struct trace_stream *s)
{
	buf_free(&s->body);
	free(s);
}

static void streams_drop_done(struct tracefile *tf)
{
	size_t i;

	for (i = 0; i < tf->streams.cap; i++) {
		struct map64_slot *slot = &tf->streams.slots[i];
		struct trace_stream *s = (void *)(uintptr_t)slot->value;

		if (!slot->used || !s->done)
			continue;
		map64_del(&tf->streams, slot->key);
		tracefile_stream_free(s);
	}
}

static void gen_reset(struct tracefile *tf)
{
	tf->open = false;
	buf_fit(&tf->batches, vec_lately(&tf->most_batches, tf->batches.len, MOST_SHIFT));
	buf_fit(&tf->samples, vec_lately(&tf->most_samples, tf->samples.len, MOST_SHIFT));
	buf_fit(&tf->out, vec_lately(&tf->most_out, tf->out.len, MOST_SHIFT));
	strtab_reset(&tf->strings);
	waittab_reset(&tf->waits);
	map64_clear(&tf->stack_ids);
	tf->stack_keys.len = 0;
	tracefile_measure(tf);
	streams_drop_done(tf);
}

static void tracefile_show_generation(const struct tracefile *tf)
{
	if (tf->opts.written)
		tf->opts.written(tf->opts.written_ctx, &(struct tracefile_generation){
			.parts = { { tf->out.data, tf->out.len },
				   { tf->batches.data, tf->batches.len } },
			.number = tf->gen,
			.from = tf->first_time << tf->opts.time_shift,
			.to = tf->last_time << tf->opts.time_shift });
}

int tracefile_gen_end(struct tracefile *tf, const struct trace_clock *clock, struct error *err)
{
	uint64_t whole = tf->counts.bytes;
	int r = 0;

	if (!tf->open)
		return 0;
	streams_flush(tf);
	if (tf->has_event) {
		tf->out.len = 0;
		put_sync(tf, clock);
		put_stacks(tf);	/* adds names, so must be before the strings */
		put_samples(tf);
		put_strings(tf);
		put_wait_strings(tf);
		r = write_out(tf, &tf->out, err);
		if (!r && tf->opts.version >= 26)
			buf_add_byte(&tf->batches, EV_EndOfGeneration);
		if (!r)
			r = write_out(tf, &tf->batches, err);
		if (r)
			cut_back(tf, whole);
		else
			tracefile_show_generation(tf);
		tf->counts.generations += !r;
	} else {
		tf->gen--;
	}
	gen_reset(tf);
	return r;
}

void tracefile_free(struct tracefile *tf)
{
	size_t i;

	if (!tf)
		return;
	for (i = 0; i < tf->streams.cap; i++)
		if (tf->streams.slots[i].used)
			tracefile_stream_free((void *)(uintptr_t)tf->streams.slots[i].value);
	map64_free(&tf->streams);
	buf_free(&tf->batches);
	buf_free(&tf->samples);
	buf_free(&tf->out);
	strtab_free(&tf->strings);
	waittab_free(&tf->waits);
	map64_free(&tf->stack_ids);
	vec_free(&tf->stack_keys);
	free(tf);
}
