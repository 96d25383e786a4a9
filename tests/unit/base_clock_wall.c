// SPDX-License-Identifier: Apache-2.0
/* clock: wall_at() is the time of day at an instant, also if the thread loses its CPU between the looks at two clocks. */
#include "unit.h"

#include <stdint.h>
#include <time.h>

#include "base/clock.h"

enum { LOOK = 50, CPU_LOST = 30000000 };
static const uint64_t SECOND = 1000000000, DAY = 1700000000ULL * 1000000000;

/* The time of both clocks, which each look moves on; the looks before which the CPU is lost are bits. */
static uint64_t now;
static uint64_t lost;
static int looks;

int clock_gettime(clockid_t id, struct timespec *ret)
{
	uint64_t t;

	now += lost >> looks++ & 1 ? CPU_LOST / (uint64_t)looks : LOOK;
	t = id == CLOCK_REALTIME ? DAY + now : now;
	*ret = (struct timespec){ (time_t)(t / SECOND), (long)(t % SECOND) };
	return 0;
}

/* How far wall_at() is from the time of day. */
static uint64_t off(uint64_t lost_before, uint64_t time)
{
	uint64_t wall;

	now = 10 * SECOND;
	looks = 0;
	lost = lost_before;
	wall = wall_at(time);
	return wall > DAY + time ? wall - DAY - time : DAY + time - wall;
}

static void is_exact(void)
{
	CHECK(off(0, 10 * SECOND) <= 2 * LOOK);
	CHECK_EQ(looks, 3);
	CHECK(off(0, 7 * SECOND) <= 2 * LOOK);
}

/* Before the second or the third look, and in the tries that follow. */
static void is_exact_where_the_cpu_is_lost(void)
{
	CHECK(off(2, 10 * SECOND) <= 2 * LOOK);
	CHECK(off(4, 10 * SECOND) <= 2 * LOOK);
	CHECK(off(2 | 4 | 16 | 32 | 128, 10 * SECOND) <= 2 * LOOK);
	CHECK_EQ(looks, 12);
}

/* Each look but the first takes long: the shortest pair is the last one. */
static void takes_the_best(void)
{
	CHECK(off(UINT64_MAX, 10 * SECOND) <= CPU_LOST / 23);
	CHECK_EQ(looks, 24);
}

int main(void)
{
	/* now_ns() reads the namespace once */
	now_ns();
	return unit_main((struct unit_case[]){
		UNIT(is_exact),
		UNIT(is_exact_where_the_cpu_is_lost),
		UNIT(takes_the_best),
		{0} });
}
