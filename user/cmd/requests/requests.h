/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests: the parts of `gotap requests` (docs/requests.md): requests.c reads a trace twice,
 * text.c and json.c print the answer.
 */
#ifndef GOTAP_CMD_REQUESTS_REQUESTS_H
#define GOTAP_CMD_REQUESTS_REQUESTS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json_out.h"
#include "cmd/requests/otlp.h"
#include "read/origin.h"
#include "requests/outgoing.h"
#include "requests/routes.h"
#include "unit/unit.h"

struct requests_options {
	const char *trace, *out, *binary, *route, *label;
	char **others;		/* traces of other processes, until a NULL */
	bool json;
	bool or_none;	/* for gotap serve: no request is an answer, too */
	unsigned long slowest;
	struct otlp_cmd_options otlp;
};

struct downstream;

/* The answer. */
struct requests_shown {
	const struct requests_options *options;
	struct routes *routes;
	struct outgoing *calls;
	struct labelled *label;	/* NULL: not asked for */
	struct units *units;	/* those of the routes on which most time was spent */
	struct origin origin;
	struct downstream *downstream;	/* NULL: no other trace has ends of its connections */
	bool failed;			/* a fault of another trace was printed */
};

void requests_text(FILE *f, const struct requests_shown *a);
void requests_json(FILE *f, const struct requests_shown *a);
/* outgoing.c: the table of calls, and what part of the time of a route they are. */
void requests_text_calls(FILE *f, const struct requests_shown *a);
void requests_text_shares(FILE *f, const struct requests_shown *a, const struct route *r);
void requests_json_calls(struct json_out *j, const struct requests_shown *a);
void requests_json_shares(struct json_out *j, const struct requests_shown *a,
			  const struct route *r);
/* Returns the unit of the route; NULL: it has none, or its time could not be explained. */
const struct unit *requests_unit(const struct requests_shown *a, const struct route *r);
/* Does the answer list the route? --route names one; without it all are listed. */
bool requests_is_asked(const struct requests_shown *a, const struct route *r);

#endif
