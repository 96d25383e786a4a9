// SPDX-License-Identifier: Apache-2.0
/* requests: see requests.h. docs/top.md has the fields of the lines. */
#include "metrics/requests.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/text.h"

static json_object *member(json_object *of, const char *name)
{
	json_object *value = NULL;

	return of && json_object_object_get_ex(of, name, &value) ? value : NULL;
}

static json_object *member_list(json_object *of, const char *name)
{
	json_object *list = member(of, name);

	return json_object_is_type(list, json_type_array) ? list : NULL;
}

static double member_real(json_object *of, const char *name)
{
	double value = json_object_get_double(member(of, name));

	return isfinite(value) && value > 0 ? value : 0;
}

/* The name, or that of all others if there are too many. */
static const char *requests_route(struct watched_requests *w, const char *name)
{
	size_t i;

	for (i = 0; i < w->routes.len; i++)
		if (!strcmp(*vec_at(&w->routes, char *, i), name))
			return name;
	if (w->routes.len >= WATCHED_ROUTES)
		return WATCHED_OTHERS;
	*(char **)vec_push(&w->routes, sizeof(char *)) = xstrdup(name);
	return name;
}

/* More than there are results of routes: a line that has others is not of `gotap top`. */
enum { SERIES_MOST = (WATCHED_ROUTES + 1) * WATCHED_RESULTS };

/*
 * The series with these labels; NULL: there are too many. Names that differ beyond the length of a
 * label are one series: two samples with the same labels would make the metrics invalid.
 */
static struct watched_series *requests_series(struct watched_requests *w, const char *route,
					      const char *result)
{
	struct buf labels = {0};
	struct watched_series *s;
	size_t i;

	metrics_label(&labels, "route", route);
	metrics_label(&labels, "result", result);
	for (i = 0; i < w->series.len; i++) {
		s = vec_at(&w->series, struct watched_series, i);
		if (s->labels.len == labels.len && labels.len &&
		    !memcmp(s->labels.data, labels.data, labels.len)) {
			buf_free(&labels);
			return s;
		}
	}
	if (w->series.len == SERIES_MOST) {
		buf_free(&labels);
		return NULL;
	}
	s = vec_push(&w->series, sizeof(*s));
	s->labels = labels;
	return s;
}

static void requests_add_result(struct watched_requests *w, const char *route, const char *result,
				json_object *histogram)
{
	json_object *counts = member_list(histogram, "counts");
	struct watched_series *s;
	size_t i, n = counts ? json_object_array_length(counts) : 0;

	s = n ? requests_series(w, route, result) : NULL;
	if (!s)
		return;
	for (i = 0; i < n; i++)
		s->counts[i < w->limits ? i : w->limits] +=
			json_object_get_uint64(json_object_array_get_idx(counts, i));
	s->sum += member_real(histogram, "sum_seconds");
}

static void requests_add_route(struct watched_requests *w, json_object *of)
{
	json_object *name = member(of, "name"), *results = member(of, "results");
	const char *route;

	if (!name || !json_object_is_type(results, json_type_object) ||
	    !json_object_object_length(results))
		return;
	route = requests_route(w, json_object_get_string(name));
	json_object_object_foreach(results, result, histogram)
		requests_add_result(w, route, result, histogram);
}

/* The limits are those of the first line: another gotap has not written the others. */
static void requests_take_limits(struct watched_requests *w, json_object *list)
{
	size_t n = list ? json_object_array_length(list) : 0, i;

	if (w->limits)
		return;
	w->limits = n < WATCHED_REQUEST_LIMITS ? (unsigned int)n : WATCHED_REQUEST_LIMITS;
	for (i = 0; i < w->limits; i++)
		w->limits_ns[i] = json_object_get_uint64(json_object_array_get_idx(list, i));
}

void watched_requests_add(struct watched_requests *w, struct json_object *of)
{
	json_object *routes = member_list(of, "routes");
	size_t i, n = routes ? json_object_array_length(routes) : 0;

	if (!json_object_is_type(of, json_type_object))
		return;
	w->known = true;
	w->open = member_real(of, "open");
	requests_take_limits(w, member_list(of, "limits_ns"));
	for (i = 0; i < n; i++)
		requests_add_route(w, json_object_array_get_idx(routes, i));
}

void watched_requests_copy(struct watched_requests *to, const struct watched_requests *from)
{
	size_t i;

	*to = *from;
	to->series = to->routes = (struct vec){0};
	for (i = 0; i < from->series.len; i++) {
		const struct watched_series *s = vec_at(&from->series, struct watched_series, i);
		struct watched_series *copy = vec_push(&to->series, sizeof(*copy));

		*copy = *s;
		copy->labels = (struct buf){0};
		buf_add(&copy->labels, s->labels.data, s->labels.len);
	}
}

void watched_requests_free(struct watched_requests *w)
{
	size_t i;

	for (i = 0; i < w->series.len; i++)
		buf_free(&vec_at(&w->series, struct watched_series, i)->labels);
	for (i = 0; i < w->routes.len; i++)
		free(*vec_at(&w->routes, char *, i));
	vec_free(&w->series);
	vec_free(&w->routes);
	*w = (struct watched_requests){0};
}
