// SPDX-License-Identifier: Apache-2.0
/* json: the answer of `gotap requests` for programs (docs/requests.md). */
#include "cmd/requests/requests.h"

#include "base/json_out.h"
#include "cmd/composition.h"
#include "cmd/requests/table.h"
#include "read/http.h"
#include "requests/downstream.h"

enum { JSON_VERSION = 1 };

static void requests_json_route(struct json_out *j, const struct requests_shown *a,
				const struct route *r)
{
	json_open_object(j, NULL);
	routes_json_numbers(j, a->routes, r);
	requests_json_shares(j, a, r);
	composition_json(j, requests_unit(a, r), false);
	json_close_object(j);
}

/* The requests of other processes on the paths of the requests. */
static void requests_json_downstream(struct json_out *j, const struct requests_shown *a)
{
	static const char *const waits[JOINS_FOUNDS] = {
		[JOINS_NO_ADDRESS] = "no_address", [JOINS_NO_PEER] = "no_peer",
		[JOINS_NO_WRITE] = "no_write", [JOINS_SEVERAL] = "several", [JOINS_ONE] = "joined",
	};
	const struct downstream *d = a->downstream;
	size_t i;

	if (!d)
		return;
	json_open_object(j, "network_waits");
	for (i = 0; i < JOINS_FOUNDS; i++)
		if (waits[i])
			json_put_count(j, waits[i], downstream_waits(d)[i]);
	json_close_object(j);
	json_put_count(j, "downstream_dropped", downstream_dropped(d));
	json_put_count(j, "downstream_outside", downstream_outside(d));
	json_open_array(j, "downstream");
	for (i = 0; i < downstream_count(d); i++) {
		const struct request_call *c = downstream_at(d, i);

		json_open_object(j, NULL);
		json_put_count(j, "task", c->task);
		json_put_text(j, "name", c->name);
		if (c->call != c->task)
			json_put_count(j, "call", c->call);
		json_put_count(j, "goroutine", c->g);
		json_put_text(j, "process", c->process);
		if (c->there)
			json_put_count(j, "task_there", c->there);
		if (*c->request)
			json_put_text(j, "request", c->request);
		json_put_number(j, "from_ns", c->from - routes_begin(a->routes));
		json_put_number(j, "to_ns", c->to - routes_begin(a->routes));
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
	json_put_real(&j, "seconds", routes_seconds(a->routes), 9);
	json_put_text(&j, "lost", a->origin.facts[ORIGIN_LOST]);
	json_put_text(&j, "repairs", a->origin.facts[ORIGIN_REPAIRS]);
	json_put_count(&j, "open", routes_open(a->routes));
	json_open_array(&j, "routes");
	for (i = 0; i < routes_count(a->routes); i++)
		if (requests_is_asked(a, routes_at(a->routes, i)))
			requests_json_route(&j, a, routes_at(a->routes, i));
	json_close_array(&j);
	requests_json_calls(&j, a);
	routes_json_slowest(&j, a->routes);
	requests_json_downstream(&j, a);
	json_close_object(&j);
	fputc('\n', f);
}
