// SPDX-License-Identifier: Apache-2.0
/*
 * Sampled allocations in the scheduler model: events, pairs of allocation and end, lifetimes; pairs that end at a loss
 * of records or at a gap; ends on an M without a goroutine; the form of the events (read/alloc.h). A sink keeps the log
 * events as text.
 */
#define _GNU_SOURCE
#include "sched_story.h"

#include "read/alloc.h"
#include "trace/sink.h"

static struct buf said;
static unsigned asked;

static void ignore_gen_begin(void *ctx) {}
static int ignore_gen_end(void *ctx, const struct trace_clock *clock, struct error *err) { return 0; }
static void ignore_thread(void *ctx, uint64_t thread) {}
static void ignore_cpu_sample(void *ctx, const struct sink_sample *s) {}
static void ignore_experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n) {}

static void keep_event(void *ctx, const struct sink_event *e)
{
	const struct sink_text *category, *message;

	if (e->kind != EV_UserLog)
		return;
	category = sink_arg_text(e->args[1]);
	message = sink_arg_text(e->args[2]);
	if (!alloc_is_log(category->bytes))
		return;
	buf_printf(&said, " %d:%s{%.*s}%d", (int)e->thread, category->bytes + sizeof("gotap.") - 1,
		   (int)sink_text_len(message), message->bytes, (int)e->args[3]);
}

static const struct sink_ops ops = {
	.gen_begin = ignore_gen_begin, .gen_end = ignore_gen_end,
	.thread = ignore_thread, .thread_done = ignore_thread, .event = keep_event,
	.cpu_sample = ignore_cpu_sample, .experiment = ignore_experiment,
};

/* Of stack 5 alone. Stack 8 is not known. */
static ssize_t type_of(void *ctx, uint64_t key, char *name, size_t room)
{
	asked++;
	return key == 8 ? -1 : key == 5 ? snprintf(name, room, "main.leaf") : 0;
}

static void begin_listening(void)
{
	struct model_opts opts = { .minor = 27, .version = 25, .gen_ns = GEN_NS, .gen_bytes = 1 << 20, .notes = true,
				   .alloc_type = type_of };

	said.len = 0;
	asked = 0;
	now = 100000;
	model = model_new((struct sink){ .ops = &ops }, &opts);
	snapshot();
}

static void end_listening(const char *want)
{
	buf_add_byte(&said, 0);
	CHECK_STR((char *)said.data, want);
	model_free(model);
	buf_free(&said);
}

static void sampled(uint32_t tid, uint64_t addr, uint64_t size, uint64_t stack)
{
	put(REC_ALLOC_SAMPLED, 0, tid, addr, size, stack, 4096);
}

static void freed(uint32_t tid, uint64_t addr) { put(REC_SAMPLE_FREED, 0, tid, addr, 64, 0, 0); }

static void collection(void)
{
	put(REC_GC_BEGIN, 0, 7, 1, 0, 0, 0);
	put(REC_GC_END, 0, 7, 1, 0x9001, 0, 0);
}

static void an_end_has_the_stack_and_type_of_its_allocation(void)
{
	begin_listening();
	sampled(7, 0xc000, 48, 5);
	sampled(7, 0xc100, 16, 6);
	collection();
	freed(7, 0xc000);
	collection();
	freed(7, 0xc100);
	freed(7, 0xc100);	/* of before the recording, as nothing is known of it any more */
	CHECK_EQ(asked, 2);	/* once a stack */
	CHECK_EQ(model_counts(model)->allocs, 2);
	CHECK_EQ(model_counts(model)->frees, 3);
	CHECK_EQ(model_counts(model)->frees_before, 1);
	CHECK_EQ(model_counts(model)->allocs_unpaired, 0);
	end_listening(" 7:alloc{size=48 rate=4096 type=main.leaf}5 7:alloc{size=16 rate=4096}6"
		      " 7:free{size=48 rate=4096 collections=1 type=main.leaf}5 7:free{size=16 rate=4096 collections=2}6"
		      " 7:free{size=64}0");
}

/* The address is that of another object by now: a pair over the loss would have a false lifetime. */
static void no_pair_reaches_over_a_loss(void)
{
	begin_listening();
	sampled(7, 0xc000, 48, 5);
	put(REC_LOST, 0, 0, 0, 0, 0, 3);
	freed(7, 0xc000);
	CHECK_EQ(model_counts(model)->allocs_unpaired, 1);
	CHECK_EQ(model_counts(model)->frees_before, 1);
	end_listening(" 7:alloc{size=48 rate=4096 type=main.leaf}5 7:free{size=64}0");
}

