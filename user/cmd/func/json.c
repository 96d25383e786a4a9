// SPDX-License-Identifier: Apache-2.0
/* json: the answer of `gotap func` for programs (docs/func.md). */
#include "base/json_out.h"
#include "cmd/composition.h"
#include "cmd/func/func.h"

enum { JSON_VERSION = 1 };

static void func_json_histogram(struct json_out *j, const struct dist *d)
{
	uint64_t counts[CALLS_OCTAVES];
	unsigned int i;

	calls_octaves(d, counts);
	json_open_array(j, "histogram");
	for (i = 0; i < CALLS_OCTAVES; i++) {
		if (!counts[i])
			continue;
		json_open_object(j, NULL);
		json_put_count(j, "from_ns", i ? 1ULL << i : 0);
		json_put_count(j, "to_ns", i < 63 ? 2ULL << i : UINT64_MAX);
		json_put_count(j, "count", counts[i]);
		json_close_object(j);
	}
	json_close_array(j);
}

static void func_json_function(struct json_out *j, const struct func_shown *a,
			       const struct call_function *fn)
{
	double seconds = func_seconds(a);

	json_open_object(j, NULL);
	json_put_text(j, "name", fn->name);
	json_put_count(j, "calls", fn->dist.count);
	json_put_count(j, "left", fn->left);
	json_put_count(j, "open", fn->open);
	json_put_real(j, "per_second", seconds > 0 ? (double)fn->dist.count / seconds : 0, 4);
	json_put_number(j, "sum_ns", fn->dist.sum);
	json_put_number(j, "p50_ns", dist_quantile(&fn->dist, 0.5));
	json_put_number(j, "p90_ns", dist_quantile(&fn->dist, 0.9));
	json_put_number(j, "p99_ns", dist_quantile(&fn->dist, 0.99));
	json_put_number(j, "max_ns", fn->dist.max);
	func_json_histogram(j, &fn->dist);
	composition_json(j, func_unit(a, fn), true);
	json_close_object(j);
}

static void func_json_slowest(struct json_out *j, const struct func_shown *a)
{
	size_t i;

	json_open_array(j, "slowest");
	for (i = 0; i < called_nslowest(a->calls); i++) {
		const struct call_span *c = called_slowest(a->calls, i);

		json_open_object(j, NULL);
		json_put_text(j, "name", c->name);
		json_put_count(j, "goroutine", c->g);
		json_put_count(j, "task", c->task);
		json_put_number(j, "from_ns", c->from - called_begin(a->calls));
		json_put_number(j, "ns", c->ns);
		json_close_object(j);
	}
	json_close_array(j);
}

void func_json(FILE *f, const struct func_shown *a)
{
	struct json_out j = { .f = f };
	size_t i;

	json_open_object(&j, NULL);
	json_put_count(&j, "version", JSON_VERSION);
	json_put_text(&j, "function", a->options->function);
	json_put_text(&j, "trace", a->trace);
	json_put_real(&j, "seconds", func_seconds(a), 9);
	json_put_text(&j, "lost", a->origin.facts[ORIGIN_LOST]);
	json_put_text(&j, "gone", a->gone[0] ? a->gone : NULL);
	json_open_array(&j, "functions");
	for (i = 0; i < called_count(a->calls); i++)
		func_json_function(&j, a, called_at(a->calls, i));
	json_close_array(&j);
	func_json_slowest(&j, a);
	json_close_object(&j);
	fputc('\n', f);
}
