/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: what server.c and exchange.c share: the server, and one request with what answers it.
 */
#ifndef GOTAP_SERVE_INTERNAL_H
#define GOTAP_SERVE_INTERNAL_H

#include <stdatomic.h>

#include "serve/expiry.h"
#include "serve/mhd.h"
#include "serve/peer.h"
#include "serve/request.h"
#include "serve/run.h"
#include "serve/server.h"
#include "serve/slots.h"

enum { EXCHANGE_PIECE = 64 << 10 };

/*
 * IDLE: how long a client may send nothing, or take nothing of an answer. TAKE: how long it may
 * take for an answer that is there. GRACE: how much longer than its time a recording may take, for
 * attaching, its end and its profile. QUEUE: how long a request waits for others.
 */
enum { IDLE_SECONDS = 10, TAKE_SECONDS = 60, GRACE_SECONDS = 60, QUEUE_MS = 30000 };
#define SECOND_NS 1000000000ULL

struct server {
	const struct serve_options *o;
	struct address address;		/* has the Unix socket that was made */
	struct procfs fs;
	struct expiry expiry;
	struct slots recordings, looks;	/* looks: children that are done at once (ps, stacks) */
	struct MHD_Daemon *daemon;
	/* stop: an eventfd that can be read from server_quiesce() on */
	int listener, stop;
	atomic_uint exchanges;		/* that are under way */
	/* lines for stderr that found no reader; under the lock of stderr */
	unsigned int unsaid;
};

/* One request. Its thread owns it until libmicrohttpd says that it is completed. */
struct exchange {
	struct server *server;
	struct MHD_Connection *connection;
	struct request request;
	struct peer peer;
	struct subject subject;
	struct patience patience;
	struct expiry_entry *expiry;	/* of its connection */
	struct slots *slots;		/* of which it has one; NULL: of none */
	struct run run;
	char piece[EXCHANGE_PIECE];	/* output that came before the answer began */
	size_t piece_len, piece_sent;
	uint64_t sent;
	uint64_t since;			/* when the recording began, ns */
	bool cut;			/* the client does not get all */
};

/* Makes the state of a request on connection @c; exchange_free() frees it. */
struct exchange *exchange_new(struct server *s, struct MHD_Connection *c);
/* Ends the children and waits that the request has started, and frees it. */
void exchange_free(struct exchange *x);
/* Finds out what the request asks for, without starting anything. False: @why has the answer. */
bool exchange_accept(struct exchange *x, const char *url, const char *method, struct refusal *why);
/* Does what the request asks for, up to the first bytes of the answer, and begins to send it. */
enum MHD_Result exchange_answer(struct exchange *x, bool head);

/* Opens the process that the request is about, if the peer may ask about it. */
bool exchange_find_subject(struct exchange *x, struct refusal *why);
/*
 * Is the process still the one that exchange_find_subject() opened, and allowed? One that has ended
 * is. False: @why has the answer.
 */
bool exchange_is_allowed(struct exchange *x, struct refusal *why);
/* Waits for a slot, as long as patience lets it. */
bool exchange_take_slot(struct exchange *x, struct slots *slots, struct refusal *why);
/* Starts one child, or two (run_start()). False: that failed; @why has the answer. */
bool exchange_start(struct exchange *x, const struct run_args *first, const struct run_args *second,
		    struct refusal *why);

/* lists.c */
enum MHD_Result exchange_answer_list(struct exchange *x);
/* Sets request.pid. */
bool exchange_find_by_name(struct exchange *x, struct refusal *why);

/* stream.c: of the subject */
enum MHD_Result exchange_answer_stream(struct exchange *x);

/* answer.c */
extern const char answer_text_type[];
/* Takes the response. */
enum MHD_Result answer_send(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r,
			    const char *type);
/* Empties the body. */
enum MHD_Result answer_buf(struct MHD_Connection *c, struct buf *body, const char *type);
enum MHD_Result answer_refuse(struct MHD_Connection *c, const struct refusal *why);

#endif
