// SPDX-License-Identifier: Apache-2.0
/*
 * v2_resync: see v2_resync.h. Bytes are a batch if its head makes sense, and so do the heads of the
 * next two: three in a row do not come by chance.
 */
#include "read/v2_resync.h"

#include "read/raw_spec.h"
#include "tracev2.h"

enum { MAX_GAP = 1 << 12 };	/* most generations that may be missing */
enum { IN_A_ROW = 3, LOOK_AHEAD = IN_A_ROW * (TRACEV2_MAX_BATCH + 64) };

_Static_assert((int)LOOK_AHEAD <= (int)RAW_WINDOW, "all that is looked at is in view");

struct head {
	uint64_t gen, m, time, size;
};

static bool v2_resync_take_head(struct cursor *c, struct head *h)
{
	uint8_t type = 0, exp;

	cursor_byte(c, &type);
	if (type != EV_EventBatch && (type != EV_ExperimentalBatch || !cursor_byte(c, &exp)))
		return false;
	return !cursor_uvarint(c, &h->gen) && !cursor_uvarint(c, &h->m) &&
	       !cursor_uvarint(c, &h->time) && !cursor_uvarint(c, &h->size);
}

/* True if @time is not before @other and at most an hour later, in any unit of a trace. */
static bool v2_resync_follows(uint64_t time, uint64_t other)
{
	return time >= other && time - other < 1ull << 42;
}

static bool makes_sense(const struct cursor *c, const struct head *h, uint64_t time)
{
	return h->gen && h->size <= TRACEV2_MAX_BATCH &&
	       (!time || v2_resync_follows(h->time, time)) &&
	       (!h->size || !cursor_left(c) || (*c->pos && *c->pos < RAW_SPECS));
}

/*
 * True if a generation later than @after begins at the front of @s, at about @time if @time is not
 * 0.
 */
static bool begins_generation(const struct raw_source *s, uint64_t after, uint64_t time)
{
	struct cursor c = cursor_of(s->pos, source_left(s), 0);
	struct head first = {0}, h;
	int i;

	for (i = 0; i < IN_A_ROW && cursor_left(&c); i++) {
		if (i && *c.pos == EV_EndOfGeneration)
			c.pos++;
		if (i && !cursor_left(&c))
			break;
		if (!v2_resync_take_head(&c, &h) || !makes_sense(&c, &h, time))
			return false;
		if (!i && h.size > cursor_left(&c))
			return false;
		if (!i)
			first = h;
		if (h.gen <= after || h.gen - after > MAX_GAP || h.gen - first.gen > 1)
			return false;
		c.pos += h.size < cursor_left(&c) ? h.size : cursor_left(&c);
	}
	return true;
}

/* Moves to the first byte that could begin a batch. */
static bool find_candidate(struct raw_source *s)
{
	while (s->eof ? source_left(s) : source_need(s, LOOK_AHEAD) || source_left(s)) {
		if (*s->pos == EV_EventBatch || *s->pos == EV_ExperimentalBatch)
			return true;
		s->pos++;
	}
	return false;
}

bool source_resync(struct raw_source *s, uint64_t after, uint64_t time)
{
	for (; find_candidate(s); s->pos++)
		if (begins_generation(s, after, time))
			return true;
	return false;
}
