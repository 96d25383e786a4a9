/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_folder: the folder in which the sockets of flight recordings are that have no --socket:
 * /run/gotap of root, and gotap in $XDG_RUNTIME_DIR or /run/user/UID of another user. Only its
 * owner can open it (mode 0700). Unlike the name of an abstract socket, which each process of the
 * network namespace may connect to or take, it is out of reach for a container that has the network
 * of the host. socket.c and socket_ask.c call it.
 */
#ifndef GOTAP_FLIGHT_SOCKET_FOLDER_H
#define GOTAP_FLIGHT_SOCKET_FOLDER_H

#include <stdbool.h>

#include "base/error.h"

enum { SOCKET_PATH = 108 };	/* sun_path of unix(7) */

/*
 * The name of the socket of process @pid in folder number @i of this user: it has the start time of
 * the process, so that a later process of the same id has another one. False: there is no such
 * folder.
 */
bool socket_folder_path(int i, unsigned int pid, char ret[static SOCKET_PATH]);
/*
 * Is the folder of @path a real folder of this user, closed to others, in a place where no other
 * user can replace it? 0; -ENOENT: there is none; -EPERM.
 */
int socket_folder_check(const char *path);
/*
 * Makes the folder if it is not there, and removes sockets that killed recordings of processes that
 * are gone have left in it. @ret: the name of the socket of process @pid.
 */
int socket_folder_make(unsigned int pid, char ret[static SOCKET_PATH], struct error *err);

#endif
