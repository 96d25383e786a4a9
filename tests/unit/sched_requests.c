// SPDX-License-Identifier: Apache-2.0
/* Requests in the model: tasks, regions and logs in order, and names that come later. A sink keeps them as text. */
#define _GNU_SOURCE
#include "sched_story.h"

#include "grpc.h"
#include "http.h"
#include "op_kind.h"
#include "read/http.h"
#include "trace/sink.h"

static struct buf said;
static uint64_t parent_of_last;		/* task */

static void ignore_gen_begin(void *ctx) {}
static void ignore_thread(void *ctx, uint64_t thread) {}
static void ignore_cpu_sample(void *ctx, const struct sink_sample *s) {}
static void ignore_experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n) {}

static int keep_gen_end(void *ctx, const struct trace_clock *clock, struct error *err)
{
	buf_printf(&said, " |");
	return 0;
}

static void keep_known(void *ctx, uint64_t later, const char *bytes, size_t n)
{
	buf_printf(&said, " %s%d='%.*s'", later > 2 * HTTP_TASKS ? "c" : "", (int)(later - HTTP_TASKS), (int)n, bytes);
}

/* A text that comes later is its number; one that is known, itself. */
static void keep_text(uint64_t arg)
{
	const struct sink_text *t = sink_arg_text(arg);

	if (t->later)
		buf_printf(&said, "?%s%d", t->later > 2 * HTTP_TASKS ? "c" : "", (int)(t->later - HTTP_TASKS));
	else
		buf_printf(&said, "%.*s", (int)sink_text_len(t), t->bytes);
}

static void keep_event(void *ctx, const struct sink_event *e)
{
	int task = e->args && e->nargs && e->args[0] > HTTP_TASKS ? (int)(e->args[0] - HTTP_TASKS) : -1;

	switch (e->kind) {
	case EV_UserTaskBegin:
		parent_of_last = e->args[1];
		buf_printf(&said, " task%d(", task);
		keep_text(e->args[2]);
		buf_printf(&said, ")");
		break;
	case EV_UserTaskEnd:
		buf_printf(&said, " end%d", task);
		break;
	case EV_UserRegionBegin:
	case EV_UserRegionEnd:
		buf_printf(&said, e->kind == EV_UserRegionBegin ? " in(" : " out(");
		keep_text(e->args[1]);
		buf_printf(&said, ")");
		break;
	case EV_UserLog:
		buf_printf(&said, " {");
		keep_text(e->args[2]);
		buf_printf(&said, "}");
		break;
	default:
		break;
	}
}

static const struct sink_ops ops = {
	.gen_begin = ignore_gen_begin, .gen_end = keep_gen_end, .thread = ignore_thread, .thread_done = ignore_thread,
	.event = keep_event, .cpu_sample = ignore_cpu_sample, .text = keep_known, .experiment = ignore_experiment,
};

/* The sinks of the formats before Go 1.22. */
static const struct sink_ops ops_without_later = {
	.gen_begin = ignore_gen_begin, .gen_end = keep_gen_end, .thread = ignore_thread, .thread_done = ignore_thread,
	.event = keep_event, .cpu_sample = ignore_cpu_sample, .experiment = ignore_experiment,
};

static void begin_with(const struct sink_ops *sink)
{
	struct model_opts opts = { .minor = 27, .version = 25, .gen_ns = GEN_NS, .gen_bytes = 1 << 20 };

	said.len = 0;
	now = 100000;
	model = model_new((struct sink){ .ops = sink }, &opts);
	snapshot();
}

static void end_with(const char *want)
{
	buf_add_byte(&said, 0);
	CHECK_STR((char *)said.data, want);
	model_free(model);
	buf_free(&said);
}

static void text_record(uint8_t kind, uint64_t id, unsigned int flags, uint64_t status, uint64_t bytes, const char *first,
			const char *second)
{
	struct { struct rec_user u; char text[128]; } r = {
		.u = { .r = { .time = now, .tid = 7, .kind = kind, .id = id, .flags = (uint16_t)flags },
		       .stack = status, .arg = bytes, .room = 128,
		       .len = { (uint16_t)strlen(first), (uint16_t)strlen(second) } },
	};
	struct error err;

	memcpy(r.u.text, first, strlen(first));
	memcpy(r.u.text + strlen(first), second, strlen(second));
	now += 10;
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
}

