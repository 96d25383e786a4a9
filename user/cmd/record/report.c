// SPDX-License-Identifier: Apache-2.0
/* report: see report.h. */
#include "cmd/record/report.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/record/report_left.h"
#include "base/show.h"
#include "release/release.h"
#include "tracev2.h"

/* That of the schema record (docs/json.md). */
enum { JSON_VERSION = 1 };

static const char *v2_name(unsigned int ev)
{
	switch (ev) {
#define EV(number, name, version, class, args, stacks, strings) case number: return #name;
#include "tracev2.def"
#undef EV
	}
	return NULL;
}

static bool is_v1(const struct report *r)
{
	return r->old;
}

static const char *event_name(const struct report *r, unsigned int ev)
{
	struct v1_format format;

	if (!is_v1(r))
		return v2_name(ev);
	v1_format_init(&format, r->version);
	return format.spec[ev]->name;
}

static uint64_t report_trace_bytes(const struct report *r)
{
	return r->old ? r->old->written.bytes : r->result->trace.bytes;
}

uint64_t report_bytes(const struct report *r)
{
	return r->perfetto && r->perfetto == r->output ? r->perfetto_bytes : report_trace_bytes(r);
}

/* How many events of kind @ev, its number in the trace. */
static uint64_t event_count(const struct report *r, unsigned int ev)
{
	if (!is_v1(r))
		return r->result->trace.events[ev];
	return ev < V1_TYPES ? r->old->written.events[ev] : 0;
}

uint64_t report_events(const struct report *r)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < 256; i++)
		n += event_count(r, i);
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
	for (i = 0; r->old && i < V1_LEFT_KINDS; i++)
		n += v1_left_is_repair(i) ? r->old->left[i] : 0;
	return n;
}

bool report_flawless(const struct report *r)
{
	const struct assembler_result *res = r->result;

	return res->began && !(r->in_target && r->in_target->disturbed[0]) && !report_lost(r) &&
	       !report_repairs(r) && !res->stacks_cut && !res->unreadable && !res->unsettled &&
	       !res->addresses_unnamed;
}

double report_seconds(const struct report *r)
{
	return (double)(r->result->model.end - r->result->model.begin) / 1e9;
}

/* --- for people --- */

static void print_events(const struct report *r, FILE *f)
{
	unsigned int i, column = 0;

	for (i = 0; i < 256; i++) {
		if (!event_count(r, i))
			continue;
		fprintf(f, "%s%-20s %10" PRIu64, column % 3 ? "   " : "\n  ", event_name(r, i),
			event_count(r, i));
		column++;
	}
	fputc('\n', f);
}

static void print_ring_advice(const struct report *r, FILE *f)
{
	if (r->result->model.lost)
		fputs("advice: the rings were full; try a larger --ring-size, or a smaller "
		      "--stack-depth\n", f);
}

static void print_lost(const struct report *r, FILE *f)
{
	uint32_t cpu;

	if (!report_lost(r))
		return;
	fprintf(f, "lost: %" PRIu64 " records", r->result->model.lost);
	for (cpu = 0; cpu < r->result->cpus; cpu++)
		if (r->result->lost_by_cpu[cpu])
			fprintf(f, ", cpu %u%s: %" PRIu64, cpu,
				cpu == RING_CPUS ? " and above" : "", r->result->lost_by_cpu[cpu]);
	show_count(f, ", ", r->result->stacks_missing, " stacks");
	show_count(f, ", ", r->result->unnamed, " goroutines that no record names");
	fputc('\n', f);
}

/*
 * A false or a missing item of the trace that is counted neither as a lost record nor as a
 * repair.
 */
