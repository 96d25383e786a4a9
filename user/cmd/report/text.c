// SPDX-License-Identifier: Apache-2.0
/*
 * text: the report for people: its head, the findings, what is not in the trace; then the parts of
 * tables.c and charts.c. See report.h. Columns fit into 110, but for long names.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cmd/report/parts.h"
#include "base/units.h"

/* --- head --- */

static void report_text_put_fact(const struct origin *o, enum origin_fact fact, const char *before,
				 FILE *f)
{
	if (o->facts[fact])
		show_printf(f, "%s%s%s", before, o->facts[fact], o->cut[fact] ? "..." : "");
}

/* A recording that ended while no goroutine ran has none of it (sched/notes.c). */
static void report_text_print_recording(const struct origin *o, FILE *f)
{
	if (!o->facts[ORIGIN_LOST])
		return;
	report_text_put_fact(o, ORIGIN_LOST, "Recording: lost ", f);
	report_text_put_fact(o, ORIGIN_REPAIRS, ", repairs ", f);
	if (o->facts[ORIGIN_GAPS] && strtod(o->facts[ORIGIN_GAPS], NULL) > 0)
		report_text_put_fact(o, ORIGIN_GAPS, ", seconds not recorded ", f);
	report_text_put_fact(o, ORIGIN_PROBES, "; % of a CPU: probes ", f);
	report_text_put_fact(o, ORIGIN_OWN,
			     o->facts[ORIGIN_PROBES] ? ", gotap " : "; % of a CPU: gotap ", f);
	fputc('\n', f);
}

static void report_text_print_origin(const struct origin *o, FILE *f)
{
	if (!origin_is_known(o))
		return;
	fputs("Of", f);
	report_text_put_fact(o, ORIGIN_PROGRAM, " ", f);
	report_text_put_fact(o, ORIGIN_VERSION, " ", f);
	report_text_put_fact(o, ORIGIN_PID, ", PID ", f);
	report_text_put_fact(o, ORIGIN_HOST, " on ", f);
	report_text_put_fact(o, ORIGIN_DATE, ", ", f);
	report_text_put_fact(o, ORIGIN_GO, ", ", f);
	report_text_put_fact(o, ORIGIN_GOTAP, ", gotap ", f);
	fputc('\n', f);
	report_text_put_fact(o, ORIGIN_COMMAND, "Command: ", f);
	if (o->facts[ORIGIN_COMMAND])
		fputc('\n', f);
	report_text_print_recording(o, f);
}

static void report_text_print_trace(const struct trace_report *r, uint32_t i, FILE *f)
{
	const struct trace_row *t = trace_at(r, i);

	if (!is_one(r))
		fprintf(f, "Trace %" PRIu32 ": ", i + 1);
	show_printf(f, "%s: %s, %s events", t->name, unit_time(t->last - t->first).text,
		    unit_count(t->events).text);
	if (t->gomaxprocs_max)
		fprintf(f, ", GOMAXPROCS %" PRIu64, t->gomaxprocs_max);
	fprintf(f, ", at most %s goroutines", unit_count(t->goroutines_max).text);
	if (t->heap_live_max)
		fprintf(f, " and %s of heap", unit_bytes(t->heap_live_max).text);
	fputc('\n', f);
	report_text_print_origin(&t->origin, f);
}

static void print_head(const struct trace_report *r, FILE *f)
{
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++)
		report_text_print_trace(r, i, f);
}

/* --- findings --- */

static void report_text_put_goroutines(const struct finding *finding, FILE *f)
{
	size_t i, n = finding->ngoroutines < 6 ? finding->ngoroutines : 6;

	for (i = 0; i < n; i++)
		fprintf(f, "%s%" PRIu64,
			i ? ", " :
			finding->ngoroutines == 1 ? "goroutine " :
						    "goroutines ",
			finding->goroutines[i]);
	if (n < finding->ngoroutines)
		fputs(", ...", f);
}

