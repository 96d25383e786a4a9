/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expiry: the connections of the front: how many there are, and a deadline for each, for each step
 * of its request. libmicrohttpd drops a client that does nothing for some time, but not one that
 * sends, or takes, a byte now and then. All functions may be called from any thread.
 */
#ifndef GOTAP_SERVE_EXPIRY_H
#define GOTAP_SERVE_EXPIRY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "serve/shares.h"

struct expiry_entry;

struct expiry_limits {
	unsigned int places;		/* connections, also those that are being closed */
	unsigned int of_one;		/* of one client */
	unsigned int silent;		/* that have made no allowed request */
	/*
	 * One more of a client that has @of_one closes the one of that client that has been silent
	 * for the longest time: several users may have one address. False: it is closed itself.
	 */
	bool replace;
};

struct expiry {
	pthread_mutex_t lock;
	struct expiry_limits limits;
	struct expiry_entry *first;
	/* connections that have a place; of those: silent ones, and ones that were ended */
	unsigned int taken, silent, ended;
	int room;			/* an eventfd: a place was given back */
	struct shares shares;
};

/*
 * One more silent connection than @limits allows closes the one that has been silent for the
 * longest time: connections that ask for nothing, or have no token, do not keep other clients out.
 * One with bytes that its thread has not read yet is not closed for another: they may be a request.
 * -errno: there is no descriptor for the eventfd.
 */
int expiry_init(struct expiry *e, const struct expiry_limits *limits);
/* To be called when no connection is left. */
void expiry_free(struct expiry *e);

/*
 * Is there a place for one more? A connection that was closed has its place until its thread has
 * ended. False: @room gets an event when there is.
 */
bool expiry_has_place(struct expiry *e);
/* Takes a place, for a client that was accepted; one thread does so. */
void expiry_take_place(struct expiry *e);
/* For a place that got no entry. */
void expiry_give_place(struct expiry *e);
/* A client waits for a place: if none is about to be given back, closes a silent connection. */
void expiry_ease(struct expiry *e);

/* Adds a connection of @who that has a place; its deadline is @ns from now. */
struct expiry_entry *expiry_add(struct expiry *e, int fd, uint64_t who, uint64_t ns);
/* Sets the deadline of @x to @ns from now. */
void expiry_set(struct expiry *e, struct expiry_entry *x, uint64_t ns);
/* Its client makes a request, or (false) the request was refused or is over. */
void expiry_asks(struct expiry *e, struct expiry_entry *x, bool asks);
/* Before its descriptor is closed. Gives its place back. */
void expiry_remove(struct expiry *e, struct expiry_entry *x);
/*
 * Shuts down connections behind their deadlines. The thread of each one notices, and ends its
 * request.
 */
void expiry_run(struct expiry *e);

#endif
