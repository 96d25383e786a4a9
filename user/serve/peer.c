// SPDX-License-Identifier: Apache-2.0
/* peer: see peer.h. */
#define _GNU_SOURCE
#include "serve/peer.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/owner.h"
#include "serve/shares.h"

bool peer_of(int fd, bool is_unix, struct peer *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	*ret = (struct peer){ .all = !is_unix };
	if (!is_unix)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) || cred.uid == (uid_t)-1)
		return false;
	ret->uid = cred.uid;
	ret->all = !cred.uid;
	return true;
}

uint64_t peer_share(const struct peer *who)
{
	return who->all ? SHARE_OF_NOBODY : who->uid;
}

static uint64_t peer_address(int fd)
{
	struct sockaddr_storage at = {0};
	socklen_t len = sizeof(at);
	uint64_t network;

	if (getpeername(fd, (struct sockaddr *)&at, &len))
		return 0;
	if (at.ss_family == AF_INET)
		return ((struct sockaddr_in *)&at)->sin_addr.s_addr;
	memcpy(&network, &((struct sockaddr_in6 *)&at)->sin6_addr, sizeof(network));
	return network;
}

uint64_t peer_share_of_socket(int fd, bool is_unix)
{
	struct peer who;

	if (!is_unix)
		return peer_address(fd);
	/* all peers that are not known count as one user */
	peer_of(fd, is_unix, &who);
	return peer_share(&who);
}

enum { STATUS_SIZE = 4096 };
#define TGID "\nTgid:"

bool subject_open(struct subject *t, const struct procfs *fs, pid_t pid)
{
	char path[PROCFS_PATH], status[STATUS_SIZE];
	const char *tgid;

	procfs_path(fs, pid, "", path);
	*t = (struct subject){ .fs = fs,
			       .pid = pid,
			       .dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	if (t->dir < 0)
		return false;
	if (owner_read(t->dir, "status", status, sizeof(status)) && (tgid = strstr(status, TGID)) &&
	    atoi(tgid + sizeof(TGID) - 1) == pid)
		return true;
	subject_close(t);
	return false;
}

void subject_close(struct subject *t)
{
	if (t->dir >= 0)
		close(t->dir);
	t->dir = -1;
}

enum subject_state subject_state(const struct subject *t)
{
	char path[PROCFS_PATH], status[STATUS_SIZE];

	if (owner_read(t->dir, "status", status, sizeof(status)))
		return SUBJECT_THERE;
	procfs_path(t->fs, t->pid, "", path);
	return access(path, F_OK) ? SUBJECT_GONE : SUBJECT_OTHER;
}

bool subject_allowed(const struct subject *t, const struct peer *who)
{
	return who->all || owner_is(t->dir, who->uid);
}
