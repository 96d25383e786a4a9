/* SPDX-License-Identifier: Apache-2.0 */
/* front_internal: what the files of the front share: the process, and one request of HTTP in it. */
#ifndef GOTAP_SERVE_FRONT_INTERNAL_H
#define GOTAP_SERVE_FRONT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "serve/ask.h"
#include "serve/expiry.h"
#include "serve/mhd.h"
#include "serve/times.h"

enum { FRONT_PIECE = 64 << 10 };

/* In the process of the front. */
struct front_side {
	bool is_unix;
	double max_seconds;
	char hosts[1024];		/* further names of the server */
	int listener, channel;
	pthread_mutex_t asking;		/* one question on the channel, until its reply is there */
	struct expiry expiry;
	struct MHD_Daemon *daemon;
	atomic_uint visits;		/* requests that are under way */
};

/* One request. Its thread owns it until libmicrohttpd says that it is completed. */
struct visit {
	struct front_side *front;
	struct MHD_Connection *connection;
	int client;			/* its socket, which libmicrohttpd owns */
	struct expiry_entry *expiry;	/* of its connection */
	struct request request;
	bool head;
	int answer;			/* the socket that the answer comes by; -1: none */
	uint32_t left;			/* of the piece that comes */
};

/* front_rights.c: gives up all rights for good, but to use what is open. */
int front_rights_drop(struct error *err);

/* front_daemon.c: starts libmicrohttpd; its threads inherit the rights of the caller. */
int front_daemon_start(struct front_side *f, struct error *err);
/* Accepts clients until the server closes the channel, and ends when all answers are sent. */
void front_daemon_run(struct front_side *f);

/* front_visit.c */
struct visit *visit_new(struct front_side *f, struct MHD_Connection *c);
/* @delivered: the client has the whole answer. */
void visit_free(struct visit *v, bool delivered);
/* Finds out what the request asks for, and asks the server. False: @why has the answer. */
bool visit_accept(struct visit *v, const char *url, const char *method, struct refusal *why);
/* Waits for the answer's first bytes, and begins to send it. */
enum MHD_Result visit_answer(struct visit *v);

/* front_answer.c: sends the client the answer that the request was refused, and why */
enum MHD_Result answer_refuse(struct MHD_Connection *c, const struct refusal *why);
/* Sends the client @response, the answer to @r, and frees it; NULL: there is none. */
enum MHD_Result answer_send(struct MHD_Connection *c, struct MHD_Response *response,
			    const struct request *r, bool head);

#endif
