// SPDX-License-Identifier: Apache-2.0
/* routes: see routes.h. */
#include "top/routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/strset.h"
#include "report/dist.h"
#include "requests/routes.h"
#include "requests/served.h"
#include "top/groups.h"

struct counted_route {
	const char *name;		/* in top_routes.names */
	struct dist took;
	uint64_t failed, open;
	struct top_histogram results[TOP_RESULTS];
	struct served_request *slowest;	/* a copy; NULL: none has ended */
};

struct top_routes {
	struct served *served;
	struct strset *names;
	struct map64 by_name;		/* address of the name -> struct counted_route * */
	uint64_t failed_all;
	struct dist took;
};

/* The requests of the interval that ended with @r, as a class. */
static enum top_result result_class(const struct result *r)
{
	unsigned int class = r->status / 100;

	if (r->panic)
		return TOP_RESULT_PANIC;
	return class > 5 ? TOP_RESULT_BEYOND : (enum top_result)class;
}

static struct counted_route *counted_route_of(struct top_routes *r, const char *text)
{
	const char *name = strset_find(r->names, text, strlen(text));
	struct counted_route *route;
	uint64_t *slot;

	if (!name && r->by_name.len >= ROUTES_MOST)
		text = ROUTES_OTHERS;
	name = strset_add(r->names, text, strlen(text));
	slot = map64_put(&r->by_name, (uintptr_t)name, NULL);
	if (*slot)
		return (struct counted_route *)(uintptr_t)*slot;
	route = xcalloc(1, sizeof(*route));
	route->name = name;
	*slot = (uint64_t)(uintptr_t)route;
	return route;
}

/* --- the functions of requests/served.h --- */

static void route_opens(void *ctx, struct served_request *q)
{
	struct counted_route *route = counted_route_of(ctx, q->name);

	route->open++;
	q->data = route;
}

/* Under the name that it had at its begin: the route is not known before the end. */
static void route_closes(void *ctx, struct served_request *q)
{
	((struct counted_route *)q->data)->open--;
}

static void route_keep_slowest(struct counted_route *route, const struct served_request *q)
{
	struct served_request *s = route->slowest;

	if (s && s->until - s->since >= q->until - q->since)
		return;
	if (!s)
		s = route->slowest = xcalloc(1, sizeof(*s));
	*s = *q;
}

static void route_ends(void *ctx, struct served_request *q)
{
	struct top_routes *r = ctx;
	struct counted_route *route = counted_route_of(r, q->name);
	bool failed = result_failed(&q->result);
	uint64_t ns = q->until - q->since;

	route_closes(ctx, q);
	dist_add(&route->took, (int64_t)ns);
	dist_add(&r->took, (int64_t)ns);
	route->failed += failed;
	r->failed_all += failed;
	top_histogram_add(&route->results[result_class(&q->result)], TOP_HISTOGRAM_REQUESTS, ns);
	route_keep_slowest(route, q);
}

struct top_routes *top_routes_new(void)
{
	static const struct served_ops ops = {
		.begun = route_opens, .ended = route_ends, .dropped = route_closes,
	};
	struct top_routes *r = xcalloc(1, sizeof(*r));

	r->served = served_new(&ops, r);
	r->names = strset_new();
	return r;
}

void top_routes_event(struct top_routes *r, const struct sink_event *e, uint64_t g)
{
	served_event(r->served, e, g);
}

void top_routes_text(struct top_routes *r, uint64_t later, const char *bytes, size_t n)
{
	served_text(r->served, later, bytes, n);
}

void top_routes_gone(struct top_routes *r, uint64_t g)
{
	served_gone(r->served, g);
}

void top_routes_forget(struct top_routes *r)
{
	served_forget(r->served);
}

/* --- intervals --- */

static struct counted_route *route_at(const struct top_routes *r, size_t i)
{
	return (struct counted_route *)(uintptr_t)r->by_name.slots[i].value;
}

static void route_turn(struct counted_route *route)
{
	dist_free(&route->took);
	free(route->slowest);
	*route = (struct counted_route){ .name = route->name, .open = route->open };
}

void top_routes_turn(struct top_routes *r)
{
	size_t i;

	for (i = 0; i < r->by_name.made; i++)
		if (r->by_name.slots[i].used)
			route_turn(route_at(r, i));
	dist_free(&r->took);
	r->took = (struct dist){0};
	r->failed_all = 0;
}

static void route_sample(const struct counted_route *route, struct top_route *to)
{
	const struct served_request *s = route->slowest;

	to->key = (uintptr_t)route->name;
	to->name = xstrdup(route->name);
	to->took = top_waits_of(&route->took);
	to->ns = (uint64_t)route->took.sum;
	to->failed = route->failed;
	to->open = route->open;
	memcpy(to->results, route->results, sizeof(to->results));
	if (!s)
		return;
	to->slowest_task = s->task;
	to->slowest_status = s->result.status;
	to->slowest_path = xstrdup(s->result.path);
}

static int routes_by_text(const void *a, const void *b)
{
	return strcmp(((const struct top_route *)a)->name, ((const struct top_route *)b)->name);
}

void top_routes_sample(const struct top_routes *r, uint64_t time, struct top_requests *ret)
{
	uint64_t oldest = served_oldest(r->served);
	size_t i;

	ret->known = true;
	ret->open = served_open(r->served);
	ret->oldest = oldest && oldest < time ? time - oldest : 0;
	ret->took = top_waits_of(&r->took);
	ret->ns = (uint64_t)r->took.sum;
	ret->failed = r->failed_all;
	for (i = 0; i < r->by_name.made; i++)
		if (r->by_name.slots[i].used)
			route_sample(route_at(r, i),
				     vec_push(&ret->routes, sizeof(struct top_route)));
	vec_sort(&ret->routes, sizeof(struct top_route), routes_by_text);
}

void top_routes_free(struct top_routes *r)
{
	size_t i;

	if (!r)
		return;
	served_free(r->served);
	for (i = 0; i < r->by_name.made; i++) {
		if (!r->by_name.slots[i].used)
			continue;
		route_turn(route_at(r, i));
		free(route_at(r, i));
	}
	map64_free(&r->by_name);
	dist_free(&r->took);
	strset_free(r->names);
	free(r);
}
