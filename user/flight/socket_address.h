/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_address: the address of a flight recording's socket. socket.c, socket_ask.c and
 * socket_file.c call it.
 */
#ifndef GOTAP_FLIGHT_SOCKET_ADDRESS_H
#define GOTAP_FLIGHT_SOCKET_ADDRESS_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Fills *@a and returns its length; 0 if @path is too long. */
static inline socklen_t socket_address(struct sockaddr_un *a, const char *path)
{
	int n;

	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(a->sun_path))
		return 0;
	n = snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

#endif