/* A loss is reported at its first record: the end, and the next allocation at the address, can be lost later. */
static void no_pair_begins_before_the_last_lost_record(void)
{
	begin_listening();
	put(REC_LOST, 0, 0, 0, 0, now + 5000, 3);
	sampled(7, 0xc000, 48, 5);
	now += 10000;
	freed(7, 0xc000);
	sampled(7, 0xc000, 48, 5);
	freed(7, 0xc000);
	CHECK_EQ(model_counts(model)->allocs_unpaired, 1);
	CHECK_EQ(model_counts(model)->frees_before, 1);
	end_listening(" 7:alloc{size=48 rate=4096 type=main.leaf}5 7:free{size=64}0"
		      " 7:alloc{size=48 rate=4096 type=main.leaf}5 7:free{size=48 rate=4096 type=main.leaf}5");
}

static void a_stack_that_is_not_known_is_looked_up_again(void)
{
	begin_listening();
	sampled(7, 0xc000, 48, 8);
	sampled(7, 0xc100, 48, 8);
	CHECK_EQ(asked, 2);
	end_listening(" 7:alloc{size=48 rate=4096}8 7:alloc{size=48 rate=4096}8");
}

/* The samples that the model collected in a failed attempt to resume form no pairs with later ends. */
static void no_pair_reaches_over_two_attempts_to_resume(void)
{
	begin_listening();
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	sampled(7, 0xc000, 48, 5);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	CHECK_EQ(model_counts(model)->allocs_unpaired, 1);
	end_listening("");
}

static void an_address_without_an_end_is_counted(void)
{
	begin_listening();
	sampled(7, 0xc000, 48, 5);
	collection();
	sampled(7, 0xc000, 32, 6);
	collection();
	freed(7, 0xc000);
	CHECK_EQ(model_counts(model)->allocs_unpaired, 1);
	end_listening(" 7:alloc{size=48 rate=4096 type=main.leaf}5 7:alloc{size=32 rate=4096}6"
		      " 7:free{size=32 rate=4096 collections=1}6");
}

/* Thread 99 runs nothing: its end is of the next goroutine, its allocation has no event. */
static void an_end_without_a_goroutine_waits_for_one(void)
{
	begin_listening();
	sampled(7, 0xc000, 48, 5);
	put(REC_GO_PARK, 1, 7, 1, 0x9001, 0, 0);
	freed(99, 0xc000);
	sampled(99, 0xd000, 48, 5);
	CHECK_EQ(model_counts(model)->allocs_homeless, 1);
	put(REC_GO_READY, 0, 99, 1, 0x9001, 0, 0);
	go(REC_GO_START, 7, 1);
	CHECK_EQ(model_counts(model)->allocs_homeless, 1);
	end_listening(" 7:alloc{size=48 rate=4096 type=main.leaf}5 7:free{size=48 rate=4096 type=main.leaf}5");
}

static void damaged_records_make_no_event(void)
{
	begin_listening();
	sampled(7, 0xc000, 0, 5);
	put(REC_SAMPLE_FREED, 0, 7, 0xc000, 0, 0, 0);
	CHECK_EQ(model_counts(model)->allocs, 0);
	end_listening("");
}

static void the_message_is_read_back(void)
{
	static const char *const wrong[] = { "", "size=", "size=0", "size=x", "size=5x", "rate=4 size=5", "size=5 other=1",
					     "size=5 type=", "size=-1" };
	struct alloc_log log;
	size_t i;

	CHECK(alloc_log_parse(&log, "size=5"));
	CHECK_EQ(log.size, 5);
	CHECK_EQ(log.rate | log.collections, 0);
	CHECK_STR(log.type, "");
	CHECK(alloc_log_parse(&log, "size=5 rate=7 collections=3 type=struct { A int; B []string }"));
	CHECK_EQ(log.rate, 7);
	CHECK_EQ(log.collections, 3);
	CHECK_STR(log.type, "struct { A int; B []string }");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!alloc_log_parse(&log, wrong[i]));
}

enum { SAMPLES_MOST = 1 << 20, TYPES_MOST = 1 << 16 };	/* those of sched/allocs.c */

