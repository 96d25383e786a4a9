// SPDX-License-Identifier: Apache-2.0
/* The generations of a flight recording: which stay in memory, by time and size, and which a snapshot gets. */
#include <stdio.h>
#include <stdlib.h>

#include "flight/history.h"
#include "unit.h"

enum { KB = 1000, SECOND = 1000000000 };

/* Adds generation @n, which begins at second @n and lasts half a second; it has @bytes bytes of value @n. */
static void add(struct history *s, unsigned int n, size_t bytes)
{
	char *data = malloc(bytes);
	struct error err;

	memset(data, (int)n, bytes);
	CHECK_EQ(history_add(s, &(struct tracefile_generation){
		.parts = { { data, bytes / 3 }, { data + bytes / 3, bytes - bytes / 3 } },
		.number = n, .from = (uint64_t)n * SECOND, .to = (uint64_t)n * SECOND + SECOND / 2 },
		&(struct history_losses){ .lost = n * 10 }, &err), 0);
	free(data);
}

static struct history *filled(uint64_t seconds, size_t size, unsigned int n)
{
	struct history *s = history_new(seconds * SECOND, size);
	unsigned int i;

	for (i = 1; i <= n; i++)
		add(s, i, KB);
	return s;
}

static struct history_usage usage(struct history *s)
{
	struct history_usage u;

	history_usage(s, &u);
	return u;
}

/* A snapshot of [from, to] (ms) has the generations @first to @last, with all of their bytes. */
static void check_range(struct history *s, uint64_t from, uint64_t to, unsigned int first, unsigned int last)
{
	struct history_range r;
	size_t i, j;

	history_take(s, from * 1000000, to * 1000000, &r);
	CHECK_EQ(r.n, last - first + 1);
	for (i = 0; i < r.n; i++) {
		CHECK_EQ(r.gens[i]->bytes, KB);
		for (j = 0; j < KB; j++)
			if (((const char *)r.gens[i]->data)[j] != (char)(first + i))
				break;
		CHECK_EQ(j, KB);
	}
	CHECK_EQ(r.before.lost, (first - 1) * 10);
	history_range_free(s, &r);
}

static void ranges(void)
{
	struct history *s = filled(100, 100 * KB, 9);

	check_range(s, 3000, 5000, 3, 5);
	check_range(s, 3400, 3400, 3, 3);
	check_range(s, 3700, 3900, 3, 4);	/* after the last event of 3: 4 shows that nothing happened */
	check_range(s, 0, 999999, 1, 9);
	check_range(s, 12000, 13000, 9, 9);
	check_range(s, 0, 1, 1, 1);
	history_free(s);
}

/* The history covers at least the requested time; without its oldest generation it would not. */
static void time_limit(void)
{
	struct history *s = filled(3, 100 * KB, 20);

	CHECK_EQ(usage(s).generations, 4);
	CHECK_EQ(usage(s).from / SECOND, 17);
	CHECK(usage(s).to - usage(s).from >= 3ULL * SECOND);
	history_free(s);
}

static void size_limit(void)
{
	struct history *s = filled(1000, 5 * KB, 20);

	CHECK_EQ(usage(s).generations, 5);
	CHECK_EQ(usage(s).bytes, 5 * KB);
	check_range(s, 0, 999999, 16, 20);
	add(s, 21, 50 * KB);	/* the newest generation stays, whatever its size */
	CHECK_EQ(usage(s).generations, 1);
	CHECK_EQ(usage(s).bytes, 50 * KB);
	history_free(s);
}

/* The generations of a snapshot stay until it is written, also those that the history has dropped since. */
static void taken_stays(void)
{
	struct history *s = filled(1000, 5 * KB, 5);
	struct history_range r;
	unsigned int i;

	history_take(s, 0, UINT64_MAX, &r);
	for (i = 6; i <= 10; i++)
		add(s, i, KB);
	CHECK_EQ(usage(s).bytes, 10 * KB);
	CHECK_EQ(*(const char *)r.gens[0]->data, 1);
	CHECK_EQ(*(const char *)r.gens[4]->data, 5);
	history_release(s, &r, 0);
	CHECK_EQ(usage(s).bytes, 9 * KB);
	history_range_free(s, &r);
	CHECK_EQ(usage(s).bytes, 5 * KB);
	check_range(s, 0, 999999, 6, 10);
	history_free(s);
}

/*
 * No snapshot can be written, as when the disk takes no data: memory is at most twice the history's size, and
 * a generation for each snapshot.
 */
static void stuck_snapshots(void)
{
	struct history *s = filled(1000, 5 * KB, 5);
	struct history_range r[8];
	unsigned int i, most = 0;

	for (i = 0; i < 40; i++) {
		if (i % 5 == 0)
			history_take(s, 0, UINT64_MAX, &r[i / 5]);
		add(s, 6 + i, KB);
		if (usage(s).bytes > most)
			most = (unsigned int)usage(s).bytes;
	}
	CHECK(most <= (10 + 8) * KB);
	for (i = 0; i < 8; i++)
		history_range_free(s, &r[i]);
	CHECK(usage(s).bytes <= 5 * KB);
	for (i = 0; i < 5; i++)
		add(s, 46 + i, KB);
	check_range(s, 0, 999999, 46, 50);
	history_free(s);
}

/* Two snapshots share generations: these stay until both have been written. */
static void two_at_once(void)
{
	struct history *s = filled(1, 2 * KB, 3);
	struct history_range a, b;

	history_take(s, 0, UINT64_MAX, &a);
	history_take(s, 0, UINT64_MAX, &b);
	CHECK_EQ(a.n, 2);
	CHECK(a.gens[0] == b.gens[0]);
	add(s, 4, KB);
	add(s, 5, KB);
	history_range_free(s, &a);
	CHECK_EQ(*(const char *)b.gens[0]->data, 2);
	CHECK_EQ(usage(s).generations, 4);
	history_range_free(s, &b);
	CHECK_EQ(usage(s).generations, 2);
	history_free(s);
}

static void empty_one(void)
{
	struct history *s = history_new(SECOND, KB);
	struct history_range r;

	history_take(s, 0, UINT64_MAX, &r);
	CHECK_EQ(r.n, 0);
	history_range_free(s, &r);
	CHECK_EQ(usage(s).generations, 0);
	history_free(s);
	history_free(NULL);
}

/*
 * A generation for which there was no memory: the history begins after it, as a trace with a generation missing cannot
 * be read.
 */
static void a_hole(void)
{
	struct history *s = filled(100, 100 * KB, 3);
	struct error err;

	CHECK(history_add(s, &(struct tracefile_generation){
		.parts = { { NULL, 0 }, { "", (size_t)1 << 60 } }, .number = 4, .from = 4ULL * SECOND, .to = 4ULL * SECOND },
		NULL, &err) < 0);
	CHECK(strstr(err.text, "no memory") != NULL);
	check_range(s, 0, 999999, 1, 3);
	add(s, 5, KB);
	add(s, 6, KB);
	CHECK_EQ(usage(s).generations, 2);
	CHECK_EQ(usage(s).from / SECOND, 5);
	history_free(s);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(ranges), UNIT(time_limit), UNIT(size_limit), UNIT(taken_stays),
					       UNIT(stuck_snapshots), UNIT(two_at_once), UNIT(empty_one), UNIT(a_hole), {0} });
}
