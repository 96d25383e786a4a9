// SPDX-License-Identifier: Apache-2.0
/* families: see families.h. */
#include "metrics/families.h"

#include <stdio.h>

typedef void metrics_put_fn(struct metrics_text *t, const struct metrics_program *p);

/* A family, and how its samples of one program are written. */
struct program_family {
	struct metrics_family family;
	metrics_put_fn *put;
	/* without put: a number of struct watched, at this offset */
	enum { OF_COUNT, OF_REAL } kind;
	size_t at;
};

/* --- from /proc, of each program --- */

static void metrics_put_info(struct metrics_text *t, const struct metrics_program *p)
{
	metrics_count(t, &p->labels, &p->facts, 1);
}

static void metrics_put_cpu(struct metrics_text *t, const struct metrics_program *p)
{
	metrics_real(t, &p->labels, NULL, p->cpu);
}

static void metrics_put_by_state(struct metrics_text *t, const struct metrics_program *p,
			 const double of[WATCHED_STATES])
{
	int i;

	for (i = 0; i < WATCHED_STATES; i++) {
		struct buf state = {0};

		metrics_label(&state, "state", watched_state_names[i]);
		if (of[i] >= 0)
			metrics_real(t, &p->labels, &state, of[i]);
		buf_free(&state);
	}
}

static void metrics_put_goroutines(struct metrics_text *t, const struct metrics_program *p)
{
	metrics_put_by_state(t, p, p->goroutines);
}

static void metrics_put_watched(struct metrics_text *t, const struct metrics_program *p)
{
	metrics_count(t, &p->labels, NULL, p->is_watched && p->watched.intervals);
}

/* --- of its cgroups --- */

/* @level: 0 is the program's own cgroup, 1 the one above it. */
static void metrics_put_level(struct metrics_text *t, const struct metrics_program *p,
		      const struct cgroup_cpu *c, double value)
{
	struct buf level = {0};
	char number[16];

	snprintf(number, sizeof(number), "%u", c->up);
	metrics_label(&level, "level", number);
	metrics_real(t, &p->labels, &level, value);
	buf_free(&level);
}

/* The numbers of levels without a quota would be 0 for ever. */
#define CGROUP_FAMILY(name, value) \
	static void name(struct metrics_text *t, const struct metrics_program *p) \
	{ \
		size_t i; \
\
		for (i = 0; i < p->n_levels; i++) { \
			const struct cgroup_cpu *c = &p->levels[i]; \
\
			if (c->quota_ns && c->period_ns) \
				metrics_put_level(t, p, c, value); \
		} \
	}

CGROUP_FAMILY(metrics_put_limit, (double)c->quota_ns / (double)c->period_ns)
CGROUP_FAMILY(metrics_put_periods, (double)c->periods)
CGROUP_FAMILY(metrics_put_throttled, (double)c->throttled)
CGROUP_FAMILY(metrics_put_throttled_time, (double)c->throttled_ns / 1e9)

/* --- of its recording --- */

static void metrics_put_histogram(struct metrics_text *t, const struct metrics_program *p,
			  const struct watched_histogram *h, const char *kind)
{
	struct buf more = {0};

	metrics_label(&more, "kind", kind);
	metrics_histogram(t, &p->labels, &more,
			  &(struct metrics_histogram){ p->watched.limits_ns, h->counts,
						       p->watched.limits, h->sum });
	buf_free(&more);
}

static void metrics_put_sched(struct metrics_text *t, const struct metrics_program *p)
{
	metrics_put_histogram(t, p, &p->watched.sched, NULL);
}

static void metrics_put_stops(struct metrics_text *t, const struct metrics_program *p)
{
	metrics_put_histogram(t, p, &p->watched.stops_gc, "gc");
	metrics_put_histogram(t, p, &p->watched.stops_other, "other");
}

static void metrics_put_in_state(struct metrics_text *t, const struct metrics_program *p)
{
	metrics_put_by_state(t, p, p->watched.in_state);
}

