/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes: the requests that a program served, by their names ("GET /cart"), from the tasks and logs
 * of group http (read/http.h). Counts, results, durations; the slowest ones with their paths.
 *
 * 	struct routes *r = routes_new(spans, slowest, only);
 * 	spans_read(spans, reader, &err);
 * 	... routes_count(r), routes_at(r, i), routes_slowest(r, i) ...
 * 	routes_free(r);				before spans_free()
 *
 * Memory: ROUTES_MOST routes, the requests that are open, and the slowest ones.
 */
#ifndef GOTAP_REQUESTS_ROUTES_H
#define GOTAP_REQUESTS_ROUTES_H

#include "report/dist.h"
#include "spans/labelled.h"
#include "spans/spans.h"

enum {
	/* Further routes are one, ROUTES_OTHERS: a program can have any number of patterns. */
	ROUTES_MOST = 512,
	ROUTES_SLOWEST = 1000,	/* the most that routes_new() takes */
	ROUTES_CLASSES = 6,	/* of a status: 1xx to 5xx at 1 to 5; 0: not known */
	ROUTES_PATH = 256,	/* bytes of a path that are kept */
};

#define ROUTES_OTHERS "(other routes)"

struct route {
	const char *name;	/* valid as long as the spans */
	struct dist dist;	/* durations of the requests that began and ended in the trace */
	uint64_t classes[ROUTES_CLASSES];	/* by the class of the status */
	uint64_t beyond;	/* status from 600 on, which net/http lets pass */
	uint64_t panics;	/* the handler did not return */
	uint64_t hijacked;
	uint64_t bytes;		/* of the bodies of responses */
	uint64_t h2;		/* of HTTP/2 */
	uint64_t grpc;		/* calls of gRPC (read/grpc.h): they have no status of HTTP */
	uint64_t faults;	/* those of which the status means a fault of the server */
};

/*
 * Requests with a status from 500 on, or a handler that did not return; calls of gRPC of which the
 * status means a fault of the server.
 */
uint64_t route_errors(const struct route *r);

struct route_request {
	const char *name;
	uint64_t task, g;
	int64_t from, ns;
	unsigned int status;	/* 0: not known */
	bool panic;
	bool grpc;		/* a call of gRPC, with @code as its status */
	unsigned int code;
	char path[ROUTES_PATH];
};

struct routes;

/*
 * Adds a visitor to @s, which must outlive the result. @slowest: how many of the slowest requests
 * to keep. @only: those of the route of that name; NULL: of any.
 */
struct routes *routes_new(struct spans *s, size_t slowest, const char *only);
/* Before the trace is read: those with that label alone, which @l finds; NULL: all. */
void routes_label(struct routes *r, const struct labelled *l);
/* Frees @r, which may be NULL. */
void routes_free(struct routes *r);
/* To be called when the trace is read: removes the visitor, and sorts. */
void routes_collected(struct routes *r);
/* The routes, those with the most time first. */
size_t routes_count(const struct routes *r);
const struct route *routes_at(const struct routes *r, size_t i);
/* The slowest requests, the slowest first. */
size_t routes_nslowest(const struct routes *r);
const struct route_request *routes_slowest(const struct routes *r, size_t i);
/* Requests that had not ended when the trace did. */
uint64_t routes_open(const struct routes *r);
/* Begin and end of the trace, ns. */
int64_t routes_begin(const struct routes *r);
int64_t routes_end(const struct routes *r);

#endif