static void print_unreadable(const struct report *r, FILE *f)
{
	const struct assembler_result *res = r->result;

	show_count(f, "stacks cut short: ", res->stacks_cut,
		   ": pages of the program's stacks were not in memory\n");
	show_count(f, "not readable: ", res->unreadable,
		   " reads of the program's memory failed: their data is missing\n");
	show_count(f, "not settled: ", res->unsettled,
		   " threads got no CPU as the recording began: the first states of their "
		   "goroutines may be wrong\n");
	if (res->addresses_unnamed)
		show_printf(
			f, "without names: %" PRIu64 " addresses of the program's DWARF data: %s\n",
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

static void record_report_print_missing(const struct report *r, FILE *f)
{
	size_t i;

	for (i = 0; r->plan && i < r->plan->missing.len; i++) {
		const struct missing_probe *m = vec_at(&r->plan->missing, struct missing_probe, i);

		show_printf(f, "no probe on %s: the trace lacks %s (%s)\n", m->function, m->lacks,
			    m->why);
	}
}

static void print_assumed(const struct report *r, FILE *f)
{
	char like[RELEASE_TEXT];

	if (release_assumed(r->info->go_version, (int)r->info->go_minor, like))
		show_printf(f, "%s is not a release that gotap knows: assumed to be like %s\n",
			r->info->go_version, like);
}

static void print_deferred(const struct report *r, FILE *f)
{
	const struct deferred *d = r->deferred;
	char size[SHOW_SIZE];

	if (d && d->on)
		show_printf(f, "deferred: the trace was made of %s of raw records in %s, in %.1f s "
			    "after the recording\n", show_size(d->bytes, size),
			    d->path ? d->path : "memory", (double)d->ns / 1e9);
}

/* What a user can do something about, or has to know before the trace is believed. */
static void report_print_notices(const struct report *r, FILE *f)
{
	if (r->stops)
		stops_print(r->stops, r->result->model.begin, f);
	if (r->children)
		children_print(r->children, f);
	report_print_regions(r, f);
	report_print_allocs(r, f);
	print_assumed(r, f);
	print_ring_advice(r, f);
	report_print_inline_left(r, f);
	report_print_budget_advice(r, f);
}

/* The counts and reasons of -v. */
static void report_print_details(const struct report *r, FILE *f)
{
	const struct assembler_result *res = r->result;

	fprintf(f, "stacks: %" PRIu64 ", generations: %" PRIu64, res->stacks,
		res->trace.generations);
	print_events(r, f);
	print_deferred(r, f);
	report_print_flight(r, f);
	show_count(f, "objects: those in slots of ", r->object_min,
		   " bytes and more, from the begin of the trace on\n");
	print_lost(r, f);
	print_unreadable(r, f);
	print_gaps(r, f);
	show_count(f, "", res->model.waits_unknown,
		   " blocks do not say which channel, lock or descriptor they waited for\n");
	show_count(f, "", res->model.renamed_logs,
		   " logs of the program in category 'gotap' have the category 'program:gotap' in "
		   "the trace\n");
	show_count(f,
		   "no goroutine ran: goroutine 0, which the program does not have, stands in for "
		   "one, ",
		   res->model.stand_ins, " times\n");
	report_print_inline(r, f);
	report_print_threads(&r->threads, f);
	report_print_cost(r, f);
	report_print_budget(r, f);
	print_repairs(r, f);
	if (r->old)
		report_print_left(r->version, r->old->left, "", f);
	record_report_print_missing(r, f);
	if (!event_count(r, is_v1(r) ? V1_GOMAXPROCS : EV_ProcsChange))
		fputs("the trace has no GOMAXPROCS, which the page of mutator utilization of go "
		      "tool trace needs: neither a running goroutine nor an idle P had it\n",
		      f);
}

void report_print(const struct report *r, FILE *f)
{
	if (!r->result->began) {
		fputs("nothing was recorded\n", f);
		return;
	}
	if (r->verbose)
		report_print_details(r, f);
	report_print_notices(r, f);
	report_print_brief(r, f);
}

void report_print_flaws(const struct report *r, bool alone, FILE *f)
{
	if (!r->result->began)	/* has an error of its own */
		return;
	if (alone) {
		print_lost(r, f);
		print_unreadable(r, f);
		print_repairs(r, f);
	}
	fputs("gotap: --strict: the trace is not flawless, as the report says: record again, or "
	      "without --strict\n",
	      f);
}

/* --- as JSON --- */

/* "" where it is not known. */
static void put_field(struct json_out *j, const char *name, const char *value)
{
	json_put_text(j, name, value ? value : "");
}

static void json_names(const struct report *r, struct json_out *j)
{
	char like[RELEASE_TEXT];

	put_field(j, "output", r->output);
	report_json_flight(r, j);
	put_field(j, "perfetto", r->perfetto);
	json_put_count(j, "perfetto_bytes", r->perfetto_bytes);
	put_field(j, "go_version", r->info->go_version);
	release_assumed(r->info->go_version, (int)r->info->go_minor, like);
	put_field(j, "assumed", like);
	put_field(j, "ended", r->ended);
	put_field(j, "exit", r->exit && *r->exit ? r->exit + 1 : "");
	put_field(j, "attach", r->method);
	json_put_count(j, "pid", r->info->pid);
	if (r->deferred && r->deferred->on)
		json_put_count(j, "deferred_bytes", r->deferred->bytes);
}

static void json_counts(const struct report *r, struct json_out *j)
{
	const struct assembler_result *res = r->result;
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "records", res->records },
		{ "generations", res->trace.generations },
		{ "bytes", report_trace_bytes(r) },
		{ "goroutines", res->model.goroutines },
		{ "max_live_goroutines", res->model.max_live },
		{ "stacks", res->stacks },
		{ "lost", res->model.lost },
		{ "stacks_lost", res->stacks_missing },
		{ "goroutines_unnamed", res->unnamed },
		{ "repairs_total", report_repairs(r) },
		{ "inferred_steals", res->model.inferred_steals },
		{ "stacks_cut", res->stacks_cut },
		{ "unreadable", res->unreadable },
		{ "unsettled", res->unsettled },
		{ "addresses_unnamed", res->addresses_unnamed },
		{ "resumed", res->model.resumed },
		{ "waits_known", res->model.waits_known },
		{ "waits_unknown", res->model.waits_unknown },
		{ "notes", res->model.notes },
		{ "calls", res->model.calls },
		{ "calls_left", res->model.calls_left },
		{ "calls_lost", res->model.calls_lost },
		{ "renamed_logs", res->model.renamed_logs },
		{ "stand_ins", res->model.stand_ins },
		{ "allocs", res->model.allocs },
		{ "allocs_freed", res->model.frees },
		{ "allocs_freed_unknown", res->model.frees_before },
		{ "allocs_freed_beyond", res->model.frees_beyond },
		{ "allocs_without_type", res->model.allocs_untyped },
		{ "allocs_without_event", res->model.allocs_homeless },
		{ "allocs_unpaired", res->model.allocs_unpaired },
		{ "object_min", r->object_min },
		{ "probes", r->plan ? r->plan->points.len : 0 },
	};
	size_t i;

	json_put_real(j, "seconds", report_seconds(r), 6);
	json_put_real(j, "unrecorded_seconds", (double)res->model.unrecorded / 1e9, 6);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_put_count(j, counts[i].name, counts[i].n);
}

