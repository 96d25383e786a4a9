// SPDX-License-Identifier: Apache-2.0
/* json: the report as one JSON object on one line; docs/report.md has its fields. See report.h. */
#include "base/json_out.h"
#include "cmd/report/threads.h"
#include "cmd/report/parts.h"
#include "tracev2.h"

/*
 * The version of the whole object: grows when a field changes its meaning or goes; new ones may
 * come.
 */
enum { REPORT_VERSION = 1 };

static void put_id(struct json_out *j, const char *name, uint64_t id)
{
	if (id != TRACEV2_NO_ID)
		json_put_count(j, name, id);
}

/* ns since the begin of its trace. */
static int64_t since_begin(const struct trace_report *r, uint32_t trace, int64_t time)
{
	return time - vec_at(&r->tables->traces, struct trace_row, trace)->first;
}

static void report_json_put_place(struct json_out *j, const char *function, const char *file,
				  uint64_t line)
{
	json_put_text(j, "function", function);
	json_put_text(j, "file", file);
	json_put_count(j, "line", line);
}

/* --- findings --- */

static void put_finding(struct json_out *j, const struct trace_finding *tf)
{
	const struct finding *f = tf->finding;
	size_t i;

	json_open_object(j, NULL);
	json_put_text(j, "kind", f->kind);
	json_put_text(j, "text", f->text);
	report_json_put_place(j, f->function, f->file, f->line);
	json_put_real(j, "share", tf->share, 6);
	json_put_real(j, "seconds", f->seconds, 9);
	json_open_array(j, "goroutines");
	for (i = 0; i < f->ngoroutines; i++)
		json_put_count(j, NULL, f->goroutines[i]);
	json_close_array(j);
	json_put_count(j, "trace", tf->trace);
	json_put_number(j, "from_ns", f->from);
	json_put_number(j, "to_ns", f->to);
	json_close_object(j);
}

static void put_findings(struct json_out *j, const struct trace_report *r)
{
	size_t i;

	json_open_array(j, "findings");
	for (i = 0; i < r->findings.len; i++)
		put_finding(j, vec_at(&r->findings, struct trace_finding, i));
	json_close_array(j);
	json_put_real(j, "lost_seconds", r->lost, 9);
}

/* --- distributions --- */

static void put_dist_fields(struct json_out *j, const struct dist *d)
{
	json_put_count(j, "count", d->count);
	json_put_number(j, "sum_ns", d->sum);
	json_put_number(j, "p50_ns", dist_quantile(d, 0.5));
	json_put_number(j, "p90_ns", dist_quantile(d, 0.9));
	json_put_number(j, "p99_ns", dist_quantile(d, 0.99));
	json_put_number(j, "max_ns", d->max);
	if (dist_sampled(d) < d->count)
		json_put_count(j, "quantiles_of", dist_sampled(d));
}

/* With the goroutine and the time of the longest. */
static void put_dist(struct json_out *j, const char *name, const struct trace_report *r,
		     const struct dist *d)
{
	json_open_object(j, name);
	put_dist_fields(j, d);
	if (d->count) {
		put_id(j, "max_goroutine", d->max_g);
		json_put_count(j, "max_trace", d->max_trace);
		json_put_number(j, "max_at_ns", since_begin(r, d->max_trace, d->max_from));
	}
	json_close_object(j);
}

static void put_histogram(struct json_out *j, const char *name, const struct dist *d)
{
	unsigned i;

	json_open_array(j, name);
	for (i = 0; i < DIST_BUCKETS; i++) {
		uint64_t n = dist_bucket(d, i);

		if (!n)
			continue;
		json_open_array(j, NULL);
		json_put_count(j, NULL, dist_bucket_from(i));
		json_put_count(j, NULL, dist_bucket_to(i));
		json_put_count(j, NULL, n);
		json_close_array(j);
	}
	json_close_array(j);
}

/* --- goroutines --- */

static const char *const stay_keys[STAY_LINUX] = {
	[STAY_RUNNING] = "running", [STAY_RUNNABLE] = "runnable", [STAY_SYSCALL] = "syscall",
	[STAY_SYSCALL_BLOCKED] = "syscall_blocked", [STAY_CALL] = "syscall_whole",
	[STAY_ASSIST] = "gc_assist", [STAY_SWEEP] = "gc_sweep",
};

