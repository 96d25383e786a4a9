// SPDX-License-Identifier: Apache-2.0
/* socket_peer: see socket_peer.h. */
#define _GNU_SOURCE
#include "flight/socket_peer.h"

#include <linux/capability.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/procfs.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77		/* Linux 6.5 */
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434	/* Linux 5.3 */
#endif

bool socket_peer_is_trusted(int fd, struct ucred *peer)
{
	socklen_t n = sizeof(*peer);

	*peer = (struct ucred){ .uid = (uid_t)-1 };
	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &n) &&
	       (peer->uid == 0 || peer->uid == geteuid());
}

/*
 * Returns a pidfd of the peer. Before Linux 6.5 it comes from the peer's id, which a later process
 * may have if the peer has ended.
 */
static int peer_pidfd(int fd, const struct ucred *peer)
{
	socklen_t n = sizeof(int);
	int pidfd = -1;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &n))
		pidfd = (int)syscall(SYS_pidfd_open, peer->pid, 0);
	return pidfd;
}

static uint64_t peer_capabilities(const struct procfs *fs, pid_t pid)
{
	static const char label[] = "\nCapEff:";
	struct buf status = {0};
	const char *at = NULL;
	uint64_t ret;

	if (!procfs_read(fs, pid, "status", 4096, &status))
		at = strstr((const char *)status.data, label);
	ret = at ? strtoull(at + strlen(label), NULL, 16) : 0;
	buf_free(&status);
	return ret;
}

static bool peer_shares_users(const struct procfs *fs, pid_t pid)
{
	struct procfs_file_id own, other;

	return !procfs_file_id(fs, getpid(), "ns/user", &own) &&
	       !procfs_file_id(fs, pid, "ns/user", &other) && procfs_same_file(own, other);
}

/*
 * Reads the peer's capabilities. The files of /proc are those of the peer only if the peer still
 * lives after the read.
 */
static bool peer_may_trace(int fd, const struct ucred *peer)
{
	_cleanup_close_ int pidfd = peer_pidfd(fd, peer);
	struct pollfd ended = { pidfd, POLLIN, 0 };
	struct procfs fs;
	struct error err;

	return pidfd >= 0 && peer->pid > 0 && !procfs_open(&fs, NULL, &err) &&
	       peer_capabilities(&fs, peer->pid) & 1ULL << CAP_SYS_PTRACE &&
	       peer_shares_users(&fs, peer->pid) && poll(&ended, 1, 0) == 0;
}

const char *socket_peer_refused(int fd)
{
	struct ucred peer;

	if (!socket_peer_is_trusted(fd, &peer))
		return "only root and the user of the recording may ask";
	if (peer.uid || peer_may_trace(fd, &peer))
		return NULL;
	return "root may ask with CAP_SYS_PTRACE only, in the user namespace of the recording and "
	       "where the recording "
	       "can see the process that asks";
}
