// SPDX-License-Identifier: Apache-2.0
/*
 * report_brief: the five lines that a recording prints without -v: the program and how it was
 * attached, the length and the events, all that is missing or was repaired, the cost, and the file
 * with the next command. The line of what is missing is always there, so that none of it is
 * hidden. report.c calls it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "cmd/record/report.h"
#include "threads/cpus.h"
#include "v1write/steps.h"

/* --- the program --- */

static const char *brief_program(const struct report *r)
{
	const char *slash = strrchr(r->info->exe, '/');

	return slash ? slash + 1 : r->info->exe;
}

static bool brief_is_inline(const struct report *r)
{
	return r->in_target && r->plan && r->plan->for_inline &&
	       r->in_target->state != INLINE_STATE_OFF;
}

static void brief_print_program(const struct report *r, FILE *f)
{
	show_printf(f, "process %u (%s, %s): ", r->info->pid, brief_program(r),
		    r->info->go_version);
	if (!r->plan)
		fputs("from raw records\n", f);
	else if (brief_is_inline(r))
		show_printf(f, "%zu probes (inline at %u places, %s)\n", r->plan->points.len,
			    r->in_target->sites, r->method);
	else
		show_printf(f, "%zu probes (%s%s)\n", r->plan->points.len, r->method,
			    r->in_target ? ", inline at no place" : "");
}

static void brief_print_length(const struct report *r, FILE *f)
{
	const struct model_counts *c = &r->result->model;

	show_printf(f, "%.2f s, %" PRIu64 " events, %" PRIu64 " goroutines (at most %" PRIu64
		    " at a time)%s%s%s\n", report_seconds(r), report_events(r), c->goroutines,
		    c->max_live, r->ended ? "; " : "", r->ended ? r->ended : "",
		    r->exit ? r->exit : "");
}

/* --- what is missing --- */

static uint64_t brief_left_out(const struct report *r)
{
	uint64_t n = 0;
	int i;

	for (i = 0; r->old && i < V1_LEFT_KINDS; i++)
		n += r->old->left[i] && !v1_left_is_repair(i) && !v1_left_is_added(i);
	return n;
}

static uint64_t brief_threads_missing(const struct report *r)
{
	const struct thread_report *t = &r->threads;

	if (!t->threads || !threads_any(t->threads))
		return 0;
	return threads_lost(t->threads) + threads_missing(t->threads) +
	       cpus_missing(t->sums->cpus);
}

/* What the trace lacks, as a program or its release has no place for the probes. */
static void brief_print_lacks(const struct report *r, FILE *f)
{
	const char *last = "";
	size_t i;

	for (i = 0; r->plan && i < r->plan->missing.len; i++) {
		const struct missing_probe *m = vec_at(&r->plan->missing, struct missing_probe, i);

		if (strcmp(m->lacks, last))
			show_printf(f, "%s %s (%s)", *last ? "," : "; the trace lacks", m->lacks,
				    m->why);
		last = m->lacks;
	}
}

/* What is counted neither as a lost record nor as a repair. */
static void brief_print_counts(const struct report *r, FILE *f)
{
	const struct assembler_result *res = r->result;
	const struct {
		uint64_t n;
		const char *text;
	} counts[] = {
		{ res->stacks_cut, "stacks cut short" },
		{ res->unreadable, "failed reads of the program's memory" },
		{ res->unsettled, "threads without a sure first state" },
		{ res->addresses_unnamed, "addresses without a name" },
		{ res->model.stand_ins, "goroutine 0 stands in for one that runs" },
		{ res->model.renamed_logs, "renamed logs of category 'gotap'" },
		{ brief_threads_missing(r), "missing records of threads" },
		{ brief_left_out(r), "kinds of events that the format lacks" },
	};
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i].n)
			fprintf(f, ", %s: %" PRIu64, counts[i].text, counts[i].n);
	brief_print_lacks(r, f);
}

/* The step that left out most; of several such ones the first. */
static const struct budget_step *brief_worst_step(const struct model_counts *c)
{
	const struct budget_step *worst = &c->budget[0];
	size_t i;

	for (i = 1; i < c->budget_steps && i < BUDGET_STEPS; i++)
		if (c->budget[i].level > worst->level)
			worst = &c->budget[i];
	return worst;
}

static void brief_print_budget(const struct model_counts *c, FILE *f)
{
	const struct budget_step *worst = brief_worst_step(c);

	if (c->budget_steps)
		fprintf(f, ", budget from %.2f s on: %s",
			worst->time > c->begin ? (double)(worst->time - c->begin) / 1e9 : 0,
			rec_level_text(worst->level));
	show_count(f, " (", c->budget_steps > 1 ? c->budget_steps : 0, " changes)");
	if (c->slices)
		fprintf(f, ", slices without probes: %" PRIu64, c->slices);
}

static void brief_print_lost(const struct report *r, FILE *f)
{
	const struct model_counts *c = &r->result->model;

	fprintf(f, "lost: %" PRIu64 ", repairs: %" PRIu64, report_lost(r), report_repairs(r));
	if (c->resumed || c->unrecorded)
		fprintf(f, ", not recorded: %.3f s", (double)c->unrecorded / 1e9);
	brief_print_budget(c, f);
	brief_print_counts(r, f);
	if (r->in_target && r->in_target->disturbed[0])
		show_printf(f, ", a breakpoint of somebody else in %s", r->in_target->disturbed);
	fputc('\n', f);
}

/* --- the file --- */

/* Only a regular file can be read again: no command is named for others. */
static void brief_print_file(const struct report *r, FILE *f)
{
	_cleanup_free_ char *word = show_file_word(r->output);
	char size[SHOW_SIZE];

	if (r->flight) {
		report_print_snapshots(r, f);
		return;
	}
	show_printf(f, "%s, %s", r->output, show_size(report_bytes(r), size));
	if (r->perfetto && r->perfetto != r->output)
		show_printf(f, ", and %s for Perfetto, %s", r->perfetto,
			    show_size(r->perfetto_bytes, size));
	if (r->next)
		show_printf(f, ": gotap report %s", word);
	fputc('\n', f);
}

void report_print_brief(const struct report *r, FILE *f)
{
	brief_print_program(r, f);
	brief_print_length(r, f);
	brief_print_lost(r, f);
	report_print_brief_cost(r, f);
	brief_print_file(r, f);
}
