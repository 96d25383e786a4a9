// SPDX-License-Identifier: Apache-2.0
/* collect_spool: begins and ends records of the spool (enum spool_kind). Part of collect.c. */
#include "html/collect_internal.h"
#include "trace/varint.h"

/* Writes the first bytes of a record: its kind, and the ns since the last record. */
uint8_t *collect_record(struct html *h, uint8_t kind, int64_t time)
{
	uint8_t *p;

	spill_room(&h->spool, 96);
	p = h->spool.buf.data + h->spool.buf.len;
	*p++ = kind;
	p = varint_put(p, time > h->spool_time ? (uint64_t)(time - h->spool_time) : 0);
	if (time > h->spool_time)
		h->spool_time = time;
	return p;
}

void collect_record_end(struct html *h, uint8_t *end)
{
	h->spool.buf.len = (size_t)(end - h->spool.buf.data);
}
