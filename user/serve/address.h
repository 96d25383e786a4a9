/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address: where `gotap serve` listens: an address from a command line, its socket, and whether the
 * Host of a request may be one of that socket. Owns the name of a Unix socket: it goes with
 * address_close().
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
	/* of the name of a Unix socket that was made; ino 0: none */
	uint64_t dev, ino;
};

/*
 * Reads "unix:PATH", "127.0.0.1:PORT" or "[::1]:PORT". -EINVAL: it is something else, as a host
 * name: the name service could give another address for it at any time.
 */
int address_parse(struct address *a, const char *text, struct error *err);
/*
 * Returns a socket that listens there, or a negative errno. Any user may connect to a Unix socket;
 * peer.h decides what each one may ask for. A Unix socket at which nobody listens any more is
 * replaced; of several servers that begin at once one gets the name.
 */
int address_listen(struct address *a, struct error *err);
/* For port 0: takes the port that the kernel chose for @fd. */
void address_settle(struct address *a, int fd);
/*
 * Is @fd a connection that was accepted there? A process that is not trusted has given it: it may
 * be the socket that listens, or one of another purpose, and root at the other end of that.
 */
bool address_has_client(const struct address *a, int fd);
/* Writes it as the begin of a URL. For port 0 this has the port that the kernel chose for @fd. */
const char *address_text(const struct address *a, int fd, char ret[static ADDRESS_TEXT]);
/* Removes the name of a Unix socket, unless it is another process's socket by now. */
void address_close(struct address *a);

/*
 * Is @host allowed as the Host header of a request over TCP? Only localhost, the number of an
 * address, or one of @names (with commas between them; NULL: none), with or without a port: with
 * another name a foreign web page, in the browser of a user of this machine, could read answers
 * once its own name leads to 127.0.0.1 (DNS rebinding). NULL: the request has no such header.
 */
bool address_is_host(const char *host, const char *names);

#endif
