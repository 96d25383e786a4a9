/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: what a path and its arguments ask for, and the words of a refusal. All text here comes
 * from a client. Both sides call it (ask.h).
 */
#ifndef GOTAP_SERVE_REQUEST_H
#define GOTAP_SERVE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* An answer that is an error: a status of HTTP and one line, without a line feed. */
struct refusal {
	unsigned int status;	/* 0: none */
	char text[400];
};

/* Fills @r; returns false, so that a caller can write `return refuse(...)`. */
bool refuse(struct refusal *r, unsigned int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

enum asked {
	ASKED_INDEX,
	ASKED_PROCESSES,
	ASKED_PROCESSES_JSON,
	ASKED_CMDLINE,
	ASKED_GOROUTINE,
	ASKED_LEAKS,
	ASKED_HEAP,
	ASKED_ALLOCS,
	ASKED_MUTEX,
	ASKED_TRACE,
	ASKED_BLOCK,
	ASKED_PROFILE,
	ASKED_REQUESTS,
	ASKED_REQUESTS_JSON,
	ASKED_METRICS,
	ASKED_SNAP,
};

struct endpoint {
	const char *path;
	enum asked asked;
	const char *name;		/* NULL: it is no answer about one process */
	bool shown;			/* a client shows it, and does not save it as a file */
	const char *about;		/* for the page; NULL: not on it */
	unsigned int seconds;		/* default time of a recording; 0: the answer needs none */
	/* fractions of seconds are allowed; net/http/pprof allows them for traces only */
	bool fractions;
	const char *failed;		/* the text before an error's own, as in net/http/pprof */
	/*
	 * "seconds" is optional, and no recording: of heap, allocs and mutex what changes
	 * meanwhile, of goroutineleak how long to wait for a collection
	 */
	bool delta;
	bool text;			/* "debug" has text of it */
	bool post;			/* it is asked for by POST alone, and changes something */
};

/* All of them, up to one without a path. */
extern const struct endpoint endpoints[];

enum { SNAP_ID = 33, SNAP_FROM = 65, SNAP_REASON = 181, SNAP_HOPS = 8 };

/*
 * What a flight recording of another host asks for (flight/peers.h). The words have no blanks, the
 * reason is a line of printable ASCII: other bytes of it are '?'.
 */
struct snap {
	char id[SNAP_ID], from[SNAP_FROM], reason[SNAP_REASON];
	uint32_t hops;
};

/* The value of request.debug without such an argument. */
enum { REQUEST_NOT_GIVEN = -1 };

struct request {
	const struct endpoint *endpoint;
	pid_t pid;			/* 0: none was given */
	char name[256];			/* of a program or container; "": none was given */
	double seconds;			/* 0: endpoint->seconds */
	int debug;
	bool open_metrics;		/* the client prefers OpenMetrics */
	struct snap snap;
};

/* Is @path one that is asked for by POST alone? */
bool request_is_post(const char *path);
/* Are its words and its reason as they must be? */
bool snap_is_valid(const struct snap *s);
/* Begins with the path. False: there is no such path; @why has the answer. */
bool request_begin(struct request *r, const char *path, struct refusal *why);
/*
 * Takes one argument, decoded. The first of several arguments with one name counts; arguments with
 * unknown names are ignored. @value NULL: the argument has no "=". False: the value is not allowed;
 * @why has the answer.
 */
bool request_argument(struct request *r, const char *key, const char *value, struct refusal *why);
/*
 * Does a client with this header Accept prefer OpenMetrics 1.0 to the text format of Prometheus?
 * NULL: there is no such header.
 */
bool request_prefers_open_metrics(const char *accept);
/*
 * To be called after the last argument: sets the default time. False: the time is above
 * @max_seconds, or an argument is missing.
 */
bool request_settle(struct request *r, double max_seconds, struct refusal *why);

#endif
