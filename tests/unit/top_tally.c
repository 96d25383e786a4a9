// SPDX-License-Identifier: Apache-2.0
/*
 * tally: the counts of `gotap top`, from events made by hand, to the nanosecond. (cmd_top.c compares those of whole
 * traces with user/spans.)
 */
#include "unit.h"

#include <stdlib.h>

#include "read/labels.h"
#include "op_kind.h"
#include "top/tally.h"

#define TEXT(s) SINK_CONSTANT(s)
#define EVENT(t, m, kind, ...) \
	put(t, m, kind, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (const uint64_t[]){ __VA_ARGS__ })

enum { MAIN = 0x10, WORKER = 0x20, WRAPPER = 0x21, BGSWEEP = 0x30 };	/* keys of start functions */

static struct tally *tally;
static struct observers observers;
static struct sink sink;
static struct top_sample *samples[8];
static size_t n_samples;

static size_t frames_of(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	const char *name = key == MAIN ? "main.main" : key == WORKER || key == WRAPPER ? "main.worker" :
			   key == BGSWEEP ? "runtime.bgsweep" : NULL;

	if (!name)
		return 0;
	out[0] = (struct trace_frame){ .pc = key, .func = name, .file = "x.go", .line = 1 };
	return 1;
}

static void ready(void *ctx, struct top_sample *s)
{
	if (n_samples < 8)
		samples[n_samples++] = s;
	else
		top_sample_free(s);
}

static void open_by(enum group_by by, const char *label)
{
	struct tally_opts opts = { .by = by, .label = label, .requests = true, .interval = 1000,
				   .ready = ready };

	tally = top_tally_new(&opts);
	observers = (struct observers){0};
	top_tally_observe(tally, &observers);
	observers_begin(&observers, frames_of, NULL);
	sink = observers_sink(&observers);
}

static void done(void)
{
	while (n_samples)
		top_sample_free(samples[--n_samples]);
	top_tally_free(tally);
}

static void put(uint64_t time, uint64_t m, enum tracev2_event kind, int n, const uint64_t *args)
{
	const char *waits = kind == EV_GoStatus && args[2] == G_WAITING ? "GC sweep wait" : NULL;
	uint64_t start = kind == EV_GoStatus ? (args[0] == 1 ? MAIN : args[0] == 2 ? BGSWEEP : WORKER) : 0;

	sink.ops->event(sink.ctx, &(struct sink_event){
		.time = time, .thread = m, .kind = kind, .nargs = n, .args = args, .start = start, .waits = waits });
}

static const struct top_row *row(const struct top_sample *s, const char *name)
{
	static const struct top_row none;
	size_t i;

	for (i = 0; i < s->rows.len; i++)
		if (!strcmp(vec_at(&s->rows, struct top_row, i)->name, name))
			return vec_at(&s->rows, struct top_row, i);
	printf("# there is no row '%s'\n", name);
	unit_failures++;
	return &none;
}

/* Thread 7 with P 0 runs goroutine 1; goroutine 2 is of the runtime and waits. */
static void begin(void)
{
	sink.ops->gen_begin(sink.ctx);
	EVENT(10000, 7, EV_ProcStatus, 0, P_RUNNING);
	EVENT(10000, 7, EV_GoStatus, 1, 7, G_RUNNING);
	EVENT(10000, TRACEV2_NO_ID, EV_GoStatus, 2, TRACEV2_NO_ID, G_WAITING);
}