static void metrics_put_blocked(struct metrics_text *t, const struct metrics_program *p)
{
	unsigned int i;

	for (i = 0; i < p->watched.n_reasons; i++) {
		struct buf reason = {0};

		metrics_label(&reason, "reason", p->watched.reasons[i].text);
		metrics_real(t, &p->labels, &reason, p->watched.reasons[i].seconds);
		buf_free(&reason);
	}
}

static void metrics_put_waits(struct metrics_text *t, const struct metrics_program *p)
{
	unsigned int i;

	for (i = 0; i < p->watched.n_reasons; i++) {
		struct buf reason = {0};

		metrics_label(&reason, "reason", p->watched.reasons[i].text);
		metrics_count(t, &p->labels, &reason, p->watched.reasons[i].ended);
		buf_free(&reason);
	}
}

static void metrics_put_requests(struct metrics_text *t, const struct metrics_program *p)
{
	const struct watched_requests *q = &p->watched.requests;
	size_t i;

	for (i = 0; i < q->series.len; i++) {
		const struct watched_series *s = vec_at(&q->series, struct watched_series, i);

		metrics_histogram(t, &p->labels, &s->labels,
				  &(struct metrics_histogram){ q->limits_ns, s->counts, q->limits,
							       s->sum });
	}
}

static void metrics_put_requests_open(struct metrics_text *t, const struct metrics_program *p)
{
	if (p->watched.requests.known)
		metrics_real(t, &p->labels, NULL, p->watched.requests.open);
}

static void metrics_put_own_cpu(struct metrics_text *t, const struct metrics_program *p)
{
	metrics_real(t, &p->labels, NULL, p->watched.own_cpu_before + p->watched.own_cpu);
}

