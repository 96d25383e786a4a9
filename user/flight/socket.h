/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket: the Unix socket of a flight recording: the side that listens, and its client, `gotap
 * snap`. The client sends one line:
 *
 *	snap REASON			a snapshot; the reason may be empty
 *	all REASON			the same, and of its peers (peers.h)
 *	peer ID HOPS FROM REASON	the host FROM asks, about the incident ID
 *
 * It gets one line of JSON when the snapshot is written, and the file as a descriptor; for the last
 * one at once {"answer": "taken"}, or why it was not. Clients of users other than root and the user
 * of the recording are refused (socket_peer.h).
 *
 * A client that sends no line within SOCKET_SECONDS is dropped. There are at most SOCKET_CLIENTS;
 * if a further one connects, the client that has sent no line for the longest time is dropped after
 * SOCKET_HURRY_MS.
 */
#ifndef GOTAP_FLIGHT_SOCKET_H
#define GOTAP_FLIGHT_SOCKET_H

#include <stddef.h>

#include "flight/flight.h"

enum { SOCKET_SECONDS = 5, SOCKET_HURRY_MS = 200, SOCKET_CLIENTS = 16, SOCKET_LINE = 8192,
       SOCKET_QUESTION = 400 };

struct flight_socket;

/*
 * Keeps the rights to the folder of @path for later. The caller calls it before gotap gives up
 * capabilities.
 */
void socket_reserve(const char *path);
/*
 * Listens at @path or, if @path is NULL, at the name of process @pid in the folder of this user
 * (socket_folder.h). -EADDRINUSE: another recording listens there. Facts go to @f as trigger
 * "socket".
 */
int socket_listen(struct flight_socket **ret, const char *path, unsigned int pid, struct flight *f,
		  struct error *err);
/*
 * Answers the client that waits for the snapshot, if there is one; flight_opts.done() calls it.
 * Accepts NULL.
 */
void socket_done(struct flight_socket *s, const struct flight_done *d);
/*
 * Answers clients that still wait that the recording is over. The caller calls it after
 * flight_finish(). Accepts NULL.
 */
void socket_close(struct flight_socket *s);

/*
 * The client. Sends the line @question, which has no line feed, to the recording at @path, or that
 * of process @pid, and waits. *@fd is the trace, open for reading, or -1; the caller closes it.
 * @line is the answer. -EPERM: the process that listens is neither root's nor this user's.
 */
int socket_ask(const char *path, unsigned int pid, const char *question,
	       char line[static SOCKET_LINE], int *fd, struct error *err);

#endif
