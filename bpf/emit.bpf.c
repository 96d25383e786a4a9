// SPDX-License-Identifier: GPL-2.0
/*
 * emit: the maps that carry records to user space (emit.h has the code that writes them), and the
 * count of failed reads (read.h).
 */
#include "calling.h"
#include "regions.h"
#include "ring.h"
#include "rpc.h"
#include "serving.h"
#include "sweeping.h"

struct ring_chunks_map ring_chunks SEC(".maps");
struct ring_states_map ring_states SEC(".maps");
struct nowhere_map nowhere SEC(".maps");
struct sweeps_map sweeps SEC(".maps");
struct servings_map servings SEC(".maps");
struct callings_map callings SEC(".maps");
struct regions_map regions SEC(".maps");
struct rpcs_map rpcs SEC(".maps");

/*
 * Not inlined: a failed read is rare, and the verifier checks a global function once, not at each
 * of its calls.
 */
__noinline int count_unreadable(void)
{
	struct ring_state *s = ring_of_cpu();

	if (s)
		__sync_fetch_and_add(&s->unreadable, 1);
	return 0;
}
