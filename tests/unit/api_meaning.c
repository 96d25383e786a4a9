// SPDX-License-Identifier: Apache-2.0
/* api: the meaning of each event: transitions, ranges, metrics, tasks, regions, logs, labels (gotap/reader.h). */
#define _GNU_SOURCE
#include "unit.h"

#include <stdbool.h>

#include "api_trace.h"
#include "gotap/reader.h"
#include "trace_text.h"

static int put_text(char *to, size_t size, struct gotap_text text)
{
	return snprintf(to, size, " '%.*s'", (int)text.len, text.s);
}

static const char *resource_name(uint32_t of)
{
	static const char *const names[] = { "program", "goroutine", "P" };

	return of < 3 ? names[of] : "bad";
}

static void say_transition(const struct gotap_reader *r, char *to, size_t size)
{
	struct gotap_transition tr;
	int n;

	CHECK_EQ(gotap_event_transition(r, &tr, sizeof(tr)), 1);
	n = snprintf(to, size, "%s %llu %s -> %s", resource_name(tr.of), (unsigned long long)tr.id,
		     gotap_state_name(tr.from), gotap_state_name(tr.to));
	if (tr.stack)
		n += snprintf(to + n, size - (size_t)n, " at %llu", (unsigned long long)tr.stack);
	if (tr.reason.len)
		put_text(to + n, size - (size_t)n, tr.reason);
}

static void say_range(const struct gotap_reader *r, char *to, size_t size)
{
	struct gotap_range range;
	uint32_t i;
	int n;

	CHECK_EQ(gotap_event_range(r, &range, sizeof(range)), 1);
	n = snprintf(to, size, "%s of %s %lld", range.name, resource_name(range.of),
		     (long long)range.id);
	if (range.reason.len)
		n += put_text(to + n, size - (size_t)n, range.reason);
	for (i = 0; i < range.nattrs; i++)
		n += snprintf(to + n, size - (size_t)n, " %s=%llu", range.attrs[i].name,
			      (unsigned long long)range.attrs[i].value);
}

static void say_metric(const struct gotap_reader *r, char *to, size_t size)
{
	struct gotap_metric metric;

	CHECK_EQ(gotap_event_metric(r, &metric, sizeof(metric)), 1);
	snprintf(to, size, "%s %llu %s", metric.name, (unsigned long long)metric.value, metric.unit);
}

static void say_task(const struct gotap_reader *r, char *to, size_t size)
{
	struct gotap_task task;
	int n;

	CHECK_EQ(gotap_event_task(r, &task, sizeof(task)), 1);
	n = snprintf(to, size, "task %llu of %lld", (unsigned long long)task.id,
		     (long long)task.parent);
	put_text(to + n, size - (size_t)n, task.type);
}

static void say_region(const struct gotap_reader *r, char *to, size_t size)
{
	struct gotap_region region;
	int n;

	CHECK_EQ(gotap_event_region(r, &region, sizeof(region)), 1);
	n = snprintf(to, size, "of task %llu", (unsigned long long)region.task);
	put_text(to + n, size - (size_t)n, region.type);
}

static void say_log(const struct gotap_reader *r, char *to, size_t size)
{
	struct gotap_log log;
	int n;

	CHECK_EQ(gotap_event_log(r, &log, sizeof(log)), 1);
	n = snprintf(to, size, "of task %llu", (unsigned long long)log.task);
	n += put_text(to + n, size - (size_t)n, log.category);
	put_text(to + n, size - (size_t)n, log.message);
}

static void say_label(const struct gotap_reader *r, char *to, size_t size)
{
	struct gotap_label label;
	int n;

	CHECK_EQ(gotap_event_label(r, &label, sizeof(label)), 1);
	n = snprintf(to, size, "%s %llu", resource_name(label.of), (unsigned long long)label.id);
	put_text(to + n, size - (size_t)n, label.label);
}

