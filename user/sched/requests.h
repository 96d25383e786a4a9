/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests: the requests that the program serves. In the trace each one is a task, with a region of
 * the same name in the goroutine that serves it, and a log event with its result at its end
 * (read/http.h). The ids of these tasks count from HTTP_TASKS on.
 *
 * The name of a request has its route, which the router finds out while the request is served, and
 * no path, since a program may see any number of paths. A reader wants the name at the begin of the
 * task: the trace has an id for it there, and the text when the request ends, at the latest when
 * the generation does (sink_ops.text).
 */
#ifndef GOTAP_SCHED_REQUESTS_H
#define GOTAP_SCHED_REQUESTS_H

#include "sched/state.h"

/* A generation ends: names the requests that have begun in it and go on. */
void requests_tell(struct model *s);
/* The goroutine is dropped: so is its request, without an end. */
void request_drop(struct model *s, struct G *g);

#endif
