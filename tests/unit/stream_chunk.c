// SPDX-License-Identifier: Apache-2.0
/* chunk: its segments are read within its bytes, whatever their heads say. */
#include "unit.h"

#include "stream/chunk.h"

static struct chunk chunk;
static unsigned int seen;

static void count_record(void *ctx, uint32_t cpu, struct rec *r)
{
	seen++;
}

/* A segment of @n records; its head says @says bytes. */
static void begin(size_t n, uint32_t says)
{
	struct rec r = { .kind = REC_GO_START, .time = 5 };
	size_t at;

	seen = 0;
	chunk_reset(&chunk);
	at = chunk_segment_begin(&chunk, 1);
	for (; n; n--)
		buf_add(&chunk.data, &r, sizeof(r));
	((struct segment *)(chunk.data.data + at))[-1].len = says;
}

static void end(void)
{
	chunk_free(&chunk);
}

static void a_segment_ends_with_the_chunk(void)
{
	begin(3, UINT32_MAX - 7);
	chunk_each(&chunk, chunk.data.len - sizeof(struct rec), count_record, NULL);
	CHECK_EQ(seen, 2);	/* the third one is behind the end */
	end();
}

static void a_chunk_ends_in_the_head_of_a_segment(void)
{
	begin(2, 2 * sizeof(struct rec));
	chunk_segment_begin(&chunk, 2);
	chunk.data.len -= 4;
	chunk_each(&chunk, chunk.data.len, count_record, NULL);
	CHECK_EQ(seen, 2);
	chunk_drop_after(&chunk, 10);
	CHECK_EQ(chunk.data.len, sizeof(struct segment) + 2 * sizeof(struct rec));
	end();
}

static void records_are_dropped_within_the_chunk_only(void)
{
	begin(3, UINT32_MAX - 7);
	chunk.data.len -= sizeof(struct rec);
	chunk_drop_after(&chunk, 10);
	CHECK_EQ(chunk.data.len, sizeof(struct segment) + 2 * sizeof(struct rec));
	chunk_drop_after(&chunk, 4);
	CHECK_EQ(chunk.data.len, 0);
	end();
}

/* Of a long segment the first part, of short ones all. */
static void a_part_of_each_segment(void)
{
	enum { N = 8 * CHUNK_PART / sizeof(struct rec) };

	begin(2 * N, 2 * N * sizeof(struct rec));
	chunk_each_of(&chunk, chunk.data.len, 8, count_record, NULL);
	CHECK_EQ(seen, N / 4);
	seen = 0;
	chunk_each_of(&chunk, chunk.data.len, 1, count_record, NULL);
	CHECK_EQ(seen, 2 * N);
	begin(N / 8, N / 8 * sizeof(struct rec));
	chunk_each_of(&chunk, chunk.data.len, 8, count_record, NULL);
	CHECK_EQ(seen, N / 8);
	end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_segment_ends_with_the_chunk),
		UNIT(a_chunk_ends_in_the_head_of_a_segment),
		UNIT(records_are_dropped_within_the_chunk_only),
		UNIT(a_part_of_each_segment),
		{ 0 },
	});
}
