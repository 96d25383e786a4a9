// SPDX-License-Identifier: Apache-2.0
/*
 * What a sink of the model gets: a second kind of sink beside the writer of v2 traces
 * keeps the calls as text. An observer of the writer sees the same events.
 */
#define _GNU_SOURCE
#include "sched_story.h"

#include "trace/sink.h"

/* --- a sink that keeps what it gets, as text --- */

struct keeper {
	struct buf text;
	uint64_t gen;
	bool open;
	bool announced[256];	/* by thread */
	size_t events, size;
	uint64_t clock;		/* of the last generation that ended */
	int fail;		/* at the end of a generation */
};

static void keep_gen_begin(void *ctx)
{
	struct keeper *k = ctx;

	CHECK(!k->open);
	k->open = true;
	k->gen++;
	buf_printf(&k->text, "[%d", (int)k->gen);
}

static int keep_gen_end(void *ctx, const struct trace_clock *clock, struct error *err)
{
	struct keeper *k = ctx;

	CHECK(k->open);
	k->open = false;
	k->size = 0;
	k->clock = clock->time;
	buf_printf(&k->text, " ]");
	return k->fail ? error_set(err, k->fail, "no room") : 0;
}

static void keep_thread(void *ctx, uint64_t thread)
{
	struct keeper *k = ctx;

	k->announced[thread] = true;
}

static void keep_thread_done(void *ctx, uint64_t thread)
{
	struct keeper *k = ctx;

	CHECK(k->announced[thread]);
	k->announced[thread] = false;
	buf_printf(&k->text, " done(%d)", (int)thread);
}

static void keep_arg(struct keeper *k, struct sink_refs refs, int i, uint64_t arg)
{
	const struct sink_text *t = sink_arg_text(arg);

	if (refs.texts >> i & 1)
		buf_printf(&k->text, " '%.*s'", (int)sink_text_len(t), t->bytes ? t->bytes : "");
	else
		buf_printf(&k->text, refs.stacks >> i & 1 ? " @%llx" : " %lld", (long long)arg);
}

static bool is_status(enum tracev2_event kind)
{
	return kind == EV_GoStatus || kind == EV_GoStatusStack || kind == EV_ProcStatus;
}

static void keep_event(void *ctx, const struct sink_event *e)
{
	struct keeper *k = ctx;
	int i;

	CHECK(k->open);
	CHECK(e->thread == TRACEV2_NO_ID || k->announced[e->thread]);
	CHECK_EQ(e->nargs, args_of(&specs[e->kind]) - 1);
	k->events++;
	k->size += 4;
	if (is_status(e->kind) && k->gen > 1)	/* each generation has them again */
		return;
	buf_printf(&k->text, " %lld:%s", (long long)e->thread, specs[e->kind].name);
	for (i = 0; i < e->nargs; i++)
		keep_arg(k, sink_refs[e->kind], i, e->args[i]);
}

static void keep_cpu_sample(void *ctx, const struct sink_sample *s)
{
	struct keeper *k = ctx;

	CHECK(k->open);
	buf_printf(&k->text, " %d:sample p%lld g%lld @%llx", (int)s->thread, (long long)s->p,
		   (long long)s->g, (long long)s->stack);
}

static void keep_experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n)
{
	struct keeper *k = ctx;

	CHECK(k->open);
	buf_printf(&k->text, " experiment(%d)", exp);
}

static const struct sink_ops keeper_ops = {
	.gen_begin = keep_gen_begin,
	.gen_end = keep_gen_end,
	.thread = keep_thread,
	.thread_done = keep_thread_done,
	.event = keep_event,
	.cpu_sample = keep_cpu_sample,
	.experiment = keep_experiment,
};

/* --- an observer, which counts --- */

static struct observed {
	size_t events, generations, headers;
	uint64_t bytes, last;
} observed;

static void observe_event(void *ctx, const struct sink_event *e)
{
	observed.events++;
}

static void observe_written(void *ctx, const struct tracefile_generation *g)
{
	observed.headers += !g->number;
	observed.generations += g->number != 0;
	observed.bytes += g->parts[0].n + g->parts[1].n;
	CHECK(!g->number || (g->number == observed.last + 1 && g->from <= g->to));
	observed.last = g->number;
}

static const struct observer_ops observer_ops = {
	.event = observe_event, .written = observe_written,
};

/* --- stories --- */

static struct keeper keeper;

static void begin_keeping(bool notes)
{
	keeper = (struct keeper){0};
	begin_into((struct sink){ &keeper_ops, &keeper, &keeper.size }, 27, 25, notes);
}

static void end_keeping(const char *want)
{
	struct error err;

	CHECK_EQ(model_finish(model, 0, &err), 0);
	buf_add_byte(&keeper.text, 0);
	if (want)
		CHECK_STR((char *)keeper.text.data, want);
	model_free(model);
	buf_free(&keeper.text);
}

static bool has(const char *part)
{
	return memmem(keeper.text.data, keeper.text.len, part, strlen(part));
}

