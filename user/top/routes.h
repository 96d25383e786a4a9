/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes: the requests that the program serves, by route, while `gotap top` counts them: those
 * that ended in the interval, and how many are open now. Owns the routes, which stay until the
 * end. There are at most ROUTES_MOST (requests/routes.h): requests of further routes share one, as
 * in a program that makes patterns at run time.
 */
#ifndef GOTAP_TOP_ROUTES_H
#define GOTAP_TOP_ROUTES_H

#include "top/sample.h"
#include "trace/sink.h"

struct top_routes;

/* top_routes_free() frees the result. */
struct top_routes *top_routes_new(void);
/* The functions of requests/served.h. @g: the goroutine of the event; 0: not known. */
void top_routes_event(struct top_routes *r, const struct sink_event *e, uint64_t g);
void top_routes_text(struct top_routes *r, uint64_t later, const char *bytes, size_t n);
void top_routes_gone(struct top_routes *r, uint64_t g);
void top_routes_forget(struct top_routes *r);
/* Begins an interval: sets all counts to 0 but those of open requests. */
void top_routes_turn(struct top_routes *r);
/* Copies the counts of the interval that ends at @time to @ret, which is zeroed. */
void top_routes_sample(const struct top_routes *r, uint64_t time, struct top_requests *ret);
void top_routes_free(struct top_routes *r);

#endif
