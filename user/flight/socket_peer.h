/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_peer: who is at the other end of a flight recording's socket? socket.c and socket_ask.c
 * call it.
 */
#ifndef GOTAP_FLIGHT_SOCKET_PEER_H
#define GOTAP_FLIGHT_SOCKET_PEER_H

#include <stdbool.h>
#include <sys/socket.h>

/* Is the process at the other end of @fd root's or this user's? *@peer gets its ids. */
bool socket_peer_is_trusted(int fd, struct ucred *peer);
/*
 * May the process that has connected to @fd have a trace? NULL: yes; else why not. A process of
 * this user may. A process of root must have CAP_SYS_PTRACE in the user namespace of the recording,
 * the right to look into processes: root of a container without it could not trace the program
 * either.
 */
const char *socket_peer_refused(int fd);

#endif