#define NAME(name_, type_, unit_, help_) \
	{ .name = "gotap_" name_, .type = METRICS_##type_, .unit = unit_, .help = help_ }
#define PUT(fn, ...) { .family = NAME(__VA_ARGS__), .put = fn }
#define COUNT(field, ...) \
	{ .family = NAME(__VA_ARGS__), .kind = OF_COUNT, .at = offsetof(struct watched, field) }
#define REAL(field, ...) \
	{ .family = NAME(__VA_ARGS__), .kind = OF_REAL, .at = offsetof(struct watched, field) }

static const struct program_family of_all[] = {
	PUT(metrics_put_info, "process", INFO, NULL,
	    "The Go programs that run: release, module, version."),
	PUT(metrics_put_cpu, "process_cpu_seconds", COUNTER, "seconds",
	    "CPU time since the program began."),
	PUT(metrics_put_goroutines, "process_goroutines", GAUGE, NULL,
	    "Goroutines by state, read from memory at the scrape, with the runtime's own."),
	PUT(metrics_put_limit, "cgroup_cpu_limit_cpus", GAUGE, "cpus",
	    "CPU quota of the program's cgroup (level 0) and of those above it."),
	PUT(metrics_put_periods, "cgroup_cpu_periods", COUNTER, NULL, "Periods of that quota."),
	PUT(metrics_put_throttled, "cgroup_cpu_throttled_periods", COUNTER, NULL,
	    "Periods in which the quota was used up."),
	PUT(metrics_put_throttled_time, "cgroup_cpu_throttled_seconds", COUNTER, "seconds",
	    "Time for which the cgroup then waited, summed over CPUs."),
	PUT(metrics_put_watched, "watched", GAUGE, NULL,
	    "1: a recording of the program gives the metrics below (gotap serve --watch)."),
	{ .put = NULL },
};

static const struct program_family of_watched[] = {
	PUT(metrics_put_sched, "sched_latency_seconds", HISTOGRAM, "seconds",
	    "How long goroutines that could run waited for a P, without the runtime's own."),
	PUT(metrics_put_stops, "stop_the_world_seconds", HISTOGRAM, "seconds",
	    "Stops of the world, for the garbage collector and for other reasons."),
	PUT(metrics_put_requests, "request_seconds", HISTOGRAM, "seconds",
	    "Requests that the program's servers have answered, by route and result."),
	PUT(metrics_put_requests_open, "requests_open", GAUGE, NULL,
	    "Requests that it serves at the end of the interval."),
	PUT(metrics_put_in_state, "goroutine_seconds", COUNTER, "seconds",
	    "Time of all goroutines in each state."),
	PUT(metrics_put_blocked, "blocked_seconds", COUNTER, "seconds",
	    "Time of waits by reason, without the runtime's own goroutines."),
	PUT(metrics_put_waits, "waits", COUNTER, NULL, "Waits that ended, by reason."),
	COUNT(created, "goroutines_created", COUNTER, NULL, "Goroutines that were created."),
	COUNT(ended, "goroutines_ended", COUNTER, NULL, "Goroutines that ended."),
	COUNT(syscalls, "syscalls", COUNTER, NULL, "System calls of goroutines."),
	COUNT(cycles, "gc_cycles", COUNTER, NULL, "Cycles of the garbage collector that began."),
	REAL(mark, "gc_mark_seconds", COUNTER, "seconds", "Time in which the collector marked."),
	COUNT(assists, "gc_assists", COUNTER, NULL, "Mark assists of goroutines that allocate."),
	REAL(assist, "gc_assist_seconds", COUNTER, "seconds",
	     "Time of mark assists, from begin to end."),
	REAL(gomaxprocs, "gomaxprocs", GAUGE, NULL, "GOMAXPROCS."),
	REAL(heap, "heap_bytes", GAUGE, "bytes", "Size of the heap, as the collector paces by it."),
	REAL(heap_goal, "heap_goal_bytes", GAUGE, "bytes", "Size at which the next cycle ends."),
	COUNT(records, "watch_records", COUNTER, NULL, "Records of the recording."),
	COUNT(lost, "watch_lost_records", COUNTER, NULL,
	      "Records that found no room: what they would have said is in no metric."),
	COUNT(repairs, "watch_repairs", COUNTER, NULL,
	      "Steps that were inserted since a record was missing."),
	REAL(recorded, "watch_recorded_seconds", COUNTER, "seconds",
	     "Time of which the metrics are."),
	REAL(unrecorded, "watch_unrecorded_seconds", COUNTER, "seconds",
	     "Time that was not recorded (losses, the budget): of it no metric has anything."),
	PUT(metrics_put_own_cpu, "watch_cpu_seconds", COUNTER, "seconds",
	    "CPU time of the process that records."),
	REAL(probes, "watch_probes_cpus", GAUGE, "cpus",
	     "What the probes cost the program, lately."),
	REAL(budget, "watch_budget_cpus", GAUGE, "cpus", "What they may cost (--budget)."),
	COUNT(level, "watch_budget_level", GAUGE, NULL,
	      "What the budget leaves out: 0 nothing, 4 slices of time (docs/budget.md)."),
	REAL(until, "watch_last_interval_timestamp_seconds", GAUGE, "seconds",
	     "Up to when the metrics are."),
	{ .put = NULL },
};

static void metrics_put_number(struct metrics_text *t, const struct program_family *f,
		       const struct metrics_program *p)
{
	const char *at = (const char *)&p->watched + f->at;

	if (f->put)
		f->put(t, p);
	else if (f->kind == OF_COUNT)
		metrics_count(t, &p->labels, NULL, *(const uint64_t *)at);
	else if (*(const double *)at >= 0)
		metrics_real(t, &p->labels, NULL, *(const double *)at);
}

/* @watched: only of programs with a line of their recording. */
static void metrics_put_all(struct metrics_text *t, const struct program_family *f, bool watched,
		    const struct metrics_program *programs, size_t n)
{
	size_t i;

	for (; f->family.name; f++) {
		metrics_begin(t, &f->family);
		for (i = 0; i < n; i++)
			if (!watched || programs[i].watched.intervals)
				metrics_put_number(t, f, &programs[i]);
	}
}

void metrics_programs(struct metrics_text *t, const struct metrics_program *programs, size_t n)
{
	metrics_put_all(t, of_all, false, programs, n);
	metrics_put_all(t, of_watched, true, programs, n);
}

void metrics_program_free(struct metrics_program *p)
{
	buf_free(&p->labels);
	buf_free(&p->facts);
	watched_free(&p->watched);
}
