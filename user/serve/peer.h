/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer: who asks, and about which process. Over a Unix socket the kernel says who connected (SO_PEERCRED):
 * root may ask about each process, another user about those that are wholly his own, as ptrace(2) has it.
 */
#ifndef GOTAP_SERVE_PEER_H
#define GOTAP_SERVE_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#include "proc/procfs.h"

struct peer {
	bool all;		/* may ask about each process */
	uid_t uid;		/* of the user who may not */
};

/* @fd: a connected socket. A user who cannot be known has no process: false. */
bool peer_of(int fd, bool is_unix, struct peer *ret);

/*
 * A process, by its folder in /proc: the descriptor never means another process, also when its id is used
 * again.
 */
struct subject {
	const struct procfs *fs;
	pid_t pid;
	int dir;
};

enum subject_state { SUBJECT_THERE, SUBJECT_GONE, SUBJECT_OTHER };

/* SUBJECT_CLOSED: nothing to close. */
#define SUBJECT_CLOSED ((struct subject){ .dir = -1 })

/* False: there is no process of that id (that of a thread is none). */
bool subject_open(struct subject *t, const struct procfs *fs, pid_t pid);
void subject_close(struct subject *t);
/* Is it there? SUBJECT_OTHER: its id belongs to another process now. */
enum subject_state subject_state(const struct subject *t);
/* May he ask about it? Root about each, a user about one that is wholly his own (proc/owner.h). */
bool subject_allowed(const struct subject *t, const struct peer *who);

#endif
