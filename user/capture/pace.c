// SPDX-License-Identifier: Apache-2.0
/* pace: see pace.h. */
#include "capture/pace.h"

/* Longer than a round of the drain (20 ms) takes on a CPU that others use, too. */
#define LATE_NS 50000000ULL
/*
 * A recording begins with a high priority. Ten calm looks end that: a server that was recorded for
 * a second paid for half of it.
 */
#define FIRST_HOLD_NS 100000000ULL
#define HOLD_NS 500000000ULL
#define HOLD_MAX_NS 4000000000ULL
/* A thread that needed a high priority again so soon is held longer the next time. */
#define SOON_NS 1000000000ULL
enum {
	PACE_BUSY_NS = 1000 * 1000,	/* until the next round of a ring that is not calm */
	PACE_GOAL = PACE_WHOLE / 16,	/* fill that a round should find at most */
};

/* Returns the time for which a thread that needs a high priority now must be calm after that. */
static uint64_t pace_hold(const struct pace_level *l, uint64_t now)
{
	if (!l->hold)
		return FIRST_HOLD_NS;
	if (!l->low)
		return l->hold;
	if (now - l->lowered >= SOON_NS)
		return HOLD_NS;
	return 2 * l->hold < HOLD_MAX_NS ? 2 * l->hold : HOLD_MAX_NS;
}

static void pace_raise(struct pace_level *l, uint64_t now)
{
	l->hold = pace_hold(l, now);
	l->low = false;
	l->calm_since = 0;
}

static void pace_decide(struct pace_level *l, bool urgent, bool calm, uint64_t now)
{
	if (urgent || !l->hold)
		pace_raise(l, now);
	if (l->low)
		return;
	if (!calm)
		l->calm_since = 0;
	else if (!l->calm_since)
		l->calm_since = now;
	else if (now - l->calm_since >= l->hold) {
		l->low = true;
		l->lowered = now;
	}
}

void pace_step(struct pace *p, const struct pace_look *look)
{
	unsigned int grown = look->ring > p->ring_before ? look->ring - p->ring_before : 0;
	bool urgent = look->ring + grown >= PACE_URGENT || look->drain_late >= LATE_NS;
	bool calm = look->ring < PACE_CALM && look->rate < PACE_CALM &&
		    look->drain_late < LATE_NS / 2;
	bool queue_urgent = look->queue >= PACE_QUEUE_URGENT || look->caller_late >= LATE_NS;
	bool queue_calm = look->queue < PACE_CALM && look->caller_late < LATE_NS / 2;

	p->ring_before = look->ring;
	pace_decide(&p->drain, urgent, calm, look->now);
	pace_decide(&p->caller, urgent || queue_urgent, calm && queue_calm, look->now);
}

unsigned int pace_rate(unsigned int fill, uint64_t elapsed)
{
	uint64_t rate = elapsed ? fill * 10000000ULL / elapsed : 0;

	return rate < PACE_WHOLE ? (unsigned int)rate : PACE_WHOLE;
}

long pace_sleep(unsigned int fill, uint64_t elapsed, long idle)
{
	uint64_t until;

	if (fill > PACE_CALM)
		return PACE_BUSY_NS;
	if (fill <= 1)
		return idle;
	/* at this rate the next round finds the goal */
	until = elapsed / fill * PACE_GOAL;
	return until < PACE_BUSY_NS ? PACE_BUSY_NS : until > (uint64_t)idle ? idle : (long)until;
}