static void states_of_an_interval_add_up(void)
{
	const struct top_row *r;

	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10100, 7, EV_GoCreate, 3, WORKER, 0);
	EVENT(10200, 7, EV_GoBlock, TEXT("chan receive"), 0x99);
	EVENT(10300, 7, EV_GoStart, 3, 1);
	EVENT(10600, 7, EV_GoSyscallBegin, 1, 0);
	EVENT(10800, 7, EV_GoSyscallEnd);
	EVENT(10900, 7, EV_GoUnblock, 1, 1, 0);
	observers_seen(&observers, 11000);
	CHECK_EQ(n_samples, 1);
	CHECK_EQ(samples[0]->from, 10000);
	CHECK_EQ(samples[0]->to, 11000);
	r = row(samples[0], "main.worker");
	CHECK_EQ(r->n.created, 1);
	CHECK_EQ(r->n.ns[TOP_RUNNABLE], 200);
	CHECK_EQ(r->n.ns[TOP_RUNNING], 300 + 200);
	CHECK_EQ(r->n.ns[TOP_SYSCALL], 200);
	CHECK_EQ(r->n.syscalls, 1);
	CHECK_EQ(r->n.sched.count, 1);
	CHECK_EQ(r->n.sched.max, 200);
	CHECK_EQ(r->n.now[TOP_RUNNING], 1);
	r = row(samples[0], "main.main");
	CHECK_EQ(r->n.ns[TOP_RUNNING], 200);
	CHECK_EQ(r->n.ns[TOP_WAITING], 700);
	CHECK_EQ(r->n.ns[TOP_RUNNABLE], 100);
	CHECK_EQ(r->reasons, 0);
	r = row(samples[0], "runtime.bgsweep");
	CHECK(r->system);
	CHECK_STR(vec_at(&samples[0]->reasons, struct top_reason, r->reason)->text, "GC sweep wait");
	CHECK_EQ(samples[0]->system_now, 1);
	CHECK_EQ(top_total(&samples[0]->all), 3);
	CHECK_EQ(samples[0]->all.ns[TOP_WAITING], 1000 + 700);
	CHECK_EQ(samples[0]->runnable_max, 1);
	done();
}

/*
 * The next interval begins where this one ends; a stay that lasts over the border counts in both, with its part in
 * each.
 */
static void intervals_follow_one_another(void)
{
	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10400, 7, EV_GoBlock, TEXT("select"), 0x99);
	EVENT(13500, 7, EV_GoUnblock, 1, 1, 0);
	top_tally_finish(tally, 13700);
	CHECK_EQ(n_samples, 4);
	CHECK_EQ(row(samples[0], "main.main")->n.ns[TOP_WAITING], 600);
	CHECK_EQ(row(samples[1], "main.main")->n.ns[TOP_WAITING], 1000);
	CHECK_EQ(samples[2]->from, 12000);
	CHECK_EQ(row(samples[3], "main.main")->n.ns[TOP_WAITING], 500);
	CHECK_EQ(row(samples[3], "main.main")->n.ns[TOP_RUNNABLE], 200);
	CHECK_EQ(samples[3]->to, 13700);
	CHECK_EQ(row(samples[1], "main.main")->reasons, 1);
	CHECK_STR(vec_at(&samples[1]->reasons, struct top_reason, row(samples[1], "main.main")->reason)->text, "select");
	done();
}

/* Goroutine 1 waits twice: once whole, once until after the end; the wait of the runtime's is none of the program's. */
static void waits_add_up_by_reason(void)
{
	const struct top_wait *w;

	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10100, 7, EV_GoBlock, TEXT("select"), 0x99);
	EVENT(10400, 7, EV_GoUnblock, 1, 1, 0);
	EVENT(10450, 7, EV_GoStart, 1, 2);
	EVENT(10600, 7, EV_GoBlock, TEXT("chan send"), 0x99);
	observers_seen(&observers, 12000);
	CHECK_EQ(n_samples, 2);
	CHECK_EQ(samples[0]->waits.len, 2);
	w = samples[0]->waits.data;
	CHECK_STR(w[0].text, "chan send");
	CHECK_EQ(w[0].ns, 400);
	CHECK_EQ(w[0].now, 1);
	CHECK_EQ(w[0].ended.count, 0);
	CHECK_STR(w[1].text, "select");
	CHECK_EQ(w[1].ns, 300);
	CHECK_EQ(w[1].now, 0);
	CHECK_EQ(w[1].ended.count, 1);
	CHECK_EQ(w[1].ended.max, 300);
	CHECK_EQ(samples[1]->waits.len, 1);
	w = samples[1]->waits.data;
	CHECK_EQ(w[0].ns, 1000);
	CHECK_EQ(w[0].ended.count, 0);
	/* its length has both parts when it ends */
	EVENT(12100, 7, EV_GoUnblock, 1, 3, 0);
	observers_seen(&observers, 13000);
	w = samples[2]->waits.data;
	CHECK_EQ(w[0].ns, 100);
	CHECK_EQ(w[0].ended.max, 1500);
	done();
}

