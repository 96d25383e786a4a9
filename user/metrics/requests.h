/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests: the requests of a watched program by route and result, as sums of the lines of `gotap
 * top --json` (watched.h). Labels are bounded: requests of routes beyond WATCHED_ROUTES count as
 * WATCHED_OTHERS. `gotap top` has that limit, too, but begins anew when its recording does.
 */
#ifndef GOTAP_METRICS_REQUESTS_H
#define GOTAP_METRICS_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { WATCHED_REQUEST_LIMITS = 32, WATCHED_ROUTES = 512, WATCHED_RESULTS = 8 };

#define WATCHED_OTHERS "(other routes)"

/* Requests of one route with one result. */
struct watched_series {
	struct buf labels;	/* route and result, as metrics_label() writes them */
	uint64_t counts[WATCHED_REQUEST_LIMITS + 1];
	double sum;		/* seconds */
};

struct watched_requests {
	bool known;		/* a line had requests */
	double open;		/* at the end of the last line */
	uint64_t limits_ns[WATCHED_REQUEST_LIMITS];
	unsigned int limits;
	struct vec series;	/* struct watched_series */
	struct vec routes;	/* char *: the names that series have */
};

struct json_object;

/* Adds the member "requests" of a line; NULL: it has none. */
void watched_requests_add(struct watched_requests *w, struct json_object *of);
/* Copies @from to *@to, which is zeroed. */
void watched_requests_copy(struct watched_requests *to, const struct watched_requests *from);
void watched_requests_free(struct watched_requests *w);

#endif
