// SPDX-License-Identifier: Apache-2.0
/* text: the answer of `gotap requests` for people. */
#include "cmd/requests/requests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/units.h"
#include "cmd/composition.h"
#include "cmd/requests/table.h"
#include "read/http.h"

const struct unit *requests_unit(const struct requests_shown *a, const struct route *r)
{
	size_t i;

	for (i = 0; i < units_count(a->units); i++)
		if (!strcmp(units_at(a->units, i)->name, r->name))
			return units_at(a->units, i);
	return NULL;
}

bool requests_is_asked(const struct requests_shown *a, const struct route *r)
{
	return !a->options->route || http_name_is(r->name, a->options->route);
}

static void requests_text_head(FILE *f, const struct requests_shown *a)
{
	const struct routes *r = a->routes;

	show_printf(f, "%s: ", a->options->trace);
	fprintf(f, "%s, ", unit_time(routes_end(r) - routes_begin(r)).text);
	routes_put_counts(r, f);
	fputc('\n', f);
	if (a->origin.facts[ORIGIN_LOST])
		show_printf(f, "Recording: lost %s\n", a->origin.facts[ORIGIN_LOST]);
	if (a->origin.facts[ORIGIN_REPAIRS])
		show_printf(f, "Repairs: %s\n", a->origin.facts[ORIGIN_REPAIRS]);
}

static void requests_text_route(FILE *f, const struct requests_shown *a, const struct route *r,
				int64_t all)
{
	routes_put_row(a->routes, r, all, f);
	requests_text_shares(f, a, r);
}

static void requests_text_table(FILE *f, const struct requests_shown *a)
{
	int64_t all = routes_time(a->routes);
	size_t i;

	fputc('\n', f);
	routes_put_titles(f);
	for (i = 0; i < routes_count(a->routes); i++)
		if (requests_is_asked(a, routes_at(a->routes, i)))
			requests_text_route(f, a, routes_at(a->routes, i), all);
}

static void requests_text_units(FILE *f, const struct requests_shown *a)
{
	const struct unit *u;
	bool any = false;
	size_t i;

	for (i = 0; i < routes_count(a->routes); i++) {
		u = requests_is_asked(a, routes_at(a->routes, i)) ?
			requests_unit(a, routes_at(a->routes, i)) : NULL;
		if (!u)
			continue;
		if (!any)
			fprintf(f, "\nCOMPOSITION OF THEIR TIME\n");
		any = true;
		composition_put(u, f);
	}
}

static void requests_text_next(FILE *f, const struct requests_shown *a)
{
	fprintf(f, "\nNEXT\n  the critical path of the slowest one, step by step:\n");
	show_printf(f, "      gotap why %s --request %" PRIu64 "\n", a->options->trace,
		    routes_slowest(a->routes, 0)->task);
}

static void requests_text_slowest(FILE *f, const struct requests_shown *a)
{
	size_t i, n = routes_nslowest(a->routes);

	if (n)
		fprintf(f, "\nTHE SLOWEST     BEGIN  STATUS  TASK, ROUTE, PATH\n");
	for (i = 0; i < n; i++) {
		const struct route_request *q = routes_slowest(a->routes, i);

		fprintf(f, "%11s %9s  ", unit_time(q->ns).text,
			unit_time(q->from - routes_begin(a->routes)).text);
		if (q->grpc)
			fprintf(f, "%6u  ", q->code);
		else if (q->panic || !q->status)
			fprintf(f, "%6s  ", q->panic ? "panic" : "-");
		else
			fprintf(f, "%6u  ", q->status);
		show_printf(f, "%" PRIu64 "  %s  %s\n", q->task, q->name, q->path);
	}
	if (n && strcmp(a->options->trace, "-"))
		requests_text_next(f, a);
}

void requests_text(FILE *f, const struct requests_shown *a)
{
	requests_text_head(f, a);
	if (routes_count(a->routes))
		requests_text_table(f, a);
	requests_text_calls(f, a);
	requests_text_units(f, a);
	requests_text_slowest(f, a);
}