static void report_text_print_finding(const struct trace_report *r, size_t number,
				      const struct trace_finding *tf, FILE *f)
{
	const struct finding *finding = tf->finding;
	double share = report_finding_share(r, tf);

	fprintf(f, "%2zu. %5s  ", number, share > 0 ? unit_share(share, 1).text : "-");
	report_put_wrapped(finding->text, 12, f);
	fprintf(f, "%12s", "");
	if (*finding->function)
		show_printf(f, "%s ", finding->function);
	report_put_place(finding->file, finding->line, f);
	if (finding->ngoroutines) {
		fputs(*finding->function || *finding->file ? "; " : "", f);
		report_text_put_goroutines(finding, f);
	}
	fputs(*finding->function || *finding->file || finding->ngoroutines ? "; " : "", f);
	fprintf(f, "look at %s to %s", unit_instant(finding->from).text,
		unit_instant(finding->to).text);
	if (!is_one(r))
		fprintf(f, " of trace %" PRIu32, tf->trace + 1);
	if (finding->first)
		fputc('\n', f);
	else
		fprintf(f, "; %s of the lost time\n", unit_share(tf->share, 1).text);
}

static void report_text_print_findings(const struct trace_report *r, FILE *f)
{
	size_t i;

	fputs("\nFINDINGS", f);
	if (!r->findings.len) {
		fputs(": none of the kinds of docs/findings.md\n", f);
		return;
	}
	fprintf(f, ", and the part of the unit's time that each explains; goroutines lost %s in "
		   "all\n", unit_time((int64_t)(r->lost * 1e9)).text);
	for (i = 0; i < r->findings.len; i++)
		report_text_print_finding(r, i + 1, vec_at(&r->findings, struct trace_finding, i),
					  f);
}

/* --- what is missing --- */

/*
 * The note of a snapshot of a flight recording (user/flight) says why it was written, and of
 * nothing missing.
 */
static bool is_reason(const struct note *note)
{
	return !strncmp(note->text, "snapshot: ", 10);
}

static void print_notes(const struct trace_report *r, bool reasons, FILE *f)
{
	const struct vec *notes = &r->tables->notes;
	size_t i;

	for (i = 0; i < notes->len; i++) {
		const struct note *note = vec_at(notes, struct note, i);

		if (is_reason(note) != reasons)
			continue;
		fputs("  at ", f);
		report_put_instant(r, note->trace, note->time, f);
		show_printf(f, ": %s\n", note->text);
	}
	if (!reasons && r->tables->notes_total > notes->len)
		fprintf(f, "  and %" PRIu64 " notes more\n", r->tables->notes_total - notes->len);
}

static void print_unrecorded(const struct trace_report *r, FILE *f)
{
	const char *as = r->only ? "counts nowhere" : "counts as a wait, \"" SPANS_GAP "\"";
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++) {
		const struct trace_row *t = trace_at(r, i);

		if (!t->unrecorded)
			continue;
		fprintf(f, "  %s of", unit_time(t->unrecorded).text);
		if (!is_one(r))
			fprintf(f, " trace %" PRIu32 ",", i + 1);
		fprintf(f, " %s: nothing is known of that time; it %s\n",
			unit_time(t->last - t->first).text, as);
	}
}

static bool lacks_stacks(const struct trace_report *r)
{
	uint64_t waits = 0, stackless = 0;
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++) {
		waits += trace_at(r, i)->waits;
		stackless += trace_at(r, i)->stackless;
	}
	return waits && stackless > waits / 2;
}

static bool has_stay(const struct trace_report *r, uint32_t stay)
{
	struct dist sum = {0};
	bool has;

	tables_total(r->tables, stay, true, &sum);
	has = sum.count;
	dist_free(&sum);
	return has;
}

static void print_dropped(const struct trace_report *r, FILE *f)
{
	uint64_t texts = spans_texts_dropped(r->spans),
		 stacks = stack_set_dropped(spans_stacks(r->spans));

	if (texts || stacks)
		fprintf(f, "  %s names and %s stacks found no room in memory, and are left out\n",
			unit_count(texts).text, unit_count(stacks).text);
	if (r->tables->unclosed)
		fprintf(f,
			"  states of %" PRIu64 " goroutines do not add up to their life: please "
			"report that\n",
			r->tables->unclosed);
}

