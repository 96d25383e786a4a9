/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask: what the two processes of `gotap serve` send each other. The front (front.h) parses HTTP
 * without any right; the server (server.h) has the rights, and checks all that the front sends.
 *
 *	front -> server, by the channel:	struct ask, with the client's socket
 *	server -> front, by the channel:	struct refusal; status 0: with a socket
 *						for the answer
 *	server -> front, over that socket:	struct answer; then for each piece its length as
 *						uint32_t and its bytes; at the end the length 0
 *	front -> server, over that socket:	ASK_DELIVERED once the client has all of it
 *
 * An answer without the length 0 at its end is not whole.
 */
#ifndef GOTAP_SERVE_ASK_H
#define GOTAP_SERVE_ASK_H

#include <stdint.h>

#include "serve/request.h"

/* ASK_AUTHORIZATION: a token in the longest form of Basic, and the NUL. */
enum { ASK_AUTHORIZATION = 1024, ASK_LONGEST_PID = 999999999 };

/* A byte. It decides nothing but the words of gotap's line about a recording. */
enum { ASK_DELIVERED = 1 };

/* All of its bytes may be forged: a client may have taken over the front. */
struct ask {
	/* an index of endpoints[]; their number: may this client ask for anything at all? */
	uint32_t endpoint;
	int32_t pid, debug;
	uint32_t head;			/* 1: for the headers of the answer alone */
	uint32_t open_metrics;		/* 0 or 1 */
	uint64_t ns;			/* of the recording */
	char name[256];
	struct snap snap;
	char authorization[ASK_AUTHORIZATION];	/* that header of the request, "": none */
};

/* Begins an answer. @size: bytes that follow; -1: that is not known yet. */
struct answer {
	struct refusal why;		/* status 0: it is none */
	int64_t size;
};

/* @r NULL: may the client ask at all? A header that is too long for a token is as none. */
void ask_encode(struct ask *a, const struct request *r, bool head, const char *authorization);
/* Is each field one that ask_encode() could have written? */
bool ask_is_valid(const struct ask *a);
/* @a is valid; request_settle() checks the rest. False: it asks for nothing. */
bool ask_decode(const struct ask *a, struct request *r);

#endif
