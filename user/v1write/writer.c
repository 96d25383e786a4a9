// SPDX-License-Identifier: Apache-2.0
/* writer: see writer.h. Shapes and sizes: runtime/trace.go of Go 1.8, 1.11, 1.19 and 1.21. */
#include "v1write/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/strset.h"
#include "base/write_all.h"
#include "trace/varint.h"
#include "tracev2.h"

enum {
	/* traceBuf is 64 KiB with a header of three words and a stack of 128. */
	BUFFER = (64 << 10) - (3 + 128) * 8,
	/* type, length, delta, up to four arguments, stack */
	RECORD_MAX = 2 + 6 * VARINT_MAX,
	/* of a function or a file: the last ones (traceFrameForPC) */
	NAME_MAX_BYTES = 1024,
	STACK_MAX = 2 * VARINT_MAX * (1 + 2 * TRACEV2_MAX_FRAMES),
	FIRST_WITH_TABLE_BATCH = 11,	/* before it the tables follow without a Batch */
	OUTS_BASE = 2,			/* V1_NO_P is in outs[1], V1_SAMPLES in outs[0] */
};

/* A stack whose frames are not known yet. */
struct new_stack {
	uint64_t id, key;
	bool start;
};

struct v1_writer {
	int fd;
	struct v1_writer_opts opts;
	struct v1_format format;
	struct v1_writer_counts counts;
	struct vec outs;		/* struct v1_out *, by P + OUTS_BASE */
	struct buf full;		/* batches on their way to the file */
	struct strset *texts;
	struct map64 strings;		/* address of the set's own copy -> id */
	struct map64 stacks, starts;	/* key -> id */
	uint64_t next_stack, unknown_start;
	struct map64 later;		/* ids of starts that are not known yet */
	struct vec new_stacks;		/* struct new_stack */
	struct map64 start_frames;	/* function -> index in frames */
	struct vec frames;		/* struct start_frame */
	struct vec timers;		/* uint64_t */
	struct buf tables;		/* Strings and Stacks of the open generation */
	size_t table_batch;		/* where the open batch of them begins */
	bool has_frequency;		/* it is in the file, or on its way */
	uint64_t last;			/* ticks of the latest event */
	/* the first write that failed: bytes are missing from then on */
	struct error failed;
};

/*
 * All goroutines that begin with one function have the same start: viewers tell them apart by its
 * pc.
 */
struct start_frame {
	uint64_t id, pc, func, file, line;
	bool own;		/* a place in the function that does not depend on the goroutine */
};

bool v1_can_write(int version)
{
	return version == V1_GOTRACE || version == 8 || version == 11 || version == 19 ||
	       version == 21;
}

static int fail_write(const struct v1_writer *w, int code, struct error *err)
{
	bool full = code == -ENOSPC || code == -EDQUOT || code == -EFBIG;
	char format[16];

	if (!w->opts.name)
		return error_set(err, code, "cannot write the trace: %s", strerror(-code));
	if (!full)
		return error_set(err, code, "cannot write '%s': %s", w->opts.name, strerror(-code));
	v1_format_name(format, sizeof(format), w->opts.version);
	return error_set(
		err, code,
		"cannot write '%s': %s; a trace of %s is read only with its end, "
		"so nothing of it is kept; record --spool keeps the raw records up to there",
		w->opts.name, strerror(-code), format);
}

static int v1_writer_write_out(struct v1_writer *w, struct buf *b, struct error *err)
{
	size_t done;
	int r;

	if (!w->failed.code) {
		r = write_all(w->fd, b->data, b->len, &done);
		w->counts.bytes += done;
		if (r)
			fail_write(w, r, &w->failed);
	}
	b->len = 0;
	if (w->failed.code)
		*err = w->failed;
	return w->failed.code;
}

int v1_writer_new(struct v1_writer **ret, int fd, const struct v1_writer_opts *opts,
		  struct error *err)
{
	uint8_t header[V1_HEADER];
	struct v1_writer *w;
	int r;

	if (!v1_can_write(opts->version))
		return error_set(err, -EINVAL, "gotap does not write the format go1.%d",
				 opts->version);
	w = xcalloc(1, sizeof(*w));
	w->fd = fd;
	w->opts = *opts;
	w->texts = strset_new();
	v1_format_init(&w->format, opts->version);
	buf_add(&w->full, header, v1_header_write(header, opts->version));
	r = v1_writer_write_out(w, &w->full, err);
	if (r)
		v1_writer_free(w);
	else
		*ret = w;
	return r;
}

