// SPDX-License-Identifier: Apache-2.0
/* report_cost: the CPU time that a recording took, in the program by its probes and in gotap. */
#include "base/percent.h"
#include "cmd/record/report.h"

static bool has_budget(const struct report *r)
{
	return r->budget && budget_limits(r->budget->ceiling);
}

/* Percent of one CPU's time, as long as there were probes or gaps for the budget. */
static double probes_percent(const struct report *r)
{
	return percent_of_ns(budget_mean_cost(r->budget));
}

/*
 * The ceiling holds on average, and a recording can be too short for that: until the first states
 * have been read there must be probes, and to take them away takes time in which they still cost.
 */
static bool is_kept(const struct report *r)
{
	return budget_mean_cost(r->budget) <= r->budget->ceiling;
}

/* @percent: of a CPU. There is no share if the program used no CPU time. */
static void print_share(const struct report *r, double percent, const char *verb, FILE *f)
{
	double program = r->cpu ? percent_of_ns(cpu_use_program(r->cpu)) : 0;

	if (program > 0)
		fprintf(f, ", %s%s %% of the program's CPU time", verb,
			percent_text(100 * percent / program).text);
}

static void print_in_program(const struct report *r, FILE *f)
{
	double cost = probes_percent(r);

	fprintf(f, "cost: in the program, the probes took about %s %% of a CPU",
		percent_text(cost).text);
	print_share(r, cost, "", f);
	fprintf(f, "; %s %% of a CPU are allowed",
		percent_text(percent_of_ns(r->budget->ceiling)).text);
	if (!is_kept(r))
		fprintf(f, ": too short a recording for that, which takes %.2f s here",
			budget_seconds_needed(r->budget));
	fputc('\n', f);
}

/* A recording that is shorter than the time between two looks has no rate. */
static void print_in_gotap(const struct report *r, FILE *f)
{
	double cost = percent_of_ns(cpu_use_gotap(r->cpu));

	fputs("cost: in gotap, ", f);
	if (r->cpu->to > r->cpu->from) {
		fprintf(f, "%s %% of a CPU", percent_text(cost).text);
		print_share(r, cost, "as much as ", f);
		fputs("; ", f);
	}
	fprintf(f, "%.2f s of CPU in all, with its start and end\n",
		cpu_use_gotap_whole(r->cpu->proc));
}

void report_print_cost(const struct report *r, FILE *f)
{
	if (has_budget(r))
		print_in_program(r, f);
	else if (r->cpu)
		fputs("cost: in the program, not counted without a budget\n", f);
	if (r->cpu)
		print_in_gotap(r, f);
}

/* The cost of a recording is not among its raw records: then the line says that. */
void report_print_brief_cost(const struct report *r, FILE *f)
{
	if (has_budget(r)) {
		fprintf(f, "cost: probes %s %% of a CPU", percent_text(probes_percent(r)).text);
		print_share(r, probes_percent(r), "", f);
		fprintf(f, " (%s %% allowed%s)",
			percent_text(percent_of_ns(r->budget->ceiling)).text,
			is_kept(r) ? "" : ", too short a recording for that");
	} else {
		fputs(r->cpu ? "cost: probes not counted without a budget" : "cost: not known", f);
	}
	if (r->cpu && r->cpu->to > r->cpu->from)
		fprintf(f, "; gotap %s %% of a CPU",
			percent_text(percent_of_ns(cpu_use_gotap(r->cpu))).text);
	if (r->cpu)
		fprintf(f, ", %.2f s of CPU in all", cpu_use_gotap_whole(r->cpu->proc));
	fputc('\n', f);
}

static void json_budget_cost(const struct report *r, struct json_out *j)
{
	const struct budget *b = r->budget;

	json_put_real(j, "budget_percent", percent_of_ns(b->ceiling), 3);
	json_put_real(j, "cost_percent", probes_percent(r), 3);
	json_put_real(j, "budget_needs_seconds", budget_seconds_needed(b), 3);
	json_open_object(j, "cost_ns");
	json_put_real(j, "hit", b->prices.hit, 0);
	json_put_real(j, "record", b->prices.record, 0);
	json_put_real(j, "stack", b->prices.stack, 0);
	json_put_real(j, "frame", b->prices.frame, 1);
	json_put_bool(j, "measured", b->prices.measured);
	json_close_object(j);
}

void report_json_cost(const struct report *r, struct json_out *j)
{
	const struct cpu_use *u = r->cpu;

	if (has_budget(r))
		json_budget_cost(r, j);
	if (!u)
		return;
	json_open_object(j, "cpu");
	json_put_real(j, "over_seconds", (double)(u->to - u->from) / 1e9, 3);
	json_put_real(j, "program_percent", percent_of_ns(cpu_use_program(u)), 3);
	json_put_real(j, "gotap_percent", percent_of_ns(cpu_use_gotap(u)), 3);
	json_put_real(j, "gotap_seconds", cpu_use_gotap_whole(u->proc), 3);
	json_close_object(j);
}
