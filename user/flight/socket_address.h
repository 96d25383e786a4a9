/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_address: the name of a flight recording's socket, and who is on its other side. socket.c and
 * socket_ask.c call it.
 */
#ifndef GOTAP_FLIGHT_SOCKET_ADDRESS_H
#define GOTAP_FLIGHT_SOCKET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Sets *@a and returns its length. Without @path: the abstract name of process @pid. 0: @path is too long. */
static inline socklen_t socket_address(struct sockaddr_un *a, const char *path, unsigned int pid)
{
	int n;

	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (path && strlen(path) >= sizeof(a->sun_path))
		return 0;
	if (path)
		n = snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
	else
		n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "gotap-flight-%u", pid);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Is the process at the other end of @fd root's or this user's? *@peer gets its ids. */
static inline bool socket_is_trusted(int fd, struct ucred *peer)
{
	socklen_t n = sizeof(*peer);

	*peer = (struct ucred){ .uid = (uid_t)-1 };
	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &n) &&
	       (peer->uid == 0 || peer->uid == geteuid());
}

#endif
