/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lister: the list of processes for /metrics and for watches.h. A scraper asks all the time: so
 * there is one `gotap ps` that goes on, and looks at each executable once. (That of /processes is a
 * child of its own for each request, lists.c.) Its thread starts the child when the first list is
 * asked for, and ends it after some minutes in which none was.
 */
#ifndef GOTAP_SERVE_LISTER_H
#define GOTAP_SERVE_LISTER_H

#include <stdbool.h>

#include "base/error.h"
#include "serve/listing.h"

struct lister;
struct server;

int lister_start(struct lister **ret, struct server *s, struct error *err);
/* Accepts NULL. After the stop of the server. */
void lister_stop(struct lister *l);

/*
 * Makes a list, or takes one that is a quarter of a second old at most, of the processes that @who
 * may ask about. Waits, from any thread. False: @why has the answer; else listing_free().
 */
bool lister_list(struct lister *l, const struct peer *who, struct listing *ret,
		 struct refusal *why);

#endif
