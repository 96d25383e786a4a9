/* SPDX-License-Identifier: Apache-2.0 */
/*
 * losses: records that found no room in the rings. Each CPU counts its own and notes
 * the times of the first and the last (bpf/ring.h). The drain thread makes a REC_LOST of
 * that, at its place in the stream.
 */
#ifndef GOTAP_CAPTURE_LOSSES_H
#define GOTAP_CAPTURE_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "rings/inline_rings.h"
#include "rings/ring_set.h"

struct losses {
	const struct ring_set *rings;
	const struct inline_rings *in_target;	/* count of lost records of rings in the target */
	uint64_t last;		/* ns; when losses were reported last */
	uint64_t *reported;	/* by ring: how many of its lost records have a REC_LOST */
};

void losses_init(struct losses *l, const struct ring_set *rings,
		 const struct inline_rings *in_target);
/*
 * Appends a REC_LOST for each CPU that lost records since the last call. The caller has emptied the
 * rings since then. After a long loss the states are not known: if they can be read anew (@reread),
 * a REC_GAP follows.
 */
void losses_report(struct losses *l, uint64_t now, bool reread, struct buf *out);
void losses_free(struct losses *l);

#endif