/* How many views take the event: one, or none. */
static int count_views(const struct gotap_reader *r)
{
	struct gotap_transition tr;
	struct gotap_range range;
	struct gotap_metric metric;
	struct gotap_task task;
	struct gotap_region region;
	struct gotap_log log;
	struct gotap_label label;

	return gotap_event_transition(r, &tr, sizeof(tr)) +
	       gotap_event_range(r, &range, sizeof(range)) +
	       gotap_event_metric(r, &metric, sizeof(metric)) +
	       gotap_event_task(r, &task, sizeof(task)) +
	       gotap_event_region(r, &region, sizeof(region)) +
	       gotap_event_log(r, &log, sizeof(log)) +
	       gotap_event_label(r, &label, sizeof(label));
}

static void say(const struct gotap_reader *r, const struct gotap_event *ev, char *to, size_t size)
{
	static void (*const sayers[])(const struct gotap_reader *r, char *to, size_t size) = {
		[GOTAP_IS_METRIC] = say_metric, [GOTAP_IS_LABEL] = say_label,
		[GOTAP_IS_RANGE_BEGIN] = say_range, [GOTAP_IS_RANGE_END] = say_range,
		[GOTAP_IS_TASK_BEGIN] = say_task, [GOTAP_IS_TASK_END] = say_task,
		[GOTAP_IS_REGION_BEGIN] = say_region, [GOTAP_IS_REGION_END] = say_region,
		[GOTAP_IS_LOG] = say_log, [GOTAP_IS_TRANSITION] = say_transition,
		[GOTAP_IS_EXPERIMENTAL] = NULL,
	};
	int n = snprintf(to, size, "%s %s", gotap_category_name(ev->category),
			 gotap_kind_name(ev->kind));
	bool has_view = sayers[ev->category] != NULL;

	CHECK_EQ(count_views(r), has_view);
	if (!has_view)
		return;
	to[n++] = ' ';
	sayers[ev->category](r, to + n, size - (size_t)n);
}

/* Stack 1 is main.f in main.main, stack 2 main.main. */
static const char *const meanings[TRACE_EVENTS] = {
	"Sync Sync",
	"StateTransition ProcStatus P 0 Undetermined -> Running",
	"StateTransition GoStatus goroutine 1 Undetermined -> Running",
	"Metric ProcsChange /sched/gomaxprocs:threads 4 threads",
	"Experimental Span",
	"RangeBegin GCBegin GC concurrent mark phase of program -1",
	"RangeBegin STWBegin stop-the-world of goroutine 1 'GC sweep termination'",
	"RangeEnd STWEnd stop-the-world of goroutine 1 'GC sweep termination'",
	"RangeBegin GCMarkAssistBegin GC mark assist of goroutine 1",
	"RangeEnd GCMarkAssistEnd GC mark assist of goroutine 1",
	"Metric HeapAlloc /memory/classes/heap/objects:bytes 12345 bytes",
	"Metric HeapGoal /gc/heap/goal:bytes 4194304 bytes",
	"RangeBegin GCSweepBegin GC incremental sweep of P 0",
	"RangeEnd GCSweepEnd GC incremental sweep of P 0 bytes swept=8192 bytes reclaimed=512",
	"RangeEnd GCEnd GC concurrent mark phase of program -1",
	"Label GoLabel goroutine 1 'worker'",
	"TaskBegin UserTaskBegin task 5 of -1 'request'",
	"TaskBegin UserTaskBegin task 6 of 5 'query'",
	"RegionBegin UserRegionBegin of task 6 'read'",
	"Log UserLog of task 6 'rows' '17'",
	"RegionEnd UserRegionEnd of task 6 'read'",
	"TaskEnd UserTaskEnd task 6 of 5 'query'",
	"TaskEnd UserTaskEnd task 5 of -1 'request'",
	"StateTransition GoCreate goroutine 18 NotExist -> Runnable at 1",
	"StateTransition GoBlock goroutine 1 Running -> Waiting at 2 'chan receive'",
	"StateTransition GoStart goroutine 18 Runnable -> Running",
	"StateTransition GoUnblock goroutine 1 Waiting -> Runnable",
	"StateTransition GoSyscallBegin goroutine 18 Running -> Syscall at 1",
	"StateTransition GoSyscallEnd goroutine 18 Syscall -> Running",
	"StateTransition GoStop goroutine 18 Running -> Runnable at 1 'preempted'",
	"StateTransition GoStart goroutine 18 Runnable -> Running",
	"StateTransition GoDestroy goroutine 18 Running -> NotExist",
	"StateTransition ProcStop P 0 Running -> Idle",
	"StackSample CPUSample",
	"Sync Sync",
	"StateTransition ProcStatus P 0 Idle -> Idle",
	"StateTransition GoStatus goroutine 1 Runnable -> Runnable",
	"StateTransition ProcStart P 0 Idle -> Running",
	"Sync Sync",
};

