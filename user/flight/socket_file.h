/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_file: the file of a listening socket: listens at it, takes over one that a killed gotap
 * left, and removes it. In a folder of another user it uses the rights to files that gotap
 * reserved. socket.c and socket_folder.c call it.
 */
#ifndef GOTAP_FLIGHT_SOCKET_FILE_H
#define GOTAP_FLIGHT_SOCKET_FILE_H

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/error.h"

struct socket_file {
	char *path;		/* NULL: there is no file */
	dev_t dev;
	ino_t ino;
};

/*
 * Listens with @fd at @a of @n bytes. If several gotaps begin at the same time where a killed gotap
 * left its socket, one of them takes the name. -EADDRINUSE: another process listens there.
 */
int socket_file_listen(struct socket_file *f, int fd, const struct sockaddr_un *a, socklen_t n,
		       int backlog, struct error *err);
/* Removes the file, unless another process has put its own file there. */
void socket_file_remove(struct socket_file *f);

/* Removes the file of @path if it is a socket of this user at which no process listens. */
void socket_file_sweep(const char *path);

#endif
