// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_mend: a go 1.26 file that was cut comes in; it leaves ending after
 * its last whole batch, with the mark that readers want there. Without it they
 * would not look at the generation at all. Older headers need no such help.
 */
#include <string.h>

#include "cmd/rewrite.h"
#include "tracev2.h"

/* Skips one batch or mark; false at the end and where the file breaks off. */
static bool skip_batch(const uint8_t *data, size_t n, size_t *at, uint8_t *kind)
{
	size_t off = *at;
	int values = 4, shift;
	uint64_t v = 0;

	if (off >= n)
		return false;
	*kind = data[off++];
	if (*kind == EV_EndOfGeneration) {
		*at = off;
		return true;
	}
	if (*kind != EV_EventBatch && *kind != EV_ExperimentalBatch)
		return false;
	off += *kind == EV_ExperimentalBatch;
	while (values--) {
		v = 0;
		for (shift = 0; off < n && shift < 64; shift += 7) {
			v |= (uint64_t)(data[off] & 0x7f) << shift;
			if (!(data[off++] & 0x80))
				break;
		}
	}
	if (off > n || v > n - off)
		return false;
	*at = off + v;
	return true;
}

bool rewrite_mend(struct buf *data)
{
	static const char header[] = "go 1.26 trace";
	size_t at = TRACEV2_HEADER_SIZE;
	uint8_t kind = EV_EndOfGeneration, last;

	if (data->len < at || memcmp(data->data, header, sizeof(header)))
		return false;
	for (last = kind; skip_batch(data->data, data->len, &at, &kind); )
		last = kind;
	if (at == data->len && last == EV_EndOfGeneration)
		return false;
	data->len = at;
	if (last != EV_EndOfGeneration)
		buf_add_byte(data, EV_EndOfGeneration);
	return true;
}
