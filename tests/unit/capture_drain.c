// SPDX-License-Identifier: Apache-2.0
/*
 * drain: a round for which the queue has no room takes nothing, and finds how full the rings are, so
 * that the next one comes in time.
 */
#include "capture/drain.h"
#include "capture/pace.h"
#include "unit.h"

enum { SIZE = 16 << 20, IDLE = 20 * 1000 * 1000, LOOK = 1000 * 1000 };

static struct chunk_queue queue;
static struct ring_state state;
static struct ring_set rings;
/* The end is decided (cut, too): nobody looks at the program, which does not exist. */
static struct watch watch = { .end = CAPTURE_EXITED };
static struct drain drain = { .rings = &rings, .queue = &queue, .watch = &watch, .rare = true };

static void set_fill(uint64_t bytes)
{
	state.position = bytes / RING_UNIT << 32;
}

static long round_then_sleep(void)
{
	drain_round(&drain);
	return pace_sleep(drain.fill, IDLE, IDLE);
}

static void begin(void)
{
	struct chunk *c;

	chunk_queue_init(&queue);
	while ((c = chunk_queue_room(&queue)))
		chunk_queue_put(&queue, c, false);
	*(struct ring *)vec_push(&rings.rings, sizeof(struct ring)) =
		(struct ring){ .size = SIZE, .state = &state, .foreign = true };
}

static void a_full_queue_leaves_the_fill_known(void)
{
	begin();
	set_fill(SIZE / 2);
	CHECK_EQ(round_then_sleep(), LOOK);
	CHECK_EQ(drain.fill, PACE_WHOLE / 2);
	CHECK_EQ(ring_fill(vec_at(&rings.rings, struct ring, 0)), SIZE / 2);
	set_fill(0);
	CHECK_EQ(round_then_sleep(), IDLE);
	vec_free(&rings.rings);
	chunk_queue_free(&queue);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(a_full_queue_leaves_the_fill_known), {0} });
}
