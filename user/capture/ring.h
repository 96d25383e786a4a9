/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring: the consuming side of one BPF ring buffer, read in place. libbpf's
 * own consumer does not tell whether it stopped at a record that is reserved
 * and not yet submitted, which the watermark needs (see drain.h).
 */
#ifndef GOTAP_CAPTURE_RING_H
#define GOTAP_CAPTURE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

struct ring {
	int fd;
	uint32_t cpu;
	size_t size;			/* data bytes, power of two */
	unsigned long *consumer;
	const unsigned long *producer;
	const uint8_t *data;		/* mapped twice in a row */
};

/* Makes a ring of @size bytes (a power of two, at least a page) and maps it. */
int ring_open(struct ring *r, uint32_t cpu, size_t size, struct error *err);
/* Accepts a zeroed or half-built ring. */
void ring_close(struct ring *r);

/*
 * Appends the records that are there to @out. Returns true when it read up to
 * the producer position, false when a busy record stopped it.
 */
bool ring_drain(struct ring *r, struct buf *out);

/* Bytes waiting. */
size_t ring_fill(const struct ring *r);

#endif
