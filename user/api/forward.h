/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forward: which later event each event of a trace leads to: the links of read/links.h the other
 * way round, which are known when the trace was read once. reader.c makes one when it opens a
 * trace that it can read twice.
 */
#ifndef GOTAP_API_FORWARD_H
#define GOTAP_API_FORWARD_H

#include "read/links.h"
#include "read/v2_reader.h"

struct forward;

/* Reads @r to its end, or to where it is damaged. */
struct forward *forward_new(struct trace_reader *r);
/* Accepts NULL. */
void forward_free(struct forward *f);
/* The later event that the one of @time leads to; type 0: none. */
struct event_link forward_of(const struct forward *f, int64_t time);

#endif
