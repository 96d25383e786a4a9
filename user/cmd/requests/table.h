/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: the rows of routes, for people and as JSON. `gotap requests` and `gotap report` show the
 * same numbers of a route by these functions.
 */
#ifndef GOTAP_CMD_REQUESTS_TABLE_H
#define GOTAP_CMD_REQUESTS_TABLE_H

#include <stdio.h>

#include "base/json_out.h"
#include "requests/routes.h"

/* "460 requests ended, 200 failed; 1 had not ended" */
void routes_put_counts(const struct routes *r, FILE *f);
/* Seconds of the trace. */
double routes_seconds(const struct routes *r);
/* Time of the requests of all routes, ns. */
int64_t routes_time(const struct routes *r);
/* The line of titles. */
void routes_put_titles(FILE *f);
/* The line of @route, which is of @r; @all: routes_time(). */
void routes_put_row(const struct routes *r, const struct route *route, int64_t all, FILE *f);
/* The members of the object of @route, without what its time consisted of. */
void routes_json_numbers(struct json_out *j, const struct routes *r, const struct route *route);
/* The array "slowest". */
void routes_json_slowest(struct json_out *j, const struct routes *r);

#endif
