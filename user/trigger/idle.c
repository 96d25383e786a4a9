// SPDX-License-Identifier: Apache-2.0
/* idle: see idle.h. */
#include "trigger/idle.h"

#include <stdlib.h>
#include <string.h>

enum {
	IDLE_PLACES = 1 << 16,	/* places with counts; one more drops all */
	IDLE_ENOUGH = 10,	/* with fewer waits at a place up to T, its waits count as idle */
	IDLE_LONG = 20,		/* one in so many waits at a place may be longer than T */
};

struct idle {
	/* key of a stack -> waits up to T, and longer ones in the upper 32 bits */
	struct map64 places;
	/* goid -> a bit for each place at which it has waited, by the hash of the stack's key */
	struct map64 visits;
};

enum idle_reason { IDLE_BY_HISTORY, IDLE_NEVER, IDLE_ALWAYS };

static const struct {
	const char *reason;
	enum idle_reason is;
} idle_reasons[] = {
	{ "sleep", IDLE_ALWAYS },
	{ "network", IDLE_ALWAYS },
	{ "forever", IDLE_ALWAYS },
	{ "chan receive", IDLE_BY_HISTORY },
	{ "select", IDLE_BY_HISTORY },
	{ "sync.(*Cond).Wait", IDLE_BY_HISTORY },
	{ "", IDLE_BY_HISTORY },
};

void idle_begin(struct rule *r)
{
	if (r->is->kind == TRIGGER_BLOCKED && !r->is->reason && !r->is->func)
		r->more = xcalloc(1, sizeof(struct idle));
}

static enum idle_reason idle_reason_of(struct rule *r, const struct tap_go *g)
{
	size_t i;

	for (i = 0; i < sizeof(idle_reasons) / sizeof(*idle_reasons); i++)
		if (!strcmp(g->reason, idle_reasons[i].reason))
			return idle_reasons[i].is;
	return stack_has(r, g->stack, "sync.(\\*WaitGroup).Wait") ? IDLE_BY_HISTORY : IDLE_NEVER;
}

/* Do waits at this place nearly always end within T? */
static bool idle_is_short(const struct idle *idle, const struct tap_go *g)
{
	const uint64_t *counts = map64_get(&idle->places, g->stack);
	uint64_t within = counts ? *counts & UINT32_MAX : 0, longer = counts ? *counts >> 32 : 0;

	return within >= IDLE_ENOUGH && longer * IDLE_LONG <= within;
}

bool idle_is(struct rule *r, const struct tap_go *g)
{
	const struct idle *idle = r->more;
	const uint64_t *visits;
	enum idle_reason is;

	if (!idle)
		return false;
	is = idle_reason_of(r, g);
	if (is != IDLE_BY_HISTORY)
		return is == IDLE_ALWAYS;
	visits = map64_get(&idle->visits, g->id);
	return g->before || (visits && *visits & place_bit(g)) || !idle_is_short(idle, g);
}

void idle_learn(struct rule *r, const struct tap_go *g, uint64_t time)
{
	struct idle *idle = r->more;
	bool is_long = time > g->since + r->is->limit;
	uint64_t *counts;

	if (!idle || g->before)
		return;
	if (idle->places.len > IDLE_PLACES)
		map64_clear(&idle->places);
	counts = map64_put(&idle->places, g->stack, NULL);
	if (is_long ? *counts >> 32 < UINT32_MAX : (*counts & UINT32_MAX) < UINT32_MAX)
		*counts += is_long ? 1ULL << 32 : 1;
	*map64_put(&idle->visits, g->id, NULL) |= place_bit(g);
}

void idle_gone(struct rule *r, const struct tap_go *g)
{
	struct idle *idle = r->more;

	if (idle)
		map64_del(&idle->visits, g->id);
}

void idle_end(struct rule *r)
{
	struct idle *idle = r->more;

	if (!idle)
		return;
	map64_free(&idle->places);
	map64_free(&idle->visits);
	free(idle);
}
