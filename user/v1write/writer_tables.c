// SPDX-License-Identifier: Apache-2.0
/*
 * writer_tables: the tables of a v1 trace: names, stacks, and the stacks that say where goroutines
 * begin. In: keys of stacks, which the functions of writer.h take. Out: their ids at once, and
 * their records in v1_writer.tables when a generation ends.
 */
#include "v1write/writer_internal.h"

#include <string.h>

#include "tracev2.h"

enum {
	/*
	 * most bytes of the name of a function or file; the runtime keeps the last ones
	 * (traceFrameForPC)
	 */
	NAME_MAX_BYTES = 1024,
	/*
	 * bytes of all names: they are kept as long as the trace is written, and a program can give
	 * each region and task another one
	 */
	TEXTS_MOST = 64 << 20,
	STACK_MAX = 2 * VARINT_MAX * (1 + 2 * TRACEV2_MAX_FRAMES),
	FIRST_WITH_TABLE_BATCH = 11,	/* before it the tables follow without a Batch */
};

/* --- names --- */

uint64_t v1_tables_intern(struct v1_writer *w, const char *s, size_t n, const char **new_text)
{
	static const char too_many[] = "(a name too many)";
	uint64_t *id;
	bool is_new;
	const char *text;

	*new_text = NULL;
	if (!n)
		return 0;
	if (strset_size(w->texts) >= TEXTS_MOST && !strset_find(w->texts, s, n)) {
		w->counts.texts_too_many++;
		s = too_many;
		n = sizeof(too_many) - 1;
	}
	text = strset_add_bytes(w->texts, s, n);
	id = map64_put(&w->strings, (uint64_t)(uintptr_t)text, &is_new);
	if (is_new) {
		*id = w->strings.len;
		*new_text = text;
		w->counts.strings++;
	}
	return *id;
}

void v1_tables_put_string(struct buf *b, uint64_t id, const char *text)
{
	buf_add_byte(b, V1_STRING);
	varint_add(b, id);
	varint_add(b, strset_len(text));
	buf_add(b, text, strset_len(text));
}

/* Makes room in the tables. From Go 1.11 on they are in batches of P 0. */
static void tables_room(struct v1_writer *w, size_t n)
{
	bool first = !w->tables.len;

	if (w->opts.version < FIRST_WITH_TABLE_BATCH ||
	    (!first && w->tables.len - w->table_batch + n <= V1W_BUFFER))
		return;
	w->table_batch = w->tables.len;
	v1w_put_batch(&w->tables, 0, w->last);
	w->counts.batches++;
}

static uint64_t v1_tables_name(struct v1_writer *w, const char *s)
{
	size_t n = s ? strlen(s) : 0, skip = n > NAME_MAX_BYTES ? n - NAME_MAX_BYTES : 0;
	const char *text;
	uint64_t id = n ? v1_tables_intern(w, s + skip, n - skip, &text) : 0;

	if (!id || !text)
		return id;
	w->counts.cut_texts += skip > 0;
	tables_room(w, n - skip + V1W_RECORD_MAX);
	v1_tables_put_string(&w->tables, id, text);
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

/* Returns the start of goroutines if there are no stacks: all have the same, without a name. */
static uint64_t unknown_start(struct v1_writer *w)
{
	if (!w->unknown_start)
		w->unknown_start = ++w->next_stack;
	return w->unknown_start;
}

static void v1_writer_put_record(struct v1_writer *w, const uint8_t *record, const uint8_t *end)
{
	size_t n = (size_t)(end - record);

	tables_room(w, n + V1W_RECORD_MAX);
	buf_add_byte(&w->tables, V1_STACK | V1_BY_LENGTH << V1_COUNT_SHIFT);
	varint_add(&w->tables, n);
	buf_add(&w->tables, record, n);
	w->counts.stacks++;
}

/* --- stacks of bare addresses --- */

/*
 * Returns whether @pc is an address. libgotap and the conversions number frames without an address,
 * from 1 << 60 on.
 */
static bool v1_writer_is_address(uint64_t pc)
{
	enum { MADE_UP_BIT = 60 };

	return pc && pc < 1ULL << MADE_UP_BIT;
}

/*
 * Returns whether the call of @f was inlined into @outer: both have one address, and differ in
 * function or line (else it is a recursion).
 */
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
		p = v1_writer_put_frame(p, f[i].pc, v1_tables_name(w, f[i].func),
					v1_tables_name(w, f[i].file), f[i].line);
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
 * Takes the frame of a start. The outermost frame of a whole stack is at a call. The function's own
 * place is known once one of its goroutines was created, so that starts with such a frame wait for
 * the end.
 */
static void take_start(struct v1_writer *w, uint64_t id, const struct trace_frame *f, size_t n)
{
	const struct trace_frame *root = &f[n - 1];
	struct start_frame *start = vec_push(&w->frames, sizeof(*start));
	uint64_t *known;
	bool is_new;

	*start = (struct start_frame){ id, root->pc, v1_tables_name(w, root->func),
				       v1_tables_name(w, root->file), root->line, n == 1 };
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
 * A frame without a name. Parsers up to Go 1.20 crash if the start of a goroutine that runs has no
 * frame, or its pc is 0.
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

/* Defines the starts that are unknown to the end. */
static void define_rest(struct v1_writer *w)
{
	size_t i;

	if (w->unknown_start)
		define_unknown(w, w->unknown_start);
	for (i = 0; i < w->later.cap; i++)
		if (w->later.slots[i].used)
			define_unknown(w, w->later.slots[i].key);
}

void v1_tables_take_frames(struct v1_writer *w)
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

void v1_tables_end(struct v1_writer *w)
{
	put_late_starts(w);
	define_rest(w);
}
