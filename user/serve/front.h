/* SPDX-License-Identifier: Apache-2.0 */
/*
 * front: the process of `gotap serve` that parses HTTP (gotap-http). It has no right: nobody's user
 * id, no capability, an empty folder as its root, a filter that allows no exec, no open, no new
 * socket and no new process, and no descriptor but the socket that listens, those of clients, and
 * the channel to the server. For each answer it asks the server (ask.h), with the socket of the
 * client, at which the server itself looks.
 *
 *     bytes of a client -> libmicrohttpd -> front_daemon.c -> front_visit.c: is it a request?
 *     -> channel -> server; its answer -> front_visit.c, front_answer.c -> the client
 */
#ifndef GOTAP_SERVE_FRONT_H
#define GOTAP_SERVE_FRONT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "serve/address.h"

struct front {
	pid_t pid;		/* 0: none */
	int channel;		/* to it; -1: none */
};

#define FRONT_NONE ((struct front){ .channel = -1 })

/* @forget: bytes of this process that the front must not have, and overwrites in its memory. */
struct front_options {
	const struct address *address;
	double max_seconds;
	const char *hosts;		/* address_is_host(); less than 1024 bytes, or NULL */
	void *forget;
	size_t forget_size;
};

/*
 * Starts it, and waits until it answers at @listener, which the caller then closes. To be called
 * before the caller gives up rights or starts threads; the kernel ends the front when the calling
 * thread ends.
 */
int front_start(struct front *f, const struct front_options *o, int listener, struct error *err);
/* It accepts no more clients, asks no more, and ends when its answers are sent. */
void front_quiesce(struct front *f);
/* Has it ended? Then @how says how, in words. */
bool front_has_ended(struct front *f, char how[static 64]);
/* Ends it if it has not ended. */
void front_kill(struct front *f);

#endif
