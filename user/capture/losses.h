/* SPDX-License-Identifier: Apache-2.0 */
/*
 * losses: what found no room in the rings. Each CPU counts its own and notes
 * the times of the first and the last (bpf/ring.h); from that come the records
 * that say in the stream, where it happened, what is missing there.
 */
#ifndef GOTAP_CAPTURE_LOSSES_H
#define GOTAP_CAPTURE_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "capture/bpf.h"

struct losses {
	struct bpf_side *bpf;
	uint64_t *told;		/* by ring */
};

void losses_init(struct losses *l, struct bpf_side *bpf);
/*
 * Appends a REC_LOST for each CPU that lost records since the last call; the
 * rings have been emptied since then. After a long loss what went on is not
 * known: then, if the states can be read anew (@reread), a REC_GAP too.
 */
void losses_tell(struct losses *l, uint64_t now, bool reread, struct buf *out);
/* All that was lost until now, told or not. */
uint64_t losses_total(const struct losses *l);
void losses_free(struct losses *l);

#endif
