// SPDX-License-Identifier: Apache-2.0
/* unreadable: see unreadable.h. */
#include "capture/unreadable.h"

#include "live/memory.h"
#include "record.h"

static void capture_report(struct ring *ring, uint64_t *reported, uint64_t now, struct buf *out)
{
	uint64_t n = __atomic_load_n(&ring->state->unreadable, __ATOMIC_RELAXED);
	struct rec_long l = {
		.r = { .time = now, .kind = REC_UNREADABLE, .id = ring->cpu },
		.arg = n - *reported,
	};

	if (!l.arg)
		return;
	*reported = n;
	buf_add(out, &l, sizeof(l));
}

void unreadable_report(struct unreadable *u, const struct ring_set *rings, const struct process *p,
		       uint64_t now, struct buf *out)
{
	uint64_t frame;
	size_t i;

	for (i = 0; i < rings->rings.len; i++) {
		struct ring *ring = vec_at(&rings->rings, struct ring, i);

		while (u->reported.len <= i)
			vec_push(&u->reported, sizeof(uint64_t));
		capture_report(ring, vec_at(&u->reported, uint64_t, i), now, out);
		if (!__atomic_load_n(&ring->state->unreadable_frame, __ATOMIC_RELAXED))
			continue;
		frame = __atomic_exchange_n(&ring->state->unreadable_frame, 0, __ATOMIC_RELAXED);
		memory_touch(p, frame);
	}
}

void unreadable_free(struct unreadable *u)
{
	vec_free(&u->reported);
}