static void begins(uint64_t request, const char *path) { text_record(REC_HTTP_BEGIN, request, 0, 0, 0, "GET", path); }

static void ends(uint64_t request, unsigned int flags, uint64_t status, const char *pattern)
{
	text_record(REC_HTTP_END, request, flags, status, 5, pattern, "");
}

static void user_region_record(uint8_t kind, const char *name) { text_record(kind, 0, 0, 0, 0, name, ""); }

static uint64_t repairs_of(enum repair kind) { return model_counts(model)->repairs[kind]; }

static void the_name_comes_with_the_end(void)
{
	begin_with(&ops);
	begins(0x1000, "/a");
	ends(0x1000, HTTP_END_KNOWN, 0, "/{x}");
	begins(0x1000, "/b");
	ends(0x1000, HTTP_END_KNOWN, 404, "");
	begins(0x2000, "/c d");
	ends(0x2000, HTTP_END_KNOWN | HTTP_END_H2, 500, "GET /c");
	CHECK_EQ(repairs_of(REPAIR_REQUEST), 0);
	end_with(" task1(?1) in(?1) {status=200 bytes=5 path=/a} out(?1) end1 1='GET /{x}'"
		 " task2(?2) in(?2) {status=404 bytes=5 path=/b} out(?2) end2 2='GET net/http'"
		 " task3(?3) in(?3) {status=500 bytes=5 proto=h2 path=\"/c d\"} out(?3) end3 3='GET /c'");
}

static void the_end_of_a_generation_fixes_the_name(void)
{
	begin_with(&ops);
	begins(0x1000, "/a");
	now += 2 * GEN_NS;
	go(REC_GO_STOP, 7, 1);
	go(REC_GO_START, 7, 1);
	ends(0x1000, HTTP_END_KNOWN, 0, "/{x}");
	end_with(" task1(?1) in(?1) 1='GET net/http' | {status=200 bytes=5 route=\"GET /{x}\" path=/a}"
		 " out(GET net/http) end1");
}

static void a_sink_of_old_formats_has_it_at_once(void)
{
	begin_with(&ops_without_later);
	begins(0x1000, "/a");
	ends(0x1000, HTTP_END_KNOWN, 0, "/{x}");
	end_with(" task1(GET net/http) in(GET net/http) {status=200 bytes=5 route=\"GET /{x}\" path=/a}"
		 " out(GET net/http) end1");
}

static void a_handler_that_does_not_return(void)
{
	begin_with(&ops);
	begins(0x1000, "/a");
	ends(0x1000, HTTP_END_KNOWN | HTTP_END_UNWOUND, 0, "/a");
	begins(0x1000, "/a");
	ends(0x1000, HTTP_END_KNOWN | HTTP_END_HIJACKED, 101, "/a");
	end_with(" task1(?1) in(?1) {bytes=5 end=panic path=/a} out(?1) end1 1='GET /a'"
		 " task2(?2) in(?2) {end=hijacked path=/a} out(?2) end2 2='GET /a'");
}

/* Their fields were not found in the code of net/http: no answer is not the answer 200. */
static void a_status_that_is_not_known(void)
{
	begin_with(&ops);
	begins(0x1000, "/a");
	ends(0x1000, 0, 0, "/a");
	end_with(" task1(?1) in(?1) {path=/a} out(?1) end1 1='GET /a'");
}

/* The closure that ends a connection finds the last request of it, which has ended long since. */
static void an_end_of_another_request_is_none(void)
{
	begin_with(&ops);
	ends(0x1000, HTTP_END_KNOWN, 0, "");	/* it began before the recording */
	begins(0x2000, "/a");
	ends(0x1000, HTTP_END_KNOWN | HTTP_END_UNWOUND, 0, "");
	ends(0x2000, HTTP_END_KNOWN, 0, "");
	ends(0x2000, HTTP_END_KNOWN | HTTP_END_UNWOUND, 0, "");
	CHECK_EQ(repairs_of(REPAIR_REQUEST), 0);
	end_with(" task1(?1) in(?1) {status=200 bytes=5 path=/a} out(?1) end1 1='GET net/http'");
}

