// SPDX-License-Identifier: Apache-2.0
/* gzip: see gzip.h. */
#include "pprof/gzip.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * LEVEL: as runtime/pprof. WINDOW: 16 more than the size of the window makes zlib write the header
 * of gzip.
 */
enum { LEVEL = 1, WINDOW = 15 + 16, MEMORY = 8 };

void gzip_open(struct gzip *g, struct raw_sink *sink)
{
	*g = (struct gzip){ .sink = sink };
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
		return;
	fprintf(stderr, "gotap: no memory\n");
	exit(1);
}

static void gzip_run(struct gzip *g, int flush)
{
	enum { PIECE = 64 << 10 };
	struct buf *out = &g->sink->buf;

	do {
		buf_reserve(out, PIECE);
		g->z.next_out = out->data + out->len;
		g->z.avail_out = PIECE;
		deflate(&g->z, flush);
		out->len += PIECE - g->z.avail_out;
		sink_settle(g->sink);
	} while (!g->z.avail_out);
}

void gzip_add(struct gzip *g, const void *data, size_t n)
{
	enum { MOST = 1 << 30 };
	const uint8_t *from = data;
	size_t piece;

	for (; n; from += piece, n -= piece) {
		piece = n < MOST ? n : MOST;
		g->z.next_in = (uint8_t *)(uintptr_t)from;
		g->z.avail_in = (unsigned int)piece;
		gzip_run(g, Z_NO_FLUSH);
	}
}

void gzip_close(struct gzip *g)
{
	gzip_run(g, Z_FINISH);
	deflateEnd(&g->z);
}