static void a_generation_begins_with_all_states(void)
{
	begin_keeping(false);
	snapshot();
	CHECK_EQ(keeper.events, 6);
	CHECK(!memcmp(keeper.text.data, "[1 ", 3));
	CHECK(has(" 7:ProcStatus 0 1") && has(" -1:ProcStatus 1 2"));
	CHECK(has(" 7:GoStatus 1 7 2") && has(" -1:GoStatus 2 -1 4") && has(" -1:GoStatus 3 -1 1"));
	CHECK(keeper.announced[7]);
	end_keeping(NULL);
}

/* From here on, what comes after the states. */
static void skip_states(void)
{
	keeper.text.len = 0;
}

static void events_have_texts_and_stacks_themselves(void)
{
	begin_keeping(false);
	snapshot();
	skip_states();
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0xabc, 0x401000);
	put(REC_GO_READY, 0, 7, 2, 0x9002, 0xdef, 0);
	put(REC_GO_STOP, REC_STOP_GOSCHED, 7, 1, 0x9001, 0x123, 0);
	end_keeping(" 7:GoCreate 4 @8000000000401000 @abc 7:GoUnblock 2 1 @def "
		    "7:GoStop 'runtime.Gosched' @123 ]");
}

static void a_waiting_goroutine_is_stated_with_the_key_of_its_stack(void)
{
	begin_keeping(false);
	put(REC_SNAP_G, 4, 0, 2, 0x9002, 0x77, 0);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	CHECK(has(" -1:GoStatusStack 2 -1 4 @77"));
	end_keeping(NULL);
}

/* Texts of a program may hold anything; their length counts. */
static void texts_of_a_program_come_as_they_are(void)
{
	struct { struct rec_user u; char text[16]; } log = {
		.u = { .r = { .tid = 7, .kind = REC_USER_LOG, .id = 5 }, .stack = 0x99, .len = { 3, 2 } },
	};
	struct error err;

	begin_keeping(false);
	snapshot();
	skip_states();
	log.u.r.time = now;
	memcpy(log.u.text, "keyme", 5);
	CHECK_EQ(model_record(model, &log.u.r, &err), 0);
	end_keeping(" 7:UserLog 5 'key' 'me' @99 ]");
}

static void a_loss_is_an_event(void)
{
	begin_keeping(true);
	snapshot();
	skip_states();
	put(REC_LOST, 0, 0, 1, now, now, 12);
	go(REC_GO_READY, 7, 2);
	CHECK(has("7:UserLog 0 'gotap' 'lost 12 records on CPU 1 from "));
	end_keeping(NULL);
}

static void samples_name_the_stack_by_key(void)
{
	begin_keeping(false);
	snapshot();
	skip_states();
	put(REC_CPU_SAMPLE, 0, 7, 1, P0, 0x55, 0);
	end_keeping(" 7:sample p0 g1 @55 ]");
}

static void generations_turn_by_time_and_have_a_clock(void)
{
	uint64_t second;

	begin_keeping(false);
	snapshot();
	skip_states();
	now += GEN_NS;
	second = now;
	go(REC_GO_READY, 7, 2);
	CHECK_EQ(keeper.gen, 2);
	end_keeping(" ][2 7:GoUnblock 2 1 @0 7:ProcsChange 2 @0 ]");
	CHECK_EQ(keeper.clock, second);
}

static void generations_turn_by_the_size_that_the_sink_gives(void)
{
	begin_keeping(false);
	snapshot();
	keeper.size += 2 << 20;
	go(REC_GO_READY, 7, 2);
	CHECK_EQ(keeper.gen, 2);
	end_keeping(NULL);
}

/* The record of its end was lost, or never to come: that must not make the generation many times as large. */
static void a_stop_of_the_world_that_never_ends_ends_with_a_large_generation(void)
{
	begin_keeping(false);
	snapshot();
	put(REC_STW_BEGIN, 1, 7, 1, 0, 0, 0);
	keeper.size = (1 << 20) + 100;
	go(REC_GO_READY, 7, 2);
	CHECK_EQ(keeper.gen, 1);
	keeper.size = (1 << 20) * 3 / 2;
	go(REC_GO_READY, 7, 3);
	CHECK_EQ(keeper.gen, 2);
	CHECK_EQ(model_counts(model)->repairs[REPAIR_WORLD], 1);
	end_keeping(NULL);
}

/* Of a thread that said nothing for a whole generation; a new one may have its number. */
static void a_thread_that_is_done_is_announced_again(void)
{
	begin_keeping(false);
	snapshot();
	proc(REC_P_START, 8, 1);
	proc(REC_P_STOP, 8, 1);
	CHECK(keeper.announced[8]);
	now += GEN_NS;
	go(REC_GO_READY, 7, 2);
	now += GEN_NS;
	go(REC_GO_READY, 7, 3);
	CHECK(!keeper.announced[8]);
	CHECK(has(" done(8)"));
	proc(REC_P_START, 8, 1);
	CHECK(keeper.announced[8]);
	end_keeping(NULL);
}