struct v1_out *v1_writer_out(struct v1_writer *w, int32_t p)
{
	size_t i = (size_t)(p + OUTS_BASE);
	struct v1_out **slot;

	while (w->outs.len <= i)
		vec_push(&w->outs, sizeof(struct v1_out *));
	slot = vec_at(&w->outs, struct v1_out *, i);
	if (!*slot) {
		*slot = xcalloc(1, sizeof(**slot));
		(*slot)->p = p;
	}
	return *slot;
}

bool v1_writer_has(const struct v1_writer *w, unsigned int type)
{
	return w->format.spec[type] != NULL;
}

/* --- buffers --- */

static void v1_writer_flush(struct v1_writer *w, struct v1_out *out)
{
	if (!out->body.len)
		return;
	w->counts.batches++;
	buf_add(&w->full, out->body.data, out->body.len);
	out->body.len = out->last_start = 0;
}

static void put_batch(struct buf *b, int32_t p, uint64_t ticks)
{
	buf_add_byte(b, V1_BATCH | 1 << V1_COUNT_SHIFT);
	varint_add(b, (uint64_t)(int64_t)p);
	varint_add(b, ticks);
}

/* Makes room for @n bytes, behind a Batch record; samples are filed under P 0 (traceReadCPU). */
static void v1_writer_need(struct v1_writer *w, struct v1_out *out, size_t n, uint64_t tick)
{
	if (out->body.len + n > BUFFER)
		v1_writer_flush(w, out);
	buf_reserve(&out->body, n + RECORD_MAX);
	if (out->body.len)
		return;
	out->last = tick - 1;
	put_batch(&out->body, out->p == V1_SAMPLES ? 0 : out->p, out->last);
}

static void v1w_event(struct v1_writer *w, struct v1_out *out, uint64_t tick, unsigned int type,
		  const uint64_t *args, uint64_t stack, size_t more)
{
	const struct v1_spec *spec = w->format.spec[type];
	unsigned int i, n = w->format.nargs[type] + spec->stack;
	uint8_t *p, *start;

	v1_writer_need(w, out, RECORD_MAX + more, tick);
	start = p = out->body.data + out->body.len;
	*p++ = (uint8_t)(type | (n < V1_BY_LENGTH ? n : V1_BY_LENGTH) << V1_COUNT_SHIFT);
	p += n >= V1_BY_LENGTH;
	p = varint_put(p, tick - out->last);
	for (i = 0; i < w->format.nargs[type]; i++)
		p = varint_put(p, args[i]);
	if (spec->stack)
		p = varint_put(p, stack);
	if (n >= V1_BY_LENGTH)
		start[1] = (uint8_t)(p - start - 2);
	out->last_start = out->body.len;
	out->last_before = out->last;
	out->body.len = (size_t)(p - out->body.data);
	out->last = tick;
	w->last = w->last < tick ? tick : w->last;
	w->counts.events[type]++;
}

void v1_writer_event(struct v1_writer *w, struct v1_out *out, uint64_t tick, unsigned int type,
		     const uint64_t *args, uint64_t stack)
{
	v1w_event(w, out, tick, type, args, stack, 0);
}

/* A text longer than a buffer is cut, as the runtime cuts it. */
static size_t v1_writer_cut_text(struct v1_writer *w, size_t n)
{
	if (n <= BUFFER / 2)
		return n;
	w->counts.cut_texts++;
	return BUFFER / 2;
}

void v1_writer_log(struct v1_writer *w, struct v1_out *out, uint64_t tick, const uint64_t *args,
		   uint64_t stack, const char *text, size_t n)
{
	n = v1_writer_cut_text(w, n);
	v1w_event(w, out, tick, V1_LOG, args, stack, n + VARINT_MAX);
	varint_add(&out->body, n);
	buf_add(&out->body, text, n);
}

bool v1_writer_undo(struct v1_writer *w, struct v1_out *out, unsigned int type)
{
	if (!out->body.len)
		return false;
	out->body.len = out->last_start;
	w->last -= w->last == out->last;
	out->last = out->last_before;
	w->counts.events[type]--;
	return true;
}

/* --- names --- */

/* Gives the id; @new_text is the text if it has to be written, else NULL. */
static uint64_t v1_writer_intern(struct v1_writer *w, const char *s, size_t n,
				 const char **new_text)
{
	uint64_t *id;
	bool is_new;
	const char *text;

	*new_text = NULL;
	if (!n)
		return 0;
	text = strset_add_bytes(w->texts, s, n);
	id = map64_put(&w->strings, (uint64_t)(uintptr_t)text, &is_new);
	if (is_new) {
		*id = w->strings.len;
		*new_text = text;
		w->counts.strings++;
	}
	return *id;
}

