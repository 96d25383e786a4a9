// SPDX-License-Identifier: Apache-2.0
/* report_budget: what a recording left out so that probes cost no more than they may. */
#include <inttypes.h>

#include "cmd/report.h"

static double percent(uint64_t ns)
{
	return (double)ns / 1e7;
}

static bool has_budget(const struct report *r)
{
	return r->budget && r->budget->ceiling > 0;
}

/* Of one CPU's time, as long as there were probes or gaps for the budget. */
static double cost(const struct report *r)
{
	return budget_percent(budget_mean_cost(r->budget));
}

static double seconds(const struct report *r, const struct budget_step *s)
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

	if (has_budget(r))
		fprintf(f, "cost: the probes took about %.1f %% of a CPU, %.1f %% are allowed\n",
			cost(r), r->budget->ceiling / 1e7);
	for (i = 0; i < steps_known(r); i++) {
		const struct budget_step *s = &c->budget[i];

		fprintf(f, "budget: from %.3f s on %s: probes cost %.1f %% of a CPU, %.1f %% are allowed\n",
			seconds(r, s), rec_level_text(s->level), percent(s->cost), percent(s->ceiling));
	}
	if (c->budget_steps > BUDGET_STEPS)
		fprintf(f, "budget: and %" PRIu64 " more changes\n", c->budget_steps - BUDGET_STEPS);
	if (c->slices)
		fprintf(f, "budget: %" PRIu64 " slices without probes\n", c->slices);
	if (c->budget_steps)
		fputs("advice: --budget allows more, --events and --stack-depth ask for less\n", f);
}

void report_json_budget(const struct report *r, FILE *f)
{
	static const char *const level[REC_LEVELS] = {
		"whole", "short-stacks", "no-stacks", "no-extras", "slices",
	};
	const struct model_counts *c = &r->result->model;
	size_t i;

	if (has_budget(r))
		fprintf(f, "\"budget_percent\": %.3f, \"cost_percent\": %.3f, \"cost_ns\": "
			   "{\"hit\": %.0f, \"record\": %.0f, \"stack\": %.0f, \"frame\": %.1f, \"measured\": %s}, ",
			r->budget->ceiling / 1e7, cost(r), r->budget->prices.hit,
			r->budget->prices.record, r->budget->prices.stack,
			r->budget->prices.frame,
			r->budget->prices.measured ? "true" : "false");
	fprintf(f, "\"budget_slices\": %" PRIu64 ", \"budget_steps\": [", c->slices);
	for (i = 0; i < steps_known(r); i++) {
		const struct budget_step *s = &c->budget[i];

		fprintf(f, "%s{\"seconds\": %.6f, \"level\": \"%s\", \"percent\": %.3f}",
			i ? ", " : "", seconds(r, s), s->level < REC_LEVELS ? level[s->level] : "",
			percent(s->cost));
	}
	fputs("], ", f);
}