/* Of a wait over a gap nothing is known: it is in no sum of the gap, and has no length. */
static void a_wait_over_a_gap_has_no_length(void)
{
	const struct top_wait *w;

	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10100, 7, EV_GoBlock, TEXT("select"), 0x99);
	observers_gap(&observers, 10300);
	observers_seen(&observers, 11000);
	w = samples[0]->waits.data;
	CHECK_EQ(samples[0]->waits.len, 1);
	CHECK_EQ(w[0].ns, 200);
	CHECK_EQ(samples[0]->unrecorded, 700);
	done();
}

static void ps_run_goroutines_or_wait_for_them(void)
{
	const struct top_proc *p;

	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10100, 7, EV_GoSyscallBegin, 1, 0);
	EVENT(10300, 8, EV_ProcSteal, 0, 2, 7);
	EVENT(10400, 8, EV_ProcStart, 0, 3);
	EVENT(10450, 7, EV_GoSyscallEndBlocked);
	EVENT(10600, 8, EV_GoStart, 1, 1);
	observers_seen(&observers, 11000);
	p = vec_at(&samples[0]->procs, struct top_proc, 0);
	CHECK_EQ(samples[0]->procs.len, 1);
	CHECK_EQ(p->running, 100 + 400);
	CHECK_EQ(p->syscall, 200);
	CHECK_EQ(p->other, 200);
	CHECK_EQ(samples[0]->all.ns[TOP_SYSCALL], 350);
	done();
}

/*
 * The time without records counts for no state; and the steps that gotap inserts to reach the states after it are no
 * events of the program.
 */
static void a_gap_counts_nowhere(void)
{
	open_by(BY_FUNCTION, NULL);
	begin();
	observers_gap(&observers, 10200);
	EVENT(10200, 7, EV_GoBlock, TEXT("gotap: not recorded"), 0);
	EVENT(10264, 7, EV_ProcStop);
	CHECK(!sink.ops->gen_end(sink.ctx, &(struct trace_clock){ .time = 10000 }, NULL));
	observers_seen(&observers, 11500);
	sink.ops->gen_begin(sink.ctx);
	EVENT(11600, TRACEV2_NO_ID, EV_GoStatus, 1, TRACEV2_NO_ID, G_WAITING);
	EVENT(11600, 7, EV_ProcStart, 0, 1);
	EVENT(11664, 7, EV_GoUnblock, 1, 1, 0);
	EVENT(11728, 7, EV_GoStart, 1, 2);
	EVENT(11792, 7, EV_GoCreate, 3, WORKER, 0);
	EVENT(11792, 7, EV_GoBlock, TEXT("gotap: not recorded"), 0);
	EVENT(11856, 7, EV_GoStart, 2, 1);
	EVENT(11856, 7, EV_GoDestroy);
	EVENT(11920, 7, EV_GoStart, 3, 1);
	EVENT(11920, 7, EV_GoSyscallBegin, 1, 0);
	EVENT(11984, 7, EV_GoSyscallEnd);
	EVENT(11984, 7, EV_GoBlock, TEXT("gotap: not recorded"), 0);
	EVENT(12000, 7, EV_GoUnblock, 1, 1, 0);
	EVENT(12000, 7, EV_GoStart, 1, 2);
	observers_seen(&observers, 13000);
	CHECK_EQ(n_samples, 3);
	CHECK_EQ(samples[0]->unrecorded, 800);
	CHECK_EQ(top_recorded(samples[0]), 200);
	CHECK_EQ(samples[0]->all.ns[TOP_RUNNING], 200);
	CHECK_EQ(samples[0]->all.ns[TOP_WAITING], 200);
	CHECK_EQ(samples[1]->unrecorded, 600);
	CHECK_EQ(samples[1]->all.sched.count, 0);
	CHECK_EQ(samples[1]->all.created + samples[1]->all.ended + samples[1]->all.syscalls, 0);
	CHECK_EQ(samples[2]->unrecorded, 0);
	CHECK_EQ(samples[2]->all.created + samples[2]->all.ended + samples[2]->all.syscalls, 0);
	CHECK_EQ(samples[2]->all.ns[TOP_RUNNING], 1000);
	done();
}