static void a_begin_ends_the_one_before(void)
{
	begin_with(&ops);
	begins(0x1000, "/a");
	begins(0x2000, "/b");
	CHECK_EQ(repairs_of(REPAIR_REQUEST), 1);
	ends(0, 0, 0, "");	/* an end of which the probe did not know the request */
	end_with(" task1(?1) in(?1) out(?1) end1 1='GET net/http'"
		 " task2(?2) in(?2) {path=/b} out(?2) end2 2='GET net/http'");
}

static void regions_nest(void)
{
	begin_with(&ops);
	user_region_record(REC_USER_REGION_BEGIN, "outer");
	begins(0x1000, "/a");
	user_region_record(REC_USER_REGION_BEGIN, "inner");
	ends(0x1000, HTTP_END_KNOWN, 0, "");
	CHECK_EQ(repairs_of(REPAIR_DROPPED), 0);
	user_region_record(REC_USER_REGION_END, "inner");	/* the request has ended it */
	CHECK_EQ(repairs_of(REPAIR_DROPPED), 1);
	user_region_record(REC_USER_REGION_END, "outer");
	end_with(" in(outer) task1(?1) in(?1) in(inner) out(inner) {status=200 bytes=5 path=/a} out(?1) end1"
		 " 1='GET net/http' out(outer)");
}

/* The program passes any id to the hooks of runtime/trace: those of requests are none of its own. */
static void the_program_cannot_take_the_id_of_a_request(void)
{
	begin_with(&ops);
	text_record(REC_USER_TASK_BEGIN, HTTP_TASKS + 1, 0, 0, 0, "forged", "");
	begins(0x1000, "/a");
	text_record(REC_USER_REGION_END, HTTP_TASKS + 1, 0, 0, 0, "", "");
	text_record(REC_USER_TASK_END, HTTP_TASKS + 1, 0, 0, 0, "", "");
	CHECK_EQ(repairs_of(REPAIR_DROPPED), 3);
	ends(0x1000, HTTP_END_KNOWN, 0, "");
	end_with(" task1(?1) in(?1) {status=200 bytes=5 path=/a} out(?1) end1 1='GET net/http'");
}

static void a_goroutine_that_ends_names_its_request(void)
{
	begin_with(&ops);
	begins(0x1000, "/a");
	go(REC_GO_DEAD, 7, 1);
	end_with(" task1(?1) in(?1) 1='GET net/http'");
}

/* --- calls of gRPC --- */

enum { NOT_FOUND = 5, TOKEN = 0x77 };

static void rpc(uint8_t record, uint8_t kind, uint64_t key, unsigned int flags, uint64_t code, const char *text)
{
	text_record(record, key, kind | flags << OP_FLAGS_SHIFT, 0, code, text, "");
}

static void a_served_call_has_the_first_status_and_all_flags(void)
{
	begin_with(&ops);
	rpc(REC_OP_NOTE, OP_GRPC_SERVED, 0, GRPC_STREAM, 0, "");	/* of a call that began before */
	rpc(REC_OP_BEGIN, OP_GRPC_SERVED, 0, 0, 0, "/s/M");
	rpc(REC_OP_NOTE, OP_GRPC_SERVED, 0, 0, NOT_FOUND, "no such \"a\"");
	rpc(REC_OP_NOTE, OP_GRPC_SERVED, 0, GRPC_STREAM, 0, "");
	rpc(REC_OP_END, OP_GRPC_SERVED, 0, 0, 0, "");
	rpc(REC_OP_BEGIN, OP_GRPC_SERVED, 0, 0, 0, "/s/N");	/* without a status */
	rpc(REC_OP_END, OP_GRPC_SERVED, 0, 0, 0, "");
	rpc(REC_OP_END, OP_GRPC_SERVED, 0, 0, 0, "");
	end_with(" task1(?1) in(?1) {side=server kind=stream code=5 status=NotFound error=\"no such \\\"a\\\"\"}"
		 " out(?1) end1 1='/s/M' task2(?2) in(?2) {side=server} out(?2) end2 2='/s/N'");
}

