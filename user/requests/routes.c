// SPDX-License-Identifier: Apache-2.0
/* routes: see routes.h. */
#include "requests/routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "read/http.h"
#include "requests/result.h"

struct routes {
	struct spans *s;
	const char *only;
	const struct labelled *label;
	struct vec routes;	/* struct route */
	struct map64 by_name;	/* address of the name -> index + 1 */
	struct map64 results;	/* task -> struct result *, of those that have not ended */
	struct route_request *slowest;
	size_t nslowest, most;
	size_t quickest;	/* index of the quickest one of @slowest */
	uint64_t open;
	int64_t begin, end;
};

uint64_t route_errors(const struct route *r)
{
	return r->classes[5] + r->beyond + r->panics + r->faults;
}

static struct route *route_of(struct routes *r, const char *name)
{
	bool is_new;
	uint64_t *index;
	struct route *route;

	if (r->routes.len >= ROUTES_MOST && !map64_get(&r->by_name, (uintptr_t)name))
		name = spans_text(r->s, ROUTES_OTHERS, strlen(ROUTES_OTHERS));
	index = map64_put(&r->by_name, (uintptr_t)name, &is_new);
	if (is_new) {
		route = vec_push(&r->routes, sizeof(*route));
		*route = (struct route){ .name = name };
		*index = r->routes.len;
	}
	return vec_at(&r->routes, struct route, *index - 1);
}

/* --- the slowest requests --- */

static void routes_find_quickest(struct routes *r)
{
	size_t i;

	r->quickest = 0;
	for (i = 1; i < r->nslowest; i++)
		if (r->slowest[i].ns < r->slowest[r->quickest].ns)
			r->quickest = i;
}

static void routes_keep(struct routes *r, const struct route_request *q)
{
	if (!r->most || (r->only && !http_name_is(q->name, r->only)))
		return;
	if (r->nslowest < r->most) {
		r->slowest[r->nslowest++] = *q;
	} else if (q->ns > r->slowest[r->quickest].ns) {
		r->slowest[r->quickest] = *q;
	} else {
		return;
	}
	if (r->nslowest == r->most)
		routes_find_quickest(r);
}

static int routes_by_slowness(const void *a, const void *b)
{
	const struct route_request *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static int routes_by_time(const void *a, const void *b)
{
	const struct route *x = a, *y = b;

	if (x->dist.sum != y->dist.sum)
		return x->dist.sum > y->dist.sum ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* --- the visitor --- */

static void routes_on_trace(void *ctx, int64_t time)
{
	((struct routes *)ctx)->begin = time;
}

static void routes_on_end(void *ctx, int64_t time)
{
	((struct routes *)ctx)->end = time;
}

/* The log event of a request comes right before the end of its task. */
static void routes_on_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
			  const char *message)
{
	struct routes *r = ctx;
	struct result *result;
	uint64_t *slot;
	bool is_new;

	/* a forged one may be of a task that never began */
	if (!http_is_served(task) || !result_is_category(category) || !spans_has_task(r->s, task))
		return;
	slot = map64_put(&r->results, task, &is_new);
	if (is_new)
		*slot = (uint64_t)(uintptr_t)xcalloc(1, sizeof(*result));
	result = (struct result *)(uintptr_t)*slot;
	result_read(result, message);
	result->g = g;
}

static void routes_add(struct routes *r, const struct task_span *t, const struct result *result)
{
	struct route *route = route_of(r, t->type);
	struct route_request q = { .name = route->name, .task = t->id, .g = t->g, .from = t->from,
				   .ns = t->to - t->from };
	unsigned int class = result->status / 100;

	dist_add_of(&route->dist, q.ns, t->g, t->from, 0);
	route->classes[class < ROUTES_CLASSES && !result->panic ? class : 0]++;
	route->beyond += class >= ROUTES_CLASSES && !result->panic;
	route->panics += result->panic;
	route->hijacked += result->hijacked;
	route->bytes += result->bytes;
	route->h2 += result->h2;
	route->grpc += result->grpc;
	route->faults += result->grpc && result_failed(result);
	q.status = result->status;
	q.panic = result->panic;
	q.grpc = result->has_code;
	q.code = result->code;
	memcpy(q.path, result->path, sizeof(q.path));
	routes_keep(r, &q);
}

static void routes_on_task(void *ctx, const struct task_span *t)
{
	static const struct result unknown;
	struct routes *r = ctx;
	uint64_t *slot;

	if (!http_is_served(t->id))
		return;
	slot = map64_get(&r->results, t->id);
	if (t->open_end)
		r->open += labelled_task(r->label, t->id);
	else if (!t->open_begin && labelled_task(r->label, t->id))
		routes_add(r, t, slot ? (const struct result *)(uintptr_t)*slot : &unknown);
	if (!slot)
		return;
	free((void *)(uintptr_t)*slot);
	map64_del(&r->results, t->id);
}

struct routes *routes_new(struct spans *s, size_t slowest, const char *only)
{
	struct routes *r = xcalloc(1, sizeof(*r));

	r->s = s;
	r->only = only;
	r->most = slowest < ROUTES_SLOWEST ? slowest : ROUTES_SLOWEST;
	r->slowest = xcalloc(r->most + 1, sizeof(*r->slowest));
	spans_visit(s, &(struct spans_visitor){
		.ctx = r, .trace_begin = routes_on_trace, .op_log = routes_on_log,
		.task = routes_on_task, .trace_end = routes_on_end });
	return r;
}

void routes_collected(struct routes *r)
{
	spans_leave(r->s, r);
	vec_sort(&r->routes, sizeof(struct route), routes_by_time);
	qsort(r->slowest, r->nslowest, sizeof(*r->slowest), routes_by_slowness);
}

void routes_label(struct routes *r, const struct labelled *l)
{
	r->label = l;
}

void routes_free(struct routes *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; i < r->routes.len; i++)
		dist_free(&vec_at(&r->routes, struct route, i)->dist);
	for (i = 0; i < r->results.cap; i++)
		if (r->results.slots[i].used)
			free((void *)(uintptr_t)r->results.slots[i].value);
	vec_free(&r->routes);
	map64_free(&r->by_name);
	map64_free(&r->results);
	free(r->slowest);
	free(r);
}

size_t routes_count(const struct routes *r) { return r->routes.len; }

const struct route *routes_at(const struct routes *r, size_t i)
{
	return vec_at(&r->routes, struct route, i);
}

size_t routes_nslowest(const struct routes *r) { return r->nslowest; }

const struct route_request *routes_slowest(const struct routes *r, size_t i)
{
	return &r->slowest[i];
}

uint64_t routes_open(const struct routes *r) { return r->open; }
int64_t routes_begin(const struct routes *r) { return r->begin; }
int64_t routes_end(const struct routes *r) { return r->end; }