/* In the trace the reason of this wait is the gap. The event has the true one, too, which gotap read after the gap. */
static void behind_a_gap_a_wait_has_its_reason_at_once(void)
{
	const uint64_t args[] = { TEXT("gotap: not recorded"), 0 };
	const struct sink_event block = {
		.time = 11792, .thread = 7, .kind = EV_GoBlock, .nargs = 2, .args = args, .waits = "chan receive" };
	const struct top_row *r;

	open_by(BY_FUNCTION, NULL);
	begin();
	observers_gap(&observers, 10200);
	EVENT(10200, 7, EV_GoBlock, TEXT("gotap: not recorded"), 0);
	CHECK(!sink.ops->gen_end(sink.ctx, &(struct trace_clock){ .time = 10000 }, NULL));
	sink.ops->gen_begin(sink.ctx);
	EVENT(11600, 7, EV_ProcStart, 0, 1);
	EVENT(11664, 7, EV_GoUnblock, 1, 1, 0);
	EVENT(11728, 7, EV_GoStart, 1, 2);
	sink.ops->event(sink.ctx, &block);
	observers_seen(&observers, 12000);
	r = row(samples[1], "main.main");
	CHECK_EQ(r->n.now[TOP_WAITING], 1);
	CHECK_STR(vec_at(&samples[1]->reasons, struct top_reason, r->reason)->text, "chan receive");
	done();
}

/* The stand-in, goroutine 0, is made up by gotap: it has no row, and is not counted. */
static void the_stand_in_counts_nowhere(void)
{
	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10100, 8, EV_ProcStart, 1, 1);
	EVENT(10100, 8, EV_GoCreate, 0, 0, 0);
	EVENT(10100, 8, EV_GoStart, 0, 1);
	EVENT(10200, 8, EV_GoDestroy);
	EVENT(10200, 8, EV_ProcStop);
	observers_seen(&observers, 11000);
	CHECK_EQ(samples[0]->all.created, 0);
	CHECK_EQ(samples[0]->all.ended, 0);
	CHECK_EQ(samples[0]->all.sched.count, 0);
	CHECK_EQ(samples[0]->rows.len, 2);
	CHECK_EQ(samples[0]->all.ns[TOP_RUNNING], 1000);
	done();
}

static void rows_by_labels_and_regions(void)
{
	static const char labels[] = "path=\"/buy\" user=\"7\"";

	open_by(BY_LABEL, NULL);
	begin();
	EVENT(10300, 7, EV_UserLog, 0, TEXT(LABELS_CATEGORY), TEXT(labels), 0);
	observers_seen(&observers, 11000);
	CHECK_EQ(row(samples[0], "(no labels)")->n.ns[TOP_RUNNING], 300);
	CHECK_EQ(row(samples[0], labels)->n.ns[TOP_RUNNING], 700);
	top_tally_group(tally, BY_REGION);
	EVENT(11100, 7, EV_UserRegionBegin, 0, TEXT("outer"), 0);
	EVENT(11200, 7, EV_UserRegionBegin, 0, TEXT("inner"), 0);
	EVENT(11500, 7, EV_UserRegionEnd, 0, TEXT("inner"), 0);
	observers_seen(&observers, 12000);
	CHECK_STR(samples[0]->by, "label");
	CHECK_STR(samples[1]->by, "region");
	CHECK_EQ(row(samples[1], "(in no region)")->n.ns[TOP_RUNNING], 100);
	CHECK_EQ(row(samples[1], "outer")->n.ns[TOP_RUNNING], 100 + 500);
	CHECK_EQ(row(samples[1], "inner")->n.ns[TOP_RUNNING], 300);
	done();
	open_by(BY_LABEL, "path");
	begin();
	EVENT(10000, 7, EV_UserLog, 0, TEXT(LABELS_CATEGORY), TEXT(labels), 0);
	observers_seen(&observers, 11000);
	CHECK_EQ(row(samples[0], "/buy")->n.ns[TOP_RUNNING], 1000);
	CHECK_EQ(row(samples[0], "(no such label)")->n.ns[TOP_WAITING], 1000);
	done();
}

static void gc_heap_and_stops(void)
{
	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10100, 7, EV_STWBegin, TEXT("GC sweep termination"), 0);
	EVENT(10150, 7, EV_GCBegin, 1, 0);
	EVENT(10160, 7, EV_STWEnd);
	EVENT(10170, 7, EV_HeapAlloc, 4096);
	EVENT(10180, 7, EV_HeapGoal, 8192);
	EVENT(11500, 7, EV_GCEnd, 2);
	observers_seen(&observers, 12000);
	CHECK_EQ(samples[0]->gc.cycles, 1);
	CHECK(samples[0]->gc.marking);
	CHECK_EQ(samples[0]->gc.mark_ns, 850);
	CHECK_EQ(samples[0]->gc.stops, 1);
	CHECK_EQ(samples[0]->gc.longest_ns, 60);
	CHECK_EQ(samples[0]->heap.goal, 8192);
	CHECK_EQ(samples[1]->gc.cycles, 0);
	CHECK_EQ(samples[1]->gc.mark_ns, 500);
	done();
}