static void a_call_ends_by_its_key_once(void)
{
	begin_with(&ops);
	rpc(REC_OP_BEGIN, OP_GRPC_CALL, TOKEN, 0, 0, "/s/M");
	rpc(REC_OP_END, OP_GRPC_CALL, TOKEN + 1, 0, 0, "");
	rpc(REC_OP_END, OP_GRPC_CALL, TOKEN, 0, GRPC_CODE_UNKNOWABLE, "");
	rpc(REC_OP_END, OP_GRPC_CALL, TOKEN, 0, 0, "");
	CHECK_EQ(repairs_of(REPAIR_DROPPED), 0);
	end_with(" task1(?1) in(?1) {side=client kind=unary} out(?1) end1 1='call /s/M'");
}

static void a_stream_ends_where_its_end_is_and_has_no_region(void)
{
	begin_with(&ops);
	rpc(REC_OP_BEGIN, OP_GRPC_STREAM, TOKEN, 0, 0, "/s/M");
	rpc(REC_OP_BEGIN, OP_GRPC_STREAM, TOKEN + 1, 0, 0, "/s/N");
	rpc(REC_OP_END, OP_GRPC_STREAM, TOKEN, 0, 99, "odd");	/* a code that package codes has not */
	rpc(REC_OP_END, OP_GRPC_STREAM, TOKEN + 1, 0, 0, "");
	end_with(" task1(?1) task2(?2) {side=client kind=stream code=99 error=odd} end1 1='call /s/M'"
		 " {side=client kind=stream code=0 status=OK} end2 2='call /s/N'");
}

static void a_note_goes_with_its_goroutine(void)
{
	begin_with(&ops);
	rpc(REC_OP_BEGIN, OP_GRPC_SERVED, 0, 0, 0, "/s/M");
	rpc(REC_OP_NOTE, OP_GRPC_SERVED, 0, GRPC_UNARY, 0, "x");
	go(REC_GO_DEAD, 7, 1);
	end_with(" task1(?1) in(?1) 1='/s/M'");
}

/* --- children --- */

enum { SHARED_PC = 0x4000 };

static bool at_shared_pc(void *ctx, uint64_t pc) { return pc == SHARED_PC; }

static void begin_with_children(void)
{
	struct model_opts opts = { .minor = 27, .version = 25, .gen_ns = GEN_NS, .gen_bytes = 1 << 20,
				   .serves_many = at_shared_pc };

	said.len = 0;
	now = 100000;
	model = model_new((struct sink){ .ops = &ops }, &opts);
	snapshot();
	proc(REC_P_START, 8, 1);
}

static void creates(uint32_t tid, uint64_t goid, uint64_t pc) { put(REC_GO_CREATE, 0, tid, goid, 0x9000 + goid, 0, pc); }

static void parks(uint32_t tid, uint64_t goid, const char *why)
{
	put(REC_GO_PARK, reason_number(why), tid, goid, 0x9000 + goid, 0, 0);
}

static void a_child_has_a_region(void)
{
	begin_with_children();
	begins(0x1000, "/a");
	creates(7, 10, 0x5000);
	creates(7, 12, SHARED_PC);
	go(REC_GO_START, 8, 10);
	creates(8, 11, 0x5000);
	parks(8, 10, "sleep");
	go(REC_GO_START, 8, 11);	/* that of a child */
	go(REC_GO_DEAD, 8, 11);
	go(REC_GO_READY, 8, 10);
	go(REC_GO_START, 8, 10);
	go(REC_GO_DEAD, 8, 10);
	go(REC_GO_START, 8, 12);
	ends(0x1000, HTTP_END_KNOWN, 0, "/{x}");
	CHECK_EQ(repairs(), 0);
	end_with(" task1(?1) in(?1) in(?c1) in(?c1) out(?c1) out(?c1) {status=200 bytes=5 path=/a} out(?1) end1"
		 " 1='GET /{x}' c1='child of GET /{x}'");
}

