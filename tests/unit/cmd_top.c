// SPDX-License-Identifier: Apache-2.0
/*
 * The tally of `gotap top` compared with user/spans, which shares no code with it: for the same trace both have the
 * same sums of all states, to the nanosecond, as many goroutines that were made and ended, and the same stays in the
 * run queue. The traces are the small ones of tests/vectors, or those that GOTAP_TEST_TRACES names (tests/top.bats
 * records one).
 */
#define _GNU_SOURCE
#include "unit.h"

#include <glob.h>
#include <stdlib.h>

#include "cmd/top/top.h"
#include "report/dist.h"
#include "rewrite/replay.h"
#include "rewrite/stackkeys.h"
#include "spans/spans.h"
#include "top/tally.h"

struct sums {
	uint64_t ns[TOP_STATES];
	uint64_t created, ended;
	struct top_waits sched;
	uint64_t last;
};

/* --- of spans --- */

struct by_spans {
	struct sums sums;
	bool switches;		/* it has GoSwitch: three steps for a reader, a nanosecond apart, one step for the tally */
	struct dist sched;
};

static const uint8_t states[] = {
	[GO_RUNNABLE] = TOP_RUNNABLE, [GO_RUNNING] = TOP_RUNNING, [GO_WAITING] = TOP_WAITING, [GO_SYSCALL] = TOP_SYSCALL,
};

static void on_span(void *ctx, const struct span *s)
{
	struct by_spans *b = ctx;

	if (!s->g->id)	/* gotap's stand-in, which the program does not have */
		return;
	b->sums.ns[states[s->state]] += (uint64_t)(s->to - s->from);
	/* Only a whole stay: the trace has its begin and its end. */
	if (s->state == GO_RUNNABLE && s->begin.type && s->end.type == EV_GoStart)
		dist_add(&b->sched, s->to - s->from);
}

static void on_event(void *ctx, const struct trace_event *ev)
{
	struct by_spans *b = ctx;

	b->switches |= ev->type == EV_GoSwitch || ev->type == EV_GoSwitchDestroy;
}

static void goroutine_began(void *ctx, struct goroutine *g)
{
	struct by_spans *b = ctx;

	b->sums.created += g->created && g->id;
}

static void goroutine_ended(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct by_spans *b = ctx;

	b->sums.ended += ended && g->id;
}

static void on_trace_end(void *ctx, int64_t time)
{
	struct by_spans *b = ctx;

	b->sums.last = (uint64_t)time;
}

static bool sum_spans(const char *path, struct sums *ret)
{
	struct by_spans b = {0};
	struct spans *s = spans_new();
	struct trace_reader *r;
	struct error err;
	bool whole;

	r = trace_reader_open(path, &err);
	spans_visit(s, &(struct spans_visitor){ .ctx = &b, .event = on_event, .span = on_span, .goroutine_begin = goroutine_began,
						.goroutine_end = goroutine_ended, .trace_end = on_trace_end });
	whole = r && !spans_read(s, r, &err);
	trace_reader_close(r);
	b.sums.sched = (struct top_waits){ b.sched.count, (uint64_t)dist_quantile(&b.sched, 0.5),
					   (uint64_t)dist_quantile(&b.sched, 0.99), (uint64_t)b.sched.max };
	dist_free(&b.sched);
	spans_free(s);
	*ret = b.sums;
	return whole && !b.switches;
}

/* --- of the tally, in intervals --- */

static void on_ready(void *ctx, struct top_sample *s)
{
	struct sums *sums = ctx;
	int i;

	for (i = 0; i < TOP_STATES; i++)
		sums->ns[i] += s->all.ns[i];
	sums->created += s->all.created;
	sums->ended += s->all.ended;
	sums->sched = s->all.sched;	/* of one interval, as percentiles cannot be added */
	top_sample_free(s);
}

static bool sum_tally(const char *path, uint64_t interval, uint64_t last, struct sums *ret)
{
	struct tally *t = top_tally_new(&(struct tally_opts){ .interval = interval, .ready = on_ready, .ctx = ret });
	struct observers observers = {0};
	struct replay *p = replay_new(false);
	struct rewrite_result result = {0};
	struct raw_source source;
	struct error err;
	bool whole;

	*ret = (struct sums){0};
	top_tally_observe(t, &observers);
	observers_begin(&observers, stackkeys_frames, NULL);
	whole = !source_open(&source, path, &err) &&
		!replay_run(p, &source, observers_sink(&observers), &result, &err);
	top_tally_finish(t, last);
	top_tally_free(t);
	replay_free(p);
	return whole;
}

/* --- */

static void check_same(const struct sums *a, const struct sums *b)
{
	int i;

	for (i = 0; i < TOP_STATES; i++)
		CHECK_EQ(a->ns[i], b->ns[i]);
	CHECK_EQ(a->created, b->created);
	CHECK_EQ(a->ended, b->ended);
}

static int compared;

static void compare(const char *path)
{
	struct sums spans, whole, parts;
	int before = unit_failures;

	if (!sum_spans(path, &spans) || !spans.last || !sum_tally(path, 1ULL << 62, spans.last, &whole))
		return;
	check_same(&whole, &spans);
	CHECK_EQ(whole.sched.count, spans.sched.count);
	CHECK_EQ(whole.sched.p50, spans.sched.p50);
	CHECK_EQ(whole.sched.p99, spans.sched.p99);
	CHECK_EQ(whole.sched.max, spans.sched.max);
	if (sum_tally(path, 100000000, spans.last, &parts))
		check_same(&parts, &spans);
	if (unit_failures != before)
		printf("# of %s\n", path);
	compared++;
}

static void sums_are_those_of_spans(void)
{
	const char *pattern = getenv("GOTAP_TEST_TRACES");
	glob_t found = {0};
	size_t i;

	CHECK(!glob(pattern ? pattern : "tests/vectors/ok_*.trace", 0, NULL, &found));
	for (i = 0; i < found.gl_pathc; i++)
		compare(found.gl_pathv[i]);
	CHECK((size_t)compared >= found.gl_pathc / 2 && compared);
	printf("# %d traces\n", compared);
	globfree(&found);
}

/* --- the machine --- */

static void intervals_that_end_at_once_have_one_rate(void)
{
	struct top_rates r = { .of_program = -1 };
	uint64_t ms = 1000000, time = 5000 * ms;

	top_rates_read(&r, time, 300 * ms, 10 * ms);
	CHECK(r.of_program < 0);
	top_rates_read(&r, time + 1000 * ms, 800 * ms, 30 * ms);
	CHECK(r.of_program == 0.5 && r.of_gotap == 0.02);
	top_rates_read(&r, time + 1001 * ms, 804 * ms, 31 * ms);
	CHECK(r.of_program == 0.5 && r.of_gotap == 0.02);
	top_rates_read(&r, time + 2000 * ms, 1800 * ms, 130 * ms);
	CHECK(r.of_program == 1 && r.of_gotap == 0.1);
	top_rates_read(&r, time + 3000 * ms, 0, 130 * ms);
	CHECK(r.of_program < 0 && !r.of_gotap);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(sums_are_those_of_spans), UNIT(intervals_that_end_at_once_have_one_rate), {0} });
}
