/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reread: when all states are to be read anew after losses. At the end of the losses, or a second after the last time where they go on;
 * less often where it costs much, but never so rarely that a trace is without states for long. Used by the thread
 * of gaps.c.
 */
#ifndef GOTAP_CAPTURE_REREAD_H
#define GOTAP_CAPTURE_REREAD_H

#include <stdbool.h>
#include <stdint.h>

struct reread {
	uint64_t lost;		/* records, at the last look */
	uint64_t lost_read;	/* when the states of the stream were read */
	uint64_t ended;		/* when states were read last, or the recording began, ns */
	uint64_t cost;		/* CPU time that this took, ns */
};

void reread_init(struct reread *r, uint64_t now);
/* A look, every some milliseconds: so many records are lost by now. Are states wrong, and is it time to read them? */
bool reread_is_due(struct reread *r, uint64_t lost, uint64_t now);
/* They are those of when so many records had been lost. Not called where they could not be read. */
void reread_done(struct reread *r, uint64_t lost);
/* An attempt to read them has ended, well or not. @cost: the CPU time that it took. */
void reread_ended(struct reread *r, uint64_t now, uint64_t cost);

#endif
