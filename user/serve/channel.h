/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel: packets of one size between the two processes of `gotap serve`, each with one descriptor
 * at most (SOCK_SEQPACKET, SCM_RIGHTS). Both sides call it.
 */
#ifndef GOTAP_SERVE_CHANNEL_H
#define GOTAP_SERVE_CHANNEL_H

#include <stddef.h>

/* A pair of connected sockets, closed at an exec. 0 or a negative errno. */
int channel_open(int ends[static 2]);
/* Sends @n bytes, and a copy of @fd, unless that is -1. 0 or a negative errno. */
int channel_send(int channel, const void *data, size_t n, int fd);
/*
 * Waits for a packet of exactly @n bytes; *@fd: its descriptor, -1: it has none, or this process
 * may open no further one. 1; 0: the other side has ended or ends; -EBADMSG: the packet has
 * another size, or several descriptors, of which none is left open.
 */
int channel_receive(int channel, void *data, size_t n, int *fd);

#endif
