/* SPDX-License-Identifier: Apache-2.0 */
/*
 * survey: which of several traces have ends of the same connections, found in a reading of each of
 * them: only those are worth being read side by side (joins.h).
 */
#ifndef GOTAP_JOINS_SURVEY_H
#define GOTAP_JOINS_SURVEY_H

#include "base/map64.h"
#include "joins/joins.h"

/* All zero: no trace is read. */
struct joins_survey {
	/* hash of both addresses -> bits of the traces with an end */
	struct map64 connections;
	uint64_t joined[JOINS_MEMBERS];	/* by trace: bits of those that have other ends */
	uint32_t now;			/* number of the trace that is read */
	bool is_full;			/* a connection found no room */
};

void joins_survey_free(struct joins_survey *v);
/*
 * Reads trace number @number, below JOINS_MEMBERS. Returns 0, or -errno and @err; what comes before
 * the damage of a trace counts.
 */
int joins_survey_read(struct joins_survey *v, uint32_t number, struct trace_reader *r,
		      struct error *err);
/* Can trace @b have other ends of connections of trace @a? */
bool joins_survey_has(const struct joins_survey *v, uint32_t a, uint32_t b);

#endif
