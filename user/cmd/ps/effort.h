/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effort: limits how long `gotap ps` looks at the processes of one user. A user can run files that take long to examine,
 * in any number of processes; the processes of other users must be listed all the same. listing.c asks before each process
 * and each file.
 */
#ifndef GOTAP_CMD_PS_EFFORT_H
#define GOTAP_CMD_PS_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/vec.h"
#include "proc/container.h"

/*
 * Limits in seconds: for one user; for all together; and for each further user once that is used up. A hundred large Go programs
 * take about ten.
 */
enum { PS_EFFORT_USER = 15, PS_EFFORT_ALL = 45, PS_EFFORT_LEAST = 1 };

/* Zeroed at first. */
struct ps_effort {
	struct vec users;		/* struct user_effort */
	double all;			/* seconds of work for all users */
	double cpu, wall;		/* CPU time and clock at the begin of the work that is not counted yet, seconds */
	size_t user;			/* index of the user of that work */
};

/*
 * Begins work for user @uid of container @in (NULL: of the machine); root of a container is another user than root of the machine.
 * False: the time of this user is used up.
 */
bool ps_effort_begin(struct ps_effort *e, uid_t uid, const struct container *in);
/* Counts the work up to now. False: the time of its user is used up. */
bool ps_effort_go_on(struct ps_effort *e);
/* As if @seconds more of work had been done. */
void ps_effort_add(struct ps_effort *e, double seconds);
void ps_effort_free(struct ps_effort *e);

#endif
