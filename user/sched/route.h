/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route: the names of requests of which the router leaves no pattern in the http.Request. While
 * such a request is served a record (HTTP_ROUTE) has the pattern of a copy of the request, or else
 * the stack of the handler, of which model_opts.handler knows the function.
 */
#ifndef GOTAP_SCHED_ROUTE_H
#define GOTAP_SCHED_ROUTE_H

#include "sched/state.h"

struct op;

/* @op ends: finds the function of its handler, if a record had the stack. */
void route_resolve(struct model *s, struct op *op);
/* Frees what @op has of it. */
void route_forget(struct op *op);
void route_free_all(struct model *s);

#endif
