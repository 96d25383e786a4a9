/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server: the addresses of net/http/pprof for processes that do not have them (`gotap serve`). Two
 * processes: the front parses HTTP and has no right (front.h); the server has the rights.
 *
 *     front -> ask -> desk.c: who is the client, may it ask, for what?
 *     -> exchange.c, a thread for each request: (request, token, peer)
 *     -> slots -> a child `gotap record|stacks|ps|pprof` (run) -> its output, as it comes
 *     -> reply.c -> front -> client
 * Beside it watches.c keeps recordings of some programs, of which scrape.c answers /metrics.
 */
#ifndef GOTAP_SERVE_SERVER_H
#define GOTAP_SERVE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "proc/procfs.h"
#include "serve/address.h"
#include "base/token.h"

struct serve_options {
	struct address address;
	struct token token;
	const char *proc_dir;		/* NULL: /proc */
	const char *hosts;		/* names of this host, by which it is asked; or NULL */
	/* of recordings, as `gotap record` takes it; NULL: its own */
	const char *budget;
	double max_seconds;		/* of a recording */
	/* of an answer: a recording is ended when its answer has so many bytes */
	uint64_t max_bytes;
	unsigned int recordings;	/* at a time */
	unsigned int queue;		/* requests that wait for one to end */
	bool detect_leaks;		/* goroutineleak may write to a program */
	bool quiet;			/* no line for each recording */
	struct vec watch;		/* const char *: programs that are recorded for /metrics */
	const char *watch_budget;	/* of these recordings */
};

struct server;

/*
 * Listens, and answers in a process and in threads of its own; @options must outlive it. All
 * signals must be blocked in the calling thread, so that they are in those. NULL: @err has the
 * reason.
 */
struct server *server_start(struct serve_options *options, struct error *err);
/* The address at which it listens, as text in @ret. */
const char *server_text(const struct server *s, char ret[static ADDRESS_TEXT]);
/* Can it answer no more? @err has the reason. To be called about every second. */
bool server_is_broken(struct server *s, struct error *err);
/*
 * Takes no more requests, and asks recordings to end: their answers are then shorter, but complete.
 * server_idle() is true once all answers are sent.
 */
void server_quiesce(struct server *s);
bool server_idle(struct server *s);
/* Ends the front, all requests and their children, removes the socket, and frees @s. */
void server_stop(struct server *s);

#endif
