/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expiry: until when each connection may be open with what it does now. libmicrohttpd drops a client that does
 * nothing for some time, but not one that sends, or takes, a byte now and then. Any thread.
 */
#ifndef GOTAP_SERVE_EXPIRY_H
#define GOTAP_SERVE_EXPIRY_H

#include <pthread.h>
#include <stdint.h>

#include "serve/shares.h"

struct expiry_entry;

struct expiry {
	pthread_mutex_t lock;
	struct expiry_entry *first;
	unsigned int most;	/* of one user */
	struct shares shares;
};

void expiry_init(struct expiry *e, unsigned int most);
/* No connection is left. */
void expiry_free(struct expiry *e);
/*
 * A connection that has been opened, by @who: it may be open for @ns from now on. It is shut down at once if he has as
 * many as one user may have.
 */
struct expiry_entry *expiry_add(struct expiry *e, int fd, const struct peer *who, uint64_t ns);
void expiry_set(struct expiry *e, struct expiry_entry *x, uint64_t ns);
/* Before its descriptor is closed. */
void expiry_remove(struct expiry *e, struct expiry_entry *x);
/* Shuts down those whose time is over; the thread that each has finds that out, and ends what it does. */
void expiry_run(struct expiry *e);

#endif
