// SPDX-License-Identifier: Apache-2.0
/* Outgoing requests and queries in the model: logs, steps of other goroutines, rows and bodies that end later. */
#define _GNU_SOURCE
#include "sched_story.h"

#include "http.h"
#include "http_call.h"
#include "op_kind.h"
#include "read/http.h"
#include "sql.h"
#include "trace/sink.h"

static struct buf said;

static void ignore_gen_begin(void *ctx) {}
static void ignore_thread(void *ctx, uint64_t thread) {}
static void ignore_cpu_sample(void *ctx, const struct sink_sample *s) {}
static void ignore_experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n) {}
static int ignore_gen_end(void *ctx, const struct trace_clock *clock, struct error *err) { return 0; }
static void ignore_text(void *ctx, uint64_t later, const char *bytes, size_t n) {}

static void keep_text(const char *before, uint64_t arg, const char *behind)
{
	const struct sink_text *t = sink_arg_text(arg);

	buf_printf(&said, "%s%.*s%s", before, (int)sink_text_len(t), t->bytes, behind);
}

static void keep_event(void *ctx, const struct sink_event *e)
{
	if (e->kind == EV_UserTaskBegin)
		keep_text(" task(", e->args[2], ")");
	else if (e->kind == EV_UserTaskEnd)
		buf_printf(&said, " end%s", e->args[0] > CALL_TASKS ? "" : " of a request");
	else if (e->kind == EV_UserRegionBegin)
		keep_text(" in(", e->args[1], ")");
	else if (e->kind == EV_UserRegionEnd)
		keep_text(" out(", e->args[1], ")");
	else if (e->kind == EV_UserLog)
		keep_text(" {", e->args[2], "}");
}

static const struct sink_ops ops = {
	.gen_begin = ignore_gen_begin, .gen_end = ignore_gen_end, .thread = ignore_thread, .thread_done = ignore_thread,
	.event = keep_event, .cpu_sample = ignore_cpu_sample, .text = ignore_text, .experiment = ignore_experiment,
};

static void story_begins(void)
{
	struct model_opts opts = { .minor = 27, .version = 25, .gen_ns = GEN_NS, .gen_bytes = 1 << 20 };

	said.len = 0;
	now = 100000;
	model = model_new((struct sink){ .ops = &ops }, &opts);
	snapshot();
}

static void story_is(const char *want)
{
	buf_add_byte(&said, 0);
	CHECK_STR((char *)said.data, want);
	model_free(model);
	buf_free(&said);
}

/* Each record is 10 ns after the one before. */
static void op_record(uint8_t record, uint8_t kind, unsigned int flags, uint64_t id, uint64_t stack, uint64_t arg,
		      const char *first, const char *second)
{
	struct { struct rec_user u; char text[128]; } r = {
		.u = { .r = { .time = now, .tid = 7, .kind = record, .id = id,
			      .flags = (uint16_t)(kind | flags << OP_FLAGS_SHIFT) },
		       .stack = stack, .arg = arg, .room = 128,
		       .len = { (uint16_t)strlen(first), (uint16_t)strlen(second) } },
	};
	struct error err;

	memcpy(r.u.text, first, strlen(first));
	memcpy(r.u.text + strlen(first), second, strlen(second));
	now += 10;
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
}

static void op_step_record(unsigned int step, uint64_t id)
{
	struct rec_long r = { .r = { .time = now, .tid = 7, .kind = REC_OP_STEP, .id = id,
				     .flags = (uint16_t)(OP_HTTP_CALL | step << OP_FLAGS_SHIFT) } };
	struct error err;

	now += 10;
	CHECK_EQ(model_record(model, &r.r, &err), 0);
}

static void call_begins(const char *method) { op_record(REC_OP_BEGIN, OP_HTTP_CALL, 0, 0x1000, 0, 0, method, "host"); }

static void call_ends(uint64_t status, uint64_t length)
{
	op_record(REC_OP_END, OP_HTTP_CALL, status ? 0 : HTTP_CALL_ERROR, 0x1000, status, length, "/p", "");
}

