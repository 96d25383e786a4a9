// SPDX-License-Identifier: Apache-2.0
/* tsc: counter values as CLOCK_MONOTONIC: near to what the clock says, and never backwards. */
#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "inline/tsc.h"

enum { READINGS = 4000, ROUNDS = 40 };

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* How far is the converted value from the middle of two readings of the clock around it, which are some 50 ns apart? */
static uint64_t error_now(const struct tsc_clock *c)
{
	uint64_t before = now_ns(), ns = tsc_to_ns(c, tsc_now()), middle = before + (now_ns() - before) / 2;

	return ns < middle ? middle - ns : ns - middle;
}

/* Limits are generous: a virtual machine may be stopped within a reading, of which the median knows nothing. */
static void it_is_near_to_the_clock(void)
{
	static uint64_t errors[READINGS];
	struct tsc_clock c = {0};
	size_t i, n = 0;

	if (!tsc_usable()) {
		printf("# the counter is not this machine's clock: nothing to convert\n");
		return;
	}
	while (n < READINGS) {
		tsc_sample(&c);
		for (i = 0; i < READINGS / ROUNDS; i++)
			errors[n++] = error_now(&c);
		sleep_ns(10000000);
	}
	qsort(errors, n, sizeof(*errors), by_value);
	printf("# ns off the clock: median %" PRIu64 ", p99 %" PRIu64 ", max %" PRIu64 "\n", errors[n / 2],
	       errors[n / 100 * 99], errors[n - 1]);
	CHECK(errors[n / 2] < 1000);
	CHECK(c.n > 1);
}

/* A value that was converted before a sample has the same time after it, and a later value no earlier one. */
static void the_past_stays(void)
{
	uint64_t tsc[ROUNDS], ns[ROUNDS], last = 0;
	struct tsc_clock c = {0};
	int i, k;

	for (i = 0; i < ROUNDS; i++) {
		tsc_sample(&c);
		tsc[i] = tsc_now();
		ns[i] = tsc_to_ns(&c, tsc[i]);
		CHECK(ns[i] >= last);
		last = ns[i];
		for (k = 0; k < i; k++)
			CHECK_EQ(tsc_to_ns(&c, tsc[k]), ns[k]);
		sleep_ns(3000000);
	}
}

/* Lines by hand: 2 ticks a ns up to 1000, then 4. */
static void pieces_join(void)
{
	struct tsc_clock c = { .pairs = { { 1000, 500, 500, 1ULL << 39 }, { 2000, 1000, 1000, 1ULL << 38 } },
			       .n = 2, .next = 2 };

	CHECK_EQ(tsc_to_ns(&c, 1000), 500);
	CHECK_EQ(tsc_to_ns(&c, 1500), 750);
	CHECK_EQ(tsc_to_ns(&c, 1999), 999);
	CHECK_EQ(tsc_to_ns(&c, 2000), 1000);
	CHECK_EQ(tsc_to_ns(&c, 2400), 1100);
	CHECK_EQ(tsc_to_ns(&c, 800), 400);
}

/* A part of the line has the same times as the line, for all values that it has. */
static void parts_are_of_the_line(void)
{
	/* the second pair's rate holds for 32 ms, which are 128 million ticks */
	static const uint64_t at[] = { 0, 1, 999, 1000, 1500, 1999, 2000, 2001, 2400, 128000000, 128001999,
				       128002000, 128002001, 200000000, UINT64_MAX };
	struct tsc_clock c = { .pairs = { { 1000, 500, 500, 1ULL << 39 },
					  { 2000, 1000, 1000, 1ULL << 38, 1ULL << 37 } },
			       .n = 2, .next = 2 };
	struct tsc_piece none = {0}, p;
	size_t i, k, n = sizeof(at) / sizeof(*at);

	for (i = 0; i < n; i++) {
		p = tsc_piece_of(&c, at[i]);
		CHECK(tsc_piece_has(&p, at[i]) == (at[i] >= 1000 && at[i] < 128002000));
		CHECK(!tsc_piece_has(&none, at[i]));
		for (k = 0; k < n; k++)
			if (tsc_piece_has(&p, at[k]))
				CHECK_EQ(tsc_piece_ns(&p, at[k]), tsc_to_ns(&c, at[k]));
	}
	c.pairs[1].later = 0;
	p = tsc_piece_of(&c, 200000000);
	CHECK(tsc_piece_has(&p, 200000000) && !tsc_piece_has(&p, 1999));
}

/* The line was 2 us behind, and comes back to the clock; then no sample follows for ten times as long as that takes. */
static void a_late_sample_finds_the_line_at_the_clock(void)
{
	struct tsc_clock c = {0};
	uint64_t least = UINT64_MAX, off;
	int i;

	if (!tsc_usable())
		return;
	tsc_sample(&c);
	for (i = 0; i < 10; i++) {
		sleep_ns(17000000);
		tsc_sample(&c);
	}
	c.pairs[c.next - 1].ns -= 2000;
	sleep_ns(17000000);
	tsc_sample(&c);
	sleep_ns(320000000);
	for (i = 0; i < 100; i++) {
		off = error_now(&c);
		least = off < least ? off : least;
	}
	printf("# %" PRIu64 " ns off the clock\n", least);
	CHECK(least < 4000);
}

/* A year of ticks of 5 GHz behind the last pair. */
static void nothing_overflows(void)
{
	uint64_t year = 365ULL * 86400 * 1000000000;
	struct tsc_clock c = { .pairs = { { 1ULL << 62, year, year, (1ULL << 40) / 5 } }, .n = 1, .next = 1 };
	uint64_t ns = tsc_to_ns(&c, (1ULL << 62) + 5 * year);

	CHECK(ns > 2 * year - 10000000 && ns <= 2 * year);
}

/* The clock as after a suspension of the machine: the line begins anew instead of running after it. */
static void a_step_begins_anew(void)
{
	struct tsc_clock c = {0};
	uint64_t now;

	tsc_sample(&c);
	c.pairs[0].ns -= 5000000000;
	c.pairs[0].read -= 5000000000;
	tsc_sample(&c);
	now = now_ns();
	CHECK_EQ(c.n, 1);
	CHECK(now - tsc_to_ns(&c, tsc_now()) < 1000000000 || tsc_to_ns(&c, tsc_now()) - now < 1000000000);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(it_is_near_to_the_clock), UNIT(the_past_stays), UNIT(pieces_join), UNIT(nothing_overflows),
		UNIT(parts_are_of_the_line),
		UNIT(a_late_sample_finds_the_line_at_the_clock),
		UNIT(a_step_begins_anew), {0} });
}
