// SPDX-License-Identifier: Apache-2.0
/* report: see report.h. */
#include "cmd/report.h"

#include <inttypes.h>
#include <string.h>

#include "release/release.h"
#include "tracev2.h"

static const char *event_name(unsigned int ev)
{
	switch (ev) {
#define EV(number, name, version, class, args, stacks, strings) case number: return #name;
#include "tracev2.def"
#undef EV
	}
	return NULL;
}

static uint64_t events_total(const struct report *r)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < 256; i++)
		n += r->result->trace.events[i];
	return n;
}

uint64_t report_lost(const struct report *r)
{
	return r->result->model.lost + r->result->stacks_missing + r->result->unnamed;
}

uint64_t report_repairs(const struct report *r)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < REPAIR_KINDS; i++)
		n += r->result->model.repairs[i];
	return n;
}

bool report_flawless(const struct report *r)
{
	const struct assembler_result *res = r->result;

	return res->began && !report_lost(r) && !report_repairs(r) && !res->stacks_cut &&
	       !res->unreadable && !res->unsettled && !res->addresses_unnamed;
}

static double seconds(const struct report *r)
{
	return (double)(r->result->model.end - r->result->model.begin) / 1e9;
}

/* --- for people --- */

static void print_events(const struct report *r, FILE *f)
{
	int i, column = 0;

	for (i = 0; i < 256; i++) {
		if (!r->result->trace.events[i])
			continue;
		fprintf(f, "%s%-20s %10" PRIu64, column % 3 ? "   " : "\n  ", event_name(i),
			r->result->trace.events[i]);
		column++;
	}
	fputc('\n', f);
}

static void print_lost(const struct report *r, FILE *f)
{
	uint32_t cpu;

	if (!report_lost(r))
		return;
	fprintf(f, "lost: %" PRIu64 " records", r->result->model.lost);
	for (cpu = 0; cpu < r->result->cpus; cpu++)
		if (r->result->lost_by_cpu[cpu])
			fprintf(f, ", cpu %u: %" PRIu64, cpu, r->result->lost_by_cpu[cpu]);
	if (r->result->stacks_missing)
		fprintf(f, ", %" PRIu64 " stacks", r->result->stacks_missing);
	if (r->result->unnamed)
		fprintf(f, ", %" PRIu64 " goroutines that never ran", r->result->unnamed);
	fputc('\n', f);
	if (r->result->model.lost)
		fputs("advice: the rings were full; try a larger --ring-size, or a smaller "
		      "--stack-depth\n", f);
}

/* A false or a missing word of the trace, which no lost record and no repair tells of. */
static void print_unreadable(const struct report *r, FILE *f)
{
	const struct assembler_result *res = r->result;

	if (res->stacks_cut)
		fprintf(f, "stacks cut short: %" PRIu64 ": pages of the program's stacks were not in "
			   "memory\n", res->stacks_cut);
	if (res->unreadable)
		fprintf(f, "not readable: %" PRIu64 " reads of the program's memory failed: what they "
			   "were to tell is missing\n", res->unreadable);
	if (res->unsettled)
		fprintf(f, "not settled: %" PRIu64 " threads got no CPU as the recording began: the first "
			   "states of their goroutines may be wrong\n", res->unsettled);
	if (res->addresses_unnamed)
		fprintf(f, "without names: %" PRIu64 " addresses of the program's DWARF data: %s\n",
			res->addresses_unnamed, res->why_unnamed);
}

static void print_gaps(const struct report *r, FILE *f)
{
	const struct model_counts *c = &r->result->model;

	if (c->resumed || c->unrecorded)
		fprintf(f, "not recorded: %.3f s; all states were read anew %" PRIu64 " times\n",
			(double)c->unrecorded / 1e9, c->resumed);
}

static void print_repairs(const struct report *r, FILE *f)
{
	int i;

	for (i = 0; i < REPAIR_KINDS; i++)
		if (r->result->model.repairs[i])
			fprintf(f, "repaired: %s: %" PRIu64 "\n", repair_text(i),
				r->result->model.repairs[i]);
}

static void print_missing(const struct report *r, FILE *f)
{
	size_t i;

	for (i = 0; r->plan && i < r->plan->missing.len; i++) {
		const struct missing_probe *m = vec_at(&r->plan->missing, struct missing_probe, i);

		fprintf(f, "no probe on %s: the trace lacks %s (%s)\n", m->function, m->lacks, m->why);
	}
}

static void print_assumed(const struct report *r, FILE *f)
{
	char like[RELEASE_TEXT];

	if (release_assumed(r->info->go_version, (int)r->info->go_minor, like))
		fprintf(f, "%s is not a release that gotap knows: assumed to be like %s\n",
			r->info->go_version, like);
}

