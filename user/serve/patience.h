/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patience: how long a request is waited for: until its client goes away, its time is over, or
 * `gotap serve` ends. All waits of the threads that answer requests go through patience_wait().
 */
#ifndef GOTAP_SERVE_PATIENCE_H
#define GOTAP_SERVE_PATIENCE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* The ways in which a wait ends. */
enum patience_end {
	PATIENCE_READY,		/* one of the descriptors has events */
	PATIENCE_TIME,		/* @ms of patience_wait() are over */
	PATIENCE_LATE,		/* the deadline of the request has passed */
	PATIENCE_CLIENT,	/* the client, or the front, has closed its connection */
	PATIENCE_STOP,		/* the server ends */
};

struct patience {
	int client;		/* its socket; -1: it is not watched */
	int answer;		/* the socket that the front reads the answer from; -1: none */
	int stop;		/* a descriptor that is readable once the server ends; -1: none */
	uint64_t deadline;	/* CLOCK_MONOTONIC, ns */
};

enum { PATIENCE_FDS = 2 };

/*
 * Waits at most @ms for @fds, at most PATIENCE_FDS of them; -1: without such a limit. Sets their
 * revents.
 */
enum patience_end patience_wait(const struct patience *p, struct pollfd *fds, unsigned int n,
				int ms);

#endif
