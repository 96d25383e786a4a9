/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order: returns the events of a trace in the order in which they were written, across Ps. clock.c
 * uses it, once for each pass.
 */
#ifndef GOTAP_V1_ORDER_H
#define GOTAP_V1_ORDER_H

#include "v1/internal.h"

struct v1_order;

struct v1_order *v1_order_new(const struct v1_trace *t);
/*
 * Returns 1 with the next event. Its time is in ticks. Returns 0 at the end: all events were
 * returned, or the trace is cut and the remaining events follow lost ones. Returns -errno with @err
 * on an error; -EPROTO: the events contradict each other.
 */
int v1_order_next(struct v1_order *o, struct v1_event *ev, struct error *err);
/* Accepts NULL. */
void v1_order_free(struct v1_order *o);

#endif