static size_t words_in(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* The live sample that is one too many has its event, but no pair: its end counts by itself. */
static void more_live_samples_than_are_kept_have_no_pairs(void)
{
	uint64_t i;

	begin_listening();
	for (i = 0; i <= SAMPLES_MOST; i++)
		sampled(7, 0xc00000 + 16 * i, 48, 6);
	CHECK_EQ(model_counts(model)->allocs, SAMPLES_MOST + 1);
	CHECK_EQ(model_counts(model)->allocs_unpaired, 1);
	said.len = 0;
	freed(7, 0xc00000 + 16ULL * SAMPLES_MOST);
	CHECK_EQ(model_counts(model)->frees_beyond, 1);
	CHECK_EQ(model_counts(model)->frees_before, 0);
	freed(7, 0xc00000);
	/* there is room for one again */
	sampled(7, 0xd0, 48, 6);
	CHECK_EQ(model_counts(model)->allocs_unpaired, 1);
	freed(7, 0xd0);
	end_listening(" 7:free{size=64}0 7:free{size=48 rate=4096}6 7:alloc{size=48 rate=4096}6 7:free{size=48 rate=4096}6");
}

static void more_stacks_than_are_kept_have_no_types(void)
{
	uint64_t i;

	begin_listening();
	for (i = 0; i < TYPES_MOST; i++) {
		sampled(7, 0xc000, 48, 100 + i);
		freed(7, 0xc000);
	}
	CHECK_EQ(model_counts(model)->allocs_untyped, 0);
	CHECK_EQ(asked, TYPES_MOST);
	said.len = 0;
	/* stack 5, which has a type, is one too many */
	sampled(7, 0xc000, 48, 5);
	freed(7, 0xc000);
	CHECK_EQ(model_counts(model)->allocs_untyped, 1);
	CHECK_EQ(asked, TYPES_MOST);
	end_listening(" 7:alloc{size=48 rate=4096}5 7:free{size=48 rate=4096}5");
}

/* Ends on a thread without a goroutine, more than are kept: the others are counted. */
static void more_ends_than_wait_for_a_goroutine_are_counted(void)
{
	enum { MOST = 100000 };
	uint64_t i, waited;

	begin_listening();
	put(REC_GO_PARK, 1, 7, 1, 0x9001, 0, 0);
	for (i = 0; i < MOST; i++)
		freed(99, 0xc000);
	waited = MOST - model_counts(model)->allocs_homeless;
	CHECK(waited > 1000 && waited < MOST);
	put(REC_GO_READY, 0, 99, 1, 0x9001, 0, 0);
	go(REC_GO_START, 7, 1);
	buf_add_byte(&said, 0);
	CHECK_EQ(words_in((char *)said.data, "7:free{size=64}0"), waited);
	said.len = 0;
	end_listening("");
}

/* runtime/pprof, scaleHeapSample(1, size, rate) */
static void a_sample_stands_for_as_many_objects_as_in_runtime_pprof(void)
{
	CHECK_EQ((uint64_t)(alloc_weight(16, 524288) + 0.5), 32769);
	CHECK_EQ((uint64_t)(alloc_weight(524288, 524288) * 1000), 1581);
	CHECK_EQ((uint64_t)(alloc_weight(1 << 30, 524288) * 1000), 1000);
	CHECK_EQ((uint64_t)alloc_weight(16, 1), 1);
	CHECK_EQ((uint64_t)alloc_weight(16, 0), 1);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(an_end_has_the_stack_and_type_of_its_allocation),
		UNIT(no_pair_reaches_over_a_loss),
		UNIT(no_pair_begins_before_the_last_lost_record),
		UNIT(a_stack_that_is_not_known_is_looked_up_again),
		UNIT(no_pair_reaches_over_two_attempts_to_resume),
		UNIT(an_address_without_an_end_is_counted),
		UNIT(an_end_without_a_goroutine_waits_for_one),
		UNIT(damaged_records_make_no_event),
		UNIT(the_message_is_read_back),
		UNIT(more_live_samples_than_are_kept_have_no_pairs),
		UNIT(more_stacks_than_are_kept_have_no_types),
		UNIT(more_ends_than_wait_for_a_goroutine_are_counted),
		UNIT(a_sample_stands_for_as_many_objects_as_in_runtime_pprof),
		{0} });
}
