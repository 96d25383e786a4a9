// SPDX-License-Identifier: Apache-2.0
/*
 * v2_batch: see v2_batch.h. Input: the source. Output: one batch, of which only the framing is
 * checked.
 */
#include "read/v2_batch.h"

#include <string.h>

enum { MAX_HEAD = 2 + 4 * 10 };	/* kind, experiment, four numbers */

static int batch_truncated(const struct raw_source *s, const struct v2_place *place,
		     struct v2_fault *fault, const char *what, enum cursor_status status)
{
	if (s->error)
		return fault_set(fault, place, "cannot read: %s", strerror(s->error));
	return fault_set(fault, place, "error reading batch %s: %s", what,
			 cursor_status_text(status));
}

static int peek_head(struct raw_source *s, struct cursor *c, struct v2_batch *b,
		     struct v2_place *place, struct v2_fault *fault)
{
	static const char *const names[] = { "gen", "M ID", "timestamp", "size" };
	uint64_t size = 0, *fields[] = { &b->gen, &b->m, &b->time, &size };
	int i;

	for (i = 0; i < 4; i++) {
		enum cursor_status status = cursor_uvarint(c, fields[i]);

		if (status != CURSOR_OK)
			return batch_truncated(s, place, fault, names[i], status);
		if (i == 0)
			place->gen = b->gen;
		else if (i == 1)
			place->thread = b->m;
	}
	if (size > TRACEV2_MAX_BATCH)
		return fault_set(fault, place, "invalid batch size %llu, maximum is %d",
				 (unsigned long long)size, TRACEV2_MAX_BATCH);
	b->size = (uint32_t)size;
	return 0;
}

/* Makes the whole batch visible; its head has been read. */
static int peek_body(struct raw_source *s, struct v2_batch *b, const struct v2_place *place,
		     struct v2_fault *fault)
{
	size_t have;

	if (source_need(s, b->head + b->size)) {
		b->body = s->pos + b->head;
		return 1;
	}
	if (s->error)
		return batch_truncated(s, place, fault, "", CURSOR_SHORT);
	have = source_left(s) - b->head;
	return fault_set(fault, place, "failed to read full batch: read %zu but wanted %u", have,
			 b->size);
}

static bool is_batch(uint8_t type, int version)
{
	enum { FIRST_WITH_EXPERIMENTS = 23 };

	return type == EV_EventBatch ||
	       (type == EV_ExperimentalBatch && version >= FIRST_WITH_EXPERIMENTS);
}

int batch_peek(struct raw_source *s, int version, int64_t serial, struct v2_batch *b,
	       struct v2_fault *fault)
{
	struct v2_place place = { .batch = serial, .thread = TRACEV2_NO_ID };
	struct cursor c;
	uint8_t type;
	int ret;

	source_need(s, MAX_HEAD);
	c = cursor_of(s->pos, source_left(s), source_offset(s));
	memset(b, 0, sizeof(*b));
	b->offset = place.offset = cursor_offset(&c);
	if (!cursor_byte(&c, &type))
		return s->error ? batch_truncated(s, &place, fault, "", CURSOR_EOF) : 0;
	if (type == EV_EndOfGeneration) {
		*b = (struct v2_batch){ .end_marker = true, .m = TRACEV2_NO_ID, .head = 1,
					.offset = place.offset };
		return 1;
	}
	if (!is_batch(type, version))
		return fault_set(fault, &place, "expected batch event, got event %u", type);
	/* A file that ends after this byte is complete for Go's reader, and so for this one. */
	if (type == EV_ExperimentalBatch && !cursor_byte(&c, &b->exp))
		return 0;
	ret = peek_head(s, &c, b, &place, fault);
	if (ret)
		return ret;
	b->head = (uint32_t)(c.pos - c.start);
	return peek_body(s, b, &place, fault);
}