static void v1_writer_put_string(struct buf *b, uint64_t id, const char *text)
{
	buf_add_byte(b, V1_STRING);
	varint_add(b, id);
	varint_add(b, strset_len(text));
	buf_add(b, text, strset_len(text));
}

uint64_t v1_writer_string(struct v1_writer *w, struct v1_out *out, const char *s, size_t n)
{
	const char *text;
	uint64_t id;

	n = v1_writer_cut_text(w, n);
	id = v1_writer_intern(w, s, n, &text);
	if (!text)
		return id;
	v1_writer_need(w, out, n + RECORD_MAX, (out->last > w->last ? out->last : w->last) + 1);
	v1_writer_put_string(&out->body, id, text);
	out->last_start = out->body.len;
	return id;
}

/* The tables are runs of batches of P 0 from 1.11 on. */
static void table_room(struct v1_writer *w, size_t n)
{
	bool first = !w->tables.len;

	if (w->opts.version < FIRST_WITH_TABLE_BATCH ||
	    (!first && w->tables.len - w->table_batch + n <= BUFFER))
		return;
	w->table_batch = w->tables.len;
	put_batch(&w->tables, 0, w->last);
	w->counts.batches++;
}

static uint64_t table_string(struct v1_writer *w, const char *s)
{
	size_t n = s ? strlen(s) : 0, skip = n > NAME_MAX_BYTES ? n - NAME_MAX_BYTES : 0;
	const char *text;
	uint64_t id = n ? v1_writer_intern(w, s + skip, n - skip, &text) : 0;

	if (!id || !text)
		return id;
	w->counts.cut_texts += skip > 0;
	table_room(w, n - skip + RECORD_MAX);
	v1_writer_put_string(&w->tables, id, text);
	return id;
}

/* --- stacks --- */

static void need_frames(struct v1_writer *w, uint64_t id, uint64_t key, bool start)
{
	*(struct new_stack *)vec_push(&w->new_stacks, sizeof(struct new_stack)) =
		(struct new_stack){ id, key, start };
}

static uint64_t stack_id(struct v1_writer *w, struct map64 *ids, uint64_t key, bool start)
{
	uint64_t *id;
	bool is_new;

	if (!key || !w->opts.frames)
		return 0;
	id = map64_put(ids, key, &is_new);
	if (is_new) {
		*id = ++w->next_stack;
		need_frames(w, *id, key, start);
	}
	return *id;
}

uint64_t v1_writer_stack(struct v1_writer *w, uint64_t key)
{
	return stack_id(w, &w->stacks, key, false);
}

/* Without any stacks all goroutines have one start, which nothing is known of. */
static uint64_t unknown_start(struct v1_writer *w)
{
	if (!w->unknown_start)
		w->unknown_start = ++w->next_stack;
	return w->unknown_start;
}

static void v1_writer_put_record(struct v1_writer *w, const uint8_t *record, const uint8_t *end)
{
	size_t n = (size_t)(end - record);

	table_room(w, n + RECORD_MAX);
	buf_add_byte(&w->tables, V1_STACK | V1_BY_LENGTH << V1_COUNT_SHIFT);
	varint_add(&w->tables, n);
	buf_add(&w->tables, record, n);
	w->counts.stacks++;
}

/* --- stacks of bare addresses --- */

/* The library and the conversion number frames without an address of their own from there on. */
static bool v1_writer_is_address(uint64_t pc)
{
	enum { MADE_UP_BIT = 60 };

	return pc && pc < 1ULL << MADE_UP_BIT;
}

/* The call of @f was inlined into @outer: they have one address, and it is no recursion. */
static bool is_inlined(const struct trace_frame *f, const struct trace_frame *outer)
{
	return f->pc == outer->pc && (f->line != outer->line || strcmp(f->func, outer->func));
}

static uint64_t start_pc(struct v1_writer *w, uint64_t key)
{
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	uint64_t *pc;
	size_t n;
	bool is_new;

	if (!key || !w->opts.frames)
		return 0;
	pc = map64_put(&w->starts, key, &is_new);
	if (!is_new)
		return *pc;
	n = w->opts.frames(w->opts.ctx, key, frames, TRACEV2_MAX_FRAMES);
	*pc = n && v1_writer_is_address(frames[n - 1].pc) ? frames[n - 1].pc : 0;
	return *pc;
}

