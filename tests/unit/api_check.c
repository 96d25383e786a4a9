// SPDX-License-Identifier: Apache-2.0
/*
 * api_check: the verdict of gotap/check.h, a file as text and back (gotap/raw.h), and later events
 * that an event leads to (gotap/reader.h).
 */
#define _GNU_SOURCE
#include "../v1/make.h"
#include "unit.h"

#include <errno.h>

#include "api_trace.h"
#include "gotap/check.h"
#include "gotap/raw.h"
#include "gotap/reader.h"

static struct gotap_input memory(const void *data, size_t n)
{
	return (struct gotap_input){ .size = sizeof(struct gotap_input), .data = data, .len = n };
}

/* --- check --- */

static struct gotap_check_result verdict_of(const void *data, size_t n, int lenient)
{
	struct gotap_input in = memory(data, n);
	struct gotap_check_result result;
	struct gotap_error err;

	memset(&result, 0xff, sizeof(result));
	CHECK_EQ(gotap_check(&in, lenient, &result, sizeof(result), &err), 0);
	return result;
}

static void a_trace_that_is_right(void)
{
	size_t n;
	uint8_t *data = api_trace_bytes(26, &n);
	struct gotap_check_result result = verdict_of(data, n, 0);

	CHECK_STR(result.rule, "");
	CHECK_EQ(result.verdict, GOTAP_CHECK_OK);
	CHECK_EQ(result.version, 26);
	CHECK_EQ(result.events, TRACE_EVENTS);
	CHECK_EQ(result.generations, 2);
	CHECK_EQ(result.threads, 1);
	CHECK_EQ(result.goroutines, 0);
	free(data);
}

static void a_trace_that_breaks_off(void)
{
	size_t n;
	uint8_t *data = api_trace_bytes(26, &n);
	struct gotap_check_result result = verdict_of(data, n - 1, 0);

	CHECK_EQ(result.verdict, GOTAP_CHECK_READER);
	CHECK(strstr(result.rule, "truncated"));
	free(data);
}

static void a_trace_of_before_go_1_22(void)
{
	struct make m = make_trace(11, "Batch 0 100; ProcStart 7; GoCreate 1 0 0; GoStart 1 1; GoEnd; Frequency 1000000000");
	struct gotap_check_result result = verdict_of(m.data, m.len, 0);

	CHECK_EQ(result.verdict, GOTAP_CHECK_OK);
	CHECK_EQ(result.version, 11);
	CHECK_EQ(result.events, 4);
	CHECK_EQ(result.goroutines, 1);
	CHECK_EQ(result.procs, 1);
	CHECK_EQ(result.duration, 3);
	CHECK_EQ(result.batch, -1);
	free(m.data);
	m = make_trace(11, "Batch 0 100; GoStart 1 1; Frequency 1000000000");
	result = verdict_of(m.data, m.len, 0);
	CHECK_EQ(result.verdict, GOTAP_CHECK_READER);
	CHECK(strstr(result.rule, "no consistent ordering of events possible"));
	CHECK_EQ(result.events, 0);
	CHECK_EQ(result.m, GOTAP_NONE);
	free(m.data);
}

static void what_is_no_trace(void)
{
	struct gotap_input in = { .size = sizeof(in), .path = "/nowhere" };
	struct gotap_check_result result = verdict_of("something else..", 16, 0);
	struct gotap_error err;

	CHECK_EQ(result.verdict, GOTAP_CHECK_HEADER);
	CHECK(strstr(result.rule, "not a Go execution trace"));
	CHECK_EQ(verdict_of("go 1.24 trace\0\0", 16, 0).verdict, GOTAP_CHECK_HEADER);
	CHECK_EQ(gotap_check(&in, 0, &result, sizeof(result), &err), -ENOENT);
	CHECK(strstr(err.text, "/nowhere"));
	CHECK_EQ(gotap_check(&in, 0, &result, sizeof(result), NULL), -ENOENT);
}

/* A goroutine that ends in an open region is legal to read, and one that ends in a mark assist wrong to write. */
static const char unfinished[] =
	"Trace Go1.23\n"
	"EventBatch gen=1 m=7 time=1000 size=14\n"
	"ProcStatus dt=1 p=0 pstatus=1\n"
	"GoStatus dt=1 g=1 m=7 gstatus=2\n"
	"GCMarkAssistBegin dt=1 stack=0\n"
	"GoDestroy dt=1\n"
	"EventBatch gen=1 m=18446744073709551615 time=1000 size=5\n"
	"Frequency freq=15625000\n";

static void *wire_of(const char *text, size_t *n);

