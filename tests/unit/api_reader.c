// SPDX-License-Identifier: Apache-2.0
/* api: a reader's events, texts, clocks, links and data, and the inputs that it reads from (gotap/reader.h). */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <stdbool.h>

#include "api_trace.h"
#include "gotap/reader.h"

/* Goes on to the next event of a kind. */
static struct gotap_event find(struct gotap_reader *r, unsigned int kind)
{
	struct gotap_event ev;

	do
		if (gotap_next(r, &ev, sizeof(ev)) <= 0) {
			CHECK(!"there is such an event");
			exit(1);
		}
	while (ev.kind != kind);
	return ev;
}

static struct gotap_reader *open_trace(int version, int *fd)
{
	struct gotap_reader *r;

	*fd = api_trace_new(version);
	if (!gotap_open_fd(&r, *fd, NULL, NULL))
		return r;
	CHECK(!"the trace can be read");
	exit(1);
}

static void an_event_has_its_place_time_and_arguments(void)
{
	int fd;
	struct gotap_reader *r = open_trace(25, &fd);
	struct gotap_event ev = find(r, GOTAP_SYNC);

	CHECK_EQ(ev.nargs, 2);
	CHECK_EQ(ev.args[0], 1);
	CHECK_EQ(ev.args[1], 1);
	CHECK_EQ(ev.g, GOTAP_NONE);
	ev = find(r, GOTAP_GO_STATUS);
	CHECK_EQ(ev.time, 1002000);
	CHECK_EQ(ev.m, TRACE_M);
	CHECK_EQ(ev.p, 0);
	CHECK_EQ(ev.g, GOTAP_NONE);	/* before its effect */
	CHECK_EQ(ev.nargs, 3);
	CHECK_EQ(ev.args[2], GOTAP_STATUS_GO_RUNNING);
	CHECK_EQ(ev.stack, 0);
	CHECK(ev.offset > 16);
	ev = find(r, GOTAP_STW_END);
	CHECK_EQ(ev.nargs, 1);		/* the reason of its begin */
	ev = find(r, GOTAP_USER_TASK_END);
	CHECK_EQ(ev.nargs, 3);		/* and the parent */
	CHECK_EQ(ev.args[2], 5);
	ev = find(r, GOTAP_GO_CREATE);
	CHECK_EQ(ev.g, 1);
	CHECK_EQ(ev.args[1], 1);
	CHECK_EQ(ev.stack, 2);
	ev = find(r, GOTAP_CPU_SAMPLE);
	CHECK_EQ(ev.stack, 1);
	CHECK_EQ(ev.p, 0);
	CHECK_EQ(ev.m, TRACE_M);
	gotap_close(r);
	close(fd);
}

static void stacks_and_strings_have_their_texts(void)
{
	int fd;
	struct gotap_reader *r = open_trace(25, &fd);
	struct gotap_frame frames[2] = { 0 };
	struct gotap_event ev;
	size_t len;

	CHECK(!gotap_string(r, 1, &len));	/* there is no generation yet */
	CHECK_EQ(gotap_stack(r, 1, frames, sizeof(frames[0]), 2), 0);
	ev = find(r, GOTAP_GO_BLOCK);
	CHECK_EQ(gotap_stack(r, ev.stack, frames, sizeof(frames[0]), 2), 1);
	CHECK_EQ(frames[0].line, 9);
	CHECK_EQ(frames[0].pc, 0x2000);
	CHECK(!memcmp(gotap_string(r, ev.args[0], &len), "chan receive", 12));
	CHECK_EQ(len, 12);
	ev = find(r, GOTAP_GO_SYSCALL_BEGIN);
	CHECK_EQ(gotap_stack(r, ev.stack, frames, sizeof(frames[0]), 2), 2);
	CHECK(frames[0].func.len == 6 && !memcmp(frames[0].func.s, "main.f", 6));
	CHECK(frames[1].file.len == 8 && !memcmp(frames[1].file.s, "/main.go", 8));
	frames[1].line = 0;
	CHECK_EQ(gotap_stack(r, ev.stack, frames, sizeof(frames[0]), 1), 2);
	CHECK_EQ(frames[1].line, 0);	/* only one was asked for */
	CHECK_EQ(gotap_stack(r, 99, frames, sizeof(frames[0]), 2), 0);
	CHECK(!gotap_string(r, 99, &len));
	CHECK_STR(gotap_string(r, 0, &len), "");
	CHECK_EQ(len, 0);
	gotap_close(r);
	close(fd);
}

