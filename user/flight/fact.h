/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fact: the reason for a snapshot of a flight recording. Triggers (user/trigger, the signal, the
 * socket, `gotap top`) make facts and pass them to flight_trigger(); flight.c writes a snapshot for
 * each, and the JSON beside the snapshot has the fact.
 */
#ifndef GOTAP_FLIGHT_FACT_H
#define GOTAP_FLIGHT_FACT_H

#include <stdbool.h>
#include <stdint.h>

struct flight;

struct flight_fact {
	const char *trigger;	/* as --on names it: "blocked>100ms"; lives as long as the flight */
	uint64_t time;		/* now_ns() of the fact; 0: now */
	/* what became true began and, as far as it is known, ended then (now_ns()); 0: not known */
	uint64_t since, until;
	uint64_t g, m;		/* goroutine and thread, 0: none */
	/* a user asked for it (signal, socket, key): the cooldown does not hold it back */
	bool asked;
	char what[256];		/* text: "goroutine 18 waits for 120 ms: chan receive" */
	/* a line per frame, "FUNCTION FILE:LINE", the leaf first; "": none */
	char stack[4096];
};

/*
 * Requests a snapshot of [time - before, time + after]. May be called from any thread; copies
 * @fact, and waits for no disk and no other thread's work. Returns the number of the request, which
 * flight_opts.done() gets later. 0: the request is refused, because the cooldown is not over, too
 * many requests wait, or the recording is over. The next snapshot's JSON has the count of refused
 * requests.
 */
uint64_t flight_trigger(struct flight *f, const struct flight_fact *fact);

#endif
