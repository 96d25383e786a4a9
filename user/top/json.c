// SPDX-License-Identifier: Apache-2.0
/* json: see json.h. */
#include "top/json.h"

#include "base/json_out.h"
#include "read/http.h"

enum { DIGITS = 9 };	/* decimals of seconds: down to the nanosecond */

static double json_seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void put_waits(struct json_out *j, const char *name, const struct top_waits *w)
{
	json_open_object(j, name);
	json_put_count(j, "count", w->count);
	if (w->count) {
		json_put_count(j, "p50_ns", w->p50);
		json_put_count(j, "p99_ns", w->p99);
		json_put_count(j, "max_ns", w->max);
	}
	json_close_object(j);
}

static void json_put_numbers(struct json_out *j, const struct top_numbers *n)
{
	int i;

	json_put_count(j, "goroutines", top_total(n));
	json_open_object(j, "now");
	for (i = 0; i < TOP_STATES; i++)
		json_put_count(j, top_state_names[i], n->now[i]);
	json_close_object(j);
	json_open_object(j, "seconds_in");
	for (i = 0; i < TOP_STATES; i++)
		json_put_real(j, top_state_names[i], json_seconds(n->ns[i]), DIGITS);
	json_close_object(j);
	json_put_count(j, "created", n->created);
	json_put_count(j, "ended", n->ended);
	json_put_count(j, "syscalls", n->syscalls);
	put_waits(j, "sched", &n->sched);
}

