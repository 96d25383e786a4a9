// SPDX-License-Identifier: Apache-2.0
/* packets: see packets.h. */
#include "perfetto/packets.h"

#include <string.h>

#include "base/protobuf.h"
#include "read/text_quote.h"

enum { EVENT_BYTES = 128 };

/* --- packets of any kind --- */

static size_t packets_open_of(struct packets *p, unsigned int sequence)
{
	size_t open = protobuf_open(packets_buf(p), TRACE_PACKET);

	protobuf_uint(packets_buf(p), PACKET_SEQUENCE_ID, sequence);
	return open;
}

size_t packets_open(struct packets *p)
{
	return packets_open_of(p, p->sequence);
}

size_t packets_open_beside(struct packets *p)
{
	return packets_open_of(p, p->sequence + 1);
}

void packets_close(struct packets *p, size_t open)
{
	protobuf_close(packets_buf(p), open);
	sink_settle(p->sink);
}

void packets_time(struct packets *p, int64_t time)
{
	protobuf_uint(packets_buf(p), PACKET_TIMESTAMP, (uint64_t)time);
	protobuf_uint(packets_buf(p), PACKET_TIMESTAMP_CLOCK, p->clock);
}

static size_t packets_valid(const char *text, size_t n)
{
	size_t i = 0, len;
	uint32_t rune;

	while (i < n && ((uint8_t)text[i] < 0x80 ||
			 ((len = rune_decode((const uint8_t *)text + i, n - i, &rune)) > 1)))
		i += (uint8_t)text[i] < 0x80 ? 1 : len;
	return i;
}

void packets_text(struct buf *b, uint32_t field, const char *text)
{
	size_t n = strlen(text), good = packets_valid(text, n), open;

	if (good == n) {
		protobuf_bytes(b, field, text, n);
		return;
	}
	open = protobuf_open(b, field);
	while (n) {
		buf_add(b, text, good);
		text += good;
		n -= good;
		if (n) {
			buf_add(b, "\xef\xbf\xbd", 3);
			text++;
			n--;
		}
		good = packets_valid(text, n);
	}
	protobuf_close(b, open);
}

/* --- clocks --- */

static void put_clock(struct buf *b, unsigned int id, uint64_t time)
{
	size_t clock = protobuf_open(b, SNAPSHOT_CLOCK);

	protobuf_uint(b, CLOCK_ID, id);
	protobuf_uint(b, CLOCK_TIMESTAMP, time);
	if (id == CLOCK_STEPS_ID)
		protobuf_uint(b, CLOCK_IS_INCREMENTAL, 1);
	protobuf_close(b, clock);
}

static void put_snapshot(struct packets *p, const struct packets_clocks *c, bool steps)
{
	struct buf *b = packets_buf(p);
	size_t snapshot = protobuf_open(b, PACKET_CLOCK_SNAPSHOT);

	put_clock(b, c->clock, (uint64_t)c->time);
	if (c->wall)
		put_clock(b, CLOCK_REALTIME_ID, c->wall);
	if (steps)
		put_clock(b, CLOCK_STEPS_ID, (uint64_t)c->time);
	protobuf_uint(b, SNAPSHOT_PRIMARY, c->clock);
	protobuf_close(b, snapshot);
}

void packets_clocks(struct packets *p, const struct packets_clocks *c)
{
	size_t open = packets_open(p);

	packets_time(p, c->time);
	put_snapshot(p, c, false);
	packets_close(p, open);
}

static void put_defaults(struct packets *p)
{
	size_t open = packets_open(p), defaults;

	protobuf_uint(packets_buf(p), PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	defaults = protobuf_open(packets_buf(p), PACKET_DEFAULTS);
	protobuf_uint(packets_buf(p), DEFAULTS_TIMESTAMP_CLOCK, CLOCK_STEPS_ID);
	protobuf_close(packets_buf(p), defaults);
	packets_close(p, open);
}

void packets_begin(struct packets *p, struct raw_sink *sink, const struct packets_clocks *c,
		   unsigned int number)
{
	size_t open;

	*p = (struct packets){ .sink = sink, .last = c->time, .clock = c->clock,
			       .sequence = 2 * number + 1 };
	put_defaults(p);
	open = packets_open(p);
	packets_time(p, c->time);
	put_snapshot(p, c, true);
	packets_close(p, open);
}

/* --- events --- */

static inline uint8_t *packets_put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)value | 0x80;
	*to++ = (uint8_t)value;
	return to;
}

