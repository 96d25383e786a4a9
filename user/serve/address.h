/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address: where `gotap serve` listens: an address from a command line, its socket, and whether the Host of
 * a request may be one of that socket. Owns the name of a Unix socket: it goes with address_close().
 */
#ifndef GOTAP_SERVE_ADDRESS_H
#define GOTAP_SERVE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"

enum { ADDRESS_TEXT = 160 };

struct address {
	bool is_unix, is_loopback;	/* a Unix socket is both */
	struct sockaddr_storage at;
	socklen_t len;
	uint64_t dev, ino;		/* of the name of a Unix socket that was made; ino 0: none */
};

/*
 * "unix:PATH", "127.0.0.1:PORT", "[::1]:PORT"; names of hosts are refused: the name service may change its
 * mind.
 */
int address_parse(struct address *a, const char *text, struct error *err);
/*
 * A socket that listens there; a negative errno. Any user may connect to a Unix socket: what he may ask for
 * is peer.h's. One that nobody listens to any more is replaced; of several servers that begin at once one does.
 */
int address_listen(struct address *a, struct error *err);
/* As the begin of a URL; of port 0 the port that it became. */
const char *address_text(const struct address *a, int fd, char ret[static ADDRESS_TEXT]);
/* Takes the name of a Unix socket away, if it is still ours. */
void address_close(struct address *a);

/*
 * May the Host header of a request over TCP be that: localhost, or the number of an address, with or without
 * a port? With another name a page of a stranger reads answers in the browser of a user here, once its own
 * name leads to 127.0.0.1 (DNS rebinding). NULL: no header.
 */
bool address_is_host(const char *host);

#endif
