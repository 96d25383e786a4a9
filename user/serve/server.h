/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server: the addresses of net/http/pprof for processes that do not have them (`gotap serve`):
 * requests of HTTP, by libmicrohttpd, a thread for each connection. exchange.c handles one request,
 * server.c the library and the end.
 *
 *     bytes of a client -> libmicrohttpd -> on_request(): who asks, for what, is that allowed?
 *     (request, token, peer)
 *     -> slots -> a child `gotap record|stacks|ps|pprof` (run) -> its output, as it comes -> the
 *     client
 */
#ifndef GOTAP_SERVE_SERVER_H
#define GOTAP_SERVE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "proc/procfs.h"
#include "serve/address.h"
#include "serve/token.h"

struct serve_options {
	struct address address;
	struct token token;
	const char *proc_dir;		/* NULL: /proc */
	/* of recordings, as `gotap record` takes it; NULL: its own */
	const char *budget;
	double max_seconds;		/* of a recording */
	/* of an answer: a recording is ended when its answer has so many bytes */
	uint64_t max_bytes;
	unsigned int recordings;	/* at a time */
	unsigned int queue;		/* requests that wait for one to end */
	bool quiet;			/* no line for each recording */
};

struct server;

/*
 * Listens, and answers in threads of its own; @options must outlive it. All signals must be blocked
 * in the calling thread, so that they are in those. NULL: @err has the reason.
 */
struct server *server_start(const struct serve_options *options, struct error *err);
/* The address at which it listens, as text in @ret. */
const char *server_text(const struct server *s, char ret[static ADDRESS_TEXT]);
/* Drops clients behind their deadlines; to be called about every second. */
void server_tick(struct server *s);
/*
 * Takes no more requests, and asks recordings to end: their answers are then shorter, but complete.
 * server_idle() is true once all answers are sent.
 */
void server_quiesce(struct server *s);
bool server_idle(struct server *s);
/* Ends all requests and their children, removes the socket, and frees @s. */
void server_stop(struct server *s);

#endif
