// SPDX-License-Identifier: Apache-2.0
/* table: see table.h. */
#include "cmd/requests/table.h"

#include "base/show.h"
#include "base/units.h"
#include "read/http.h"

double routes_seconds(const struct routes *r)
{
	return (double)(routes_end(r) - routes_begin(r)) / 1e9;
}

int64_t routes_time(const struct routes *r)
{
	int64_t all = 0;
	size_t i;

	for (i = 0; i < routes_count(r); i++)
		all += routes_at(r, i)->dist.sum;
	return all;
}

/* Requests per second. */
static double routes_rate(const struct routes *r, const struct route *route)
{
	double seconds = routes_seconds(r);

	return seconds > 0 ? (double)route->dist.count / seconds : 0;
}

/* --- for people --- */

void routes_put_counts(const struct routes *r, FILE *f)
{
	uint64_t n = 0, errors = 0;
	size_t i;

	for (i = 0; i < routes_count(r); i++) {
		n += routes_at(r, i)->dist.count;
		errors += route_errors(routes_at(r, i));
	}
	fprintf(f, "%s requests ended, %s failed", unit_count(n).text, unit_count(errors).text);
	if (routes_open(r))
		fprintf(f, "; %s had not ended", unit_count(routes_open(r)).text);
}

void routes_put_titles(FILE *f)
{
	fprintf(f, "   COUNT  FAILED        /s       P50       P90       P99       MAX    TIME  "
		   "ROUTE\n");
}

void routes_put_row(const struct routes *r, const struct route *route, int64_t all, FILE *f)
{
	const struct dist *d = &route->dist;

	fprintf(f, "%8s %7s ", unit_count(d->count).text, unit_count(route_errors(route)).text);
	fprintf(f, "%8.4g ", routes_rate(r, route));
	fprintf(f, "%9s %9s ", unit_time(dist_quantile(d, 0.5)).text,
		unit_time(dist_quantile(d, 0.9)).text);
	fprintf(f, "%9s %9s ", unit_time(dist_quantile(d, 0.99)).text, unit_time(d->max).text);
	fprintf(f, "%7s  ", unit_share((double)d->sum, (double)all).text);
	show_printf(f, "%s\n", route->name);
}

/* --- JSON --- */

static void routes_json_classes(struct json_out *j, const struct route *route)
{
	static const char *const names[ROUTES_CLASSES] = {
		NULL, "1xx", "2xx", "3xx", "4xx", "5xx",
	};
	int i;

	json_open_object(j, "statuses");
	for (i = 1; i < ROUTES_CLASSES; i++)
		json_put_count(j, names[i], route->classes[i]);
	json_close_object(j);
}

void routes_json_numbers(struct json_out *j, const struct routes *r, const struct route *route)
{
	json_put_text(j, "name", route->name);
	json_put_count(j, "count", route->dist.count);
	json_put_count(j, "failed", route_errors(route));
	json_put_count(j, "panics", route->panics);
	json_put_count(j, "hijacked", route->hijacked);
	json_put_count(j, "http2", route->h2);
	json_put_count(j, "grpc", route->grpc);
	json_put_count(j, "bytes", route->bytes);
	routes_json_classes(j, route);
	json_put_real(j, "per_second", routes_rate(r, route), 4);
	json_put_number(j, "sum_ns", route->dist.sum);
	json_put_number(j, "p50_ns", dist_quantile(&route->dist, 0.5));
	json_put_number(j, "p90_ns", dist_quantile(&route->dist, 0.9));
	json_put_number(j, "p99_ns", dist_quantile(&route->dist, 0.99));
	json_put_number(j, "max_ns", route->dist.max);
	json_put_number(j, "max_at_ns", route->dist.max_from - routes_begin(r));
	json_put_count(j, "max_goroutine", route->dist.max_g);
}

void routes_json_slowest(struct json_out *j, const struct routes *r)
{
	size_t i;

	json_open_array(j, "slowest");
	for (i = 0; i < routes_nslowest(r); i++) {
		const struct route_request *q = routes_slowest(r, i);

		json_open_object(j, NULL);
		json_put_text(j, "name", q->name);
		json_put_text(j, "path", q->path);
		json_put_count(j, "task", q->task);
		json_put_count(j, "request", q->task & ~HTTP_TASKS);
		json_put_count(j, "goroutine", q->g);
		json_put_number(j, "from_ns", q->from - routes_begin(r));
		json_put_number(j, "ns", q->ns);
		json_put_count(j, "status", q->status);
		if (q->grpc)
			json_put_count(j, "grpc_code", q->code);
		else
			json_put_text(j, "grpc_code", NULL);
		json_put_bool(j, "panic", q->panic);
		json_close_object(j);
	}
	json_close_array(j);
}
