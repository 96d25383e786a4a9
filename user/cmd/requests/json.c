// SPDX-License-Identifier: Apache-2.0
/* json: the answer of `gotap requests` for programs (docs/requests.md). */
#include "cmd/requests/requests.h"

#include "base/json_out.h"
#include "read/http.h"

enum { JSON_VERSION = 1 };

static void requests_json_classes(struct json_out *j, const struct route *r)
{
	static const char *const names[ROUTES_CLASSES] = {
		NULL, "1xx", "2xx", "3xx", "4xx", "5xx",
	};
	int i;

	json_open_object(j, "statuses");
	for (i = 1; i < ROUTES_CLASSES; i++)
		json_put_count(j, names[i], r->classes[i]);
	json_close_object(j);
}

static void requests_json_causes(struct json_out *j, const struct unit *u)
{
	size_t i;

	json_open_array(j, "causes");
	for (i = 0; u && i < u->ncauses; i++) {
		struct buf text = {0};

		buf_add(&text, u->causes[i].text.data, u->causes[i].text.len);
		buf_add_byte(&text, 0);
		json_open_object(j, NULL);
		json_put_real(j, "share", u->causes[i].share, 6);
		json_put_text(j, "text", (char *)text.data);
		json_close_object(j);
		buf_free(&text);
	}
	json_close_array(j);
	if (u)
		json_put_real(j, "unattributed", u->unattributed, 6);
	else
		json_put_text(j, "unattributed", NULL);
}

static void requests_json_route(struct json_out *j, const struct requests_shown *a,
				const struct route *r)
{
	double seconds = requests_seconds(a);

	json_open_object(j, NULL);
	json_put_text(j, "name", r->name);
	json_put_count(j, "count", r->dist.count);
	json_put_count(j, "failed", route_errors(r));
	json_put_count(j, "panics", r->panics);
	json_put_count(j, "hijacked", r->hijacked);
	json_put_count(j, "http2", r->h2);
	json_put_count(j, "bytes", r->bytes);
	requests_json_classes(j, r);
	json_put_real(j, "per_second", seconds > 0 ? (double)r->dist.count / seconds : 0, 4);
	json_put_number(j, "sum_ns", r->dist.sum);
	json_put_number(j, "p50_ns", dist_quantile(&r->dist, 0.5));
	json_put_number(j, "p90_ns", dist_quantile(&r->dist, 0.9));
	json_put_number(j, "p99_ns", dist_quantile(&r->dist, 0.99));
	json_put_number(j, "max_ns", r->dist.max);
	requests_json_causes(j, requests_unit(a, r));
	json_close_object(j);
}

static void requests_json_slowest(struct json_out *j, const struct requests_shown *a)
{
	size_t i;

	json_open_array(j, "slowest");
	for (i = 0; i < routes_nslowest(a->routes); i++) {
		const struct route_request *q = routes_slowest(a->routes, i);

		json_open_object(j, NULL);
		json_put_text(j, "name", q->name);
		json_put_text(j, "path", q->path);
		json_put_count(j, "task", q->task);
		json_put_count(j, "request", q->task & ~HTTP_TASKS);
		json_put_count(j, "goroutine", q->g);
		json_put_number(j, "from_ns", q->from - routes_begin(a->routes));
		json_put_number(j, "ns", q->ns);
		json_put_count(j, "status", q->status);
		json_put_bool(j, "panic", q->panic);
		json_close_object(j);
	}
	json_close_array(j);
}

void requests_json(FILE *f, const struct requests_shown *a)
{
	struct json_out j = { .f = f };
	size_t i;

	json_open_object(&j, NULL);
	json_put_count(&j, "version", JSON_VERSION);
	json_put_text(&j, "trace", a->options->trace);
	json_put_real(&j, "seconds", requests_seconds(a), 9);
	json_put_text(&j, "lost", a->origin.facts[ORIGIN_LOST]);
	json_put_text(&j, "repairs", a->origin.facts[ORIGIN_REPAIRS]);
	json_put_count(&j, "open", routes_open(a->routes));
	json_open_array(&j, "routes");
	for (i = 0; i < routes_count(a->routes); i++)
		if (requests_is_asked(a, routes_at(a->routes, i)))
			requests_json_route(&j, a, routes_at(a->routes, i));
	json_close_array(&j);
	requests_json_slowest(&j, a);
	json_close_object(&j);
	fputc('\n', f);
}
