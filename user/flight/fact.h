/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fact: why a snapshot of a flight recording is wanted. Triggers (user/trigger, the signal, the
 * socket, `gotap top`) make facts and hand them to flight_trigger(); flight.c writes a snapshot for
 * each, and the JSON beside it says the fact.
 */
#ifndef GOTAP_FLIGHT_FACT_H
#define GOTAP_FLIGHT_FACT_H

#include <stdbool.h>
#include <stdint.h>

struct flight;

struct flight_fact {
	const char *trigger;	/* as --on names it: "blocked>100ms"; lives as long as the flight */
	uint64_t time;		/* now_ns() of the fact; 0: now */
	uint64_t g, m;		/* goroutine and thread, 0: none */
	/* a user asked for it (signal, socket, key): the cooldown does not hold it back */
	bool asked;
	char what[256];		/* text: "goroutine 18 waits for 120 ms: chan receive" */
	/* a line per frame, "FUNCTION FILE:LINE", the leaf first; "": none */
	char stack[4096];
};

/*
 * Asks for a snapshot of [time - before, time + after]. From any thread; copies @fact, waits for no
 * disk and no other thread's work. Returns the number of the request, which flight_opts.done() gets
 * later; or 0, if the request is refused: the cooldown is not over, too many requests wait, or the
 * recording is over. The next snapshot's JSON has the count of refused requests.
 */
uint64_t flight_trigger(struct flight *f, const struct flight_fact *fact);

#endif
