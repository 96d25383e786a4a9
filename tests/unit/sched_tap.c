// SPDX-License-Identifier: Apache-2.0
/*
 * The tap: the calls of its visitor in stories of the model, as text; and that the trace is the same with and without a
 * tap. "2+W": goroutine 2 enters a wait; "2++W": it is in one since before; "2-W": it leaves one; "2!W": it leaves one
 * whose end is not known.
 */
#define _GNU_SOURCE
#include "sched_story.h"

#include "trace/tap.h"

static struct buf text;
static struct tap *tap;
static char states[] = "?RXSW";	/* by enum tap_state: runnable, running (executing), syscall, waiting */

static void on_enter(void *ctx, struct tap_go *g, const struct tap_step *s)
{
	buf_printf(&text, " %d%s%c", (int)g->id, g->before ? "++" : "+", states[g->state]);
	if (*g->reason && strcmp(g->reason, "unspecified"))	/* "unspecified" is the reason in snapshots of stories */
		buf_printf(&text, "(%s)", g->reason);
	if (s->by && s->by != g)
		buf_printf(&text, "by%d", (int)s->by->id);
}

static void on_leave(void *ctx, struct tap_go *g, uint64_t time, bool known)
{
	buf_printf(&text, " %d%c%c", (int)g->id, known ? '-' : '!', states[g->state]);
}

static void on_gone(void *ctx, struct tap_go *g, uint64_t time)
{
	CHECK(g->data[0] == 0);
	g->data[0] = 1;		/* the next goroutine with this memory must find 0 */
	buf_printf(&text, " %dgone", (int)g->id);
}

static void on_event(void *ctx, const struct tap_step *s)
{
	buf_printf(&text, " %s", specs[s->event->kind].name);
	if (s->by)
		buf_printf(&text, "by%d", (int)s->by->id);
}

static void on_seen(void *ctx, uint64_t time)
{
	buf_printf(&text, " seen");
}

static void on_gap(void *ctx, uint64_t time)
{
	buf_printf(&text, " gap");
}

static unsigned int moved;	/* goroutines that the tap had moved before it showed the event that moves them */

static void on_any(void *ctx, const struct sink_event *e, struct tap_thread *m)
{
	CHECK(e->thread == TRACEV2_NO_ID ? !m : m && m->id == e->thread);
	if (e->kind == EV_GoStart)
		moved += m->go && m->go->id == e->args[0];
}

static const struct tap_visitor visitor = {
	.any = on_any, .enter = on_enter, .leave = on_leave, .gone = on_gone, .event = on_event, .seen = on_seen,
	.gap = on_gap,
};

static bool notes;

static void begin_tapped(void)
{
	struct tap_opts opts = { .visitor = &visitor, .data = 8, .wants = { [EV_STWBegin] = true, [EV_STWEnd] = true } };

	text = (struct buf){0};
	tap = tap_new(&opts);
	open_trace(25);
	tap_observe(tap, &observers);
	begin_into(v2_sink(trace), 27, 25, notes);
}

/* Compares the calls since the last check. */
static void check_calls(const char *want)
{
	buf_add_byte(&text, 0);
	CHECK_STR((char *)text.data, want);
	text.len = 0;
}

static void end_tapped(void)
{
	struct error err;

	CHECK_EQ(model_finish(model, 0, &err), 0);
	end_story();
	tap_free(tap);
	buf_free(&text);
}

static void the_first_states_are_older_than_the_recording(void)
{
	begin_tapped();
	snapshot();
	check_calls(" 1++X 2++W 3++R");
	CHECK_EQ(tap_live(tap), 3);
	CHECK_EQ(tap_find(tap, 1)->m->id, 7);
	CHECK(!tap_find(tap, 4));
	end_tapped();
}

static void a_goroutine_goes_from_state_to_state(void)
{
	begin_tapped();
	snapshot();
	text.len = 0;
	go(REC_GO_READY, 7, 2);
	go(REC_GO_START, 8, 2);
	check_calls(" 2-W 2+Rby1 2-R 2+X");
	CHECK_EQ(tap_find(tap, 2)->m->id, 8);
	CHECK_EQ(moved, 0);
	end_tapped();
}

static void a_wait_has_its_reason_and_who_ended_it(void)
{
	begin_tapped();
	snapshot();
	text.len = 0;
	put(REC_GO_PARK, 14, 7, 1, 0x9001, 0x44, 0);
	go(REC_GO_START, 7, 3);
	go(REC_GO_READY, 7, 1);
	check_calls(" 1-X 1+W(sleep) 3-R 3+X 1-W 1+R(sleep)by3");
	end_tapped();
}

static void syscalls_are_states_of_a_thread(void)
{
	begin_tapped();
	snapshot();
	text.len = 0;
	put(REC_SYS_ENTER, 0, 7, 1, 0x9001, 0x55, 0);
	CHECK_EQ(tap_find(tap, 1)->stack, 0x55);
	put(REC_SYS_EXIT, 1, 7, 1, 0x9001, 0, P0);
	check_calls(" 1-X 1+S 1-S 1+X");
	end_tapped();
}

