// SPDX-License-Identifier: Apache-2.0
/*
 * v2_generation: see v2_generation.h. Input: batches from the source. Output: one generation.
 * Follows readGeneration and readGenerationWithSpill of internal/trace/generation.go (Go 1.27),
 * also in the errors on which they stop.
 */
#include "read/v2_generation.h"

#include <stdlib.h>
#include <string.h>

#include "read/v2_batch.h"
#include "read/v2_sync.h"

static void generation_clear(struct v2_generation *g)
{
	g->gen = g->min_time = 0;
	g->has_threads = false;
	g->batches.len = g->samples.len = g->experiments.len = 0;
	g->bodies.len = 0;
	memset(&g->clock, 0, sizeof(g->clock));
	idtab_clear(&g->threads);
	tables_clear(&g->tables);
	wait_table_clear(&g->waits);
}

void generation_free(struct v2_generation *g)
{
	vec_free(&g->batches);
	idtab_free(&g->threads);
	vec_free(&g->samples);
	vec_free(&g->experiments);
	buf_free(&g->bodies);
	tables_free(&g->tables);
	wait_table_free(&g->waits);
}

/*
 * Notes where the body is: in the file, or, if the input cannot seek, in g->bodies, to which it is
 * copied.
 */
static struct v2_note note_of(struct v2_generation *g, const struct raw_source *s,
			      const struct v2_batch *b, int64_t serial)
{
	struct v2_note note = {
		.time = b->time, .offset = b->offset + b->head, .serial = serial,
		.size = b->size, .next = V2_NO_BATCH, .kept = g->bodies.len,
	};

	if (!s->seekable)
		buf_add(&g->bodies, b->body, b->size);
	return note;
}

const uint8_t *generation_body(const struct v2_generation *g, struct raw_source *s,
			       const struct v2_note *note, uint8_t *buf)
{
	if (!s->seekable)
		return g->bodies.data + note->kept;
	return source_read_at(s, note->offset, buf, note->size);
}

/* Notes a batch of thread events. An empty batch only shows that the thread exists. */
static void add_thread_batch(struct v2_generation *g, const struct raw_source *s,
			     const struct v2_batch *b, int64_t serial)
{
	struct v2_thread *thread;
	uint32_t index;

	g->has_threads = true;
	if (!b->size)
		return;
	index = (uint32_t)g->batches.len;
	*(struct v2_note *)vec_push(&g->batches, sizeof(struct v2_note)) =
		note_of(g, s, b, serial);
	thread = idtab_find(&g->threads, b->m);
	if (thread) {
		vec_at(&g->batches, struct v2_note, thread->last)->next = index;
	} else {
		thread = idtab_add(&g->threads, b->m);
		thread->first = index;
	}
	thread->last = index;
}

/* The sync data is a batch with Frequency before 1.25, with Sync since 1.25. */
static bool is_sync(uint8_t kind, int version)
{
	return kind == (version < 25 ? EV_Frequency : EV_Sync);
}

static int v2_gen_add_strings(struct v2_generation *g, uint64_t m, struct cursor *c,
			      struct v2_place *place, struct v2_fault *fault)
{
	size_t first = g->tables.strings.len;
	int ret = tables_add_strings(&g->tables, c, place, fault);

	if (m == TRACEV2_WAITS)
		wait_table_note(&g->waits, &g->tables, first);
	return ret;
}

static int add_batch(struct v2_generation *g, const struct raw_source *s, int version,
		     const struct v2_batch *b, int64_t serial, struct v2_fault *fault)
{
	struct v2_place place = { .gen = b->gen, .batch = serial, .offset = b->offset,
				  .thread = b->m };
	struct cursor c = cursor_of(b->body, b->size, b->offset + b->head);
	uint8_t kind = batch_kind(b);

	if (b->exp) {
		*(struct v2_experiment *)vec_push(&g->experiments, sizeof(struct v2_experiment)) =
			(struct v2_experiment){ note_of(g, s, b, serial), b->m, b->exp };
		return 0;
	}
	if (kind && is_sync(kind, version)) {
		c.pos += version >= 25;
		return sync_read(&g->clock, &c, version, b->time, &place, fault);
	}
	switch (kind) {
	case EV_Strings:
		c.pos++;
		return v2_gen_add_strings(g, b->m, &c, &place, fault);
	case EV_Stacks:
		c.pos++;
		return tables_add_stacks(&g->tables, &c, &place, fault);
	case EV_CPUSamples:
		c.pos++;
		return samples_read(&g->samples, &c, &place, fault);
	case EV_EndOfGeneration:
		return fault_set(fault, &place,
				 "unexpected end of generation inside a batch; broken trace?");
	}
	add_thread_batch(g, s, b, serial);
	return 0;
}