/* Parts of STAY_RUNNING and STAY_CALL, as docs/threads.md calls them. */
static const struct {
	const char *name;
	uint32_t stay;
} splits[] = { { "running", STAY_LINUX }, { "syscall_whole", STAY_LINUX_CALL } };

enum { SPLIT_KINDS = sizeof(splits) / sizeof(*splits) };

/* The reason as the trace has it: "" is not known. */
static const char *reason_of(const struct trace_report *r, uint32_t stay)
{
	return *vec_at(&r->tables->reasons, const char *, stay - STAY_WAITS);
}

static void put_split_dists(struct json_out *j, const struct trace_report *r,
			    const struct function_row *row)
{
	uint32_t kind, split;

	json_open_object(j, "linux");
	for (kind = 0; kind < SPLIT_KINDS; kind++) {
		json_open_object(j, splits[kind].name);
		for (split = 0; split < SPLITS; split++)
			if (tables_dist(row, splits[kind].stay + split)->count)
				put_dist(j, split_key(split), r,
					 tables_dist(row, splits[kind].stay + split));
		json_close_object(j);
	}
	json_close_object(j);
}

static void put_stays(struct json_out *j, const struct trace_report *r,
		      const struct function_row *row)
{
	uint32_t stay, n = tables_stays(r->tables);

	for (stay = 0; stay < STAY_LINUX; stay++)
		if (tables_dist(row, stay)->count)
			put_dist(j, stay_keys[stay], r, tables_dist(row, stay));
	if (r->tables->split)
		put_split_dists(j, r, row);
	json_open_object(j, "waiting");
	for (stay = STAY_WAITS; stay < n; stay++)
		if (tables_dist(row, stay)->count)
			put_dist(j, reason_of(r, stay), r, tables_dist(row, stay));
	json_close_object(j);
}

static void put_function(struct json_out *j, const struct trace_report *r,
			 const struct function_row *row)
{
	json_open_object(j, NULL);
	report_json_put_place(j, row->name, row->file, row->line);
	if (row->others)
		json_put_bool(j, "others", true);
	json_put_bool(j, "system", row->system);
	json_put_count(j, "goroutines", row->goroutines);
	json_put_count(j, "created", row->created);
	json_put_count(j, "ended", row->ended);
	put_dist(j, "life", r, &row->life);
	json_put_number(j, "states_ns", row->states);
	put_stays(j, r, row);
	json_close_object(j);
}

static void put_functions(struct json_out *j, const struct trace_report *r)
{
	const struct vec *rows = &r->tables->functions;
	size_t i;

	if (r->tables->options.label)
		json_put_text(j, "label", r->tables->options.label);
	json_open_array(j, "goroutines");
	for (i = 0; i < rows->len; i++)
		put_function(j, r, vec_at(rows, struct function_row, i));
	json_close_array(j);
	json_put_count(j, "unclosed", r->tables->unclosed);
}

static void put_latency(struct json_out *j, const struct trace_report *r)
{
	struct dist d = {0};

	tables_total(r->tables, STAY_RUNNABLE, false, &d);
	json_open_object(j, "scheduling_latency");
	put_dist_fields(j, &d);
	put_histogram(j, "histogram", &d);
	json_close_object(j);
	dist_free(&d);
}

/* --- traces --- */

static const char *const timeline_keys[TIMELINE_ROWS] = {
	[TIMELINE_PROCS] = "procs",
	[TIMELINE_RUNNING] = "running",
	[TIMELINE_GC] = "running_gc",
	[TIMELINE_SYSCALL] = "syscall",
	[TIMELINE_SYSCALL_BLOCKED] = "syscall_blocked",
	[TIMELINE_RUNNABLE] = "runnable",
	[TIMELINE_GOROUTINES] = "goroutines",
	[TIMELINE_STW] = "stopped",
};

static const char *const metric_keys[TIMELINE_METRICS] = {
	[TIMELINE_HEAP_LIVE] = "heap_live_bytes", [TIMELINE_HEAP_GOAL] = "heap_goal_bytes",
	[TIMELINE_GOMAXPROCS] = "gomaxprocs",
};

