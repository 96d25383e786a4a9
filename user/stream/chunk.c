// SPDX-License-Identifier: Apache-2.0
/* chunk: see chunk.h. */
#include "stream/chunk.h"

#include <stdbool.h>
#include <string.h>

/*
 * The segment with its head at @at. Its length is limited to the first @end bytes. False: no head
 * fits there.
 */
static bool segment_at(const uint8_t *data, size_t at, size_t end, struct segment *ret)
{
	if (at > end || end - at < sizeof(*ret))
		return false;
	memcpy(ret, data + at, sizeof(*ret));
	if (ret->len > end - at - sizeof(*ret))
		ret->len = (uint32_t)(end - at - sizeof(*ret));
	return true;
}

/* Calls @fn with records of the segment until they take @least bytes. False: one is damaged. */
static bool segment_each(const struct segment *s, uint8_t *data, size_t least, chunk_fn *fn,
			 void *ctx)
{
	size_t at, n;

	for (at = 0; at < s->len && at < least; at += n) {
		struct rec *r = (struct rec *)(data + at);

		n = record_size(r, s->len - at);
		if (!n)
			return false;
		fn(ctx, s->cpu, r);
	}
	return true;
}

void chunk_each_of(const struct chunk *c, size_t end, size_t share, chunk_fn *fn, void *ctx)
{
	uint8_t *data = c->data.data;
	struct segment s;
	size_t at, least;

	if (end > c->data.len)
		end = c->data.len;
	for (at = 0; segment_at(data, at, end, &s); at += s.len) {
		at += sizeof(s);
		least = s.len / share > CHUNK_PART ? s.len / share : CHUNK_PART;
		if (!segment_each(&s, data + at, share > 1 ? least : s.len, fn, ctx))
			return;
	}
}

void chunk_each(const struct chunk *c, size_t end, chunk_fn *fn, void *ctx)
{
	chunk_each_of(c, end, 1, fn, ctx);
}

/* Copies the records of a segment that are not younger than @until to @to; returns their length. */
static uint32_t cut_segment(uint8_t *to, const uint8_t *from, uint32_t len, uint64_t until)
{
	uint32_t at, kept = 0;
	size_t n;

	for (at = 0; at < len; at += (uint32_t)n) {
		const struct rec *r = (const struct rec *)(from + at);

		n = record_size(r, len - at);
		if (!n)
			break;
		if (r->time > until)
			continue;
		memmove(to + kept, r, n);
		kept += (uint32_t)n;
	}
	return kept;
}

void chunk_drop_after(struct chunk *c, uint64_t until)
{
	uint8_t *data = c->data.data;
	size_t from = 0, to = 0;
	struct segment s;
	uint32_t len;

	while (segment_at(data, from, c->data.len, &s)) {
		from += sizeof(s);
		len = s.len;
		s.len = cut_segment(data + to + sizeof(s), data + from, len, until);
		from += len;
		memcpy(data + to, &s, sizeof(s));
		if (s.len)
			to += sizeof(s) + s.len;
	}
	c->data.len = to;
}