static void the_trace_has_a_version_and_clocks(void)
{
	int fd;
	struct gotap_reader *r = open_trace(25, &fd);
	struct gotap_trace_info info;

	gotap_reader_info(r, &info, sizeof(info));
	CHECK_EQ(info.version, 25);
	CHECK_EQ(info.generation, 0);
	CHECK_EQ(info.has_clock, 0);
	find(r, GOTAP_GC_BEGIN);
	gotap_reader_info(r, &info, sizeof(info));
	CHECK_EQ(info.generation, 1);
	CHECK_EQ(info.has_clock, 1);
	CHECK_EQ(info.time, 1000001);
	CHECK_EQ(info.mono_ns, 500);
	CHECK_EQ(info.wall_sec, 1700000000);
	CHECK_EQ(info.wall_nsec, 42);
	find(r, GOTAP_PROC_START);
	gotap_reader_info(r, &info, sizeof(info));
	CHECK_EQ(info.generation, 2);
	CHECK_EQ(info.wall_nsec, 500042);
	gotap_close(r);
	close(fd);
	r = open_trace(22, &fd);
	find(r, GOTAP_GC_BEGIN);
	gotap_reader_info(r, &info, sizeof(info));
	CHECK_EQ(info.version, 22);
	CHECK_EQ(info.has_clock, 0);
	gotap_close(r);
	close(fd);
}

/* --- links --- */

/* The ends, the first follower of each status, and a chain; times are steps since the first event. */
static const struct {
	uint64_t kind, link, steps;
} linked[] = {
	{ GOTAP_STW_END, GOTAP_STW_BEGIN, 1 },
	{ GOTAP_GC_MARK_ASSIST_END, GOTAP_GC_MARK_ASSIST_BEGIN, 1 },
	{ GOTAP_GC_SWEEP_END, GOTAP_GC_SWEEP_BEGIN, 1 },
	{ GOTAP_GC_END, GOTAP_GC_BEGIN, 9 },
	{ GOTAP_USER_REGION_END, GOTAP_USER_REGION_BEGIN, 2 },
	{ GOTAP_USER_TASK_END, GOTAP_USER_TASK_BEGIN, 4 },
	{ GOTAP_USER_TASK_END, GOTAP_USER_TASK_BEGIN, 6 },
	{ GOTAP_GO_BLOCK, GOTAP_GO_STATUS, 22 },
	{ GOTAP_GO_START, GOTAP_GO_CREATE, 2 },
	{ GOTAP_GO_UNBLOCK, GOTAP_GO_BLOCK, 2 },
	{ GOTAP_GO_SYSCALL_BEGIN, GOTAP_GO_START, 2 },
	{ GOTAP_GO_SYSCALL_END, GOTAP_GO_SYSCALL_BEGIN, 1 },
	{ GOTAP_GO_STOP, GOTAP_GO_SYSCALL_END, 1 },
	{ GOTAP_GO_START, GOTAP_GO_STOP, 1 },
	{ GOTAP_GO_DESTROY, GOTAP_GO_START, 1 },
	{ GOTAP_PROC_STOP, GOTAP_PROC_STATUS, 31 },
	/* of the second generation, whose statuses say nothing new */
	{ GOTAP_PROC_START, GOTAP_PROC_STOP, 0 },
};

static void an_event_has_its_link_if_that_is_asked_for(void)
{
	struct gotap_read_options options = { .size = sizeof(options), .links = 1 };
	size_t n, i = 0, want = sizeof(linked) / sizeof(linked[0]);
	uint8_t *bytes = api_trace_bytes(26, &n);
	struct gotap_reader *r;
	struct gotap_link link;
	struct gotap_event ev;

	CHECK_EQ(gotap_open_memory(&r, bytes, n, &options, NULL), 0);
	CHECK_EQ(gotap_event_link(r, &link, sizeof(link)), 0);
	while (gotap_next(r, &ev, sizeof(ev)) > 0) {
		if (!gotap_event_link(r, &link, sizeof(link)))
			continue;
		CHECK(i < want);
		CHECK_EQ(ev.kind, linked[i % want].kind);
		CHECK_EQ(link.kind, linked[i % want].link);
		CHECK(link.time < ev.time);
		if (linked[i % want].steps)
			CHECK_EQ(ev.time - link.time, (int64_t)linked[i % want].steps * TRACE_STEP);
		i++;
	}
	CHECK_EQ(i, want);
	CHECK_EQ(gotap_event_link(r, &link, sizeof(link)), 0);
	gotap_close(r);
	free(bytes);
}

