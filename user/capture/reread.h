/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reread: decides when to read the states of all goroutines anew after losses: at the end of the
 * losses, or, while they go on, a second after the last reading. Less often if reading takes much
 * CPU time, but at least every five seconds. The thread of gaps.c calls it.
 */
#ifndef GOTAP_CAPTURE_REREAD_H
#define GOTAP_CAPTURE_REREAD_H

#include <stdbool.h>
#include <stdint.h>

struct reread {
	uint64_t lost;		/* count of lost records at the last reread_is_due() */
	uint64_t lost_read;	/* that count when the states were read that the stream has */
	/* CLOCK_MONOTONIC of the end of the last reading, or of the begin of the recording, ns */
	uint64_t ended;
	uint64_t cost;		/* CPU time of the last reading, ns */
};

void reread_init(struct reread *r, uint64_t now);
/*
 * Called every few milliseconds. @lost: records lost since the start; @now: CLOCK_MONOTONIC, ns.
 * True: read the states now.
 */
bool reread_is_due(struct reread *r, uint64_t lost, uint64_t now);
/*
 * The states are read; @lost is the count of lost records from just before. Not called if reading
 * failed.
 */
void reread_done(struct reread *r, uint64_t lost);
/* A reading has ended, also one that failed. @cost: the CPU time that it took, ns. */
void reread_ended(struct reread *r, uint64_t now, uint64_t cost);

#endif
