/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ps_effort: how long `gotap ps` looks at the processes of one user: what they run may be made to take long, in any
 * number of files and processes, and what others run is to be listed nevertheless. ps.c asks before each process and
 * each file.
 */
#ifndef GOTAP_CMD_PS_EFFORT_H
#define GOTAP_CMD_PS_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/vec.h"
#include "proc/container.h"

/*
 * Seconds: of one user, of all together, and those that each has also after that. An honest user with a hundred large Go
 * programs takes about ten.
 */
enum { PS_EFFORT_USER = 15, PS_EFFORT_ALL = 45, PS_EFFORT_LEAST = 1 };

/* Zeroed: nobody has had any. */
struct ps_effort {
	struct vec users;		/* struct user_effort */
	double all;			/* seconds */
	double cpu, wall;		/* when the work began that is not counted yet */
	size_t user;			/* that it is for */
};

/*
 * Work for that user begins, root of a container being another one than root of the machine; @in NULL: in none. False: he
 * has had his time.
 */
bool ps_effort_begin(struct ps_effort *e, uid_t uid, const struct container *in);
/* Counts the work up to now, and goes on with it. False: he has had his time. */
bool ps_effort_go_on(struct ps_effort *e);
/* As if @seconds more of work had been done. */
void ps_effort_add(struct ps_effort *e, double seconds);
void ps_effort_free(struct ps_effort *e);

#endif