static bool has_heap(const struct trace_report *r)
{
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++)
		if (!trace_at(r, i)->heap_live_max)
			return false;
	return true;
}

/* A group of events that was left out and one that had none look the same in a trace. */
static void print_absent(const struct trace_report *r, FILE *f)
{
	if (!has_stay(r, STAY_CALL))
		fputs("  no system calls: none was made, or they were left out\n", f);
	if (!r->tables->gc_cycles.count && !r->tables->gc_open)
		fputs("  no GC cycle: there was none, or the group gc was left out\n", f);
	if (!has_heap(r))
		fputs("  no size of the heap: no memory was allocated, or the group heap was left "
		      "out\n",
		      f);
	if (lacks_stacks(r))
		fputs("  most waits have no stack: where in the code they are is not known\n", f);
}

static void report_text_put_missing(const struct trace_report *r, FILE *f)
{
	print_unrecorded(r, f);
	print_notes(r, false, f);
	print_absent(r, f);
	print_dropped(r, f);
}

/* A label alone can lack any group of events: that says nothing about the recording. */
static void report_text_put_lost(const struct trace_report *r, FILE *f)
{
	print_unrecorded(r, f);
	print_notes(r, false, f);
	print_dropped(r, f);
}

static void put_reasons(const struct trace_report *r, FILE *f)
{
	print_notes(r, true, f);
}

/* Without a head if there is nothing. */
static void print_part(const struct trace_report *r, const char *head,
		       void (*put)(const struct trace_report *r, FILE *f), FILE *f)
{
	char *text = NULL;
	size_t len = 0;
	FILE *m = open_memstream(&text, &len);

	if (!m)
		return;
	put(r, m);
	fclose(m);
	if (len)
		fprintf(f, "\n%s\n%s", head, text);
	free(text);
}

static void print_threads(const struct trace_report *r, FILE *f)
{
	struct thread_report report;
	uint32_t i;

	if (has_threads(r))
		fputs("\nTHREADS, by Linux\n", f);
	for (i = 0; i < r->threads.len; i++) {
		if (!trace_threads(r, i)->oncpu)
			continue;
		if (!is_one(r))
			fprintf(f, "Trace %" PRIu32 ":\n", i + 1);
		report = trace_thread_report(trace_threads(r, i));
		report_print_threads(&report, f);
	}
}

static void print_labels(const struct trace_report *r, FILE *f)
{
	size_t i;

	fputs("Only what has the profiler label", f);
	for (i = 0; i < r->labels->n; i++)
		show_printf(f, "%s%s", i ? ", " : r->labels->n > 1 ? "s " : " ",
			    r->labels->label[i]);
	fputs(". Left out, as they are of the whole program: unit of work, findings,\n"
	      "threads, over time, GC and stops.\n", f);
}

static void print_labelled(const struct trace_report *r, FILE *f)
{
	print_head(r, f);
	print_labels(r, f);
	report_print_requests(r, f);
	print_part(r, "SNAPSHOTS OF A FLIGHT RECORDING, and why", put_reasons, f);
	print_part(r, "NOT IN THE TRACE", report_text_put_lost, f);
	report_print_goroutines(r, f);
	report_print_sections(r, f);
	report_print_longest(r, f);
}

void trace_report_print(const struct trace_report *r, FILE *f)
{
	struct next next;

	if (r->only) {
		print_labelled(r, f);
		return;
	}
	print_head(r, f);
	report_print_unit(r, f);
	report_text_print_findings(r, f);
	report_print_other_units(r, f);
	report_print_requests(r, f);
	print_part(r, "SNAPSHOTS OF A FLIGHT RECORDING, and why", put_reasons, f);
	print_part(r, "NOT IN THE TRACE", report_text_put_missing, f);
	report_print_goroutines(r, f);
	print_threads(r, f);
	report_print_charts(r, f);
	report_print_gc(r, f);
	report_print_allocations(r, f);
	report_print_sections(r, f);
	report_print_longest(r, f);
	report_next(r, &next);
	next_print(&next, f);
}
