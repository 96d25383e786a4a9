// SPDX-License-Identifier: Apache-2.0
/* tsc: see tsc.h. */
#include "inline/tsc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arch.h"
#include "base/clock.h"

enum {
	/* tries of one sample; a try takes 50 ns, so that one of them is not disturbed */
	TRIES = 12,
	BASE = 8,		/* pairs over which the rate is taken */
	FIRST_NS = 10000000,	/* between the first two readings */
	APART_NS = 16000000,	/* least distance of two pairs: 64 of them are a second */
	CATCH_UP_NS = 2 * APART_NS,	/* time in which the line returns to the clock */
	/* a difference of this size is a step (a suspended machine), and not drift */
	LOST_NS = 1000000,
};

/* --- may it be used? --- */

#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

static bool line_has(const char *path, const char *begin, const char *word)
{
	FILE *f = fopen(path, "re");
	char line[8192];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, begin, strlen(begin)) && strstr(line, word);
	if (f)
		fclose(f);
	return found;
}

/*
 * The kernel uses the counter as its clock only after it has compared all CPUs, and drops it when
 * they differ (Documentation/timers: the clocksource watchdog).
 */
bool tsc_usable(void)
{
	return line_has("/proc/cpuinfo", "flags", " constant_tsc") &&
	       line_has("/proc/cpuinfo", "flags", " nonstop_tsc") &&
	       line_has(CLOCK_SOURCE, "tsc\n", "tsc");
}

int tsc_check(struct error *err)
{
	if (tsc_usable())
		return 0;
	return error_set(err, -ENOTSUP,
			 "this machine's clock is not the processors' time stamp counter (see "
			 "%s)",
			 CLOCK_SOURCE);
}

/* --- pairs --- */

uint64_t tsc_now(void)
{
	return arch_ticks();
}

struct reading {
	uint64_t tsc, ns;
};

static struct reading read_both(void)
{
	struct reading best = {0};
	uint64_t before, ns, took, least = UINT64_MAX;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = tsc_now();
		ns = now_ns();
		took = tsc_now() - before;
		if (took < least) {
			least = took;
			best = (struct reading){ before + took / 2, ns };
		}
	}
	return best;
}

/* Returns a pair counted from the end: @i 0 is the last one. */
static const struct tsc_pair *pair_back(const struct tsc_clock *c, size_t i)
{
	return &c->pairs[(c->next + TSC_PAIRS - 1 - i) % TSC_PAIRS];
}

static void tsc_add(struct tsc_clock *c, struct tsc_pair pair)
{
	c->pairs[c->next] = pair;
	c->next = (c->next + 1) % TSC_PAIRS;
	if (c->n < TSC_PAIRS)
		c->n++;
}

static uint64_t rate_of(uint64_t ns, uint64_t ticks)
{
	return ticks ? (uint64_t)(((unsigned __int128)ns << TSC_SHIFT) / ticks) : 0;
}

static void tsc_begin(struct tsc_clock *c, struct reading now, uint64_t rate)
{
	c->n = 0;
	tsc_add(c, (struct tsc_pair){ now.tsc, now.ns, now.ns, rate, 0 });
}

static void begin_first(struct tsc_clock *c)
{
	struct reading a = read_both(), b;

	sleep_ns(FIRST_NS);
	b = read_both();
	tsc_begin(c, b, rate_of(b.ns - a.ns, b.tsc - a.tsc));
}

/*
 * Returns the next pair. Its rate is the rate of the last pairs, changed for CATCH_UP_NS so that
 * the line meets the clock again, and not changed after that time: the next sample is late when the
 * sampling thread gets no CPU. A reading that was 30 ns off would put the line 0.3 us off the clock
 * within 300 ms, as much as lies between two records of one goroutine.
 */
static struct tsc_pair tsc_next(const struct tsc_clock *c, struct reading now, uint64_t line)
{
	const struct tsc_pair *old = pair_back(c, c->n < BASE ? c->n - 1 : BASE - 1);
	uint64_t rate = rate_of(now.ns - old->read, now.tsc - old->tsc);
	int64_t off = (int64_t)(now.ns - line);

	return (struct tsc_pair){ now.tsc, line, now.ns, rate + (int64_t)rate * off / CATCH_UP_NS,
				  rate };
}

void tsc_sample(struct tsc_clock *c)
{
	const struct tsc_pair *last = pair_back(c, 0);
	struct reading now;
	uint64_t line;
	int64_t off;

	if (!c->n) {
		begin_first(c);
		return;
	}
	now = read_both();
	if (now.tsc <= last->tsc || now.ns < last->read + APART_NS)
		return;
	line = tsc_to_ns(c, now.tsc);
	off = (int64_t)(now.ns - line);
	if (off > LOST_NS || off < -LOST_NS)
		tsc_begin(c, now, last->rate);
	else
		tsc_add(c, tsc_next(c, now, line));
}

/* --- conversion --- */

static uint64_t tsc_scale(uint64_t ticks, uint64_t rate)
{
	return (uint64_t)(((unsigned __int128)ticks * rate) >> TSC_SHIFT);
}

/* Ticks after which the line has met the clock; with more the time is later than CATCH_UP_NS. */
static uint64_t ticks_to_catch_up(const struct tsc_pair *p)
{
	return (uint64_t)(((unsigned __int128)CATCH_UP_NS << TSC_SHIFT) / p->rate);
}

static uint64_t on_piece(const struct tsc_pair *p, uint64_t tsc)
{
	uint64_t ns;

	if (tsc < p->tsc)
		return p->ns - tsc_scale(p->tsc - tsc, p->rate);
	ns = tsc_scale(tsc - p->tsc, p->rate);
	if (!p->later || ns <= CATCH_UP_NS)
		return p->ns + ns;
	return p->ns + CATCH_UP_NS + tsc_scale(tsc - p->tsc - ticks_to_catch_up(p), p->later);
}

/* Returns how many pairs are later than the one from which the line leads to @tsc. */
static size_t pairs_after(const struct tsc_clock *c, uint64_t tsc)
{
	size_t i = 0;

	while (i + 1 < c->n && tsc < pair_back(c, i)->tsc)
		i++;
	return i;
}

uint64_t tsc_to_ns(const struct tsc_clock *c, uint64_t tsc)
{
	return on_piece(pair_back(c, pairs_after(c, tsc)), tsc);
}

/* An earlier value than the first one of a part is none of these, as the difference wraps. */
#define TICKS_MOST (1ULL << 62)

struct tsc_piece tsc_piece_of(const struct tsc_clock *c, uint64_t tsc)
{
	size_t i = pairs_after(c, tsc);
	const struct tsc_pair *p = pair_back(c, i);
	uint64_t ticks = i ? pair_back(c, i - 1)->tsc - p->tsc : TICKS_MOST;

	if (p->later && p->rate && ticks_to_catch_up(p) < ticks)
		ticks = ticks_to_catch_up(p);
	return (struct tsc_piece){ p->tsc, ticks, p->ns, p->rate };
}