static void the_request_ends_it(void)
{
	begin_with_children();
	begins(0x1000, "/a");
	creates(7, 10, 0x5000);
	creates(7, 11, 0x6000);
	creates(7, 12, 0x7000);
	go(REC_GO_START, 8, 11);
	parks(8, 11, "sleep");
	go(REC_GO_START, 8, 10);
	/* 10 runs, 11 waits, 12 has not run */
	ends(0x1000, HTTP_END_KNOWN, 0, "/{x}");
	parks(8, 10, "sleep");
	go(REC_GO_START, 8, 12);
	go(REC_GO_DEAD, 8, 12);
	go(REC_GO_READY, 7, 11);
	go(REC_GO_START, 8, 11);
	CHECK_EQ(repairs(), 0);
	end_with(" task1(?1) in(?1) in(?c1) in(?c1) out(?c1) {status=200 bytes=5 path=/a} out(?1) end1"
		 " 1='GET /{x}' c1='child of GET /{x}' out(?c1) c1='child of GET /{x}'");
}

static void one_that_outlives_is_a_child_until_it_stops(void)
{
	begin_with_children();
	begins(0x1000, "/a");
	creates(7, 10, 0x5000);
	go(REC_GO_START, 8, 10);
	parks(8, 10, "sleep");
	ends(0x1000, HTTP_END_KNOWN, 0, "");
	begins(0x2000, "/b");
	creates(7, 11, 0x5000);
	go(REC_GO_START, 8, 11);
	parks(8, 11, "sleep");
	go(REC_GO_READY, 7, 11);
	go(REC_GO_START, 8, 11);
	ends(0x2000, HTTP_END_KNOWN, 0, "");
	CHECK_EQ(repairs(), 0);
	end_with(" task1(?1) in(?1) in(?c1) {status=200 bytes=5 path=/a} out(?1) end1"
		 " 1='GET net/http' c1='child of GET net/http'"
		 " task2(?2) in(?2) in(?c2) out(?c2) {status=200 bytes=5 path=/b} out(?2) end2"
		 " 2='GET net/http' c2='child of GET net/http'");
}

/* Requests of goroutines 1 (thread 7) and 3 (thread 8): 10, a child of 1, is woken by 3 out of a receive. */
static void a_worker_for_two_requests_is_no_child(void)
{
	begin_with_children();
	begins(0x1000, "/a");
	creates(7, 10, 0x5000);
	go(REC_GO_START, 8, 10);
	parks(8, 10, "chan receive");
	parks(7, 1, "sleep");
	go(REC_GO_START, 7, 3);
	begins(0x2000, "/b");
	go(REC_GO_READY, 7, 10);
	go(REC_GO_START, 8, 10);
	go(REC_GO_DEAD, 8, 10);
	ends(0x2000, HTTP_END_KNOWN, 0, "");
	CHECK_EQ(repairs(), 0);
	end_with(" task1(?1) in(?1) in(?c1) task2(?2) in(?2) out(?c1) {status=200 bytes=5 path=/b} out(?2) end2"
		 " 2='GET net/http'");
}

/* Likewise, and 10 receives from 3, which waits to send. */
static void a_worker_that_takes_work_of_another_is_no_child(void)
{
	begin_with_children();
	begins(0x1000, "/a");
	creates(7, 10, 0x5000);
	parks(7, 1, "sleep");
	go(REC_GO_START, 7, 3);
	begins(0x2000, "/b");
	parks(7, 3, "chan send");
	go(REC_GO_START, 8, 10);
	go(REC_GO_READY, 8, 3);
	go(REC_GO_DEAD, 8, 10);
	go(REC_GO_START, 7, 3);
	ends(0x2000, HTTP_END_KNOWN, 0, "");
	CHECK_EQ(repairs(), 0);
	end_with(" task1(?1) in(?1) task2(?2) in(?2) in(?c1) out(?c1) {status=200 bytes=5 path=/b} out(?2) end2"
		 " 2='GET net/http'");
}