/* 10,000 goroutines, each with another label: 4,096 have rows, the others share one, and the sums have all. */
static void durations_are_in_histograms(void)
{
	const struct top_histogram *h;
	struct top_histogram at_limits = {0};

	open_by(BY_FUNCTION, NULL);
	begin();
	/* a wait of 1024 ns for a P: up to the first limit; and one of 1025 ns */
	EVENT(10010, 7, EV_GoCreate, 3, WORKER, 0);
	EVENT(10020, 7, EV_GoCreate, 4, WORKER, 0);
	EVENT(10100, 7, EV_GCMarkAssistBegin, 0);
	EVENT(10400, 7, EV_GCMarkAssistEnd);
	EVENT(10900, 7, EV_GoBlock, TEXT("chan receive"), 0x99);
	EVENT(11034, 7, EV_GoStart, 3, 1);
	EVENT(11040, 7, EV_GoBlock, TEXT("chan receive"), 0x99);
	EVENT(11045, 7, EV_GoStart, 4, 1);
	EVENT(11100, 7, EV_STWBegin, TEXT("read mem stats"), 0);
	EVENT(11600, 7, EV_STWEnd);
	EVENT(11700, 7, EV_STWBegin, TEXT("GC mark termination"), 0);
	EVENT(13800, 7, EV_STWEnd);
	observers_seen(&observers, 14000);
	CHECK_EQ(n_samples, 4);
	CHECK_EQ(samples[0]->gc.assists, 1);
	CHECK_EQ(samples[0]->gc.assist_ns, 300);
	CHECK_EQ(samples[1]->gc.assists, 0);
	h = samples[1]->histograms;
	CHECK_EQ(h[TOP_HISTOGRAM_SCHED].counts[0], 1);
	CHECK_EQ(h[TOP_HISTOGRAM_SCHED].counts[1], 1);
	CHECK_EQ(h[TOP_HISTOGRAM_SCHED].sum, 1024 + 1025);
	CHECK_EQ(h[TOP_HISTOGRAM_STOP_OTHER].counts[0], 1);
	CHECK_EQ(h[TOP_HISTOGRAM_STOP_OTHER].sum, 500);
	h = samples[3]->histograms;
	CHECK_EQ(h[TOP_HISTOGRAM_SCHED].sum, 0);
	CHECK_EQ(h[TOP_HISTOGRAM_STOP_GC].counts[2], 1);
	CHECK_EQ(h[TOP_HISTOGRAM_STOP_GC].sum, 2100);
	top_histogram_add(&at_limits, TOP_HISTOGRAM_LOW, top_histogram_limit(TOP_HISTOGRAM_LOW, TOP_HISTOGRAM_LIMITS - 1));
	top_histogram_add(&at_limits, TOP_HISTOGRAM_LOW, top_histogram_limit(TOP_HISTOGRAM_LOW, TOP_HISTOGRAM_LIMITS - 1) + 1);
	top_histogram_add(&at_limits, TOP_HISTOGRAM_LOW, 0);
	CHECK_EQ(at_limits.counts[TOP_HISTOGRAM_LIMITS - 1], 1);
	CHECK_EQ(at_limits.counts[TOP_HISTOGRAM_LIMITS], 1);
	CHECK_EQ(at_limits.counts[0], 1);
	done();
}

/* The text of a task of group http, which is known at its end only. */
#define LATER(task) ((uint64_t)(uintptr_t)&(const struct sink_text){ .bytes = "GET net/http", .len = 12, \
	.op = OP_HTTP_SERVED, .later = (task) })

static const struct top_route *route(const struct top_sample *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->requests.routes.len; i++)
		if (!strcmp(vec_at(&s->requests.routes, struct top_route, i)->name, name))
			return vec_at(&s->requests.routes, struct top_route, i);
	return NULL;
}

static void request_ends(uint64_t time, uint64_t task, const char *log, const char *name)
{
	EVENT(time, 7, EV_UserLog, task, TEXT("gotap.http"), TEXT(log), 0);
	EVENT(time, 7, EV_UserTaskEnd, task, 0);
	sink.ops->text(sink.ctx, task, name, strlen(name));
}