static void what_is_legal_to_read_and_wrong_to_write(void)
{
	size_t n;
	void *data = wire_of(unfinished, &n);
	struct gotap_check_result result = verdict_of(data, n, 0);

	CHECK_STR(result.rule, "goroutine 1 died with active ranges");
	CHECK_EQ(result.verdict, GOTAP_CHECK_VALIDATOR);
	CHECK(strstr(result.event, "GoDestroy"));
	CHECK_EQ(result.m, 7);
	CHECK_EQ(result.warnings[GOTAP_WARN_NO_PROCS], 1);
	result = verdict_of(data, n, 1);
	CHECK_EQ(result.verdict, GOTAP_CHECK_OK);
	CHECK_EQ(result.warnings[GOTAP_WARN_NO_PROCS], 0);
	munmap(data, n);
}

static void verdicts_and_warnings_have_names(void)
{
	unsigned int i;

	CHECK_STR(gotap_check_verdict_name(GOTAP_CHECK_OK), "ok");
	CHECK_STR(gotap_check_verdict_name(GOTAP_CHECK_TRAP), "trap");
	CHECK(!gotap_check_verdict_name(GOTAP_CHECK_TRAP + 1));
	for (i = 0; i < GOTAP_WARNINGS; i++)
		CHECK(gotap_check_warning_text(i)[0]);
	CHECK(!gotap_check_warning_text(GOTAP_WARNINGS));
}

static void a_caller_that_knows_less_gets_less(void)
{
	struct gotap_check_result result = { .version = 7, .rule = "mine" };
	struct gotap_input in = memory("something else..", 16);

	CHECK_EQ(gotap_check(&in, 0, &result, offsetof(struct gotap_check_result, rule), NULL), 0);
	CHECK_EQ(result.verdict, GOTAP_CHECK_HEADER);
	CHECK_EQ(result.version, 0);
	CHECK_STR(result.rule, "mine");
}

/* --- text --- */

