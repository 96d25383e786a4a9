/* SPDX-License-Identifier: Apache-2.0 */
/* internal: shared by flight.c and the threads that write snapshots (writers.c). */
#ifndef GOTAP_FLIGHT_INTERNAL_H
#define GOTAP_FLIGHT_INTERNAL_H

#include <pthread.h>

#include "flight/exec.h"
#include "flight/flight.h"
#include "flight/keep.h"
#include "flight/naming.h"
#include "flight/request.h"

enum { WRITERS = 2, SEEN = 256 };

struct flight {
	const struct flight_opts *opts;
	struct naming names;
	struct history *history;
	struct exec *exec;
	pthread_t writers[WRITERS];
	unsigned int n_writers;

	pthread_mutex_t lock;	/* of the members below; not held during any access to a file */
	pthread_cond_t more;
	struct request_queue waiting, ready;
	unsigned int taken;	/* requests that are ready, or being written */
	uint64_t last_id, last_number;
	/* end of the cooldown, ns: until then only a fact that a user asked for makes a request */
	uint64_t cooled;
	uint64_t refused;	/* facts without a request since the last request */
	struct flight_counts counts;
	bool over, no_memory;
	/* ids of the last incidents, which get no second snapshot; a ring of @n_seen ids ever */
	char seen[SEEN][FACT_ID];
	uint64_t n_seen;
	bool in_gap;
	uint64_t unrecorded;	/* ns of all gaps that have ended */

	pthread_mutex_t files;	/* of @keep, and of all lines that are printed */
	struct keep *keep;
	/*
	 * the last error of writing, of which a line was printed; 0: the last snapshot was written
	 */
	int failing;
	int keeping;		/* the last error of deleting old snapshots, as @failing */
};

/* Starts the threads that write requests which are ready. */
int writers_start(struct flight *f, struct error *err);
/* Waits until all is written, and ends the threads. */
void writers_join(struct flight *f);

#endif
