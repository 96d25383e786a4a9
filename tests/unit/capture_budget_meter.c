// SPDX-License-Identifier: Apache-2.0
/*
 * budget_meter: the records by their kinds, as the rings have counted them, and the lengths of
 * stacks, of which the meter looks up one in eight.
 */
#include "unit.h"

#include "capture/budget_meter.h"
#include "rings/inline_rings.h"

enum { FRAMES = 11 };

static struct budget_meter meter;
static struct ring_set set;
static struct chunk chunk;

static void begin(void)
{
	set = (struct ring_set){0};
	budget_meter_init(&meter);
}

static void end(void)
{
	budget_meter_free(&meter);
	chunk_free(&chunk);
}

/* A segment of @n records, which the ring counts. */
static void put(uint32_t cpu, struct ring_tally *taken, uint8_t kind, uint64_t stack, int n)
{
	struct rec_long l = { .r = { .kind = kind }, .stack = stack };
	size_t at = chunk_segment_begin(&chunk, cpu);

	taken->of_kind[kind] += (uint64_t)n;
	for (; n; n--)
		buf_add(&chunk.data, &l, rec_head_size(kind));
	chunk_segment_end(&chunk, at);
}

static void put_stack(uint32_t cpu, struct ring_tally *taken, uint64_t key)
{
	struct { struct rec_stack s; uint64_t pcs[FRAMES]; } r = {
		.s = { .r = { .kind = REC_STACK, .id = key }, .n = FRAMES, .room = FRAMES } };
	size_t at = chunk_segment_begin(&chunk, cpu);

	taken->of_kind[REC_STACK]++;
	buf_add(&chunk.data, &r, sizeof(r));
	chunk_segment_end(&chunk, at);
}

static struct budget_load count(void)
{
	budget_meter_count(&meter, &set, &chunk, chunk.data.len);
	chunk_reset(&chunk);
	return budget_meter_read(&meter, &set);
}

static void records_count_by_their_kinds(void)
{
	struct budget_load l;

	begin();
	put(0, &set.probes, REC_GO_START, 0, 30);
	put(1, &set.probes, REC_GO_PARK, 7, 20);
	put(1, &set.probes, REC_HEAP_ALLOC, 0, 5);
	put(1, &set.probes, REC_CPU_SAMPLE, 7, 3);
	put(INLINE_SEGMENTS, &set.in_target, REC_SYS_ENTER, 7, 4);
	put_stack(0, &set.probes, 8);
	l = count();
	CHECK_EQ(l.probes.records, 58);
	CHECK_EQ(l.probes.extras, 5);
	CHECK_EQ(l.probes.stacks, 20);
	CHECK_EQ(l.in_target.records, 4);
	CHECK_EQ(l.in_target.stacks, 4);
	put(INLINE_SEGMENTS + 1, &set.in_target, REC_SYS_ENTER, 7, 4);
	l = count();
	CHECK_EQ(l.probes.records, 58);
	CHECK_EQ(l.in_target.records, 8);
	end();
}

/* About an eighth of them, whether their lengths came before or in the same chunk. */
static void one_in_eight_stacks_is_looked_up(void)
{
	enum { N = 8000 };
	struct budget_load l;
	int i;

	begin();
	put_stack(0, &set.probes, 7);
	put(0, &set.probes, REC_GO_PARK, 7, N);
	put_stack(INLINE_SEGMENTS, &set.in_target, 9);
	for (i = 0; i < 2; i++) {
		l = count();
		CHECK(l.probes.walked >= (unsigned int)(i + 1) * N / 8);
		CHECK(l.probes.walked <= (unsigned int)(i + 1) * (N / 8 + 1));
		CHECK_EQ(l.probes.frames, FRAMES * l.probes.walked);
		CHECK_EQ(l.in_target.walked, 0);
		put(0, &set.probes, REC_GO_PARK, 7, N);
		put(1, &set.probes, REC_GO_START, 0, N);
	}
	chunk_reset(&chunk);
	put(INLINE_SEGMENTS + 1, &set.in_target, REC_GO_PARK, 9, N);
	l = count();
	CHECK_EQ(l.in_target.frames, FRAMES * l.in_target.walked);
	CHECK(l.in_target.walked >= N / 8);
	end();
}

/* A length that no record had is not known: the stack counts, its frames do not. */
static void a_stack_of_an_unknown_length(void)
{
	struct budget_load l;

	begin();
	put(0, &set.probes, REC_GO_PARK, 7, 10);
	l = count();
	CHECK_EQ(l.probes.stacks, 10);
	CHECK_EQ(l.probes.walked, 0);
	end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(records_count_by_their_kinds),
		UNIT(one_in_eight_stacks_is_looked_up),
		UNIT(a_stack_of_an_unknown_length),
		{0},
	});
}