static void put_procs(struct json_out *j, const struct top_sample *s)
{
	size_t i;

	json_open_array(j, "procs");
	for (i = 0; i < s->procs.len; i++) {
		const struct top_proc *p = vec_at(&s->procs, struct top_proc, i);

		json_open_object(j, NULL);
		json_put_count(j, "id", p->id);
		json_put_real(j, "running_seconds", json_seconds(p->running), DIGITS);
		json_put_real(j, "syscall_seconds", json_seconds(p->syscall), DIGITS);
		json_put_real(j, "other_seconds", json_seconds(p->other), DIGITS);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_memory(struct json_out *j, const struct top_sample *s)
{
	json_open_object(j, "gc");
	json_put_count(j, "cycles", s->gc.cycles);
	json_put_bool(j, "marking", s->gc.marking);
	json_put_real(j, "mark_seconds", json_seconds(s->gc.mark_ns), DIGITS);
	json_put_count(j, "stops", s->gc.stops);
	json_put_real(j, "stopped_seconds", json_seconds(s->gc.stopped_ns), DIGITS);
	json_put_real(j, "longest_stop_seconds", json_seconds(s->gc.longest_ns), DIGITS);
	json_put_count(j, "assists", s->gc.assists);
	json_put_real(j, "assist_seconds", json_seconds(s->gc.assist_ns), DIGITS);
	json_close_object(j);
	if (s->heap.bytes)
		json_put_count(j, "heap_bytes", s->heap.bytes);
	if (s->heap.goal)
		json_put_count(j, "heap_goal_bytes", s->heap.goal);
}

static void json_put_histogram(struct json_out *j, const char *name, const struct top_histogram *h)
{
	unsigned int i;

	json_open_object(j, name);
	json_open_array(j, "counts");
	for (i = 0; i <= TOP_HISTOGRAM_LIMITS; i++)
		json_put_count(j, NULL, h->counts[i]);
	json_close_array(j);
	json_put_real(j, "sum_seconds", json_seconds(h->sum), DIGITS);
	json_close_object(j);
}

static void json_put_limits(struct json_out *j, unsigned int low)
{
	unsigned int i;

	json_open_array(j, "limits_ns");
	for (i = 0; i < TOP_HISTOGRAM_LIMITS; i++)
		json_put_count(j, NULL, top_histogram_limit(low, i));
	json_close_array(j);
}

static void json_put_histograms(struct json_out *j, const struct top_sample *s)
{
	unsigned int i;

	json_open_object(j, "histograms");
	json_put_limits(j, TOP_HISTOGRAM_LOW);
	for (i = 0; i < TOP_HISTOGRAMS; i++)
		json_put_histogram(j, top_histogram_names[i], &s->histograms[i]);
	json_close_object(j);
}

static void json_put_results(struct json_out *j, const struct top_route *route)
{
	enum top_result i;
	unsigned int k;

	json_open_object(j, "results");
	for (i = 0; i < TOP_RESULTS; i++) {
		uint64_t n = 0;

		for (k = 0; k <= TOP_HISTOGRAM_LIMITS; k++)
			n += route->results[i].counts[k];
		if (n)
			json_put_histogram(j, top_result_names[i], &route->results[i]);
	}
	json_close_object(j);
}

static void json_put_slowest(struct json_out *j, const struct top_route *route)
{
	if (!route->slowest_path)
		return;
	json_open_object(j, "slowest");
	json_put_count(j, "task", route->slowest_task);
	json_put_count(j, "request", http_request_number(route->slowest_task));
	json_put_count(j, "ns", route->took.max);
	json_put_count(j, "status", route->slowest_status);
	json_put_text(j, "path", route->slowest_path);
	json_close_object(j);
}

static void json_put_route(struct json_out *j, const struct view *v, const struct top_route *route)
{
	json_open_object(j, NULL);
	json_put_text(j, "name", route->name);
	put_waits(j, "took", &route->took);
	json_put_real(j, "seconds", json_seconds(route->ns), DIGITS);
	json_put_count(j, "failed", route->failed);
	json_put_count(j, "open", route->open);
	json_put_results(j, route);
	if (!v->brief)
		json_put_slowest(j, route);
	json_close_object(j);
}

/* In the order of the rows if these are routes; those without a request are left out. */
static void json_put_requests(struct json_out *j, const struct view *v, const struct ui *u,
			      const struct top_sample *s)
{
	const struct top_requests *q = &s->requests;
	size_t i, n = s->by_route ? u->order.len : q->routes.len;

	if (!q->known)
		return;
	json_open_object(j, "requests");
	json_put_count(j, "open", q->open);
	json_put_real(j, "oldest_seconds", json_seconds(q->oldest), DIGITS);
	put_waits(j, "took", &q->took);
	json_put_real(j, "seconds", json_seconds(q->ns), DIGITS);
	json_put_count(j, "failed", q->failed);
	json_put_limits(j, TOP_HISTOGRAM_REQUESTS);
	json_open_array(j, "routes");
	for (i = 0; i < n; i++) {
		size_t k = s->by_route ? *vec_at(&u->order, uint32_t, i) : i;
		const struct top_route *route = vec_at(&q->routes, struct top_route, k);

		if (route->took.count || route->open)
			json_put_route(j, v, route);
	}
	json_close_array(j);
	json_close_object(j);
}

static void put_quota(struct json_out *j, const struct top_machine *m)
{
	if (!m->has_quota)
		return;
	json_open_object(j, "quota");
	json_put_count(j, "quota_ns", m->quota_ns);
	json_put_count(j, "period_ns", m->period_ns);
	json_put_count(j, "throttled_periods", m->throttled);
	json_put_real(j, "throttled_seconds", json_seconds(m->throttled_ns), DIGITS);
	json_close_object(j);
}

static void json_put_gotap(struct json_out *j, const struct top_sample *s)
{
	const struct top_machine *m = &s->machine;

	json_open_object(j, "gotap");
	json_put_count(j, "records", m->records);
	json_put_count(j, "lost", m->lost);
	json_put_count(j, "lost_ever", m->lost_ever);
	json_put_count(j, "repairs", m->repairs);
	json_put_count(j, "repairs_ever", m->repairs_ever);
	json_put_real(j, "unrecorded_seconds", json_seconds(s->unrecorded), DIGITS);
	json_put_text(j, "left_out", m->level);
	json_put_count(j, "budget_level", m->level_number);
	json_put_real(j, "cpu_percent", m->cpu_own * 100, 3);
	json_put_real(j, "cpu_seconds_ever", json_seconds(m->cpu_own_ever), DIGITS);
	if (m->cpu_probes >= 0) {
		json_put_real(j, "probes_percent", m->cpu_probes * 100, 3);
		json_put_real(j, "budget_percent", m->cpu_budget * 100, 3);
	}
	json_close_object(j);
}

static void json_put_row(struct json_out *j, const struct top_sample *s, const struct top_row *r)
{
	uint32_t i;

	json_open_object(j, NULL);
	json_put_text(j, "name", r->name);
	if (r->system)
		json_put_bool(j, "system", true);
	json_put_numbers(j, &r->n);
	json_open_object(j, "waiting_for");
	for (i = 0; i < r->reasons; i++) {
		const struct top_reason *why =
			vec_at(&s->reasons, struct top_reason, r->reason + i);

		json_put_count(j, why->text, why->now);
	}
	json_close_object(j);
	json_close_object(j);
}

static void put_rows(struct json_out *j, const struct ui *u, const struct top_sample *s)
{
	size_t i;

	json_open_array(j, "rows");
	for (i = 0; i < u->order.len; i++)
		json_put_row(j, s,
			     vec_at(&s->rows, struct top_row, *vec_at(&u->order, uint32_t, i)));
	json_close_array(j);
	if (s->rows_merged)
		json_put_count(j, "rows_merged", s->rows_merged);
}

static void json_put_blocked(struct json_out *j, const struct top_sample *s)
{
	size_t i;

	json_open_array(j, "blocked");
	for (i = 0; i < s->waits.len; i++) {
		const struct top_wait *w = vec_at(&s->waits, struct top_wait, i);

		json_open_object(j, NULL);
		json_put_text(j, "reason", w->text);
		json_put_count(j, "now", w->now);
		json_put_real(j, "seconds", json_seconds(w->ns), DIGITS);
		put_waits(j, "ended", &w->ended);
		json_close_object(j);
	}
	json_close_array(j);
}

/* Nothing before the first interval of units has been read. */
static void json_put_units(struct json_out *j, const struct top_units *units)
{
	size_t i;

	if (!units->known)
		return;
	json_put_real(j, "units_seconds", json_seconds(units->ns), DIGITS);
	json_put_count(j, "units_skipped", units->skipped);
	json_open_array(j, "units");
	for (i = 0; i < units->list.len; i++) {
		const struct top_unit *u = vec_at(&units->list, struct top_unit, i);

		json_open_object(j, NULL);
		json_put_text(j, "name", u->name);
		json_put_text(j, "kind", u->kind);
		json_put_count(j, "count", u->n);
		json_put_count(j, "p50_ns", u->p50);
		json_put_count(j, "p99_ns", u->p99);
		json_put_count(j, "max_ns", u->max);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_interval(struct json_out *j, const struct view *v, const struct top_sample *s)
{
	json_put_count(j, "version", TOP_JSON_VERSION);
	json_put_count(j, "number", s->number);
	json_put_number(j, "pid", v->pid);
	json_put_text(j, "program", v->program);
	json_put_text(j, "go_version", v->go_version);
	json_put_count(j, "from_ns", s->from);
	json_put_count(j, "to_ns", s->to);
	json_put_real(j, "unix_time", json_seconds(s->wall_ns), 6);
	json_put_real(j, "seconds", json_seconds(s->to - s->from), DIGITS);
	json_put_real(j, "recorded_seconds", json_seconds(top_recorded(s)), DIGITS);
}

void top_json(const struct view *v, const struct ui *u, const struct top_sample *s, FILE *f)
{
	struct json_out j = { .f = f };

	json_open_object(&j, NULL);
	put_interval(&j, v, s);
	if (s->machine.cpu >= 0)
		json_put_real(&j, "cpu_percent", s->machine.cpu * 100, 3);
	if (s->machine.cpu_ever)
		json_put_real(&j, "cpu_seconds_ever", json_seconds(s->machine.cpu_ever), DIGITS);
	if (s->gomaxprocs)
		json_put_count(&j, "gomaxprocs", s->gomaxprocs);
	put_procs(&j, s);
	json_put_numbers(&j, &s->all);
	json_put_count(&j, "system_goroutines", s->system_now);
	json_put_count(&j, "runnable_max", s->runnable_max);
	if (!v->brief)
		json_put_units(&j, &s->units);
	json_put_requests(&j, v, u, s);
	json_put_blocked(&j, s);
	put_memory(&j, s);
	put_quota(&j, &s->machine);
	json_put_gotap(&j, s);
	json_put_histograms(&j, s);
	if (!v->brief) {
		json_put_text(&j, "by", s->by);
		if (!s->by_route)
			put_rows(&j, u, s);
	}
	json_close_object(&j);
	fputc('\n', f);
}
