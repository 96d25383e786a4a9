// SPDX-License-Identifier: Apache-2.0
/* read: which earlier event each event ends or follows (links.h), by values. */
#include "unit.h"

#include <stdlib.h>

#include "read/links.h"
#include "read/v2_reader.h"
#include "read/view.h"

enum { M = 70, P = 7, G = 17, H = 18 };

/* The times of the events are their places in the table; so is a link. */
struct step {
	uint8_t type;
	uint64_t p, g;
	uint64_t args[3];
	uint8_t old_state;
	int link;	/* -1: none */
};

static void check_steps(const struct step *steps, size_t n)
{
	struct links *l = links_new();
	size_t i;

	for (i = 0; i < n; i++) {
		const struct step *s = &steps[i];
		struct trace_event ev = { .type = s->type, .old_state = s->old_state, .time = (int64_t)i,
					  .m = M, .p = s->p, .g = s->g,
					  .args = { s->args[0], s->args[1], s->args[2] } };
		struct event_link link = links_next(l, &ev);

		CHECK_EQ(link.type, s->link < 0 ? 0 : steps[s->link].type);
		CHECK_EQ(link.time, s->link < 0 ? 0 : s->link);
	}
	links_free(l);
}

#define CHECK_STEPS(...) \
	do { \
		static const struct step steps[] = { __VA_ARGS__ }; \
 \
		check_steps(steps, sizeof(steps) / sizeof(steps[0])); \
	} while (0)

static void a_goroutine_goes_on_from_what_brought_it_there(void)
{
	CHECK_STEPS(
		/* 0 */ { EV_GoStatus, P, -1, { G, M, G_RUNNING }, GO_UNDETERMINED, -1 },
		/* 1 */ { EV_GoCreate, P, G, { H }, 0, -1 },
		/* 2 */ { EV_GoBlock, P, G, { 1 }, 0, 0 },
		/* 3 */ { EV_GoStart, P, -1, { H, 1 }, 0, 1 },
		/* 4 */ { EV_GoUnblock, P, H, { G, 1 }, 0, 2 },
		/* 5 */ { EV_GoStop, P, H, { 1 }, 0, 3 },
		/* 6 */ { EV_GoStart, P, -1, { G, 2 }, 0, 4 },
		/* 7 */ { EV_GoDestroy, P, G, { 0 }, 0, 6 },
		/* 8 */ { EV_GoStart, P, -1, { H, 2 }, 0, 5 },
		/* 9 */ { EV_GoSyscallBegin, P, H, { 2 }, 0, 8 },
		/* 10 */ { EV_GoSyscallEnd, P, H, { 0 }, 0, 9 },
		/* 11 */ { EV_GoSyscallBegin, P, H, { 3 }, 0, 10 },
		/* 12 */ { EV_GoSyscallEndBlocked, P, H, { 0 }, 0, 11 },
		/* 13 */ { EV_GoStart, P, -1, { H, 3 }, 0, 12 },
		/* 14 */ { EV_GoSyscallBegin, P, H, { 4 }, 0, 13 },
		/* 15 */ { EV_GoDestroySyscall, P, H, { 0 }, 0, 14 },
		/* 16 */ { EV_GoCreateBlocked, P, G, { 30 }, 0, -1 },
		/* 17 */ { EV_GoUnblock, P, G, { 30, 1 }, 0, 16 },
		/* 18 */ { EV_GoCreateSyscall, P, -1, { 31 }, 0, -1 },
		/* 19 */ { EV_GoSyscallEndBlocked, -1, 31, { 0 }, 0, 18 });
}

/* Its number may be used again: what was known of it is not of the new one. */
static void a_goroutine_that_ends_is_forgotten(void)
{
	CHECK_STEPS(
		/* 0 */ { EV_GoCreate, P, G, { H }, 0, -1 },
		/* 1 */ { EV_GoStart, P, -1, { H, 1 }, 0, 0 },
		/* 2 */ { EV_UserRegionBegin, P, H, { 0, 1 }, 0, -1 },
		/* 3 */ { EV_GCMarkAssistBegin, P, H, { 0 }, 0, -1 },
		/* 4 */ { EV_GoDestroy, P, H, { 0 }, 0, 1 },
		/* 5 */ { EV_GoStatus, P, -1, { H, M, G_RUNNING }, GO_UNDETERMINED, -1 },
		/* 6 */ { EV_UserRegionEnd, P, H, { 0, 1 }, 0, -1 },
		/* 7 */ { EV_GCMarkAssistEnd, P, H, { 0 }, 0, -1 },
		/* 8 */ { EV_GoStop, P, H, { 1 }, 0, 5 });
}

