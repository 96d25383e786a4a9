/* SPDX-License-Identifier: GPL-2.0 */
/*
 * state, for code inside the target: the memory that the code shares with gotap (include/inline.h),
 * in place of the maps and variables of BPF programs. The target can overwrite all of this memory
 * by mistake. The addresses of its parts are therefore in the code itself, and no content of the
 * memory leads to an address outside of them.
 */
#ifndef GOTAP_BPF_INLINE_STATE_H
#define GOTAP_BPF_INLINE_STATE_H

#include "inline.h"

/* stub.S reads its address from the control page, once per hit. */
register struct inline_shared *shared __asm__("r15");
/*
 * The ring of the CPU that the hit began on; NULL until is_target() has set it. The kernel may move
 * the thread to another CPU meanwhile, which does no harm.
 */
register struct ring_state *ring_of_hit __asm__("r12");

#define stacks (*(volatile __u32 *)&shared->stacks)
#define names_lost (shared->names_lost)
#define texts_missing (shared->texts_missing)

/*
 * Every record of inline code has its goid, since gotap does not know the goids of these records.
 */
static const __u64 names_from = ~0ULL, names_lost_before = 0;

/*
 * Tries of ring_take() (ring.h). The kernel may move a thread to another CPU at any time, so that
 * writers of one ring can run at the same time. A failed compare-and-swap then only means that
 * another writer was faster.
 */
enum { RESERVE_TRIES = 100 };

/* CPUs beyond the last state share the last state. */
static __always_inline struct ring_state *ring_state_at(__u32 i)
{
	__u32 n = LAYOUT(n_states);

	if (i >= n) {
		if (!n)
			return 0;
		i = n - 1;
	}
	return (void *)((__u64)shared + LAYOUT(states) + (__u64)i * sizeof(struct ring_state));
}

static __always_inline void *ring_chunk_at(__u32 i)
{
	if (i >= LAYOUT(n_chunks))
		return 0;
	return (void *)((__u64)shared + LAYOUT(chunks) + (__u64)i * RING_CHUNK);
}

#endif