void report_print(const struct report *r, FILE *f)
{
	const struct assembler_result *res = r->result;

	if (!res->began) {
		fputs("nothing was recorded\n", f);
		return;
	}
	fprintf(f, "%s: %.2f s of process %u (%s), %" PRIu64 " events in %" PRIu64
		   " generations, %.1f MB%s%s%s\n",
		r->output, seconds(r), r->info->pid, r->info->go_version, events_total(r),
		res->trace.generations, (double)res->trace.bytes / 1e6, r->ended ? "; " : "",
		r->ended ? r->ended : "", r->exit ? r->exit : "");
	fprintf(f, "goroutines: %" PRIu64 " (at most %" PRIu64 " at a time), stacks: %" PRIu64
		   ", lost: %" PRIu64 ", repairs: %" PRIu64,
		res->model.goroutines, res->model.max_live, res->stacks, report_lost(r),
		report_repairs(r));
	if (r->plan)
		fprintf(f, ", probes: %zu (%s)", r->plan->points.len, r->method);
	print_events(r, f);
	print_assumed(r, f);
	print_lost(r, f);
	print_unreadable(r, f);
	print_gaps(r, f);
	report_print_budget(r, f);
	print_repairs(r, f);
	print_missing(r, f);
	if (!res->trace.events[EV_ProcsChange])
		fputs("no running goroutine was recorded: the trace has no GOMAXPROCS, which the page "
		      "of mutator utilization of go tool trace needs\n", f);
}

/* --- as JSON --- */

static void json_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			fprintf(f, "\\u%04x", *s);
		else
			fputc(*s, f);
	}
	fputc('"', f);
}

static void json_field(FILE *f, const char *name, const char *value)
{
	fprintf(f, "\"%s\": ", name);
	json_string(f, value ? value : "");
	fputs(", ", f);
}

static void json_events(const struct report *r, FILE *f)
{
	const char *sep = "";
	int i;

	fputs("\"events\": {", f);
	for (i = 0; i < 256; i++) {
		if (!r->result->trace.events[i])
			continue;
		fprintf(f, "%s\"%s\": %" PRIu64, sep, event_name(i), r->result->trace.events[i]);
		sep = ", ";
	}
	fputs("}, ", f);
}

static void json_repairs(const struct report *r, FILE *f)
{
	int i;

	fputs("\"repairs\": {", f);
	for (i = 0; i < REPAIR_KINDS; i++)
		fprintf(f, "%s\"%s\": %" PRIu64, i ? ", " : "", repair_text(i),
			r->result->model.repairs[i]);
	fputs("}, ", f);
}

static void json_lost(const struct report *r, FILE *f)
{
	uint32_t cpu;

	fputs("\"lost_by_cpu\": [", f);
	for (cpu = 0; cpu < r->result->cpus; cpu++)
		fprintf(f, "%s%" PRIu64, cpu ? ", " : "", r->result->lost_by_cpu[cpu]);
	fputs("], ", f);
}

static void json_missing(const struct report *r, FILE *f)
{
	size_t i;

	fputs("\"missing_probes\": [", f);
	for (i = 0; r->plan && i < r->plan->missing.len; i++) {
		if (i)
			fputs(", ", f);
		json_string(f, vec_at(&r->plan->missing, struct missing_probe, i)->function);
	}
	fputs("]", f);
}

void report_json(const struct report *r, FILE *f)
{
	const struct assembler_result *res = r->result;
	char like[RELEASE_TEXT];

	fputc('{', f);
	json_field(f, "output", r->output);
	json_field(f, "go_version", r->info->go_version);
	release_assumed(r->info->go_version, (int)r->info->go_minor, like);
	json_field(f, "assumed", like);
	json_field(f, "ended", r->ended);
	json_field(f, "exit", r->exit && *r->exit ? r->exit + 1 : "");
	json_field(f, "attach", r->method);
	fprintf(f, "\"pid\": %u, \"seconds\": %.6f, ", r->info->pid, seconds(r));
	fprintf(f, "\"records\": %" PRIu64 ", \"generations\": %" PRIu64 ", \"bytes\": %" PRIu64
		   ", ", res->records, res->trace.generations, res->trace.bytes);
	fprintf(f, "\"goroutines\": %" PRIu64 ", \"max_live_goroutines\": %" PRIu64
		   ", \"stacks\": %" PRIu64 ", ", res->model.goroutines, res->model.max_live,
		res->stacks);
	fprintf(f, "\"lost\": %" PRIu64 ", \"stacks_lost\": %" PRIu64
		   ", \"goroutines_unnamed\": %" PRIu64 ", \"repairs_total\": %" PRIu64
		   ", \"inferred_steals\": %" PRIu64 ", ",
		res->model.lost, res->stacks_missing, res->unnamed, report_repairs(r),
		res->model.inferred_steals);
	fprintf(f, "\"stacks_cut\": %" PRIu64 ", \"unreadable\": %" PRIu64 ", \"unsettled\": %" PRIu64
		   ", \"addresses_unnamed\": %" PRIu64 ", ",
		res->stacks_cut, res->unreadable, res->unsettled, res->addresses_unnamed);
	fprintf(f, "\"unrecorded_seconds\": %.6f, \"resumed\": %" PRIu64 ", \"notes\": %" PRIu64 ", ",
		(double)res->model.unrecorded / 1e9, res->model.resumed, res->model.notes);
	fprintf(f, "\"probes\": %zu, ", r->plan ? r->plan->points.len : 0);
	report_json_budget(r, f);
	json_events(r, f);
	json_repairs(r, f);
	json_lost(r, f);
	json_missing(r, f);
	fputs("}\n", f);
}
