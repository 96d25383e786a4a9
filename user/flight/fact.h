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
struct json_out;

/* What is written beside a snapshot, apart from its JSON (naming.h has the ends of the names). */
struct flight_beside {
	int heap, heap_diff;	/* files with the content, from their begin on; -1: none */
	/* Adds to the JSON of the snapshot with the name @trace. From a thread that writes. */
	void (*put)(void *ctx, struct json_out *j, const char *trace);
	void *ctx;
};

/* FACT_ID: bytes of the id of an incident with its NUL; HOPS: how far it is passed on. */
enum { FACT_ID = 33, FACT_FROM = 65, FACT_HOPS = 3, FACT_HOPS_MOST = 8 };

struct flight_fact {
	const char *trigger;	/* as --on names it: "blocked>100ms"; lives as long as the flight */
	uint64_t time;		/* now_ns() of the fact; 0: now */
	/* what became true began and, as far as it is known, ended then (now_ns()); 0: not known */
	uint64_t since, until;
	uint64_t g, m;		/* goroutine and thread, 0: none */
	/* of a request: its task in the trace, and its number (gotap why --request); 0: of none */
	uint64_t task, request;
	/*
	 * a user asked for it (signal, socket, key), or there can be no other one (out of memory):
	 * the cooldown does not hold it back
	 */
	bool asked;
	/* NULL: nothing more than the JSON; else it must live until flight_finish() */
	const struct flight_beside *beside;
	/*
	 * The incident, by which recordings on several hosts know that it is the same one; "": it
	 * gets a new id. @from: the host that asked for the snapshot; "": none did.
	 */
	char id[FACT_ID], from[FACT_FROM];
	/* so many times it may be passed on to peers (peers.h); 0: not at all */
	unsigned int hops;
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

enum flight_refusal {
	FLIGHT_TAKEN,
	FLIGHT_SEEN,		/* there was a fact with this id before */
	FLIGHT_COOLS,		/* the cooldown of another fact is not over */
	FLIGHT_BUSY,		/* too many requests wait */
	FLIGHT_OVER,		/* the recording ends */
};

/* As flight_trigger(), and *@why says how it was taken. */
uint64_t flight_trigger_why(struct flight *f, const struct flight_fact *fact,
			    enum flight_refusal *why);

#endif
