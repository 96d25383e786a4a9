/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers: the hosts whose flight recordings write a snapshot, too, when this one does: one slow host
 * gets the last seconds of those that its requests touched. Each peer is a `gotap serve`, and is
 * asked in a thread of its own (POST /debug/flight/snap), so that a dead one delays neither the
 * recording nor the others. What stops a cascade: an id that a recording has seen gets no second
 * snapshot and is not passed on, a number of hops, and the cooldown of each recording.
 */
#ifndef GOTAP_FLIGHT_PEERS_H
#define GOTAP_FLIGHT_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "flight/fact.h"

enum { PEERS_MOST = 64, PEERS_SECONDS = 5 };

struct peers;

/*
 * @list: URLs with commas between them. @token: a file with the token for all of them, or NULL.
 * @say prints a line, as flight_opts.say. Returns 0 or a negative errno.
 */
int peers_new(struct peers **ret, const char *list, const char *token,
	      void (*say)(void *ctx, const char *text), void *ctx, struct error *err);
/* Are these a list and a token that peers_new() takes? Returns 0 or a negative errno. */
int peers_check(const char *list, const char *token, struct error *err);
/*
 * Asks all peers about a fact with an id, if its hops allow that. From any thread; does not wait.
 */
void peers_ask(struct peers *p, const struct flight_fact *fact);

struct peers_counts {
	uint64_t asked, taken;		/* requests; snapshots that recordings of peers then made */
	uint64_t failed;		/* requests without an answer, or refused */
};
void peers_counts(struct peers *p, struct peers_counts *ret);
/* Waits for the answers, PEERS_SECONDS at most. False: some are still missing. */
bool peers_wait(struct peers *p);
/* The same, and frees @p, which may be NULL. */
void peers_close(struct peers *p);

#endif