static void put_addresses(struct v1_writer *w, uint64_t id, const struct trace_frame *f, size_t n)
{
	uint64_t pcs[TRACEV2_MAX_FRAMES];
	uint8_t record[STACK_MAX], *p;
	size_t i, npcs = 0;
	bool named = false;

	for (i = 0; i < n; i++) {
		named |= f[i].func && *f[i].func;
		if (v1_writer_is_address(f[i].pc) && (!i || !is_inlined(&f[i - 1], &f[i])))
			pcs[npcs++] = f[i].pc;
	}
	w->counts.unnamed += named;
	if (!npcs)
		return;
	p = varint_put(varint_put(record, id), npcs);
	for (i = 0; i < npcs; i++)
		p = varint_put(p, pcs[i]);
	v1_writer_put_record(w, record, p);
}

/* --- where goroutines begin --- */

uint64_t v1_writer_start(struct v1_writer *w, uint64_t key)
{
	uint64_t id;

	if (v1_pc_only(w->opts.version))
		return start_pc(w, key);
	id = stack_id(w, &w->starts, key, true);
	return id ? id : unknown_start(w);
}

uint64_t v1_writer_later(struct v1_writer *w)
{
	if (v1_pc_only(w->opts.version))
		return 0;
	if (!w->opts.frames)
		return unknown_start(w);
	map64_put(&w->later, ++w->next_stack, NULL);
	return w->next_stack;
}

void v1_writer_define(struct v1_writer *w, uint64_t id, uint64_t key)
{
	if (map64_del(&w->later, id))
		need_frames(w, id, key, true);
}

void v1_writer_timer(struct v1_writer *w, uint64_t g)
{
	*(uint64_t *)vec_push(&w->timers, sizeof(g)) = g;
}

static uint8_t *v1_writer_put_frame(uint8_t *p, uint64_t pc, uint64_t func, uint64_t file,
				    uint64_t line)
{
	p = varint_put(p, pc);
	p = varint_put(p, func);
	p = varint_put(p, file);
	return varint_put(p, line);
}

static void v1_writer_put_stack(struct v1_writer *w, uint64_t id, const struct trace_frame *f,
				size_t n)
{
	uint8_t record[STACK_MAX], *p = varint_put(record, id);
	size_t i;

	p = varint_put(p, n);
	for (i = 0; i < n; i++)
		p = v1_writer_put_frame(p, f[i].pc, table_string(w, f[i].func),
					table_string(w, f[i].file), f[i].line);
	v1_writer_put_record(w, record, p);
}

static void put_start(struct v1_writer *w, const struct start_frame *f)
{
	uint8_t record[STACK_MAX], *p = varint_put(record, f->id);

	p = varint_put(p, 1);
	v1_writer_put_record(w, record,
			     v1_writer_put_frame(p, f->pc ? f->pc : 1, f->func, f->file, f->line));
}

/*
 * The outermost frame of a whole stack is at a call; the function's own place is known if one
 * of its goroutines was created. So those wait for the end.
 */
static void take_start(struct v1_writer *w, uint64_t id, const struct trace_frame *f, size_t n)
{
	const struct trace_frame *root = &f[n - 1];
	struct start_frame *start = vec_push(&w->frames, sizeof(*start));
	uint64_t *known;
	bool is_new;

	*start = (struct start_frame){ id, root->pc, table_string(w, root->func),
				       table_string(w, root->file), root->line, n == 1 };
	known = map64_put(&w->start_frames, start->func, &is_new);
	if (is_new || (start->own && !vec_at(&w->frames, struct start_frame, *known)->own))
		*known = w->frames.len - 1;
	if (start->own)
		put_start(w, start);
}

static void put_late_starts(struct v1_writer *w)
{
	size_t i;

	for (i = 0; i < w->frames.len; i++) {
		struct start_frame f = *vec_at(&w->frames, struct start_frame, i);
		const uint64_t *known = map64_get(&w->start_frames, f.func);
		uint64_t id = f.id;

		if (f.own)
			continue;
		if (f.func)
			f = *vec_at(&w->frames, struct start_frame, *known);
		f.id = id;
		put_start(w, &f);
	}
}

/*
 * Parsers up to Go 1.20 crash where the start of a goroutine that runs has no frame, or its pc is
 * 0.
 */