static void put_values(struct json_out *j, const char *name, const struct timeline *t,
		       const struct timeline_value *values)
{
	uint32_t i;

	json_open_array(j, name);
	for (i = 0; i < t->used; i++)
		if (values[i].count)
			json_put_count(j, NULL, values[i].max);
		else
			json_put_text(j, NULL, NULL);
	json_close_array(j);
}

static void put_timeline(struct json_out *j, const struct timeline *t)
{
	unsigned row;
	uint32_t i;

	json_open_object(j, "timeline");
	json_put_count(j, "bucket_ns", 1ULL << t->shift);
	for (row = 0; row < TIMELINE_ROWS; row++) {
		json_open_array(j, timeline_keys[row]);
		for (i = 0; i < t->used; i++)
			json_put_count(j, NULL, t->ns[row][i]);
		json_close_array(j);
	}
	for (row = 0; row < TIMELINE_METRICS; row++)
		put_values(j, metric_keys[row], t, t->values[row]);
	json_close_object(j);
}

static void put_curve(struct json_out *j, const char *name, const struct trace_report *r,
		      uint32_t trace, const struct mmu_curve *c)
{
	unsigned w;

	json_open_object(j, name);
	json_put_real(j, "mean", c->mean, 12);
	json_open_array(j, "windows");
	for (w = 0; w < MMU_WINDOWS; w++) {
		if (!c->windows[w].known)
			continue;
		json_open_object(j, NULL);
		json_put_number(j, "window_ns", mmu_lengths[w]);
		json_put_real(j, "utilisation", c->windows[w].min, 12);
		json_put_number(j, "at_ns", since_begin(r, trace, c->windows[w].at));
		json_put_bool(j, "whole_trace", c->windows[w].whole);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

static void put_mmu(struct json_out *j, const struct trace_report *r, uint32_t i,
		    const struct mmu *mmu)
{
	if (!mmu_curve(mmu, MMU_ALL)->known)
		return;
	json_open_object(j, "mutator");
	put_curve(j, "stw_assist", r, i, mmu_curve(mmu, MMU_PAUSES));
	put_curve(j, "stw_assist_background", r, i, mmu_curve(mmu, MMU_ALL));
	json_close_object(j);
}

static void report_json_put_threads(struct json_out *j, const struct trace_threads *t)
{
	struct thread_report report;

	if (t->oncpu) {
		report = trace_thread_report(t);
		report_json_threads(&report, j);
	}
}

/* Facts that the trace does not have are left out. */
static void put_origin(struct json_out *j, const struct origin *o)
{
	enum origin_fact fact;

	json_open_object(j, "origin");
	for (fact = 0; fact < ORIGIN_FACTS; fact++)
		if (o->facts[fact])
			json_put_text(j, origin_fact_key(fact), o->facts[fact]);
	json_close_object(j);
}

static void put_trace(struct json_out *j, const struct trace_report *r, uint32_t i)
{
	const struct trace_row *t = vec_at(&r->tables->traces, struct trace_row, i);

	json_open_object(j, NULL);
	json_put_text(j, "name", t->name);
	put_origin(j, &t->origin);
	json_put_number(j, "duration_ns", t->last - t->first);
	json_put_number(j, "first_ns", t->first);
	json_put_count(j, "events", t->events);
	json_put_count(j, "cpu_samples", t->samples);
	json_put_count(j, "gomaxprocs", t->gomaxprocs);
	json_put_count(j, "gomaxprocs_max", t->gomaxprocs_max);
	json_put_count(j, "procs", t->procs);
	json_put_count(j, "goroutines_max", t->goroutines_max);
	json_put_count(j, "heap_live_max_bytes", t->heap_live_max);
	json_put_count(j, "heap_goal_max_bytes", t->heap_goal_max);
	json_put_number(j, "unrecorded_ns", t->unrecorded);
	json_put_count(j, "waits", t->waits);
	json_put_count(j, "waits_without_stack", t->stackless);
	if (!r->only) {
		if (!is_one(r))
			report_json_put_threads(j, trace_threads(r, i));
		put_timeline(j, t->timeline);
		put_mmu(j, r, i, t->mmu);
	}
	json_close_object(j);
}

static void put_traces(struct json_out *j, const struct trace_report *r)
{
	uint32_t i;

	json_open_array(j, "traces");
	for (i = 0; i < r->tables->traces.len; i++)
		put_trace(j, r, i);
	json_close_array(j);
}

/* --- GC --- */

static void put_total(struct json_out *j, const char *name, const struct trace_report *r,
		      uint32_t stay)
{
	struct dist d = {0};

	tables_total(r->tables, stay, true, &d);
	put_dist(j, name, r, &d);
	dist_free(&d);
}

static void put_gc(struct json_out *j, const struct trace_report *r)
{
	const struct tables *t = r->tables;
	size_t i;

	json_open_object(j, "gc");
	put_dist(j, "cycles", r, &t->gc_cycles);
	json_put_count(j, "open_cycles", t->gc_open);
	json_put_number(j, "open_ns", t->gc_open_ns);
	put_total(j, "assist", r, STAY_ASSIST);
	put_total(j, "sweep", r, STAY_SWEEP);
	json_put_count(j, "swept_bytes", t->swept);
	json_put_count(j, "reclaimed_bytes", t->reclaimed);
	json_put_count(j, "unattributed", t->unattributed);
	json_close_object(j);
	json_open_object(j, "stops");
	for (i = 0; i < t->stw.len; i++) {
		const struct stw_row *row = vec_at(&t->stw, struct stw_row, i);

		put_dist(j, row->reason, r, &row->dist);
	}
	json_close_object(j);
}

/* --- regions and tasks --- */

static void put_split_sums(struct json_out *j, const struct stay_sums *s)
{
	uint32_t kind, split;

	json_open_object(j, "linux");
	for (kind = 0; kind < SPLIT_KINDS; kind++) {
		json_open_object(j, splits[kind].name);
		for (split = 0; split < SPLITS; split++)
			if (stay_sum(s, splits[kind].stay + split))
				json_put_number(j, split_key(split),
						stay_sum(s, splits[kind].stay + split));
		json_close_object(j);
	}
	json_close_object(j);
}

static void report_json_put_sums(struct json_out *j, const struct trace_report *r,
				 const struct stay_sums *s)
{
	uint32_t stay;

	for (stay = 0; stay < STAY_LINUX && stay < s->n; stay++)
		if (s->ns[stay])
			json_put_number(j, stay_keys[stay], s->ns[stay]);
	if (r->tables->split)
		put_split_sums(j, s);
	json_open_object(j, "waiting");
	for (stay = STAY_WAITS; stay < s->n; stay++)
		if (s->ns[stay])
			json_put_number(j, reason_of(r, stay), s->ns[stay]);
	json_close_object(j);
}

static void put_type(struct json_out *j, const struct trace_report *r, const struct type_row *row)
{
	const struct stack_frame *leaf = stack_set_at(spans_stacks(r->spans), row->stack, 0);

	json_open_object(j, NULL);
	json_put_text(j, "type", row->type);
	if (row->others)
		json_put_bool(j, "others", true);
	if (leaf)
		report_json_put_place(j, leaf->func, leaf->file, leaf->line);
	put_dist(j, "whole", r, &row->whole);
	put_histogram(j, "histogram", &row->whole);
	json_put_count(j, "open", row->open);
	json_put_number(j, "open_ns", row->open_ns);
	json_open_object(j, "sums_ns");
	report_json_put_sums(j, r, &row->sums);
	json_close_object(j);
	json_put_number(j, "elsewhere_ns", row->elsewhere);
	json_put_count(j, "unwatched", row->unwatched);
	json_put_number(j, "unwatched_ns", row->unwatched_ns);
	json_close_object(j);
}

static void put_types(struct json_out *j, const char *name, const struct trace_report *r,
		      const struct vec *rows)
{
	size_t i;

	json_open_array(j, name);
	for (i = 0; i < rows->len; i++)
		put_type(j, r, vec_at(rows, struct type_row, i));
	json_close_array(j);
}

/* --- the longest --- */

static void put_moment(struct json_out *j, const struct trace_report *r, const struct moment *m)
{
	const struct stack_frame *leaf = stack_set_at(spans_stacks(r->spans), m->stack, 0);

	json_open_object(j, NULL);
	json_put_number(j, "ns", m->to - m->from);
	put_id(j, "goroutine", m->g);
	json_put_text(j, "began_with", m->function);
	if (*m->text)
		json_put_text(j, "name", m->text);
	if (leaf)
		report_json_put_place(j, leaf->func, leaf->file, leaf->line);
	json_put_count(j, "trace", m->trace);
	json_put_number(j, "at_ns", since_begin(r, m->trace, m->from));
	json_put_bool(j, "open", m->open);
	json_close_object(j);
}

static void put_longest(struct json_out *j, const char *name, const struct trace_report *r,
			const struct longest *l)
{
	struct vec sorted = {0};
	size_t i;

	if (!l->moments.len)
		return;
	tables_longest(l, &sorted);
	json_open_array(j, name);
	for (i = 0; i < sorted.len; i++)
		put_moment(j, r, vec_at(&sorted, struct moment, i));
	json_close_array(j);
	vec_free(&sorted);
}

static void put_split_longest(struct json_out *j, const struct trace_report *r)
{
	uint32_t kind, split;

	json_open_object(j, "linux");
	for (kind = 0; kind < SPLIT_KINDS; kind++) {
		json_open_object(j, splits[kind].name);
		for (split = 0; split < SPLITS; split++)
			put_longest(j, split_key(split), r,
				    &r->tables->stays[splits[kind].stay + split]);
		json_close_object(j);
	}
	json_close_object(j);
}

static void put_all_longest(struct json_out *j, const struct trace_report *r)
{
	const struct tables *t = r->tables;
	uint32_t stay;

	json_open_object(j, "longest");
	for (stay = 0; stay < STAY_LINUX; stay++)
		put_longest(j, stay_keys[stay], r, &t->stays[stay]);
	if (r->tables->split)
		put_split_longest(j, r);
	json_open_object(j, "waiting");
	for (stay = STAY_WAITS; stay < tables_stays(t); stay++)
		put_longest(j, reason_of(r, stay), r, &t->stays[stay]);
	json_close_object(j);
	if (!r->only) {
		put_longest(j, "gc_cycle", r, &t->gc);
		put_longest(j, "stop", r, &t->stops);
	}
	put_longest(j, "region", r, &t->region);
	put_longest(j, "task", r, &t->task);
	json_close_object(j);
}

/* --- what is missing --- */

static void report_json_put_missing(struct json_out *j, const struct trace_report *r)
{
	size_t i;

	json_open_array(j, "notes");
	for (i = 0; i < r->tables->notes.len; i++) {
		const struct note *note = vec_at(&r->tables->notes, struct note, i);

		json_open_object(j, NULL);
		json_put_count(j, "trace", note->trace);
		json_put_number(j, "at_ns", since_begin(r, note->trace, note->time));
		json_put_text(j, "text", note->text);
		json_close_object(j);
	}
	json_close_array(j);
	json_put_count(j, "notes_total", r->tables->notes_total);
	json_put_count(j, "names_dropped", spans_texts_dropped(r->spans));
	json_put_count(j, "stacks_dropped", stack_set_dropped(spans_stacks(r->spans)));
}

/* --- the whole --- */

static void report_json_put_labels(struct json_out *j, const struct trace_report *r)
{
	size_t i;

	json_open_array(j, "labels");
	for (i = 0; i < r->labels->n; i++)
		json_put_text(j, NULL, r->labels->label[i]);
	json_close_array(j);
}

/* What explains the whole program. */
static void report_json_put_answer(struct json_out *j, const struct trace_report *r)
{
	struct next next;

	report_json_answer(j, r);
	report_next(r, &next);
	next_json(&next, j);
}

void trace_report_json(const struct trace_report *r, FILE *f)
{
	struct json_out j = { .f = f };

	json_open_object(&j, NULL);
	json_put_number(&j, "version", REPORT_VERSION);
	if (r->only)
		report_json_put_labels(&j, r);
	else
		report_json_put_answer(&j, r);
	report_json_requests(&j, r);
	if (!r->only)
		put_findings(&j, r);
	put_functions(&j, r);
	put_latency(&j, r);
	put_traces(&j, r);
	if (is_one(r) && !r->only)
		report_json_put_threads(&j, trace_threads(r, 0));
	if (!r->only)
		put_gc(&j, r);
	report_json_allocations(&j, r);
	put_types(&j, "regions", r, &r->tables->regions);
	put_types(&j, "tasks", r, &r->tables->tasks);
	put_all_longest(&j, r);
	report_json_put_missing(&j, r);
	json_close_object(&j);
	fputc('\n', f);
}
