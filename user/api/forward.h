/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forward: the later event to which each event of a trace leads. These links are those of
 * read/links.h in the other direction, so the trace must be read once before. reader.c makes a
 * struct forward when it opens a trace that it can read twice.
 */
#ifndef GOTAP_API_FORWARD_H
#define GOTAP_API_FORWARD_H

#include "read/links.h"
#include "read/v2_reader.h"

struct forward;

/* Reads @r to its end, or to the first damage. The caller frees the result with forward_free(). */
struct forward *forward_new(struct trace_reader *r);
/* Accepts NULL. */
void forward_free(struct forward *f);
/* The later event to which the event at @time leads; type 0: none. */
struct event_link forward_of(const struct forward *f, int64_t time);

#endif