static unsigned int gone_threads;

static void on_thread_gone(void *ctx, struct tap_thread *m)
{
	CHECK(!m->go);
	CHECK(!m->data);
	gone_threads++;
}

/* An event for a tap without a model; the model would not make such ones. */
static void show(struct sink sink, uint64_t thread, enum tracev2_event kind, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t args[] = { a, b, c };

	sink.ops->event(sink.ctx, &(struct sink_event){ .time = 100, .thread = thread, .kind = kind, .nargs = 3, .args = args });
}

/* A goroutine has at most one thread, and a thread at most one goroutine, also if events contradict each other. */
static void goroutines_and_threads_are_one_to_one(void)
{
	static const struct tap_visitor threads = { .thread_gone = on_thread_gone };
	struct tap *t = tap_new(&(struct tap_opts){ .visitor = &threads });
	struct observers alone = {0};
	struct sink sink = observers_sink(&alone);

	tap_observe(t, &alone);
	show(sink, 7, EV_GoStatus, 1, 7, G_RUNNING);
	show(sink, 7, EV_GoStatus, 1, 8, G_RUNNING);
	CHECK_EQ(tap_find(t, 1)->m->id, 8);
	show(sink, 7, EV_GoStatus, 2, 8, G_SYSCALL);
	CHECK(!tap_find(t, 1)->m);
	CHECK_EQ(tap_find(t, 2)->m->go->id, 2);
	show(sink, 7, EV_GoStatus, 2, TRACEV2_NO_ID, G_WAITING);
	CHECK(!tap_find(t, 2)->m);
	show(sink, 7, EV_GoCreate, 2, 0, 0);
	CHECK_EQ(tap_live(t), 2);
	show(sink, 7, EV_GoStart, 2, 0, 0);
	sink.ops->thread_done(sink.ctx, 7);
	CHECK_EQ(gone_threads, 1);
	CHECK(!tap_find(t, 2)->m);
	tap_free(t);
}

/* GoSwitch has no reason as an argument; the reason is "coroutine", as in gotap top and pprof. */
static void who_passes_its_thread_on_is_a_coroutine(void)
{
	begin_tapped();
	snapshot();
	text.len = 0;
	put(REC_GO_SWITCH, 0, 7, 1, 0x9001, 2, 0x9002);
	check_calls(" 1-X 1+W(coroutine) 2-W 2+X");
	end_tapped();
}

static void goroutines_begin_and_end(void)
{
	begin_tapped();
	snapshot();
	text.len = 0;
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0xabc, 0x401000);
	CHECK_EQ(tap_find(tap, 4)->start, 0x8000000000401000);
	go(REC_GO_DEAD, 7, 1);
	go(REC_GO_START, 7, 4);
	put(REC_GO_CREATE, 0, 7, 5, 0x9004, 0xabc, 0x401000);
	check_calls(" 4+Rby1 1-X 1gone 4-R 4+X 5+Rby4");
	CHECK_EQ(tap_live(tap), 4);
	end_tapped();
}

/* A new generation repeats the states of all goroutines: the visitor sees no change. */
static void a_new_generation_is_no_change(void)
{
	begin_tapped();
	snapshot();
	text.len = 0;
	now += GEN_NS;
	go(REC_GO_READY, 7, 2);
	CHECK(tap_find(tap, 1)->since < 101000);
	check_calls(" 2-W 2+Rby1");
	end_tapped();
}

static void only_what_is_wanted_comes(void)
{
	begin_tapped();
	snapshot();
	text.len = 0;
	put(REC_STW_BEGIN, 1, 7, 1, 0, 0, 0);
	go(REC_STW_END, 7, 1);
	put(REC_GC_BEGIN, 0, 7, 1, 0, 0, 0);
	check_calls(" STWBeginby1 STWEndby1");
	end_tapped();
}

static void a_gap_ends_what_is_known(void)
{
	uint64_t since;

	begin_tapped();
	snapshot();
	text.len = 0;
	observers_seen(&observers, now);
	check_calls(" seen");
	observers_gap(&observers, now);
	observers_seen(&observers, now);
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	check_calls(" seen 1!X 1+W(gotap: not recorded)");
	now += 5000;
	observers_seen(&observers, now);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	since = now;
	snapshot();
	observers_seen(&observers, now);
	CHECK(strstr((char *)text.data, "gap 1!W 1++W(gotap: not recorded) 2!W 2++W 3!R 3++R"));
	CHECK(!memcmp(text.data + text.len - 5, " seen", 5));
	CHECK(tap_find(tap, 2)->since >= since);
	end_tapped();
}