static void v2_gen_note_time(struct v2_generation *g, const struct v2_batch *b)
{
	if (!g->min_time || b->time < g->min_time)
		g->min_time = b->time;
}

static struct v2_place v2_gen_place_of(const struct v2_batch *b, int64_t serial)
{
	return (struct v2_place){ .gen = b->gen, .batch = serial, .offset = b->offset,
				  .thread = b->m };
}

/* Checks the conditions that hold when all batches have been read. */
static int v2_gen_complete(struct v2_generation *g, int version, struct v2_fault *fault)
{
	struct v2_place place = { .gen = g->gen, .batch = -1, .thread = TRACEV2_NO_ID };
	int ret;

	if (!g->clock.has_freq)
		return fault_set(fault, &place, "no frequency event found");
	if (version >= 25 && !g->clock.has_snapshot)
		return fault_set(fault, &place, "no clock snapshot event found");
	ret = tables_check(&g->tables, &place, fault);
	if (!ret)
		samples_finish(&g->samples, &g->clock);
	return ret;
}

static const char truncated[] = "incomplete generation found; trace likely truncated";

/*
 * Ends an incomplete generation; @fault has the reason, if it is set. The events before the end are
 * returned if the generation has its tables and a clock.
 */
static enum gen_status take_cut(struct v2_generation *g, int version, struct v2_fault *fault)
{
	const struct v2_place place = { .gen = g->gen, .batch = -1, .thread = TRACEV2_NO_ID };
	struct v2_fault missing = {0};

	if (!fault->set)
		fault_set(fault, &place, truncated);
	if (!g->keep_cut || !g->has_threads || v2_gen_complete(g, version, &missing))
		return GEN_FAULT;
	return GEN_READ_THEN_FAULT;
}

/* Reads a generation with header 1.26 or later: until its end marker. */
static enum gen_status read_marked(struct v2_generation *g, struct raw_source *s, int version,
				   int64_t *serial, struct v2_fault *fault)
{
	struct v2_batch b;
	int ret;

	for (;; (*serial)++) {
		struct v2_place place;

		ret = batch_peek(s, version, *serial, &b, fault);
		place = v2_gen_place_of(&b, *serial);
		if (!ret && g->has_threads)
			fault_set(fault, &place, truncated);
		if (ret < 0 || fault->set)
			return take_cut(g, version, fault);
		if (!ret)
			return GEN_END;
		if (!g->gen)
			g->gen = b.gen;
		if (batch_ends_generation(&b))
			break;
		if (!b.gen || b.gen != g->gen) {
			fault_set(fault, &place, b.gen ? "broken trace: missing end-of-generation"
				  " event, or generations are interleaved"
				  : "invalid generation number 0");
			return take_cut(g, version, fault);
		}
		batch_take(s, &b);
		v2_gen_note_time(g, &b);
		if (add_batch(g, s, version, &b, *serial, fault))
			return take_cut(g, version, fault);
	}
	batch_take(s, &b);
	(*serial)++;
	return v2_gen_complete(g, version, fault) ? GEN_FAULT : GEN_READ;
}

/*
 * Reads a generation with an earlier header: until a batch of the next generation, which remains in
 * the source.
 */
static enum gen_status read_unmarked(struct v2_generation *g, struct raw_source *s, int version,
				     int64_t *serial, struct v2_fault *fault)
{
	enum gen_status status = GEN_READ;
	struct v2_fault later = {0};
	struct v2_batch b;
	int ret;

	for (;; (*serial)++) {
		struct v2_place place;

		ret = batch_peek(s, version, *serial, &b, g->gen ? &later : fault);
		place = v2_gen_place_of(&b, *serial);
		if (ret <= 0) {
			status = ret ? GEN_READ_THEN_FAULT : GEN_READ_LAST;
			break;
		}
		if (!b.gen) {
			fault_set(fault, &place, "invalid generation number 0");
			return take_cut(g, version, fault);
		}
		if (!g->gen)
			g->gen = b.gen;
		if (b.gen == g->gen + 1)
			break;
		if (b.gen != g->gen) {
			fault_set(fault, &place, "generations out of order");
			return take_cut(g, version, fault);
		}
		batch_take(s, &b);
		v2_gen_note_time(g, &b);
		if (add_batch(g, s, version, &b, *serial, fault))
			return take_cut(g, version, fault);
	}
	if (fault->set || v2_gen_complete(g, version, fault))
		return GEN_FAULT;
	if (later.set)
		*fault = later;
	return status;
}

enum gen_status generation_read(struct v2_generation *g, struct raw_source *s, int version,
				int64_t *serial, struct v2_fault *fault)
{
	g->threads.item = sizeof(struct v2_thread);
	generation_clear(g);
	g->first_batch = *serial;
	if (version >= 26)
		return read_marked(g, s, version, serial, fault);
	return read_unmarked(g, s, version, serial, fault);
}
