/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order: gives the events of a trace one after the other in the order in which
 * they were written, across Ps; used by clock, once for each pass.
 */
#ifndef GOTAP_V1_ORDER_H
#define GOTAP_V1_ORDER_H

#include "v1/internal.h"

struct v1_order;

struct v1_order *v1_order_new(const struct v1_trace *t);
/*
 * Returns 1 and the next event, its time in ticks; 0 at the end: all events were given, or the
 * trace is cut and the rest follows events that are lost; or -errno, -EPROTO if events do not fit
 * together.
 */
int v1_order_next(struct v1_order *o, struct v1_event *ev, struct error *err);
/* Accepts NULL. */
void v1_order_free(struct v1_order *o);

#endif