/* A gap, behind which the goroutines have the states of @those. */
static void pass_a_gap(void (*those)(void))
{
	observers_gap(&observers, now);
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	now += 5000;
	text.len = 0;
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	those();
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
}

static void others_wait_now(void)
{
	snap_waiting(1, "sleep", 0x66, 0);		/* it ran before the gap */
	snap_waiting(2, "chan receive", 0x77, 0);	/* it waited, for an unknown reason */
	snap_waiting(3, "sleep", 0x88, 0);		/* it was runnable */
	snap_waiting(4, "sleep", 0x99, 0x401000);	/* it did not exist */
}

static void check_waits(uint64_t goid, const char *reason, uint64_t stack)
{
	const struct tap_go *g = tap_find(tap, goid);

	CHECK(g && g->state == TAP_WAITING && g->before);
	CHECK_STR(g->reason, reason);
	CHECK_EQ(g->stack, stack);
}

/*
 * After a gap each goroutine has the reason and the stack of its new wait at once, and the next generation begins no
 * other wait.
 */
static void behind_a_gap_reasons_and_stacks_are_new(void)
{
	begin_tapped();
	snapshot();
	pass_a_gap(others_wait_now);
	observers_seen(&observers, now);
	check_waits(1, "sleep", 0x66);
	check_waits(2, "chan receive", 0x77);
	check_waits(3, "sleep", 0x88);
	check_waits(4, "sleep", 0x8000000000401000);	/* its start function, until the next status */
	CHECK(tap_find(tap, 4)->born_before);
	text.len = 0;
	now += 2 * GEN_NS;
	put(REC_GC_BEGIN, 0, 7, 1, 0, 0, 0);
	check_calls("");
	check_waits(1, "sleep", 0x66);
	check_waits(4, "sleep", 0x99);
	end_tapped();
}

static void none_now(void)
{
}

static void a_birth_that_was_seen_stays_so(void)
{
	begin_tapped();
	snapshot();
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0xabc, 0x401000);
	CHECK(!tap_find(tap, 4)->born_before);
	put(REC_GO_PARK, reason_number("sync"), 7, 1, 0x9001, 0, 0);
	go(REC_GO_START, 7, 4);
	put(REC_GO_PARK, reason_number("sync"), 7, 4, 0x9004, 0, 0);
	pass_a_gap(others_wait_now);
	CHECK(!tap_find(tap, 4)->born_before);
	CHECK(tap_find(tap, 4)->before);
	end_tapped();
	begin_tapped();
	snapshot();
	pass_a_gap(none_now);
	CHECK_EQ(tap_live(tap), 0);
	end_tapped();
}

/* A note needs a running goroutine. If none runs, the model makes one up, the stand-in, which the visitor does not see. */
static void the_stand_in_is_no_goroutine(void)
{
	struct error err;

	notes = true;
	begin_tapped();
	notes = false;
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_G, 4, 0, 2, 0x9002, 0, 0);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	model_note(model, "a note");
	CHECK_EQ(model_turn(model, now, &err), 0);
	CHECK(model_counts(model)->stand_ins > 0);
	check_calls(" 2++W");
	CHECK_EQ(tap_live(tap), 1);
	end_tapped();
}

static size_t trace_of(bool tapped, char *bytes, size_t max)
{
	struct error err;
	ssize_t n;

	if (tapped)
		begin_tapped();
	else
		begin(27, 25);
	snapshot();
	go(REC_GO_CREATE, 7, 4);
	now += GEN_NS;
	put(REC_GO_PARK, 1, 7, 1, 0x9001, 0x44, 0);
	CHECK_EQ(model_finish(model, 0, &err), 0);
	n = pread(fd, bytes, max, 0);
	end_story();
	if (tapped)
		tap_free(tap);
	return n > 0 ? (size_t)n : 0;
}

static void the_trace_is_the_same(void)
{
	static char with[4096], without[4096];
	size_t n = trace_of(false, without, sizeof(without));

	CHECK(n > 100);
	CHECK_EQ(trace_of(true, with, sizeof(with)), n);
	CHECK(!memcmp(with, without, n));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(the_first_states_are_older_than_the_recording),
		UNIT(a_goroutine_goes_from_state_to_state),
		UNIT(a_wait_has_its_reason_and_who_ended_it),
		UNIT(syscalls_are_states_of_a_thread),
		UNIT(goroutines_and_threads_are_one_to_one),
		UNIT(who_passes_its_thread_on_is_a_coroutine),
		UNIT(goroutines_begin_and_end),
		UNIT(a_new_generation_is_no_change),
		UNIT(only_what_is_wanted_comes),
		UNIT(a_gap_ends_what_is_known),
		UNIT(behind_a_gap_reasons_and_stacks_are_new),
		UNIT(a_birth_that_was_seen_stays_so),
		UNIT(the_stand_in_is_no_goroutine),
		UNIT(the_trace_is_the_same),
		{0} });
}
