// SPDX-License-Identifier: Apache-2.0
/* report_budget: what a recording left out so that probes cost no more than they may. */
#include <inttypes.h>

#include "base/percent.h"
#include "cmd/record/report.h"

static bool has_budget(const struct report *r)
{
	return r->budget && budget_limits(r->budget->ceiling);
}

/* Percent of one CPU's time, as long as there were probes or gaps for the budget. */
static double cost(const struct report *r)
{
	return percent_of_ns(budget_mean_cost(r->budget));
}

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

/*
 * The ceiling holds on average, and a recording can be too short for that: until the first states
 * have been read there must be probes, and to take them away takes time in which they still cost.
 */
static bool is_kept(const struct report *r)
{
	return budget_mean_cost(r->budget) <= r->budget->ceiling;
}

static void record_report_budget_print_cost(const struct report *r, FILE *f)
{
	fprintf(f, "cost: the probes took about %s %% of a CPU, %s %% are allowed",
		percent_text(cost(r)).text, percent_text(percent_of_ns(r->budget->ceiling)).text);
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
		record_report_budget_print_cost(r, f);
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
	if (c->budget_steps)
		fputs(r->in_target ? "advice: --budget allows more, --events and --stack-depth ask "
				     "for less\n" :
				     "advice: --attach inline takes a fraction of the cost "
				     "(docs/inline.md), --budget allows more, --events and "
				     "--stack-depth ask for less\n",
		      f);
}

static void json_cost(const struct report *r, struct json_out *j)
{
	const struct budget *b = r->budget;

	json_put_real(j, "budget_percent", percent_of_ns(b->ceiling), 3);
	json_put_real(j, "cost_percent", cost(r), 3);
	json_put_real(j, "budget_needs_seconds", budget_seconds_needed(b), 3);
	json_open_object(j, "cost_ns");
	json_put_real(j, "hit", b->prices.hit, 0);
	json_put_real(j, "record", b->prices.record, 0);
	json_put_real(j, "stack", b->prices.stack, 0);
	json_put_real(j, "frame", b->prices.frame, 1);
	json_put_bool(j, "measured", b->prices.measured);
	json_close_object(j);
}

void report_json_budget(const struct report *r, struct json_out *j)
{
	static const char *const level[REC_LEVELS] = {
		"whole", "short-stacks", "no-stacks", "no-extras", "slices",
	};
	const struct model_counts *c = &r->result->model;
	size_t i;

	if (has_budget(r))
		json_cost(r, j);
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