static void body_ends(uint64_t conn) { op_record(REC_OP_END, OP_HTTP_BODY, 0, conn, 0, 0, "", ""); }

static void a_call_on_a_new_connection(void)
{
	story_begins();
	call_begins("");
	op_step_record(HTTP_CALL_ASKS_CONN, 0);
	op_record(REC_OP_BEGIN, OP_HTTP_DIAL, 0, 0, 0, 0, "host:80", "");
	op_record(REC_OP_BEGIN, OP_HTTP_TLS, 0, 0, 0, 0, "", "");
	op_record(REC_OP_END, OP_HTTP_TLS, 0, 0, 0, 0, "", "");
	op_record(REC_OP_END, OP_HTTP_DIAL, 0, 0, 0, 0xc0, "", "");
	op_step_record(HTTP_CALL_HAS_CONN, 0xc0);
	op_step_record(HTTP_CALL_FIRST_BYTE, 0xc0);
	call_ends(200, 5);
	body_ends(0xc0);
	body_ends(0xc0);	/* the connection is closed */
	story_is(" task(GET host) in(GET host) in(dial host:80) in(TLS handshake) out(TLS handshake) out(dial host:80)"
		 " {ns=80 status=200 conn_wait=50 reused=0 dial=30 tls=10 first_byte=10 path=/p} out(GET host) end"
		 " {body=10}");
}

/* The response has been read when the round trip returns, or has no body: there is no body to wait for. */
static void responses_without_a_body(void)
{
	story_begins();
	call_begins("POST");
	op_step_record(HTTP_CALL_ASKS_CONN, 0);
	op_step_record(HTTP_CALL_HAS_CONN, 0xc0);
	body_ends(0xc0);
	call_ends(204, 0);
	call_begins("HEAD");
	op_step_record(HTTP_CALL_HAS_CONN, 0xc0);
	call_ends(200, 5);
	body_ends(0xc0);
	call_begins("GET");
	call_ends(0, 0);
	story_is(" task(POST host) in(POST host) {ns=40 status=204 conn_wait=10 reused=1 path=/p} out(POST host) end"
		 " task(HEAD host) in(HEAD host) {ns=20 status=200 reused=1 path=/p} out(HEAD host) end"
		 " task(GET host) in(GET host) {ns=10 error=1 path=/p} out(GET host) end");
}

/* Steps and ends of calls that began before the recording, and a connection that a later call uses. */
static void steps_of_nothing(void)
{
	story_begins();
	op_step_record(HTTP_CALL_ASKS_CONN, 0);
	op_step_record(HTTP_CALL_HAS_CONN, 0xc0);
	op_step_record(HTTP_CALL_FIRST_BYTE, 0xc0);
	call_ends(200, 5);
	body_ends(0xc0);
	call_begins("GET");
	op_step_record(HTTP_CALL_HAS_CONN, 0xc0);
	op_step_record(HTTP_CALL_HAS_CONN, 0xd0);	/* the first one broke */
	op_step_record(HTTP_CALL_FIRST_BYTE, 0xc0);
	call_ends(200, 5);
	story_is(" task(GET host) in(GET host) {ns=40 status=200 reused=1 path=/p} out(GET host) end");
}

static void query_begins(const char *text) { op_record(REC_OP_BEGIN, OP_SQL_QUERY, 0, 0, 0, 0, text, ""); }

static void a_query_and_its_rows(void)
{
	story_begins();
	op_record(REC_OP_BEGIN, OP_SQL_CONN, 0, 0, 0, 0, "", "");
	op_record(REC_OP_END, OP_SQL_CONN, 0, 0, 0, 0, "", "");
	query_begins("SELECT a FROM t WHERE b = 'x'");
	op_record(REC_OP_END, OP_SQL_QUERY, 0, 0, 0, 0x100, "", "");
	query_begins("bad 1");
	op_record(REC_OP_END, OP_SQL_QUERY, SQL_END_ERROR, 0, 0, 0, "", "");
	op_record(REC_OP_END, OP_SQL_ROWS, 0, 0x100, 0, 0, "", "");
	op_record(REC_OP_END, OP_SQL_ROWS, 0, 0x100, 0, 0, "", "");	/* Close of what is closed */
	story_is(" in(database/sql connection) {op=conn ns=10} out(database/sql connection)"
		 " in(SELECT a FROM t WHERE b = ?) {op=query ns=10 query=\"SELECT a FROM t WHERE b = ?\"}"
		 " out(SELECT a FROM t WHERE b = ?) in(bad ?) {op=query ns=10 error=1 query=\"bad ?\"} out(bad ?)"
		 " {op=rows ns=30 query=\"SELECT a FROM t WHERE b = ?\"}");
}