static void requests_have_the_name_of_their_end(void)
{
	const struct top_route *r;

	open_by(BY_ROUTE, NULL);
	begin();
	EVENT(10100, 7, EV_UserTaskBegin, 51, 0, LATER(51), 0);
	request_ends(10200, 51, "status=200 bytes=5 path=/1", "GET /cart");
	EVENT(10300, 7, EV_UserTaskBegin, 52, 0, LATER(52), 0);
	EVENT(10350, 7, EV_UserTaskBegin, 9, 0, TEXT("of the program"), 0);
	EVENT(10360, 7, EV_UserTaskEnd, 9, 0);
	sink.ops->text(sink.ctx, 52, "GET net/http", 12);	/* a generation ends */
	request_ends(12500, 52, "status=503 route=\"GET /cart\" path=/2", "not looked at");
	EVENT(12600, 7, EV_UserTaskBegin, 53, 0, LATER(53), 0);
	request_ends(12650, 53, "end=panic path=/3", "GET /pay");
	EVENT(12700, 7, EV_UserTaskBegin, 54, 0, LATER(54), 0);
	top_tally_finish(tally, 12900);
	CHECK_EQ(n_samples, 3);
	CHECK(samples[0]->by_route && samples[0]->requests.known);
	CHECK_EQ(samples[0]->rows.len, 2);
	CHECK_EQ(samples[0]->requests.took.count, 1);
	CHECK_EQ(samples[0]->requests.open, 1);
	CHECK_EQ(samples[0]->requests.oldest, 700);
	r = route(samples[0], "GET /cart");
	CHECK_EQ(r->took.count, 1);
	CHECK_EQ(r->took.max, 100);
	CHECK_EQ(r->failed, 0);
	CHECK_EQ(r->results[2].counts[0], 1);
	CHECK_EQ(r->slowest_task, 51);
	CHECK_STR(r->slowest_path, "/1");
	CHECK_EQ(route(samples[0], "GET net/http")->open, 1);
	CHECK_EQ(route(samples[0], "GET net/http")->took.count, 0);
	CHECK_EQ(samples[1]->requests.took.count, 0);
	CHECK_EQ(samples[1]->requests.oldest, 1700);
	r = route(samples[2], "GET /cart");
	CHECK_EQ(r->took.max, 2200);
	CHECK_EQ(r->failed, 1);
	CHECK_EQ(r->results[5].sum, 2200);
	r = route(samples[2], "GET /pay");
	CHECK_EQ(r->failed, 1);
	CHECK_EQ(r->results[TOP_RESULT_PANIC].counts[0], 1);
	CHECK_EQ(samples[2]->requests.open, 1);
	CHECK_EQ(samples[2]->requests.failed, 2);
	CHECK(!route(samples[2], "of the program"));
	done();
}

static void a_gap_and_the_end_of_a_goroutine_close_requests(void)
{
	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10100, 7, EV_UserTaskBegin, 51, 0, LATER(51), 0);
	EVENT(10200, 7, EV_GoDestroy);
	EVENT(10300, 7, EV_GoCreate, 3, WORKER, 0);
	EVENT(10300, 7, EV_GoStart, 3, 1);
	EVENT(10400, 7, EV_UserTaskBegin, 52, 0, LATER(52), 0);
	observers_seen(&observers, 11000);
	CHECK_EQ(samples[0]->requests.open, 1);
	CHECK_EQ(samples[0]->requests.took.count, 0);
	observers_gap(&observers, 11500);
	top_tally_finish(tally, 12000);
	CHECK_EQ(samples[1]->requests.open, 0);
	CHECK_EQ(route(samples[1], "GET net/http")->open, 0);
	done();
}

static void too_many_routes_are_one(void)
{
	char name[64];
	uint64_t i;

	open_by(BY_ROUTE, NULL);
	begin();
	for (i = 0; i < 2000; i++) {
		EVENT(10001, 7, EV_UserTaskBegin, 51 + i, 0, LATER(51 + i), 0);
		snprintf(name, sizeof(name), "GET /%d", (int)i);
		request_ends(10002, 51 + i, "status=200", name);
	}
	top_tally_finish(tally, 11000);
	CHECK_EQ(samples[0]->requests.routes.len, 513);
	CHECK_EQ(route(samples[0], "(other routes)")->took.count, 2000 - 511);
	CHECK_EQ(samples[0]->requests.took.count, 2000);
	done();
}

