// SPDX-License-Identifier: Apache-2.0
/* ask: see ask.h. */
#include "serve/ask.h"

#include <string.h>

#define ASK_SECOND_NS 1e9

/* Longer than any time that gotap serve --max-time allows. */
static const uint64_t ASK_MOST_NS = 100ULL * 24 * 3600 * 1000000000;

static uint32_t ask_endpoints(void)
{
	uint32_t n = 0;

	while (endpoints[n].path)
		n++;
	return n;
}

/* 0 stands for no time: so a shorter time than 1 ns is one. */
static uint64_t ask_ns_of(double seconds)
{
	uint64_t ns = (uint64_t)(seconds * ASK_SECOND_NS);

	return seconds > 0 && !ns ? 1 : ns;
}

void ask_encode(struct ask *a, const struct request *r, bool head, const char *authorization)
{
	*a = (struct ask){ .endpoint = ask_endpoints(), .debug = REQUEST_NOT_GIVEN, .head = head };
	if (authorization && strlen(authorization) < sizeof(a->authorization))
		strcpy(a->authorization, authorization);
	if (!r)
		return;
	a->endpoint = (uint32_t)(r->endpoint - endpoints);
	a->pid = r->pid;
	a->debug = r->debug;
	a->ns = ask_ns_of(r->seconds);
	a->open_metrics = r->open_metrics;
	strcpy(a->name, r->name);
	a->snap = r->snap;
}

bool ask_is_valid(const struct ask *a)
{
	return a->endpoint <= ask_endpoints() && a->pid >= 0 && a->pid <= ASK_LONGEST_PID &&
	       a->debug >= REQUEST_NOT_GIVEN && a->debug <= 2 && a->head <= 1 &&
	       a->open_metrics <= 1 && a->ns <= ASK_MOST_NS && snap_is_valid(&a->snap) &&
	       memchr(a->name, 0, sizeof(a->name)) &&
	       memchr(a->authorization, 0, sizeof(a->authorization));
}

bool ask_decode(const struct ask *a, struct request *r)
{
	*r = (struct request){
		.pid = a->pid, .debug = a->debug, .seconds = (double)a->ns / ASK_SECOND_NS,
		.open_metrics = a->open_metrics, .snap = a->snap,
	};
	strcpy(r->name, a->name);
	if (a->endpoint == ask_endpoints())
		return false;
	r->endpoint = &endpoints[a->endpoint];
	return true;
}
