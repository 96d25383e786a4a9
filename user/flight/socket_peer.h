/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_peer: the process at the other end of a flight recording's socket, and its rights.
 * socket.c and socket_ask.c call it.
 */
#ifndef GOTAP_FLIGHT_SOCKET_PEER_H
#define GOTAP_FLIGHT_SOCKET_PEER_H

#include <stdbool.h>
#include <sys/socket.h>

/*
 * Returns whether the process at the other end of @fd is root's or this user's. *@peer gets its
 * ids.
 */
bool socket_peer_is_trusted(int fd, struct ucred *peer);
/*
 * Returns NULL if the process that has connected to @fd may have a trace, and if not, the reason. A
 * process of this user may. A process of root needs CAP_SYS_PTRACE in the user namespace of the
 * recording: root of a container without that right could not trace the program either.
 */
const char *socket_peer_refused(int fd);

#endif
