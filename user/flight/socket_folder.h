/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_folder: the folder for the sockets of flight recordings without --socket: /run/gotap for
 * root, and gotap in $XDG_RUNTIME_DIR or /run/user/UID for another user. Only its owner can open it
 * (mode 0700). A container with the network of the host cannot reach it; an abstract socket it
 * could connect to, or take its name, as each process of the network namespace can. socket.c and
 * socket_ask.c call it.
 */
#ifndef GOTAP_FLIGHT_SOCKET_FOLDER_H
#define GOTAP_FLIGHT_SOCKET_FOLDER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"

enum { SOCKET_PATH = 108 };	/* sun_path of unix(7) */

/*
 * Stores the name of the socket of process @pid in folder number @i of this user. The name has the
 * start time of the process, so that a later process with the same id has another name. False:
 * there is no such folder.
 */
bool socket_folder_path(int i, unsigned int pid, char ret[static SOCKET_PATH]);
/*
 * Returns whether the folder of @path is a real folder of this user, closed to others, in a place
 * where no other user can replace it: 0; -ENOENT: there is no folder; -EPERM.
 */
int socket_folder_check(const char *path);
/*
 * Appends the names of all sockets in the folders of this user that others cannot open (char *,
 * which the caller frees), also of recordings that were killed.
 */
void socket_folder_list(struct vec *ret);
/*
 * Makes the folder if it is not there, and removes sockets in it that killed recordings have left
 * and the processes of which are gone. @ret: the name of the socket of process @pid.
 */
int socket_folder_make(unsigned int pid, char ret[static SOCKET_PATH], struct error *err);

#endif