static void each_event_has_its_meaning(void)
{
	size_t n, i = 0;
	uint8_t *bytes = api_trace_bytes(26, &n);
	struct gotap_reader *r;
	struct gotap_event ev;
	char text[200];

	CHECK_EQ(gotap_open_memory(&r, bytes, n, NULL, NULL), 0);
	CHECK_EQ(count_views(r), 0);	/* before the first event */
	for (; gotap_next(r, &ev, sizeof(ev)) > 0; i++) {
		say(r, &ev, text, sizeof(text));
		CHECK_STR(text, i < TRACE_EVENTS ? meanings[i] : "the end");
	}
	CHECK_EQ(i, TRACE_EVENTS);
	CHECK_EQ(count_views(r), 0);	/* nor behind the last */
	gotap_close(r);
	free(bytes);
}

/* Goroutine 1 waits for channel 0x6000 of capacity 7, goroutine 3 in a select. */
static const char waiting[] =
	"batch m=512735409267\nStrings\n"
	"String id=3\n\tdata=\"gotap.w1r\\x04!\\x80\\x80\\x03\\x08\"\n"
	"String id=4\n\tdata=\"gotap.w1g\\x06R\\x80\\x80\\x03\\x08 \\x01\"\n"
	"batch\nStrings\nString id=1\n\tdata=\"chan send\"\nString id=2\n\tdata=\"chan send\"\n"
	"batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n"
	"GoStatus dt=1 g=3 m=18446744073709551615 gstatus=4\nGoBlock dt=1 reason_string=2 stack=0\n";

static void a_wait_has_its_object(void)
{
	struct buf bytes = {0};
	struct gotap_reader *r;
	struct gotap_event ev;
	struct gotap_wait w;
	int blocks = 0, statuses = 0;

	trace_reader_close(trace_of_text(waiting, &bytes));
	CHECK_EQ(gotap_open_memory(&r, bytes.data, bytes.len, NULL, NULL), 0);
	CHECK_EQ(gotap_event_wait(r, &w, sizeof(w)), 0);	/* before the first event */
	while (gotap_next(r, &ev, sizeof(ev)) > 0) {
		int known = gotap_event_wait(r, &w, sizeof(w));

		CHECK_EQ(known, ev.kind == GOTAP_GO_BLOCK || (ev.kind == GOTAP_GO_STATUS && ev.args[0] == 3));
		if (ev.kind == GOTAP_GO_BLOCK && ++blocks) {
			CHECK_EQ(w.kind, GOTAP_WAIT_CHANNEL);
			CHECK_EQ(w.n, 1);
			CHECK_EQ(w.objects[0].address, 0x6000);
			CHECK_EQ(w.objects[0].capacity, 7);
		} else if (known && ++statuses) {
			CHECK_EQ(w.kind, GOTAP_WAIT_SELECT);
			CHECK_EQ(w.n, 2);
			CHECK_EQ(w.more, 1);
			CHECK_EQ(w.objects[0].capacity, 7);
			CHECK_EQ(w.objects[1].address, 0x6010);
			CHECK_EQ(w.objects[1].capacity, 0);
		}
	}
	CHECK_EQ(blocks, 1);
	CHECK_EQ(statuses, 1);
	gotap_close(r);
	buf_free(&bytes);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(each_event_has_its_meaning),
		UNIT(a_wait_has_its_object),
		{0},
	});
}
