/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outgoing: what a program asks others for: queries of database/sql (read/sql.h), requests that it
 * sends (read/http_call.h), calls of gRPC (read/grpc.h), by kind and name. And by route: how much
 * of the time of the requests that the program serves lies in calls that were made for them.
 *
 *	struct outgoing *c = outgoing_new(spans);
 *	spans_read(spans, reader, &err);
 *	outgoing_collected(c);
 *	... outgoing_count(c), outgoing_at(c, i), outgoing_of_route(c, "GET /cart") ...
 *	outgoing_free(c);				before spans_free()
 *
 * Memory: CALLS_MOST rows, and the requests and calls that are open.
 */
#ifndef GOTAP_REQUESTS_OUTGOING_H
#define GOTAP_REQUESTS_OUTGOING_H

#include "report/dist.h"
#include "spans/labelled.h"
#include "spans/spans.h"

enum {
	/* Further ones of a kind are one row, CALLS_OTHERS. */
	CALLS_MOST = 512,
};

#define CALLS_OTHERS "(others)"

enum call_kind {
	CALL_QUERY,		/* of database/sql, that returns rows */
	CALL_EXEC,
	CALL_TRANSACTION,	/* begin, commit, rollback */
	CALL_CONNECTION,	/* database/sql gets one: from the pool, or a new one */
	CALL_HTTP,		/* a request that the program sends */
	CALL_RPC,		/* a call of gRPC that the program makes */
	CALL_KINDS,
};

/* "query", "exec", ... */
const char *call_kind_name(enum call_kind kind);

struct call_row {
	enum call_kind kind;
	char *name;
	struct dist dist;	/* durations */
	uint64_t errors;
	/* of CALL_HTTP: sums of parts of the durations, ns; dials of new connections */
	int64_t conn_wait, dial, tls, first_byte;
	uint64_t dials;
	/* what comes behind: until rows are closed, or a body has been read */
	struct dist after;
};

/* Time of calls that were made for the requests of a route, ns; calls side by side count each. */
struct call_shares {
	int64_t ns[CALL_KINDS];
};

struct outgoing;

/* Before the trace is read: what goroutines with that label ask for alone; NULL: all. */
void outgoing_label(struct outgoing *c, struct labelled *l);
/* Adds a visitor to @s, which must outlive the result. */
struct outgoing *outgoing_new(struct spans *s);
/* Frees @c, which may be NULL. */
void outgoing_free(struct outgoing *c);
/* To be called when the trace is read: removes the visitor, and sorts. */
void outgoing_collected(struct outgoing *c);
/* The rows, those with the most time first. */
size_t outgoing_count(const struct outgoing *c);
const struct call_row *outgoing_at(const struct outgoing *c, size_t i);
/* How many calls are not, or not in the time of a route, in the answer: too many were open. */
uint64_t outgoing_left_out(const struct outgoing *c);
/* Returns the calls of requests that ended with the name @route; NULL: there were none. */
const struct call_shares *outgoing_of_route(const struct outgoing *c, const char *route);

#endif
