/* SPDX-License-Identifier: Apache-2.0 */
/*
 * principal: for whom does a process run, as far as `gotap ps` shares its time? One user can have
 * processes of many user ids: those of user namespaces that the user has made, those that
 * /etc/subuid gives the user, and in a container all that there are. Each such set counts as one.
 * listing.c calls it.
 */
#ifndef GOTAP_CMD_PS_PRINCIPAL_H
#define GOTAP_CMD_PS_PRINCIPAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/vec.h"
#include "proc/container.h"

struct principal {
	uid_t uid;
	const struct container *in;	/* NULL: the machine */
};

static inline bool principal_is(const struct principal *a, const struct principal *b)
{
	return a->uid == b->uid && a->in == b->in;
}

/* The subordinate ids of users, as /etc/subuid has them. Zeroed at first. */
struct subordinates {
	struct vec ranges;		/* struct subordinate */
};

/* Reads @n bytes of the form of /etc/subuid. Lines of another form are left out. */
void subordinates_read(struct subordinates *s, const char *text, size_t n);
/* Reads the file of the machine that @fs is of. */
void subordinates_load(struct subordinates *s, const struct procfs *fs);
void subordinates_free(struct subordinates *s);
/* One id for all subordinate ids of a user; any other id is its own. */
uid_t subordinates_user(const struct subordinates *s, uid_t uid);

/* The principal of process @pid, which runs with @st; its container is @in, or NULL. */
struct principal principal_of(const struct procfs *fs, pid_t pid, const struct procfs_status *st,
			      const struct container *in, const struct subordinates *s);

#endif
