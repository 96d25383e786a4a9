// SPDX-License-Identifier: Apache-2.0
/* reread: see reread.h. */
#include "capture/reread.h"

/*
 * The time between two readings while losses go on. The states read then are not exact, since
 * records of changes are still lost, but more exact than those of the model.
 */
#define PATIENCE_NS 1000000000ULL
/*
 * The longest time without states, however much CPU time the last reading took (a second for a
 * million goroutines).
 */
#define LONGEST_NS 5000000000ULL

enum { SHARE = 10 };	/* reading states takes at most 1/10 of a CPU */

void reread_init(struct reread *r, uint64_t now)
{
	*r = (struct reread){ .ended = now };
}

static uint64_t rest_of(const struct reread *r)
{
	uint64_t rest = SHARE * r->cost;

	return rest < LONGEST_NS ? rest : LONGEST_NS;
}

bool reread_is_due(struct reread *r, uint64_t lost, uint64_t now)
{
	bool quiet = lost == r->lost;

	r->lost = lost;
	return lost != r->lost_read && now - r->ended >= (quiet ? 0 : PATIENCE_NS) &&
	       now - r->ended >= rest_of(r);
}

void reread_done(struct reread *r, uint64_t lost)
{
	r->lost_read = lost;
}

void reread_ended(struct reread *r, uint64_t now, uint64_t cost)
{
	r->ended = now;
	r->cost = cost;
}