/* Goroutine 10 started in a gap, and is inside the region of a call when it is first seen to start. */
static void a_child_that_started_unseen_opens_no_region_in_that_of_a_call(void)
{
	begin_with_children();
	begins(0x1000, "/a");
	creates(7, 10, 0x5000);
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	put(REC_SNAP_G, 4, 0, 1, 0x9001, 0, 0x400000);	/* waits */
	put(REC_SNAP_G, 2, 7, 10, 0x900a, 0, 0x5000);	/* runs */
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	text_record(REC_OP_BEGIN, 100, OP_FUNCTION, 0, 0, "main.f", "");
	parks(7, 10, "sleep");
	go(REC_GO_READY, 7, 10);
	go(REC_GO_START, 7, 10);
	text_record(REC_OP_END, 100, OP_FUNCTION, 0, 0, "", "");
	buf_add_byte(&said, 0);
	CHECK(strstr((char *)said.data, " in(main.f) out(main.f)"));
	CHECK(!strstr((char *)said.data, "in(?c"));
	model_free(model);
	buf_free(&said);
}

/* Goroutine 10, a child, is in a call of a function when the request ends. */
static void a_call_is_no_parent_once_the_request_of_its_goroutine_has_ended(void)
{
	begin_with_children();
	begins(0x1000, "/a");
	creates(7, 10, 0x5000);
	parks(7, 1, "sleep");
	go(REC_GO_START, 7, 10);
	text_record(REC_OP_BEGIN, 100, OP_FUNCTION, 0, 0, "main.f", "");
	parks(7, 10, "sleep");
	go(REC_GO_READY, 8, 1);
	go(REC_GO_START, 7, 1);
	ends(0x1000, HTTP_END_KNOWN, 0, "");
	parks(7, 1, "sleep");
	go(REC_GO_READY, 8, 10);
	go(REC_GO_START, 7, 10);
	rpc(REC_OP_BEGIN, OP_GRPC_CALL, TOKEN, 0, 0, "/s/M");
	CHECK_EQ(parent_of_last, 0);
	model_free(model);
	buf_free(&said);
}

/* The end of the first call was lost: it is not the parent of the second one. */
static void a_call_with_a_lost_end_is_no_parent(void)
{
	begin_with(&ops);
	rpc(REC_OP_BEGIN, OP_GRPC_CALL, TOKEN, 0, 0, "/s/M");
	put(REC_LOST, 0, 0, 0, 0, 0, 5);
	rpc(REC_OP_BEGIN, OP_GRPC_CALL, TOKEN + 1, 0, 0, "/s/N");
	CHECK_EQ(parent_of_last, 0);
	CHECK_EQ(repairs_of(REPAIR_REQUEST), 1);
	rpc(REC_OP_END, OP_GRPC_CALL, TOKEN + 1, 0, 0, "");
	model_free(model);
	buf_free(&said);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(the_name_comes_with_the_end), UNIT(the_end_of_a_generation_fixes_the_name),
		UNIT(a_sink_of_old_formats_has_it_at_once), UNIT(a_handler_that_does_not_return),
		UNIT(a_status_that_is_not_known),
		UNIT(an_end_of_another_request_is_none), UNIT(a_begin_ends_the_one_before), UNIT(regions_nest),
		UNIT(the_program_cannot_take_the_id_of_a_request),
		UNIT(a_served_call_has_the_first_status_and_all_flags), UNIT(a_call_ends_by_its_key_once),
		UNIT(a_stream_ends_where_its_end_is_and_has_no_region), UNIT(a_note_goes_with_its_goroutine),
		UNIT(a_goroutine_that_ends_names_its_request), UNIT(a_child_has_a_region), UNIT(the_request_ends_it),
		UNIT(one_that_outlives_is_a_child_until_it_stops), UNIT(a_worker_for_two_requests_is_no_child),
		UNIT(a_worker_that_takes_work_of_another_is_no_child),
		UNIT(a_call_is_no_parent_once_the_request_of_its_goroutine_has_ended),
		UNIT(a_child_that_started_unseen_opens_no_region_in_that_of_a_call),
		UNIT(a_call_with_a_lost_end_is_no_parent), {0} });
}