/* What was collected in a gap is thrown away at the next attempt, and at the end of the gap. */
static void threads_that_a_gap_forgets_are_done(void)
{
	begin_keeping(false);
	snapshot();
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	proc(REC_P_START, 8, 1);
	proc(REC_P_STOP, 7, 0);
	CHECK(keeper.announced[8]);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	CHECK(!keeper.announced[8]);
	CHECK(keeper.announced[7]);	/* known from before the gap */
	proc(REC_P_START, 9, 1);
	snapshot();
	go(REC_GO_READY, 7, 2);
	CHECK(keeper.announced[7] && keeper.announced[9]);
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	proc(REC_P_START, 8, 1);
	end_keeping(NULL);
	CHECK(!keeper.announced[8]);
}

static void an_error_of_the_sink_ends_the_model(void)
{
	struct rec r = { .kind = REC_GO_READY, .tid = 7, .id = 2 };
	struct error err;

	begin_keeping(false);
	snapshot();
	keeper.fail = -28;
	r.time = now + GEN_NS;
	CHECK_EQ(model_record(model, &r, &err), -28);
	CHECK_STR(err.text, "no room");
	CHECK(!keeper.open);
	model_free(model);
	buf_free(&keeper.text);
}

static size_t file_of(char *bytes, size_t max)
{
	ssize_t n = pread(fd, bytes, max, 0);

	return n > 0 ? (size_t)n : 0;
}

static void tell_a_story(void)
{
	snapshot();
	go(REC_GO_CREATE, 7, 4);
	now += GEN_NS;
	go(REC_GO_READY, 7, 2);
	put(REC_GO_PARK, 1, 7, 1, 0x9001, 0x44, 0);
}

/* The file is the same with and without an observer, which sees all events and all bytes. */
static void an_observer_sees_all_and_changes_nothing(void)
{
	static char alone[4096], beside[4096];
	struct tracefile_opts opts = { .version = 25 };
	struct observers all = {0};
	struct error err;
	uint64_t events = 0;
	size_t n, i;

	begin(27, 25);
	tell_a_story();
	CHECK_EQ(model_finish(model, 0, &err), 0);
	n = file_of(alone, sizeof(alone));
	end_story();

	observed = (struct observed){0};
	observers_add(&all, &observer_ops, NULL);
	fd = memfd_create("trace", MFD_CLOEXEC);
	CHECK_EQ(v2_sink_new(&trace, fd, &opts, &all, &err), 0);
	begin_into(v2_sink(trace), 27, 25, false);
	tell_a_story();
	CHECK_EQ(model_finish(model, 0, &err), 0);
	CHECK(n > 100);
	CHECK_EQ(file_of(beside, sizeof(beside)), n);
	CHECK(!memcmp(alone, beside, n));
	for (i = 0; i < 256; i++)
		events += v2_sink_counts(trace)->events[i];
	CHECK_EQ(observed.events, events);
	CHECK_EQ(observed.headers, 1);
	CHECK_EQ(observed.generations, v2_sink_counts(trace)->generations);
	CHECK_EQ(observed.bytes, n);
	end_story();
}

/* A trace without a file is for its observers alone. */
static void a_trace_without_a_file_is_shown(void)
{
	struct tracefile_opts opts = { .version = 25 };
	struct observers all = {0};
	struct error err;

	observed = (struct observed){0};
	observers_add(&all, &observer_ops, NULL);
	CHECK_EQ(v2_sink_new(&trace, -1, &opts, &all, &err), 0);
	fd = memfd_create("nothing", MFD_CLOEXEC);
	begin_into(v2_sink(trace), 27, 25, false);
	tell_a_story();
	CHECK_EQ(model_finish(model, 0, &err), 0);
	CHECK_EQ(observed.headers, 1);
	CHECK(observed.generations > 1);
	CHECK_EQ(observed.bytes, v2_sink_counts(trace)->bytes);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 0);
	end_story();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_generation_begins_with_all_states),
		UNIT(events_have_texts_and_stacks_themselves),
		UNIT(a_waiting_goroutine_is_stated_with_the_key_of_its_stack),
		UNIT(texts_of_a_program_come_as_they_are),
		UNIT(a_loss_is_an_event),
		UNIT(samples_name_the_stack_by_key),
		UNIT(generations_turn_by_time_and_have_a_clock),
		UNIT(generations_turn_by_the_size_that_the_sink_gives),
		UNIT(a_stop_of_the_world_that_never_ends_ends_with_a_large_generation),
		UNIT(a_thread_that_is_done_is_announced_again),
		UNIT(threads_that_a_gap_forgets_are_done),
		UNIT(an_error_of_the_sink_ends_the_model),
		UNIT(an_observer_sees_all_and_changes_nothing),
		UNIT(a_trace_without_a_file_is_shown),
		{0} });
}
