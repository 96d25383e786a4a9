/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: a snapshot that is wanted. flight.c makes requests and waits until they are whole;
 * snapshot.c and describe.c write them.
 */
#ifndef GOTAP_FLIGHT_REQUEST_H
#define GOTAP_FLIGHT_REQUEST_H

#include "flight/flight.h"

struct request {
	struct request *next;
	uint64_t id;
	struct flight_fact fact;
	uint64_t wall;		/* CLOCK_REALTIME of the fact, ns */
	uint64_t from, to;	/* the wanted time, ns */
	uint64_t refused;	/* facts without a request since the request before */
	bool noted;		/* the trace has its note */
	bool unknown;		/* its fact is in a gap: gotap recorded nothing then */
	bool cut;		/* the recording ended before @to */
	struct history_range range;
};

struct request_queue {
	struct request *first, *last;
	unsigned int n;
};

/* Adds @r at the end. */
void request_put(struct request_queue *q, struct request *r);
/* Takes the first request, NULL if there is none. */
struct request *request_take(struct request_queue *q);

#endif