static size_t no_frame(struct trace_frame *out)
{
	*out = (struct trace_frame){ .pc = 1 };
	return 1;
}

static void define_unknown(struct v1_writer *w, uint64_t id)
{
	struct trace_frame frame;
	size_t n = no_frame(&frame);

	v1_writer_put_stack(w, id, &frame, n);
}

/* Starts that stayed unknown to the end. */
static void define_rest(struct v1_writer *w)
{
	size_t i;

	if (w->unknown_start)
		define_unknown(w, w->unknown_start);
	for (i = 0; i < w->later.cap; i++)
		if (w->later.slots[i].used)
			define_unknown(w, w->later.slots[i].key);
}

static void v1_writer_take_frames(struct v1_writer *w)
{
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	size_t i, n;

	for (i = 0; i < w->new_stacks.len; i++) {
		const struct new_stack *s = vec_at(&w->new_stacks, struct new_stack, i);

		n = w->opts.frames(w->opts.ctx, s->key, frames, TRACEV2_MAX_FRAMES);
		if (!n && s->start)
			n = no_frame(frames);
		if (n && v1_pc_only(w->opts.version))
			put_addresses(w, s->id, frames, n);
		else if (n && s->start)
			take_start(w, s->id, frames, n);
		else if (n)
			v1_writer_put_stack(w, s->id, frames, n);
	}
	w->new_stacks.len = 0;
}

/* --- the file --- */

static void flush_at(struct v1_writer *w, size_t i)
{
	if (i < w->outs.len && *vec_at(&w->outs, struct v1_out *, i))
		v1_writer_flush(w, *vec_at(&w->outs, struct v1_out *, i));
}

/*
 * Writes the buffers of the Ps by id, then the one for events without a P, then that of the
 * samples, as StopTrace of Go does.
 */
static void flush_all(struct v1_writer *w)
{
	size_t i;

	for (i = OUTS_BASE; i < w->outs.len; i++)
		flush_at(w, i);
	flush_at(w, V1_NO_P + OUTS_BASE);
	flush_at(w, V1_SAMPLES + OUTS_BASE);
}

/* Readers of Go 1.23 and later want a Batch before it. */
static void put_frequency(struct v1_writer *w)
{
	if (w->has_frequency || !w->counts.batches)
		return;
	w->has_frequency = true;
	buf_add_byte(&w->full, V1_FREQUENCY);
	varint_add(&w->full, w->opts.frequency);
}

static void put_timers(struct v1_writer *w)
{
	size_t i;

	for (i = 0; i < w->timers.len; i++) {
		buf_add_byte(&w->full, V1_TIMER_GOROUTINE);
		varint_add(&w->full, *vec_at(&w->timers, uint64_t, i));
	}
}

static int write_tables(struct v1_writer *w, struct error *err)
{
	int r = v1_writer_write_out(w, &w->full, err);

	return r ? r : v1_writer_write_out(w, &w->tables, err);
}

/* All that is known goes to the file: of a gotap that is killed it is what can be saved. */
int v1_writer_turn(struct v1_writer *w, struct error *err)
{
	v1_writer_take_frames(w);
	flush_all(w);
	put_frequency(w);
	return write_tables(w, err);
}

static bool has_event(const struct v1_writer *w)
{
	size_t i;

	for (i = 0; i < V1_TYPES; i++)
		if (w->counts.events[i])
			return true;
	return false;
}

int v1_writer_finish(struct v1_writer *w, struct error *err)
{
	if (!has_event(w))
		return error_set(err, -ENODATA, "the trace has no event that can be written");
	v1_writer_take_frames(w);
	put_late_starts(w);
	define_rest(w);
	flush_all(w);
	put_frequency(w);
	put_timers(w);
	return write_tables(w, err);
}

const struct v1_writer_counts *v1_writer_counts(const struct v1_writer *w)
{
	return &w->counts;
}

void v1_writer_free(struct v1_writer *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < w->outs.len; i++) {
		struct v1_out *out = *vec_at(&w->outs, struct v1_out *, i);

		if (out)
			buf_free(&out->body);
		free(out);
	}
	vec_free(&w->outs);
	buf_free(&w->full);
	buf_free(&w->tables);
	strset_free(w->texts);
	map64_free(&w->strings);
	map64_free(&w->stacks);
	map64_free(&w->starts);
	map64_free(&w->later);
	map64_free(&w->start_frames);
	vec_free(&w->new_stacks);
	vec_free(&w->frames);
	vec_free(&w->timers);
	free(w);
}
