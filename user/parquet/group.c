// SPDX-License-Identifier: Apache-2.0
/* group: writes row groups. Each chunk is written at once: its dictionary, then its data pages. */
#include <errno.h>
#include <string.h>

#include "base/write_all.h"
#include "parquet/internal.h"

void group_flush(struct parquet *p)
{
	size_t done;
	int failed;

	if (!p->fault.code) {
		failed = write_all(p->fd, p->out.data, p->out.len, &done);
		p->counts.bytes += done;
		if (failed)
			parquet_fault(p, failed, "%s", strerror(-failed));
	}
	p->out.len = 0;
}

void group_write(struct parquet *p, const void *data, size_t n)
{
	buf_add(&p->out, data, n);
	p->written += n;
	if (p->out.len >= WRITE_BYTES)
		group_flush(p);
}

static void group_begin_chunk(struct column *c)
{
	c->first = 0;
	c->way = c->asked;
	c->ascends = true;
	c->last = INT64_MIN;
	page_forget(c);
	buf_empty(&c->chunk.pages, WRITE_BYTES);
	c->chunk = (struct chunk){ .pages = c->chunk.pages, .rows = c->chunk.rows };
	c->chunk.rows.len = 0;
}

/* Returns the bytes before zstd. */
static uint64_t group_chunk(struct parquet *p, struct column *c)
{
	uint64_t offset = p->written;
	size_t raw = 0, dictionary = 0;

	page_end(p, c);
	if (c->chunk.pages_by[PARQUET_DICTIONARY]) {
		raw = page_dictionary(p, c);
		dictionary = p->scratch.len;
		group_write(p, p->scratch.data, dictionary);
	}
	group_write(p, c->chunk.pages.data, c->chunk.pages.len);
	if (!p->fault.code)
		footer_chunk(p, c, offset, dictionary, raw);
	return raw + c->chunk.raw_bytes;
}

void group_end(struct parquet *p)
{
	struct group_end end = { .rows = p->counts.rows - p->group_begin, .offset = p->written };
	size_t i;

	if (!end.rows)
		return;
	for (i = 0; i < p->column_count; i++) {
		end.raw_bytes += group_chunk(p, &p->columns[i]);
		end.sorted |= p->sorted_by == i + 1 && p->columns[i].ascends;
		group_begin_chunk(&p->columns[i]);
	}
	end.bytes = p->written - end.offset;
	*(struct group_end *)vec_push(&p->groups, sizeof(end)) = end;
	p->group_begin = p->counts.rows;
	p->row = 0;
	p->group_bytes = 0;
}