/* Nor for a program that was compiled when the options had no links, whatever lies behind them. */
static void an_event_has_no_link_if_none_is_asked_for(void)
{
	struct gotap_read_options old = { .size = offsetof(struct gotap_read_options, links), .links = 1 };
	const struct gotap_read_options *options[] = { NULL, &old };
	struct gotap_reader *r;
	struct gotap_link link;
	struct gotap_event ev;
	uint8_t *bytes;
	size_t n, i;

	bytes = api_trace_bytes(26, &n);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(gotap_open_memory(&r, bytes, n, options[i], NULL), 0);
		while (gotap_next(r, &ev, sizeof(ev)) > 0)
			CHECK_EQ(gotap_event_link(r, &link, sizeof(link)), 0);
		gotap_close(r);
	}
	free(bytes);
}

/* --- data of experiments --- */

static void check_data(struct gotap_reader *r)
{
	struct gotap_data data;

	CHECK_EQ(gotap_next_data(r, &data, sizeof(data)), 1);
	CHECK_EQ(data.experiment, GOTAP_ALLOC_FREE);
	CHECK_EQ(data.m, TRACE_M);
	CHECK_EQ(data.time, 1004000);
	CHECK(data.len == 5 && !memcmp(data.data, "first", 5));
	CHECK_EQ(gotap_next_data(r, &data, sizeof(data)), 1);
	CHECK_EQ(data.m, GOTAP_NONE);
	CHECK(data.len == 7 && !memcmp(data.data, "second", 7));
	CHECK_EQ(gotap_next_data(r, &data, sizeof(data)), 0);
	CHECK_EQ(gotap_next_data(r, &data, sizeof(data)), 0);
}

/* From a file they are read again, from a pipe and memory they are there. */
static void data_of_a_generation_is_there_from_its_sync_on(void)
{
	struct gotap_reader *r;
	struct gotap_data data;
	int fd, pipes[2];
	uint8_t *bytes;
	size_t n;

	r = open_trace(26, &fd);
	CHECK_EQ(gotap_next_data(r, &data, sizeof(data)), 0);	/* there is no generation yet */
	find(r, GOTAP_SYNC);
	check_data(r);
	CHECK_EQ(find(r, GOTAP_GO_BLOCK).g, 1);
	CHECK_EQ(gotap_next_data(r, &data, sizeof(data)), 0);
	find(r, GOTAP_SYNC);
	CHECK_EQ(gotap_next_data(r, &data, sizeof(data)), 0);	/* the second has none */
	gotap_close(r);
	close(fd);

	bytes = api_trace_bytes(23, &n);
	CHECK_EQ(gotap_open_memory(&r, bytes, n, NULL, NULL), 0);
	find(r, GOTAP_GO_CREATE);
	check_data(r);
	gotap_close(r);

	CHECK_EQ(pipe(pipes), 0);
	CHECK_EQ(write(pipes[1], bytes, n), n);
	close(pipes[1]);
	CHECK_EQ(gotap_open_fd(&r, pipes[0], NULL, NULL), 0);
	find(r, GOTAP_GO_CREATE);
	check_data(r);
	gotap_close(r);
	CHECK_EQ(close(pipes[0]), 0);	/* it is still the caller's */
	free(bytes);
}

static void data_that_is_gone_is_an_error(void)
{
	int fd;
	struct gotap_reader *r = open_trace(26, &fd);
	struct gotap_data data;

	find(r, GOTAP_SYNC);
	CHECK_EQ(ftruncate(fd, 20), 0);
	CHECK_EQ(gotap_next_data(r, &data, sizeof(data)), -ESTALE);
	CHECK_STR(gotap_reader_error(r)->text, "the file changed while it was read");
	gotap_close(r);
	close(fd);
}

/* --- inputs --- */

struct feed {
	const uint8_t *at, *end;
	int64_t fail;	/* returned in place of the end */
};

static int64_t feed(void *ctx, void *buf, size_t n)
{
	struct feed *f = ctx;
	size_t left = (size_t)(f->end - f->at), some = left < 100 ? left : 100;

	if (!left)
		return f->fail;
	some = some < n ? some : n;
	memcpy(buf, f->at, some);
	f->at += some;
	return (int64_t)some;
}

static int count_events(struct gotap_reader *r, int *end)
{
	struct gotap_event ev;
	int n = 0;

	while ((*end = gotap_next(r, &ev, sizeof(ev))) > 0)
		n++;
	CHECK_EQ(gotap_next(r, &ev, sizeof(ev)), *end);
	return n;
}