static void a_status_that_changes_nothing_is_no_step(void)
{
	CHECK_STEPS(
		/* 0 */ { EV_GoStatus, P, -1, { G, M, G_WAITING }, GO_UNDETERMINED, -1 },
		/* 1 */ { EV_ProcStatus, -1, -1, { P, P_RUNNING }, PROC_UNDETERMINED, -1 },
		/* 2 */ { EV_GoStatus, P, -1, { G, M, G_WAITING }, GO_WAITING, -1 },
		/* 3 */ { EV_ProcStatus, -1, -1, { P, P_SYSCALL }, PROC_RUNNING, -1 },
		/* 4 */ { EV_GoUnblock, P, H, { G, 1 }, 0, 0 },
		/* 5 */ { EV_ProcStop, P, -1, { 0 }, 0, 1 });
}

static void a_p_goes_on_from_what_brought_it_there(void)
{
	CHECK_STEPS(
		/* 0 */ { EV_ProcStatus, -1, -1, { P, P_IDLE }, PROC_UNDETERMINED, -1 },
		/* 1 */ { EV_ProcStart, -1, -1, { P, 1 }, 0, 0 },
		/* 2 */ { EV_ProcStop, P, -1, { 0 }, 0, 1 },
		/* 3 */ { EV_ProcStart, -1, -1, { P, 2 }, 0, 2 },
		/* 4 */ { EV_ProcSteal, 3, G, { P, 3, M }, PROC_RUNNING, 3 },
		/* abandoned by its thread, and then stolen */
		/* 5 */ { EV_ProcSteal, 3, G, { P, 4, M }, PROC_IDLE, -1 },
		/* 6 */ { EV_ProcStart, -1, -1, { P, 5 }, 0, 4 },
		/* not the goroutine of that number */
		/* 7 */ { EV_GoBlock, P, P, { 1 }, 0, -1 });
}

static void a_range_ends_its_begin(void)
{
	CHECK_STEPS(
		/* 0 */ { EV_GCActive, P, G, { 1 }, 0, -1 },
		/* 1 */ { EV_GCMarkAssistActive, P, -1, { H }, 0, -1 },
		/* 2 */ { EV_GCSweepActive, P, -1, { 3 }, 0, -1 },
		/* 3 */ { EV_STWBegin, P, G, { 5 }, 0, -1 },
		/* 4 */ { EV_GCSweepBegin, P, G, { 0 }, 0, -1 },
		/* 5 */ { EV_GCMarkAssistBegin, P, G, { 0 }, 0, -1 },
		/* 6 */ { EV_STWBegin, P, G, { 6 }, 0, -1 },
		/* 7 */ { EV_STWBegin, P, H, { 5 }, 0, -1 },
		/* 8 */ { EV_STWEnd, P, G, { 5 }, 0, 3 },
		/* 9 */ { EV_GCMarkAssistActive, P, -1, { G }, 0, -1 },	/* in the next generation */
		/* 10 */ { EV_GCMarkAssistEnd, P, G, { 0 }, 0, 5 },
		/* 11 */ { EV_GCMarkAssistEnd, P, H, { 0 }, 0, 1 },
		/* 12 */ { EV_STWEnd, P, H, { 5 }, 0, 7 },
		/* 13 */ { EV_GCEnd, 4, H, { 2 }, 0, 0 },
		/* 14 */ { EV_GCSweepEnd, 3, H, { 0 }, 0, 2 },
		/* 15 */ { EV_GCSweepEnd, P, G, { 0 }, 0, 4 },
		/* 16 */ { EV_STWEnd, P, G, { 6 }, 0, 6 },
		/* 17 */ { EV_GCBegin, P, G, { 3 }, 0, -1 },
		/* 18 */ { EV_GCEnd, P, G, { 4 }, 0, 17 },
		/* 19 */ { EV_GCEnd, P, G, { 5 }, 0, -1 });
}

