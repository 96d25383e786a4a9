// SPDX-License-Identifier: GPL-2.0
/* emit: the maps through which records leave, emit.h has the code; and the count of read.h. */
#include "ring.h"

struct ring_chunks_map ring_chunks SEC(".maps");
struct ring_states_map ring_states SEC(".maps");
struct nowhere_map nowhere SEC(".maps");

/* Global, so that the verifier checks it once, and out of the way of what mostly happens. */
__noinline int count_unreadable(void)
{
	struct ring_state *s = ring_of_cpu();

	if (s)
		__sync_fetch_and_add(&s->unreadable, 1);
	return 0;
}
