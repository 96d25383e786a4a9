// SPDX-License-Identifier: Apache-2.0
/* Profiler labels in the model: who has which, and when the trace says so. A sink keeps the log events as text. */
#define _GNU_SOURCE
#include "sched_story.h"

#include "trace/sink.h"

enum { GO_SYSTEM_PC = 0x500000 };

static struct buf said;

static void ignore_gen_begin(void *ctx) {}
static int ignore_gen_end(void *ctx, const struct trace_clock *clock, struct error *err) { return 0; }
static void ignore_thread(void *ctx, uint64_t thread) {}
static void ignore_cpu_sample(void *ctx, const struct sink_sample *s) {}
static void ignore_experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n) {}

static void keep_event(void *ctx, const struct sink_event *e)
{
	const struct sink_text *category, *message;

	if (e->kind == EV_GoStart)
		buf_printf(&said, " start(%d)", (int)e->args[0]);
	if (e->kind == EV_GoBlock)
		buf_printf(&said, " block");
	if (e->kind != EV_UserLog)
		return;
	category = sink_arg_text(e->args[1]);
	message = sink_arg_text(e->args[2]);
	CHECK(sink_text_len(category) == 12 && !memcmp(category->bytes, "gotap.labels", 12));
	buf_printf(&said, " %d{%.*s}", (int)e->thread, (int)sink_text_len(message),
		   message->bytes ? message->bytes : "");
}

static const struct sink_ops ops = {
	.gen_begin = ignore_gen_begin, .gen_end = ignore_gen_end,
	.thread = ignore_thread, .thread_done = ignore_thread, .event = keep_event,
	.cpu_sample = ignore_cpu_sample, .experiment = ignore_experiment,
};

static bool is_system(void *ctx, uint64_t start_pc)
{
	return start_pc == GO_SYSTEM_PC;
}

static void begin_listening(void)
{
	struct model_opts opts = { .minor = 27, .version = 25, .gen_ns = GEN_NS, .gen_bytes = 1 << 20,
				   .is_system = is_system };

	said.len = 0;
	now = 100000;
	model = model_new((struct sink){ .ops = &ops }, &opts);
}

static void end_listening(const char *want)
{
	buf_add_byte(&said, 0);
	CHECK_STR((char *)said.data, want);
	model_free(model);
	buf_free(&said);
}

/* One label, or none if @value is NULL; @all: how many there are. */
static void labels_of(uint8_t kind, uint32_t tid, uint64_t goid, const char *value, uint64_t all)
{
	struct { struct rec_user u; struct rec_label label[2]; } r = {
		.u = { .r = { .time = now, .tid = tid, .kind = kind, .id = goid }, .arg = all, .room = 256, .len = { 256, 0 } },
	};
	struct error err;

	if (value) {	/* in the second place: the first one is a gap */
		r.label[1].flags = REC_LABEL;
		r.label[1].key_len = 1;
		r.label[1].key[0] = 'k';
		r.label[1].value_len = (uint8_t)strlen(value);
		memcpy(r.label[1].value, value, strlen(value));
	}
	now += 10;
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
}

static void set(uint32_t tid, uint64_t goid, const char *value)
{
	labels_of(REC_USER_LABELS, tid, goid, value, value != NULL);
}

static void a_change_is_said_at_once_and_once(void)
{
	begin_listening();
	snapshot();
	set(7, 1, "a");
	set(7, 1, "a");
	set(7, 1, NULL);
	labels_of(REC_USER_LABELS, 7, 1, "a", 3);
	end_listening(" 7{k=\"a\"} 7{} 7{k=\"a\" ...}");
}

static void a_new_goroutine_has_those_of_its_creator(void)
{
	begin_listening();
	snapshot();
	set(7, 1, "a");
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0, 0x401000);
	put(REC_GO_CREATE, 0, 7, 5, 0x9005, 0, GO_SYSTEM_PC);
	set(7, 1, "b");
	put(REC_GO_PARK, 1, 7, 1, 0x9001, 0, 0);
	go(REC_GO_START, 7, 4);
	put(REC_GO_PARK, 1, 7, 4, 0x9004, 0, 0);
	go(REC_GO_START, 7, 5);
	end_listening(" 7{k=\"a\"} 7{k=\"b\"} block start(4) 7{k=\"a\"} block start(5)");
}

static void what_the_snapshot_read_is_said_when_it_runs(void)
{
	begin_listening();
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
	labels_of(REC_SNAP_LABELS, 0, 1, "runs", 1);
	put(REC_SNAP_G, 1, 0, 3, 0x9003, 0, 0);
	labels_of(REC_SNAP_LABELS, 0, 3, "waits", 1);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	put(REC_GO_PARK, 1, 7, 1, 0x9001, 0, 0);
	go(REC_GO_START, 7, 3);
	end_listening(" 7{k=\"runs\"} block start(3) 7{k=\"waits\"}");
}

static void a_record_counts_more_than_the_snapshot(void)
{
	begin_listening();
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	set(7, 1, "new");
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
	labels_of(REC_SNAP_LABELS, 0, 1, "old", 1);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	end_listening(" 7{k=\"new\"}");
}

/* 4 was created while the states were read, too late for the list; its creator is read behind that. */
static void a_creator_that_is_read_later_passes_its_labels_on(void)
{
	begin_listening();
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	go(REC_GO_START, 7, 1);
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0, 0x401000);
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
	labels_of(REC_SNAP_LABELS, 0, 1, "a", 1);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	put(REC_GO_PARK, 1, 7, 1, 0x9001, 0, 0);
	go(REC_GO_START, 7, 4);
	end_listening(" 7{k=\"a\"} block start(4) 7{k=\"a\"}");
}

static void a_gap_changes_only_what_has_changed(void)
{
	begin_listening();
	snapshot();
	set(7, 1, "a");
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	said.len = 0;
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
	labels_of(REC_SNAP_LABELS, 0, 1, "a", 1);
	put(REC_SNAP_G, 4, 0, 2, 0x9002, 0, 0);
	labels_of(REC_SNAP_LABELS, 0, 2, "b", 1);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	CHECK(!memmem(said.data, said.len, "{k=\"a\"}", 7));
	said.len = 0;
	put(REC_GO_PARK, 1, 7, 1, 0x9001, 0, 0);
	go(REC_GO_READY, 7, 2);
	go(REC_GO_START, 7, 2);
	end_listening(" block start(2) 7{k=\"b\"}");
}

static void damaged_records_do_no_harm(void)
{
	struct { struct rec_user u; struct rec_label label[REC_LABELS_MOST]; } r = {
		.u = { .r = { .tid = 7, .kind = REC_USER_LABELS, .id = 1 }, .arg = UINT64_MAX, .room = 2048, .len = { 2048, 0 } },
	};
	struct error err;

	begin_listening();
	snapshot();
	memset(r.label, 0xff, sizeof(r.label));
	r.u.r.time = now;
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
	CHECK(said.len < 1100 && memmem(said.data, said.len, " ...}", 5));
	r.u.r.id = 77;
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
	model_free(model);
	buf_free(&said);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_change_is_said_at_once_and_once),
		UNIT(a_new_goroutine_has_those_of_its_creator),
		UNIT(what_the_snapshot_read_is_said_when_it_runs),
		UNIT(a_record_counts_more_than_the_snapshot),
		UNIT(a_creator_that_is_read_later_passes_its_labels_on),
		UNIT(a_gap_changes_only_what_has_changed),
		UNIT(damaged_records_do_no_harm),
		{0} });
}
