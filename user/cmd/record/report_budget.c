// SPDX-License-Identifier: Apache-2.0
/* report_budget: what a recording left out so that probes cost no more than they may. */
#include <inttypes.h>

#include "base/percent.h"
#include "cmd/record/report.h"
#include "inline/tsc.h"

static double record_report_budget_seconds(const struct report *r, const struct budget_step *s)
{
	uint64_t begin = r->result->model.begin;

	return s->time > begin ? (double)(s->time - begin) / 1e9 : 0;
}

static size_t steps_known(const struct report *r)
{
	uint64_t n = r->result->model.budget_steps;

	return n < BUDGET_STEPS ? (size_t)n : BUDGET_STEPS;
}

void report_print_budget(const struct report *r, FILE *f)
{
	const struct model_counts *c = &r->result->model;
	size_t i;

	for (i = 0; i < steps_known(r); i++) {
		const struct budget_step *s = &c->budget[i];

		fprintf(f,
			"budget: from %.3f s on %s: probes cost %s %% of a CPU, %s %% are "
			"allowed\n",
			record_report_budget_seconds(r, s), rec_level_text(s->level),
			percent_text(percent_of_ns((double)s->cost)).text,
			percent_text(percent_of_ns((double)s->ceiling)).text);
	}
	if (c->budget_steps > BUDGET_STEPS)
		fprintf(f, "budget: and %" PRIu64 " more changes\n",
			c->budget_steps - BUDGET_STEPS);
	if (c->slices)
		fprintf(f, "budget: %" PRIu64 " slices without probes\n", c->slices);
}

void report_print_budget_advice(const struct report *r, FILE *f)
{
	const char *other = "";

	if (!r->result->model.budget_steps)
		return;
	if (!r->in_target && tsc_usable())
		other = "--attach inline takes a fraction of the cost (docs/inline.md), ";
	fprintf(f, "advice: %s--budget allows more, --events and --stack-depth ask for less\n",
		other);
}

void report_json_budget(const struct report *r, struct json_out *j)
{
	static const char *const level[REC_LEVELS] = {
		"whole", "short-stacks", "no-stacks", "no-extras", "slices",
	};
	const struct model_counts *c = &r->result->model;
	size_t i;

	json_put_count(j, "budget_slices", c->slices);
	json_open_array(j, "budget_steps");
	for (i = 0; i < steps_known(r); i++) {
		const struct budget_step *s = &c->budget[i];

		json_open_object(j, NULL);
		json_put_real(j, "seconds", record_report_budget_seconds(r, s), 6);
		json_put_text(j, "level", s->level < REC_LEVELS ? level[s->level] : "");
		json_put_real(j, "percent", percent_of_ns((double)s->cost), 3);
		json_close_object(j);
	}
	json_close_array(j);
}
