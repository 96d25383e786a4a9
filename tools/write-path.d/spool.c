// SPDX-License-Identifier: Apache-2.0
/*
 * spool: writes a spool file in which goroutine 1 runs in the snapshot, and blocks in the second
 * chunk: the one record that tools/write-path follows.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "release/release.h"
#include "stream/chunk.h"
#include "stream/spool.h"

enum { M = 7, G = 0x9001, P = 0x1000, STACK = 0x77, MS = 1000000 };

static uint64_t now = 1000 * MS;

static void put(struct chunk *c, uint8_t kind, uint8_t sub, uint64_t id, uint64_t ptr,
		uint64_t stack)
{
	struct { struct rec_long l; uint64_t rest[8]; } r = {
		.l = { .r = { .time = now++, .tid = M, .kind = kind, .sub = sub,
			       .id = id, .ptr = ptr },
		       .stack = stack } };

	buf_add(&c->data, &r, rec_head_size(kind));
}

static void put_stack(struct chunk *c)
{
	struct { struct rec_stack s; uint64_t pcs[2]; } r = {
		.s = { .r = { .time = now++, .kind = REC_STACK, .id = STACK }, .n = 2 },
		.pcs = { 0x401000, 0x402000 } };

	buf_add(&c->data, &r, record_size(&r.s.r, SIZE_MAX));
}

static int write_chunk(struct spool_writer *w, struct chunk *c, size_t at, struct error *err)
{
	int r;

	chunk_segment_end(c, at);
	c->watermark = c->mono_ns = c->wall_ns = now++;
	r = spool_write(w, c, err);
	chunk_reset(c);
	return r;
}

int main(int argc, char **argv)
{
	static struct capture_info info = { .go_minor = 25, .stack_depth = 0 };
	struct spool_writer *w;
	struct chunk c = {0};
	struct error err;
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1, r;
	size_t at;

	if (fd < 0 || spool_create(&w, fd, argv[1], &info, &err))
		return 1;
	at = chunk_segment_begin(&c, 0);
	put(&c, REC_SNAP_P_NAME, 0, 0, P, 0);
	put(&c, REC_SNAP_G, 2, 1, G, 0);
	put(&c, REC_SNAP_P, 0, 0, P, 0);
	put(&c, REC_SNAP_END, 0, 0, 0, 0);
	r = write_chunk(w, &c, at, &err);
	at = chunk_segment_begin(&c, 0);
	put_stack(&c);
	put(&c, REC_GO_PARK, 2, 1, G, STACK);
	r = r ? r : write_chunk(w, &c, at, &err);
	at = chunk_segment_begin(&c, 0);
	put(&c, REC_CAPTURE_END, 0, 0, 0, 0);
	r = r ? r : write_chunk(w, &c, at, &err);
	if (r)
		fprintf(stderr, "spool: %s\n", err.text);
	spool_writer_free(w);
	chunk_free(&c);
	return r != 0;
}
