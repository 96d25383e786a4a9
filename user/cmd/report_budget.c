// SPDX-License-Identifier: Apache-2.0
/* report_budget: what a recording left out so that probes cost no more than they may. */
#include <inttypes.h>

#include "base/percent.h"
#include "cmd/report.h"

static bool has_budget(const struct report *r)
{
	return r->budget && budget_limits(r->budget->ceiling);
}

/* Of one CPU's time, as long as there were probes or gaps for the budget. */
static double cost(const struct report *r)
{
	return percent_of_ns(budget_mean_cost(r->budget));
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

/*
 * The ceiling holds on average, and a recording can be too short for that: until the first states have been
 * read there must be probes, and to take them away takes time in which they still cost.
 */
static bool is_kept(const struct report *r)
{
	return budget_mean_cost(r->budget) <= r->budget->ceiling;
}

static void print_cost(const struct report *r, FILE *f)
{
	fprintf(f, "cost: the probes took about %.1f %% of a CPU, %.1f %% are allowed", cost(r),
		percent_of_ns(r->budget->ceiling));
	if (!is_kept(r))
		fprintf(f, ": too short a recording for that, which takes %.2f s here",
			budget_seconds_needed(r->budget));
	fputc('\n', f);
}

void report_print_budget(const struct report *r, FILE *f)
{
	const struct model_counts *c = &r->result->model;
	size_t i;

	if (has_budget(r))
		print_cost(r, f);
	for (i = 0; i < steps_known(r); i++) {
		const struct budget_step *s = &c->budget[i];

		fprintf(f, "budget: from %.3f s on %s: probes cost %.1f %% of a CPU, %.1f %% are allowed\n",
			seconds(r, s), rec_level_text(s->level), percent_of_ns((double)s->cost),
			percent_of_ns((double)s->ceiling));
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
		fprintf(f, "\"budget_percent\": %.3f, \"cost_percent\": %.3f, \"budget_needs_seconds\": %.3f, "
			   "\"cost_ns\": "
			   "{\"hit\": %.0f, \"record\": %.0f, \"stack\": %.0f, \"frame\": %.1f, \"measured\": %s}, ",
			percent_of_ns(r->budget->ceiling), cost(r), budget_seconds_needed(r->budget),
			r->budget->prices.hit, r->budget->prices.record, r->budget->prices.stack,
			r->budget->prices.frame,
			r->budget->prices.measured ? "true" : "false");
	fprintf(f, "\"budget_slices\": %" PRIu64 ", \"budget_steps\": [", c->slices);
	for (i = 0; i < steps_known(r); i++) {
		const struct budget_step *s = &c->budget[i];

		fprintf(f, "%s{\"seconds\": %.6f, \"level\": \"%s\", \"percent\": %.3f}",
			i ? ", " : "", seconds(r, s), s->level < REC_LEVELS ? level[s->level] : "",
			percent_of_ns((double)s->cost));
	}
	fputs("], ", f);
}
