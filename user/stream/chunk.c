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

void chunk_each(const struct chunk *c, size_t end, chunk_fn *fn, void *ctx)
{
	uint8_t *data = c->data.data;
	size_t at = 0, stop, n;
	struct segment s;

	if (end > c->data.len)
		end = c->data.len;
	while (segment_at(data, at, end, &s)) {
		at += sizeof(s);
		for (stop = at + s.len; at < stop; at += n) {
			struct rec *r = (struct rec *)(data + at);

			n = record_size(r, stop - at);
			if (!n)
				return;
			fn(ctx, s.cpu, r);
		}
	}
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