static void too_many_rows_are_one(void)
{
	char text[64];
	uint64_t i;

	open_by(BY_LABEL, NULL);
	begin();
	for (i = 0; i < 10000; i++) {
		EVENT(10001, 7, EV_GoCreate, 100 + i, WORKER, 0);
		EVENT(10001, 7, EV_GoBlock, TEXT("select"), 0);
		EVENT(10001, 7, EV_GoStart, 100 + i, 1);
		snprintf(text, sizeof(text), "id=\"%llu\"", (unsigned long long)i);
		EVENT(10001, 7, EV_UserLog, 0, TEXT(LABELS_CATEGORY), SINK_TEXT(text, strlen(text)), 0);
	}
	observers_seen(&observers, 11000);
	CHECK(samples[0]->rows.len <= 4097);
	CHECK(samples[0]->rows_merged > 5000);
	CHECK_EQ(top_total(&samples[0]->all), 10002);
	CHECK_EQ(samples[0]->all.created, 10000);
	done();
}

/* The compiler may start a goroutine by a wrapper, which has the name of the function. */
static void functions_of_one_name_are_one_row(void)
{
	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10001, 7, EV_GoCreate, 3, WORKER, 0);
	EVENT(10002, 7, EV_GoCreate, 4, WRAPPER, 0);
	observers_seen(&observers, 11000);
	CHECK_EQ(samples[0]->rows.len, 3);
	CHECK_EQ(row(samples[0], "main.worker")->n.created, 2);
	done();
}

static void places_of_a_row(void)
{
	const struct top_place *p;
	uint64_t key;

	open_by(BY_FUNCTION, NULL);
	begin();
	EVENT(10001, 7, EV_GoCreate, 3, WORKER, 0);
	EVENT(10002, 7, EV_GoCreate, 4, WORKER, 0);
	EVENT(10010, 7, EV_GoBlock, TEXT("select"), 0x99);
	EVENT(10020, 7, EV_GoStart, 3, 1);
	EVENT(10030, 7, EV_GoBlock, TEXT("chan send"), 0x77);
	EVENT(10040, 7, EV_GoStart, 4, 1);
	EVENT(10050, 7, EV_GoBlock, TEXT("chan send"), 0x77);
	observers_seen(&observers, 11000);
	CHECK_EQ(samples[0]->places.len, 0);
	key = row(samples[0], "main.worker")->key;
	top_tally_want_places(tally, &key, 1);
	top_tally_places(tally, samples[0]);
	CHECK_EQ(samples[0]->places.len, 1);
	p = vec_at(&samples[0]->places, struct top_place, 0);
	CHECK_EQ(p->now, 2);
	CHECK_EQ(p->stack, 0x77);
	CHECK_STR(p->reason, "chan send");
	top_tally_want_places(tally, NULL, SIZE_MAX);
	observers_seen(&observers, 12000);
	CHECK_EQ(samples[1]->places.len, 3);
	done();
}

static const struct top_place *place(const struct top_sample *s, const char *reason)
{
	static const struct top_place none;
	size_t i;

	for (i = 0; i < s->places.len; i++)
		if (!strcmp(vec_at(&s->places, struct top_place, i)->reason, reason))
			return vec_at(&s->places, struct top_place, i);
	CHECK(!"there is such a place");
	return &none;
}

/* GoSwitch has no stack: the goroutine's place is not that of its last wait, but unknown. */
static void who_passes_its_thread_on_has_no_place(void)
{
	open_by(BY_FUNCTION, NULL);
	top_tally_want_places(tally, NULL, SIZE_MAX);
	begin();
	EVENT(10001, 7, EV_GoCreateBlocked, 3, WORKER, 0);
	EVENT(10010, 7, EV_GoBlock, TEXT("select"), 0x99);
	EVENT(10020, 7, EV_GoUnblock, 1, 1, 0);
	EVENT(10030, 7, EV_GoStart, 1, 2);
	EVENT(10040, 7, EV_GoSwitch, 3, 1);
	observers_seen(&observers, 11000);
	CHECK_EQ(place(samples[0], "coroutine")->now, 1);
	CHECK_EQ(place(samples[0], "coroutine")->stack, 0);
	done();
}

