/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expiry: a deadline for each connection, for each step of its request. libmicrohttpd drops a
 * client that does nothing for some time, but not one that sends, or takes, a byte now and then.
 * All functions may be called from any thread.
 */
#ifndef GOTAP_SERVE_EXPIRY_H
#define GOTAP_SERVE_EXPIRY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "serve/shares.h"

struct expiry_entry;

struct expiry {
	pthread_mutex_t lock;
	struct expiry_entry *first;
	unsigned int most;	/* connections of one user */
	unsigned int silent_most, silent;	/* connections that have made no allowed request */
	struct shares shares;
};

/*
 * One user has at most @most connections, and at most @silent_most connections have not made an
 * allowed request. One more of the latter closes the one that has been silent for the longest time:
 * connections that ask for nothing, or have no token, do not keep other clients out.
 */
void expiry_init(struct expiry *e, unsigned int most, unsigned int silent_most);
/* To be called when no connection is left. */
void expiry_free(struct expiry *e);
/*
 * Adds a connection of @who that has been opened; its deadline is @ns from now. It is shut down at
 * once if @who has as many as one user may have.
 */
struct expiry_entry *expiry_add(struct expiry *e, int fd, const struct peer *who, uint64_t ns);
/* Sets the deadline of @x to @ns from now. */
void expiry_set(struct expiry *e, struct expiry_entry *x, uint64_t ns);
/* Its client has made a request that is allowed, or (false) the request is over. */
void expiry_asks(struct expiry *e, struct expiry_entry *x, bool asks);
/* Before its descriptor is closed. */
void expiry_remove(struct expiry *e, struct expiry_entry *x);
/*
 * Shuts down connections behind their deadlines. The thread of each one notices, and ends its
 * request.
 */
void expiry_run(struct expiry *e);

#endif
