// SPDX-License-Identifier: Apache-2.0
/* sample: see sample.h. */
#include "top/sample.h"

#include <stdlib.h>

const char *const top_state_names[TOP_STATES] = {
	[TOP_RUNNING] = "running",
	[TOP_RUNNABLE] = "runnable",
	[TOP_SYSCALL] = "syscall",
	[TOP_WAITING] = "waiting",
};

const char *const top_histogram_names[TOP_HISTOGRAMS] = {
	[TOP_HISTOGRAM_SCHED] = "sched",
	[TOP_HISTOGRAM_STOP_GC] = "stops_gc",
	[TOP_HISTOGRAM_STOP_OTHER] = "stops_other",
};

const char *const top_result_names[TOP_RESULTS] = {
	"unknown", "1xx", "2xx", "3xx", "4xx", "5xx", "beyond", "panic",
};

static void sample_free_routes(struct vec *routes)
{
	size_t i;

	for (i = 0; i < routes->len; i++) {
		free((char *)vec_at(routes, struct top_route, i)->name);
		free((char *)vec_at(routes, struct top_route, i)->slowest_path);
	}
	vec_free(routes);
}

void top_sample_free(struct top_sample *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->rows.len; i++)
		free((char *)vec_at(&s->rows, struct top_row, i)->name);
	vec_free(&s->rows);
	sample_free_routes(&s->requests.routes);
	vec_free(&s->reasons);
	vec_free(&s->procs);
	vec_free(&s->waits);
	vec_free(&s->units.list);
	vec_free(&s->places);
	free(s);
}
