/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut: a recording that is true only up to some instant. In: a chunk. Out: the
 * same without the records of later.
 */
#ifndef GOTAP_CAPTURE_CUT_H
#define GOTAP_CAPTURE_CUT_H

#include <stdint.h>

#include "stream/chunk.h"

/* Takes the records that are younger than @until (CLOCK_MONOTONIC, ns) out of @c. */
void chunk_cut(struct chunk *c, uint64_t until);

#endif
