/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: what the files of the server share: the server, and one request with what answers it.
 */
#ifndef GOTAP_SERVE_INTERNAL_H
#define GOTAP_SERVE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "serve/ask.h"
#include "serve/front.h"
#include "serve/peer.h"
#include "serve/run.h"
#include "serve/server.h"
#include "serve/slots.h"
#include "serve/times.h"

enum { EXCHANGE_PIECE = 64 << 10 };

struct server {
	struct serve_options *o;
	struct address address;		/* has the Unix socket that was made */
	struct procfs fs;
	struct slots recordings, looks;	/* looks: children that are done at once (ps, stacks) */
	struct front front;
	pthread_t desk;
	bool has_desk;
	atomic_bool cheated;		/* the front sent what it never sends */
	int stop;			/* an eventfd that can be read from server_quiesce() on */
	atomic_uint exchanges;		/* that are under way */
	atomic_ulong recorded;		/* recordings that requests have begun */
	struct lister *lister;
	struct watches *watch;		/* NULL: nothing is watched */
	/* lines for stderr that found no reader; under the lock of stderr */
	unsigned int unsaid;
};

/* Who asks, and for what. */
struct caller {
	struct request request;
	bool head;
	struct peer peer;
	int client;			/* its socket */
};

/* One request. Its thread owns it. */
struct exchange {
	struct server *server;
	struct request request;
	bool head;
	struct peer peer;
	struct subject subject;
	struct patience patience;	/* has the sockets of the client and of the answer */
	struct slots *slots;		/* of which it has one; NULL: of none */
	struct run run;
	/* output, and room in front of it for its length */
	uint32_t piece_len;
	char piece[EXCHANGE_PIECE];
	uint64_t sent;
	uint64_t until;			/* the client may take the answer, ns */
	uint64_t since;			/* when the recording began, ns */
	bool cut;			/* the client does not get all */
};

/* desk.c: takes what the front asks until the channel is closed, in a thread. */
void *desk_main(void *server);

/*
 * exchange.c: answers @c by the socket @answer in a thread of its own, which then owns the client's
 * socket and this one. 0 or an errno.
 */
int exchange_begin(struct server *s, const struct caller *c, int answer);

/* grant.c: what a request takes while it is answered */

/* Opens the process that the request is about, if the peer may ask about it. */
bool grant_subject(struct exchange *x, struct refusal *why);
/*
 * Is the process still the one that grant_subject() opened, and allowed? One that has ended is.
 * False: @why has the answer.
 */
bool grant_is_valid(struct exchange *x, struct refusal *why);
/* Waits for a slot, as long as patience lets it. */
bool grant_slot(struct exchange *x, struct slots *slots, struct refusal *why);
void grant_give_slot(struct exchange *x);
/* Starts one child, or two (run_start()). False: that failed; @why has the answer. */
bool grant_run(struct exchange *x, const struct run_args *first, const struct run_args *second,
	       struct refusal *why);

/* reply.c: the answer on its way to the front */

/* Begins it with its size, or -1: not known. False: the front, or the client, has gone. */
bool reply_begin(struct exchange *x, int64_t size);
/* Sends the piece, and empties it. */
bool reply_piece(struct exchange *x);
/* The whole was sent; waits until the client has it. */
void reply_end(struct exchange *x);
void reply_refuse(struct exchange *x, const struct refusal *why);
/* A whole answer. Empties the body. */
void reply_buf(struct exchange *x, struct buf *body);

/*
 * say.c: prints a line in one piece. If that would wait, the line is counted and left out: requests
 * and the end wait for no reader.
 */
void serve_say(struct server *s, const char *line);

/* lists.c */
void lists_answer(struct exchange *x);
/* Asks the flight recordings here for snapshots: of the subject, if there is one, else all. */
void lists_answer_snap(struct exchange *x);
/* Sets request.pid by the name. */
bool lists_find(struct exchange *x, struct refusal *why);

/* scrape.c: /metrics */
void scrape_answer(struct exchange *x);

/* stream.c: of the subject */
void stream_answer(struct exchange *x);

#endif