static void json_events(const struct report *r, struct json_out *j)
{
	unsigned int i;

	json_open_object(j, "events");
	for (i = 0; i < 256; i++)
		if (event_count(r, i))
			json_put_count(j, event_name(r, i), event_count(r, i));
	json_close_object(j);
}

static void json_repairs(const struct report *r, struct json_out *j)
{
	int i;

	json_open_object(j, "repairs");
	for (i = 0; i < REPAIR_KINDS; i++)
		json_put_count(j, repair_text(i), r->result->model.repairs[i]);
	json_close_object(j);
}

/* For v1 traces. */
static void record_report_json_left(const struct report *r, struct json_out *j, const char *name,
				    bool added)
{
	int i;

	if (!is_v1(r))
		return;
	json_open_object(j, name);
	for (i = 0; i < V1_LEFT_KINDS; i++)
		if (r->old->left[i] && v1_left_is_added(i) == added)
			json_put_count(j, v1_left_text(i), r->old->left[i]);
	json_close_object(j);
}

static void json_lost(const struct report *r, struct json_out *j)
{
	uint32_t cpu;

	json_open_array(j, "lost_by_cpu");
	for (cpu = 0; cpu < r->result->cpus; cpu++)
		json_put_count(j, NULL, r->result->lost_by_cpu[cpu]);
	json_close_array(j);
}

static void record_report_json_missing(const struct report *r, struct json_out *j)
{
	size_t i;

	json_open_array(j, "missing_probes");
	for (i = 0; r->plan && i < r->plan->missing.len; i++)
		json_put_text(j, NULL,
			      vec_at(&r->plan->missing, struct missing_probe, i)->function);
	json_close_array(j);
}

void report_json(const struct report *r, FILE *f)
{
	struct json_out j = { .f = f };

	json_open_object(&j, NULL);
	json_put_count(&j, "version", JSON_VERSION);
	json_names(r, &j);
	json_counts(r, &j);
	if (r->stops)
		stops_json(r->stops, r->result->model.begin, &j);
	if (r->children)
		children_json(r->children, &j);
	report_json_inline(r, &j);
	report_json_cost(r, &j);
	report_json_budget(r, &j);
	report_json_threads(&r->threads, &j);
	json_events(r, &j);
	json_repairs(r, &j);
	record_report_json_left(r, &j, "left_out", false);
	record_report_json_left(r, &j, "added", true);
	json_lost(r, &j);
	record_report_json_missing(r, &j);
	json_close_object(&j);
	fputc('\n', f);
}