static inline uint8_t *packets_put_uint(uint8_t *to, uint32_t field, uint64_t value)
{
	return packets_put(packets_put(to, (uint64_t)field << 3), value);
}

static inline uint8_t *put_fixed64(uint8_t *to, uint32_t field, uint64_t value)
{
	int i;

	to = packets_put(to, (uint64_t)field << 3 | 1);
	for (i = 0; i < 8; i++)
		*to++ = (uint8_t)(value >> 8 * i);
	return to;
}

static inline uint8_t *packets_put_time(struct packets *p, uint8_t *to, int64_t time)
{
	if (time < p->last)
		return packets_put_uint(packets_put_uint(to, PACKET_TIMESTAMP, (uint64_t)time),
					PACKET_TIMESTAMP_CLOCK, p->clock);
	to = packets_put_uint(to, PACKET_TIMESTAMP, (uint64_t)time - (uint64_t)p->last);
	p->last = time;
	return to;
}

/* Encodes the fields of the event: at most EVENT_BYTES. */
static inline uint8_t *put_fields(uint8_t *to, const struct packets_event *e)
{
	to = packets_put_uint(to, EVENT_TYPE, e->type);
	if (e->category)
		to = packets_put_uint(to, EVENT_CATEGORY, e->category);
	to = packets_put_uint(to, EVENT_TRACK, e->track);
	if (e->name)
		to = packets_put_uint(to, EVENT_NAME_IID, e->name);
	if (e->stack)
		to = packets_put_uint(to, EVENT_CALLSTACK, e->stack);
	if (e->flow)
		to = put_fixed64(to, EVENT_FLOW, e->flow);
	if (e->flow_end)
		to = put_fixed64(to, EVENT_FLOW_END, e->flow_end);
	return to;
}

static void put_long(struct packets *p, const struct packets_event *e, const uint8_t *fields,
		     size_t n)
{
	size_t open = packets_open(p), event;
	uint8_t time[32];

	buf_add(packets_buf(p), time, (size_t)(packets_put_time(p, time, e->time) - time));
	event = protobuf_open(packets_buf(p), PACKET_TRACK_EVENT);
	buf_add(packets_buf(p), fields, n);
	buf_add(packets_buf(p), e->more->data, e->more->len);
	protobuf_close(packets_buf(p), event);
	packets_close(p, open);
}

/* Writes a short event: the lengths of packet and event take one byte each. */
static inline void put_short(struct packets *p, const uint8_t *fields, size_t n, int64_t time,
			     const struct buf *more)
{
	struct buf *b = packets_buf(p);
	uint8_t *begin, *to;

	if (b->cap - b->len < 2 * EVENT_BYTES)
		buf_reserve(b, 2 * EVENT_BYTES);
	begin = b->data + b->len;
	to = begin + 2;
	to = packets_put_uint(to, PACKET_SEQUENCE_ID, p->sequence);
	to = packets_put_time(p, to, time);
	to = packets_put(to, PACKET_TRACK_EVENT << 3 | 2);
	*to++ = (uint8_t)(n + (more ? more->len : 0));
	memcpy(to, fields, n);
	to += n;
	if (more) {
		memcpy(to, more->data, more->len);
		to += more->len;
	}
	begin[0] = TRACE_PACKET << 3 | 2;
	begin[1] = (uint8_t)(to - begin - 2);
	b->len += (size_t)(to - begin);
	sink_settle(p->sink);
}

/* Bytes of a packet outside of its event: sequence, time and clock, tag and length. */
enum { AROUND = 2 + 11 + 3 + 2, SHORT_MAX = 127 - AROUND };

void packets_event(struct packets *p, const struct packets_event *e)
{
	uint8_t fields[EVENT_BYTES];
	size_t n = (size_t)(put_fields(fields, e) - fields);

	if (n + (e->more ? e->more->len : 0) > SHORT_MAX)
		put_long(p, e, fields, n);
	else
		put_short(p, fields, n, e->time, e->more);
}

void packets_count(struct packets *p, uint64_t track, int64_t time, uint64_t value)
{
	uint8_t fields[EVENT_BYTES], *to = fields;

	to = packets_put_uint(to, EVENT_TYPE, EVENT_COUNTER);
	to = packets_put_uint(to, EVENT_TRACK, track);
	to = packets_put_uint(to, EVENT_COUNTER_VALUE, value > INT64_MAX ? INT64_MAX : value);
	put_short(p, fields, (size_t)(to - fields), time, NULL);
}