/* A panic of the driver is recovered at @depth. */
static void recovered_at(uint64_t depth)
{
	struct rec r = { .time = now, .tid = 7, .kind = REC_OP_RECOVERED, .id = depth };
	struct error err;

	now += 10;
	CHECK_EQ(model_record(model, &r, &err), 0);
}

static void query_at(uint64_t depth, const char *text) { op_record(REC_OP_BEGIN, OP_SQL_QUERY, 0, depth, 0, 0, text, ""); }

static void a_query_that_panics(void)
{
	story_begins();
	recovered_at(1);	/* of nothing */
	query_at(200, "a");
	recovered_at(240);	/* inside the driver */
	op_record(REC_OP_BEGIN, OP_SQL_CONN, 0, 240, 0, 0, "", "");
	recovered_at(100);
	query_at(200, "b");
	recovered_at(200);	/* in the caller of the function, where a call stores no return address */
	op_record(REC_OP_END, OP_SQL_QUERY, 0, 0, 0, 0x100, "", "");
	story_is(" in(a) in(database/sql connection) {op=conn ns=10 error=1 end=panic} out(database/sql connection)"
		 " {op=query ns=30 error=1 end=panic query=a} out(a)"
		 " in(b) {op=query ns=10 error=1 end=panic query=b} out(b)");
}

/* The handler of the request recovers nothing: net/http does, when the request has ended. */
static void a_query_that_panics_in_a_request(void)
{
	story_begins();
	op_record(REC_HTTP_BEGIN, 0, 0, 0x1000, 0, 0, "GET", "/a");
	query_at(200, "a");
	op_record(REC_HTTP_END, HTTP_END_UNWOUND, 0, 0x1000, 0, 0, "", "");
	recovered_at(100);
	story_is(" task(GET net/http) in(GET net/http) in(a) {op=query ns=10 error=1 end=panic query=a} out(a)"
		 " {end=panic path=/a} out(GET net/http) end of a request");
}

/* The end of a query inside a request is missing: the request ends it. */
static void a_query_that_is_left(void)
{
	story_begins();
	op_record(REC_HTTP_BEGIN, 0, 0, 0x1000, 0, 0, "GET", "/a");
	query_begins("SELECT ?");
	op_record(REC_HTTP_END, 0, 0, 0x1000, 0, 0, "", "");
	op_record(REC_OP_END, OP_SQL_QUERY, 0, 0, 0, 0x100, "", "");
	story_is(" task(GET net/http) in(GET net/http) in(SELECT ?) out(SELECT ?) {path=/a} out(GET net/http) end of a request");
}

static void literals_that_the_user_wants(void)
{
	story_begins();
	op_record(REC_OP_BEGIN, OP_SQL_EXEC, SQL_BEGIN_LITERALS, 0, 0, 0, "SET a = 'x'", "");
	op_record(REC_OP_END, OP_SQL_EXEC, 0, 0, 0, 0, "", "");
	story_is(" in(SET a = 'x') {op=exec ns=10 query=\"SET a = 'x'\"} out(SET a = 'x')");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_call_on_a_new_connection), UNIT(responses_without_a_body), UNIT(steps_of_nothing),
		UNIT(a_query_and_its_rows), UNIT(a_query_that_panics), UNIT(a_query_that_panics_in_a_request),
		UNIT(a_query_that_is_left), UNIT(literals_that_the_user_wants), {0} });
}