/*
 * Random events, of few goroutines, threads and Ps, which may contradict each other: the tally stays within bounds.
 * There are at most 11 goroutines at a time, and no state has more time than 11 goroutines have.
 */
static void any_events_can_come(void)
{
	static const uint8_t kinds[] = {
		EV_GoStatus, EV_GoCreate, EV_GoCreateBlocked, EV_GoCreateSyscall, EV_GoStart, EV_GoDestroy,
		EV_GoDestroySyscall, EV_GoStop, EV_GoBlock, EV_GoUnblock, EV_GoSwitch, EV_GoSwitchDestroy,
		EV_GoSyscallBegin, EV_GoSyscallEnd, EV_GoSyscallEndBlocked, EV_ProcStatus, EV_ProcStart, EV_ProcStop,
		EV_ProcSteal, EV_GCBegin, EV_GCEnd, EV_STWBegin, EV_STWEnd, EV_UserRegionBegin, EV_UserRegionEnd, EV_UserLog,
		EV_UserTaskBegin, EV_UserTaskEnd,
	};
	const struct sink_text texts[] = { { .bytes = "a", .len = 1 }, { .bytes = "b", .len = 1 }, { .bytes = LABELS_CATEGORY, .constant = true },
					   { .bytes = "GET /", .len = 5, .op = OP_HTTP_SERVED },
					   { .bytes = "GET net/http", .len = 12, .op = OP_HTTP_SERVED, .later = 1 } };
	uint64_t time = 10000, i, n;

	srand(5);
	open_by(BY_REGION, NULL);
	begin();
	for (i = 0; i < 300000; i++) {
		uint64_t kind = kinds[rand() % sizeof(kinds)], text = (uint64_t)(uintptr_t)&texts[rand() % 5];
		uint64_t id = (uint64_t)(rand() % 9), m = rand() % 9 ? (uint64_t)(rand() % 5) : TRACEV2_NO_ID;
		bool named = sink_refs[kind].texts & 1;

		time += (uint64_t)(rand() % 3);
		put(time, m, (enum tracev2_event)kind, 4, (uint64_t[]){ named ? text : id, sink_refs[kind].texts >> 1 & 1 ?
		    text : m, sink_refs[kind].texts >> 2 & 1 ? text : id % 5, 0, 0 });
		sink.ops->text(sink.ctx, (uint64_t)(rand() % 9), "GET /cart", (size_t)(rand() % 9));
		if (rand() % 500 == 0)
			sink.ops->thread_done(sink.ctx, m);
		if (rand() % 3000 == 0)
			top_tally_group(tally, (enum group_by)(rand() % GROUP_BYS));
		if (rand() % 4000 == 0)
			observers_gap(&observers, time);
		if (rand() % 1000 == 0) {
			sink.ops->gen_end(sink.ctx, &(struct trace_clock){ .time = time }, NULL);
			sink.ops->gen_begin(sink.ctx);
		}
	}
	top_tally_finish(tally, time + 1000);
	CHECK_EQ(n_samples, 8);
	for (i = 0; i < n_samples; i++) {
		const struct top_sample *s = samples[i];

		for (n = 0; n < TOP_STATES; n++)
			CHECK(s->all.ns[n] <= 11 * top_recorded(s));
		CHECK(top_total(&s->all) <= 11);
		for (n = 0; n < s->requests.routes.len; n++)
			CHECK(vec_at(&s->requests.routes, struct top_route, n)->open <= s->requests.open);
	}
	done();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(states_of_an_interval_add_up), UNIT(intervals_follow_one_another),
		UNIT(waits_add_up_by_reason), UNIT(a_wait_over_a_gap_has_no_length),
		UNIT(ps_run_goroutines_or_wait_for_them), UNIT(a_gap_counts_nowhere),
		UNIT(behind_a_gap_a_wait_has_its_reason_at_once), UNIT(the_stand_in_counts_nowhere), UNIT(rows_by_labels_and_regions),
		UNIT(requests_have_the_name_of_their_end), UNIT(a_gap_and_the_end_of_a_goroutine_close_requests),
		UNIT(too_many_routes_are_one),
		UNIT(gc_heap_and_stops), UNIT(durations_are_in_histograms), UNIT(too_many_rows_are_one), UNIT(functions_of_one_name_are_one_row),
		UNIT(places_of_a_row), UNIT(who_passes_its_thread_on_has_no_place), UNIT(any_events_can_come), {0},
	});
}
