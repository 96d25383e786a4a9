// SPDX-License-Identifier: Apache-2.0
/*
 * requests: the requests that the program served, by route, if the trace has them (group http). The
 * sentences of the units of work have the critical paths of the routes with most time, and this
 * table the numbers of all. See parts.h.
 */
#include <string.h>

#include "base/show.h"
#include "cmd/report/parts.h"
#include "cmd/requests/table.h"
#include "read/http.h"

/* How many of the slowest requests are in JSON, and in the JSON of a page. */
enum { REQUESTS_SLOWEST = 3, REQUESTS_SLOWEST_PAGE = 200 };

struct routes *report_requests_new(struct spans *s, bool page)
{
	return routes_new(s, page ? REQUESTS_SLOWEST_PAGE : REQUESTS_SLOWEST, NULL);
}

static const struct routes *report_routes(const struct trace_report *r, uint32_t trace)
{
	return *vec_at(&r->routes, struct routes *, trace);
}

bool report_has_requests(const struct trace_report *r)
{
	uint32_t i;

	for (i = 0; i < r->routes.len; i++)
		if (routes_count(report_routes(r, i)) || routes_open(report_routes(r, i)))
			return true;
	return false;
}

const struct route *report_route(const struct trace_report *r, const char *name)
{
	uint32_t i;
	size_t k;

	for (i = 0; i < r->routes.len; i++)
		for (k = 0; k < routes_count(report_routes(r, i)); k++)
			if (!strcmp(routes_at(report_routes(r, i), k)->name, name))
				return routes_at(report_routes(r, i), k);
	return NULL;
}

bool report_is_request(const struct trace_report *r, const char *type)
{
	const char *method = strchr(type, ' ');

	return report_route(r, type) ||
	       (method && !strcmp(method + 1, HTTP_NO_ROUTE) && report_has_requests(r));
}

/* The states of its goroutine, from the row of the tasks that the requests are. */
static void requests_put_breakdown(const struct trace_report *r, const struct route *route, FILE *f)
{
	const struct vec *tasks = &r->tables->tasks;
	size_t i;

	for (i = 0; i < tasks->len; i++)
		if (!strcmp(vec_at(tasks, struct type_row, i)->type, route->name))
			report_put_breakdown(r, vec_at(tasks, struct type_row, i), f);
}

static void requests_put_routes(const struct trace_report *r, const struct routes *routes, FILE *f)
{
	size_t i, n = routes_count(routes);
	int64_t all = routes_time(routes);

	for (i = 0; i < n && i < r->tables->options.top; i++) {
		routes_put_row(routes, routes_at(routes, i), all, f);
		if (is_one(r))
			requests_put_breakdown(r, routes_at(routes, i), f);
	}
	if (i < n)
		fprintf(f, "   and %zu more; --top N shows them\n", n - i);
}

void report_print_requests(const struct trace_report *r, FILE *f)
{
	uint32_t t;

	for (t = 0; t < r->routes.len; t++) {
		const struct routes *routes = report_routes(r, t);

		if (!routes_count(routes) && !routes_open(routes))
			continue;
		fputs("\nREQUESTS by route", f);
		if (!is_one(r))
			fprintf(f, " of trace %u", t + 1);
		fputs(": ", f);
		routes_put_counts(routes, f);
		fputc('\n', f);
		if (routes_count(routes))
			routes_put_titles(f);
		requests_put_routes(r, routes, f);
	}
}

void report_json_requests(struct json_out *j, const struct trace_report *r)
{
	uint32_t t;
	size_t i;

	json_open_array(j, "requests");
	for (t = 0; t < r->routes.len; t++) {
		const struct routes *routes = report_routes(r, t);

		if (!routes_count(routes) && !routes_open(routes))
			continue;
		json_open_object(j, NULL);
		json_put_count(j, "trace", t);
		json_put_count(j, "open", routes_open(routes));
		json_open_array(j, "routes");
		for (i = 0; i < routes_count(routes); i++) {
			json_open_object(j, NULL);
			routes_json_numbers(j, routes, routes_at(routes, i));
			json_close_object(j);
		}
		json_close_array(j);
		routes_json_slowest(j, routes);
		json_close_object(j);
	}
	json_close_array(j);
}