static void *mapped(int fd, size_t *n)
{
	*n = (size_t)lseek(fd, 0, SEEK_END);
	return mmap(NULL, *n + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
}

static void *wire_of(const char *text, size_t *n)
{
	struct gotap_input in = memory(text, strlen(text));
	struct gotap_error err = { .text = "" };
	int fd = memfd_create("wire", 0);
	void *data;

	CHECK_EQ(gotap_raw_from_text(&in, fd, &err), 0);
	CHECK_STR(err.text, "");
	data = mapped(fd, n);
	close(fd);
	return data;
}

static char *text_of(const void *data, size_t len, int ret, struct gotap_error *err)
{
	struct gotap_input in = memory(data, len);
	int fd = memfd_create("text", 0);
	char *text;
	size_t n;

	CHECK_EQ(gotap_raw_to_text(&in, fd, NULL, err), ret);
	text = mapped(fd, &n);
	close(fd);
	return text;
}

static void a_file_comes_back_from_its_text(void)
{
	struct make old = make_trace(4, "Batch 0 100; GoCreate 1 4096 0; Stack 7 4096; Frequency 1000000000");
	size_t n, back;
	uint8_t *data = api_trace_bytes(26, &n);
	void *again;
	char *text = text_of(data, n, 0, NULL);

	CHECK(!strncmp(text, "Trace Go1.26\nEventBatch gen=1 m=", 32));
	again = wire_of(text, &back);
	CHECK(back == n && !memcmp(again, data, n));
	text = text_of(old.data, old.len, 0, NULL);
	CHECK(!strncmp(text, "Trace gotrace\nBatch p=0 ticks=100\n", 34));
	again = wire_of(text, &back);
	CHECK(back == old.len && !memcmp(again, old.data, back));
	free(old.data);
}

static void what_is_wrong_has_a_place(void)
{
	struct gotap_input in = memory("Trace Go1.26\nGoStart dt=1\n", 26);
	struct gotap_error err;
	char *text = text_of("go 1.26 trace\0\0\0\x0b\x05\xff", 19, -EINVAL, &err);
	int fd = memfd_create("text", 0);

	CHECK_STR(text, "Trace Go1.26\nProcStop dt=5\n");
	CHECK(strstr(err.text, "byte 18: invalid event type: 255"));
	CHECK_EQ(gotap_raw_from_text(&in, fd, &err), -EINVAL);
	CHECK(strstr(err.text, "line 2: argument 'g' is missing"));
	in = memory("Trace Go1.26\n", 13);
	CHECK_EQ(gotap_raw_from_text(&in, -1, &err), -EBADF);
	CHECK_EQ(gotap_raw_to_text(&in, -1, NULL, &err), -EBADF);
	in = (struct gotap_input){ .size = sizeof(in), .path = "/nowhere" };
	CHECK_EQ(gotap_raw_to_text(&in, fd, NULL, &err), -ENOENT);
	CHECK_EQ(gotap_raw_from_text(&in, fd, &err), -ENOENT);
	close(fd);
}

/* --- links to later events --- */

static struct gotap_reader *forward(const void *data, size_t n)
{
	struct gotap_read_options options = { .size = sizeof(options), .links = 1, .forward = 1 };
	struct gotap_reader *r = NULL;
	struct gotap_error err = { .text = "" };

	CHECK_EQ(gotap_open_memory(&r, data, n, &options, &err), 0);
	CHECK_STR(err.text, "");
	return r;
}

/* Each link leads back to where it leads from. */
static void links_lead_both_ways(void)
{
	size_t n, nlinks = 0, nforward = 0;
	uint8_t *data = api_trace_bytes(26, &n);
	struct { int64_t from, to; uint32_t from_kind, to_kind; } links[TRACE_EVENTS];
	struct gotap_reader *r = forward(data, n);
	struct gotap_event ev;
	struct gotap_link link;
	size_t i;

	while (gotap_next(r, &ev, sizeof(ev)) > 0) {
		if (gotap_event_leads_to(r, &link, sizeof(link))) {
			links[nforward].from = ev.time;
			links[nforward].from_kind = ev.kind;
			links[nforward].to = link.time;
			links[nforward++].to_kind = link.kind;
		}
		if (!gotap_event_link(r, &link, sizeof(link)))
			continue;
		nlinks++;
		for (i = 0; i < nforward && (links[i].from != link.time || links[i].to != ev.time); i++)
			;
		CHECK(i < nforward && links[i].from_kind == link.kind && links[i].to_kind == ev.kind);
	}
	CHECK(nlinks > 5);
	CHECK_EQ(nforward, nlinks);
	CHECK_EQ(gotap_event_leads_to(r, &link, sizeof(link)), 0);
	gotap_close(r);
	free(data);
}

static void an_old_trace_has_them_too(void)
{
	struct make m = make_trace(11, "Batch 0 100; ProcStart 7; GoCreate 1 0 0; GoStart 1 1; Gomaxprocs 1 0; GoCreate 2 0 0; "
				   "GoBlock 0; GoStart 2 1; GoEnd; Frequency 1000000000");
	struct gotap_reader *r = forward(m.data, m.len);
	struct gotap_event ev;
	struct gotap_link link = {0};
	int found = 0;

	while (gotap_next(r, &ev, sizeof(ev)) > 0)
		if (ev.kind == GOTAP_GO_CREATE && gotap_event_leads_to(r, &link, sizeof(link)))
			found += link.kind == GOTAP_GO_START && link.time > ev.time;
	CHECK_EQ(found, 1);
	gotap_close(r);
	free(m.data);
}

static int64_t nothing(void *ctx, void *buf, size_t n)
{
	return 0;
}

static void they_need_a_trace_that_can_be_read_twice(void)
{
	struct gotap_read_options options = { .size = sizeof(options), .forward = 1 };
	struct gotap_error err;
	struct gotap_reader *r;
	struct gotap_link link;
	struct gotap_event ev;
	size_t n;
	uint8_t *data = api_trace_bytes(26, &n);
	int fd = memfd_create("trace", 0);

	CHECK_EQ(write(fd, data, n), n);
	CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
	CHECK_EQ(gotap_open_fd(&r, fd, &options, &err), -ESPIPE);
	CHECK(strstr(err.text, "cannot read the trace twice"));
	CHECK(gotap_open_callback(&r, nothing, NULL, &options, &err) < 0);
	CHECK_EQ(gotap_open_memory(&r, data, n, NULL, &err), 0);
	while (gotap_next(r, &ev, sizeof(ev)) > 0)
		CHECK_EQ(gotap_event_leads_to(r, &link, sizeof(link)), 0);
	gotap_close(r);
	close(fd);
	free(data);
}

/* The errors that reader.h lists of traces before Go 1.22. */
static void errors_of_old_traces(void)
{
	static const struct { const char *text; int code; } rows[] = {
		{ "Batch 0 100; GoStart 1 1; Frequency 1000000000", -EPROTO },
		{ "Batch 0 100; ProcStart 7; ProcStart 7; Frequency 1000000000", -EPROTO },
		{ "Batch 0 100; ProcStart 7; hex 3f; Frequency 1000000000", -EBADMSG },
		{ "Batch 0 100; ProcStart 7; hex 4e", -ENODATA },
		{ "Batch 0 100; ProcStart 7", -EBADMSG },
	};
	struct gotap_reader *r;
	struct gotap_error err;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct make m = make_trace(11, rows[i].text);

		CHECK_EQ(gotap_open_memory(&r, m.data, m.len, NULL, &err), rows[i].code);
		CHECK_EQ(err.code, rows[i].code);
		free(m.data);
	}
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_trace_that_is_right),
		UNIT(a_trace_that_breaks_off),
		UNIT(a_trace_of_before_go_1_22),
		UNIT(what_is_no_trace),
		UNIT(what_is_legal_to_read_and_wrong_to_write),
		UNIT(verdicts_and_warnings_have_names),
		UNIT(a_caller_that_knows_less_gets_less),
		UNIT(a_file_comes_back_from_its_text),
		UNIT(what_is_wrong_has_a_place),
		UNIT(links_lead_both_ways),
		UNIT(an_old_trace_has_them_too),
		UNIT(they_need_a_trace_that_can_be_read_twice),
		UNIT(errors_of_old_traces),
		{0},
	});
}