static void a_function_gives_the_bytes_and_its_errors_are_passed_on(void)
{
	size_t n;
	uint8_t *bytes = api_trace_bytes(26, &n);
	struct feed all = { bytes, bytes + n, 0 }, some = { bytes, bytes + n - 20, -ETIMEDOUT };
	struct feed none = { bytes, bytes, -ECONNRESET }, header = { bytes, bytes + 16, -ECONNRESET };
	struct gotap_reader *r;
	struct gotap_error err;
	int end;

	CHECK_EQ(gotap_open_callback(&r, feed, &all, NULL, &err), 0);
	CHECK_EQ(count_events(r, &end), TRACE_EVENTS);
	CHECK_EQ(end, 0);
	gotap_close(r);
	CHECK_EQ(gotap_open_callback(&r, feed, &some, NULL, &err), 0);
	CHECK_EQ(count_events(r, &end), 35);	/* the first generation, and the Sync behind it */
	CHECK_EQ(end, -ETIMEDOUT);
	CHECK_EQ(gotap_reader_error(r)->code, -ETIMEDOUT);
	CHECK(strstr(gotap_reader_error(r)->text, "cannot read: "));
	gotap_close(r);
	CHECK_EQ(gotap_open_callback(&r, feed, &none, NULL, &err), -ECONNRESET);
	CHECK_EQ(err.code, -ECONNRESET);
	CHECK_EQ(gotap_open_callback(&r, feed, &header, NULL, &err), 0);
	CHECK_EQ(count_events(r, &end), 1);	/* the last Sync */
	CHECK_EQ(end, -ECONNRESET);
	gotap_close(r);
	free(bytes);
}

static void what_is_no_trace_is_refused(void)
{
	struct gotap_reader *r;
	struct gotap_error err;

	CHECK_EQ(gotap_open(&r, "/nowhere", NULL, &err), -ENOENT);
	CHECK_STR(err.text, "cannot open '/nowhere': No such file or directory");
	CHECK_EQ(gotap_open(&r, "/nowhere", NULL, NULL), -ENOENT);
	CHECK_EQ(gotap_open_fd(&r, -1, NULL, &err), -EBADF);
	CHECK_EQ(gotap_open_fd(&r, 999, NULL, &err), -EBADF);
	CHECK_EQ(gotap_open_memory(&r, NULL, 0, NULL, &err), -EINVAL);
	CHECK_EQ(gotap_open_memory(&r, "nothing like it", 15, NULL, &err), -EINVAL);
	CHECK(strstr(err.text, "not a Go execution trace"));
	CHECK_EQ(gotap_open_memory(&r, "go 1.24 trace\0\0", 16, NULL, &err), -ENOTSUP);
	CHECK_EQ(gotap_open_memory(&r, "go 1.19 trace\0\0", 16, NULL, &err), -EBADMSG);
	gotap_close(NULL);
}

static void damage_has_a_place_and_a_rule(void)
{
	size_t n;
	uint8_t *bytes = api_trace_bytes(26, &n);
	struct gotap_reader *r;
	int end;

	CHECK_EQ(gotap_open_memory(&r, bytes, n - 5, NULL, NULL), 0);
	CHECK_EQ(count_events(r, &end), 35);
	CHECK_EQ(end, -EBADMSG);
	CHECK(strstr(gotap_reader_error(r)->text, "generation 2, byte "));
	gotap_close(r);
	free(bytes);
}

/* --- structs of other releases of the library --- */

static void a_struct_is_filled_as_far_as_the_caller_knows_it(void)
{
	struct {
		struct gotap_event ev;
		uint64_t later[2];
	} newer;
	int fd;
	struct gotap_reader *r = open_trace(26, &fd);
	struct gotap_event ev = { 0 };

	memset(&newer, 0xff, sizeof(newer));
	CHECK_EQ(gotap_next(r, &newer.ev, sizeof(newer)), 1);
	CHECK_EQ(newer.ev.kind, GOTAP_SYNC);
	CHECK_EQ(newer.later[0], 0);
	CHECK_EQ(newer.later[1], 0);
	ev.stack = 4711;
	CHECK_EQ(gotap_next(r, &ev, offsetof(struct gotap_event, stack)), 1);
	CHECK_EQ(ev.kind, GOTAP_PROC_STATUS);
	CHECK_EQ(ev.stack, 4711);
	gotap_close(r);
	close(fd);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(an_event_has_its_place_time_and_arguments),
		UNIT(stacks_and_strings_have_their_texts),
		UNIT(the_trace_has_a_version_and_clocks),
		UNIT(an_event_has_its_link_if_that_is_asked_for),
		UNIT(an_event_has_no_link_if_none_is_asked_for),
		UNIT(data_of_a_generation_is_there_from_its_sync_on),
		UNIT(data_that_is_gone_is_an_error),
		UNIT(a_function_gives_the_bytes_and_its_errors_are_passed_on),
		UNIT(what_is_no_trace_is_refused),
		UNIT(damage_has_a_place_and_a_rule),
		UNIT(a_struct_is_filled_as_far_as_the_caller_knows_it),
		{0},
	});
}