static void annotations_end_their_begin(void)
{
	CHECK_STEPS(
		/* 0 */ { EV_UserTaskBegin, P, G, { 1, -1, 2 }, 0, -1 },
		/* 1 */ { EV_UserTaskBegin, P, H, { 2, 1, 2 }, 0, -1 },
		/* 2 */ { EV_UserRegionBegin, P, G, { 1, 5 }, 0, -1 },
		/* 3 */ { EV_UserRegionBegin, P, G, { 1, 5 }, 0, -1 },
		/* 4 */ { EV_UserRegionBegin, P, H, { 1, 5 }, 0, -1 },
		/* 5 */ { EV_UserRegionEnd, P, G, { 1, 5 }, 0, 3 },
		/* 6 */ { EV_UserTaskEnd, P, G, { 2, 0, 1 }, 0, 1 },
		/* 7 */ { EV_UserRegionEnd, P, G, { 1, 5 }, 0, 2 },
		/* 8 */ { EV_UserRegionEnd, P, G, { 1, 5 }, 0, -1 },	/* begun before the trace */
		/* 9 */ { EV_UserRegionEnd, P, H, { 1, 5 }, 0, 4 },
		/* 10 */ { EV_UserTaskEnd, P, G, { 1, 0, -1 }, 0, 0 },
		/* 11 */ { EV_UserTaskEnd, P, G, { 1, 0, -1 }, 0, -1 },
		/* 12 */ { EV_UserTaskBegin, P, G, { 1, -1, 2 }, 0, -1 },
		/* 13 */ { EV_UserTaskEnd, P, G, { 1, 0, -1 }, 0, 12 });
}

/* 20 ranges and 20 regions of each of 100 goroutines that come and go. */
static void storage_grows_and_is_used_again(void)
{
	struct links *l = links_new();
	struct trace_event ev = { .time = 0 };
	uint64_t i, k;

	for (i = 0; i < 100; i++) {
		ev = (struct trace_event){ .type = EV_GoCreate, .time = ev.time + 1, .g = G, .args = { 1000 + i } };
		links_next(l, &ev);
		for (k = 0; k < 20; k++) {
			ev = (struct trace_event){ .type = EV_STWBegin, .time = ev.time + 1, .g = 1000 + i,
						   .args = { k } };
			CHECK_EQ(links_next(l, &ev).type, 0);
			ev.type = EV_UserRegionBegin;
			CHECK_EQ(links_next(l, &ev).type, 0);
		}
		for (k = 0; k < 10; k++) {
			ev.type = EV_STWEnd;
			ev.args[0] = k;
			CHECK_EQ(links_next(l, &ev).time, ev.time - 19 + (int64_t)k);
			ev.type = EV_UserRegionEnd;
			CHECK_EQ(links_next(l, &ev).time, ev.time - (int64_t)k);
		}
		ev.type = EV_GoDestroy;
		CHECK_EQ(links_next(l, &ev).type, 0);	/* it was not started */
	}
	links_free(l);
	links_free(NULL);
}

/* The transitions of a vector, each with the name of the event that it follows, "-" none. */
static void links_of(const char *name, char *text, size_t size)
{
	struct error err;
	struct trace_reader *r = trace_reader_open(name, &err);
	struct links *l = links_new();
	const struct trace_event *ev;
	size_t n = 0;

	*text = 0;
	CHECK(r != NULL);
	while (r && trace_reader_next(r, &ev) > 0 && n < size) {
		struct event_link link = links_next(l, ev);

		CHECK(!link.type || link.time < ev->time);
		if (view_kind(ev) == VIEW_STATE_TRANSITION)
			n += (size_t)snprintf(text + n, size - n, "%s%s<%s", n ? " " : "",
					      view_event_name(ev->type),
					      link.type ? view_event_name(link.type) : "-");
	}
	links_free(l);
	trace_reader_close(r);
}

static void a_switch_is_three_events_with_links(void)
{
	char text[1024];

	links_of("tests/vectors/ok_goswitch.trace", text, sizeof(text));
	CHECK_STR(text, "ProcStatus<- GoStatus<- GoCreateBlocked<- GoSwitch<GoCreateBlocked GoBlock<GoStatus"
		  " GoStart<GoSwitch GoSwitch<GoBlock GoBlock<GoStart GoStart<GoSwitch GoSwitch<GoBlock"
		  " GoBlock<GoStart GoStart<GoSwitch"
		  " GoSwitchDestroy<GoBlock GoDestroy<GoStart GoStart<GoSwitchDestroy");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_goroutine_goes_on_from_what_brought_it_there),
		UNIT(a_goroutine_that_ends_is_forgotten),
		UNIT(a_status_that_changes_nothing_is_no_step),
		UNIT(a_p_goes_on_from_what_brought_it_there),
		UNIT(a_range_ends_its_begin),
		UNIT(annotations_end_their_begin),
		UNIT(storage_grows_and_is_used_again),
		UNIT(a_switch_is_three_events_with_links),
		{0},
	});
}
