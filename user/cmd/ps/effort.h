/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effort: the order in which `gotap ps` looks at processes, and for how long. A user can run
 * files that take long to examine, in any number of processes; the processes of other users must
 * be listed all the same. So the next process is always one of the user that has taken the least
 * time so far, each user has a limit, and the whole listing has an end. listing.c asks before
 * each process and each file.
 */
#ifndef GOTAP_CMD_PS_EFFORT_H
#define GOTAP_CMD_PS_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/vec.h"
#include "cmd/ps/principal.h"

/*
 * Limits in seconds: of the look at one file, of work for one user, and of elapsed time for the
 * whole listing. A hundred large Go programs take about ten. `gotap serve` waits 60 s for a list
 * (serve/internal.h).
 */
enum { PS_EFFORT_FILE = 5, PS_EFFORT_USER = 15, PS_EFFORT_END = 30 };

/* Zeroed at first. */
struct ps_effort {
	struct vec users;		/* struct user_effort */
	double begin;			/* clock at the begin of the listing; 0: not begun */
	/* CPU time and clock at the begin of the work that is not counted yet, seconds */
	double cpu, wall;
	size_t user;			/* index of the user of that work */
};

/* Adds a process that is to be looked at. */
void ps_effort_put(struct ps_effort *e, const struct principal *of, pid_t pid);
/*
 * Takes the next process, and begins work for its user. False: no process is left that a user's
 * limit and the end of the listing allow.
 */
bool ps_effort_next(struct ps_effort *e, pid_t *ret);
/* Counts the work up to now. False: the time of its user, or of the listing, is used up. */
bool ps_effort_go_on(struct ps_effort *e);
/* Seconds that the look at one file may take now: from 1 to PS_EFFORT_FILE. */
unsigned int ps_effort_seconds(const struct ps_effort *e);
/* As if @seconds more of work had been done for the user. */
void ps_effort_add(struct ps_effort *e, double seconds);
/*
 * To be called after the last ps_effort_next(): takes a process that was left out; false: none is
 * left.
 */
bool ps_effort_left(struct ps_effort *e, pid_t *ret);
/* Has the listing come to its end? If not, users have used up their time. */
bool ps_effort_is_over(const struct ps_effort *e);
void ps_effort_free(struct ps_effort *e);

#endif
