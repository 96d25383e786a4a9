/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer: who asks, and about which process. Over a Unix socket the kernel says who connected
 * (SO_PEERCRED): root may ask about each process, another user about those that are wholly that
 * user's, as with ptrace(2).
 */
#ifndef GOTAP_SERVE_PEER_H
#define GOTAP_SERVE_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proc/procfs.h"

struct peer {
	bool all;		/* may ask about every process */
	uid_t uid;		/* if not: the user, who may ask about processes of this uid */
};

/* Who a client is for a share of something (shares.h). */
uint64_t peer_share(const struct peer *who);
/*
 * Likewise for a share of the connections, where clients over TCP are told apart by their
 * addresses: of IPv6 by the network, the upper 64 bits, in which one client may have any address.
 */
uint64_t peer_share_of_socket(int fd, bool is_unix);

/*
 * Finds out who is at the other end of @fd, a connected socket. False: that is not known; then @ret
 * may ask about no process.
 */
bool peer_of(int fd, bool is_unix, struct peer *ret);

/*
 * A process, by its folder in /proc: the descriptor never means another process, also when its id
 * is used again.
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
/* Does the process still exist? SUBJECT_OTHER: it does not, and another process has its id now. */
enum subject_state subject_state(const struct subject *t);
/*
 * May @who ask about it? Root about every process, another user about one that is wholly that
 * user's (proc/owner.h).
 */
bool subject_allowed(const struct subject *t, const struct peer *who);

#endif
