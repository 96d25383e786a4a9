/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watches: the recordings of `gotap serve --watch`, of which /metrics has histograms and sums: one
 * for each process that was named by its id, or that has a name of the list. A scrape starts none.
 * Each is a child, `gotap top --json --brief`, whose lines a thread adds up; another thread looks
 * for processes, since a program that restarts is another process.
 */
#ifndef GOTAP_SERVE_WATCHES_H
#define GOTAP_SERVE_WATCHES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "metrics/watched.h"

struct server;
struct watches;

/* Recordings at a time. A name that any user may give to a program cannot start more of them. */
enum { WATCH_MOST = 16 };

/* Starts the threads for the list in the options of @s, which outlives them. */
int watches_start(struct watches **ret, struct server *s, struct error *err);
/* Ends the recordings, and frees @w, which may be NULL. */
void watches_stop(struct watches *w);

/*
 * Copies the sums of process @pid that began at @start (procfs_usage.start). False: it is not
 * watched; @ret is 0 then.
 */
bool watches_of(struct watches *w, pid_t pid, uint64_t start, struct watched *ret);

struct watches_counts {
	unsigned int running;		/* recordings now */
	uint64_t began, failed;		/* recordings ever */
	uint64_t left_out;		/* processes without room, at the last look */
};

void watches_counts(struct watches *w, struct watches_counts *ret);

#endif
