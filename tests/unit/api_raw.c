// SPDX-License-Identifier: Apache-2.0
/* api: gotap/raw.h: a file as its events, and events as a file. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>

#include "api_trace.h"
#include "gotap/raw.h"
#include "gotap/reader.h"

static struct gotap_raw_reader *open_bytes(const void *bytes, size_t n)
{
	struct gotap_input in = { .size = sizeof(in), .data = bytes, .len = n };
	struct gotap_raw_reader *r;

	if (!gotap_raw_open(&r, &in, NULL))
		return r;
	CHECK(!"the bytes are a trace");
	exit(1);
}

/* Goes on to the next event of a kind. */
static struct gotap_raw_event find(struct gotap_raw_reader *r, unsigned int kind)
{
	struct gotap_raw_event ev;

	do
		if (gotap_raw_next(r, &ev, sizeof(ev)) <= 0) {
			CHECK(!"there is such an event");
			exit(1);
		}
	while (ev.kind != kind);
	return ev;
}

static void events_are_those_of_the_file_in_its_order(void)
{
	size_t n;
	uint8_t *bytes = api_trace_bytes(26, &n);
	struct gotap_raw_reader *r = open_bytes(bytes, n);
	struct gotap_raw_event ev;

	CHECK_EQ(gotap_raw_version(r), 26);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 1);
	CHECK_EQ(ev.kind, GOTAP_RAW_EVENT_BATCH);
	CHECK_EQ(ev.offset, 16);
	CHECK_EQ(ev.nargs, 4);
	CHECK_EQ(ev.args[0], 1);
	CHECK_EQ(ev.args[1], GOTAP_NONE);
	CHECK_EQ(ev.args[2], 1000001);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 1);
	CHECK_EQ(ev.kind, GOTAP_RAW_SYNC);
	CHECK_EQ(ev.nargs, 0);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 1);
	CHECK_EQ(ev.kind, GOTAP_RAW_FREQUENCY);
	CHECK_EQ(ev.args[0], 1000000000);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 1);
	CHECK_EQ(ev.kind, GOTAP_RAW_CLOCK_SNAPSHOT);
	CHECK_EQ(ev.ticks, 0);
	CHECK_EQ(ev.args[0], 500);
	CHECK_EQ(ev.args[1], 1700000000);
	ev = find(r, GOTAP_RAW_STACK);
	CHECK_EQ(ev.args[0], 1);
	CHECK_EQ(ev.args[1], 2);
	CHECK_EQ(ev.nframes, 2);
	CHECK_EQ(ev.frames[0].pc, 0x1000);
	CHECK_EQ(ev.frames[1].line, 9);
	ev = find(r, GOTAP_CPU_SAMPLE);
	CHECK_EQ(ev.nargs, 5);
	CHECK_EQ(ev.ticks, 0);
	CHECK_EQ(ev.args[1], TRACE_M);
	CHECK_EQ(ev.args[4], 1);
	CHECK_EQ(ev.nframes, 0);
	ev = find(r, GOTAP_RAW_STRING);
	CHECK_EQ(ev.args[0], 1);
	CHECK(ev.len == 20 && !memcmp(ev.data, "GC sweep termination", 20));
	ev = find(r, GOTAP_RAW_EXPERIMENTAL_BATCH);
	CHECK_EQ(ev.args[0], GOTAP_ALLOC_FREE);
	CHECK_EQ(ev.args[2], TRACE_M);
	CHECK(ev.len == 5 && !memcmp(ev.data, "first", 5));
	ev = find(r, GOTAP_GO_STATUS);
	CHECK_EQ(ev.ticks, TRACE_STEP);
	CHECK_EQ(ev.nargs, 3);
	CHECK_EQ(ev.args[2], GOTAP_STATUS_GO_RUNNING);
	CHECK_EQ(ev.len, 0);
	find(r, GOTAP_RAW_END_OF_GENERATION);
	ev = find(r, GOTAP_RAW_END_OF_GENERATION);
	CHECK_EQ(ev.offset, n - 1);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 0);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 0);
	gotap_raw_close(r);
	free(bytes);
}

/* Copies all events from @bytes to a file; the sizes are those that the writer foretold. */
static int copy(const uint8_t *bytes, size_t n)
{
	struct gotap_raw_reader *r = open_bytes(bytes, n);
	int fd = memfd_create("copy", MFD_CLOEXEC);
	struct gotap_raw_writer *w;
	struct gotap_raw_event ev;
	uint64_t sum = 16;

	CHECK_EQ(gotap_raw_writer_new(&w, fd, gotap_raw_version(r), NULL), 0);
	while (gotap_raw_next(r, &ev, sizeof(ev)) > 0) {
		CHECK_EQ(ev.offset, sum);
		sum += (uint64_t)gotap_raw_size(w, &ev, sizeof(ev));
		CHECK_EQ(gotap_raw_write(w, &ev, sizeof(ev)), 0);
	}
	gotap_raw_close(r);
	CHECK_EQ(gotap_raw_writer_close(w, NULL), 0);
	CHECK_EQ(sum, n);
	return fd;
}

static void what_is_read_can_be_written_byte_for_byte(void)
{
	static const int versions[] = { 22, 23, 25, 26 };
	uint8_t *bytes, *copied;
	size_t i, n;
	int fd;

	for (i = 0; i < 4; i++) {
		bytes = api_trace_bytes(versions[i], &n);
		copied = calloc(1, n + 1);
		fd = copy(bytes, n);
		CHECK_EQ(pread(fd, copied, n + 1, 0), n);
		CHECK(!memcmp(bytes, copied, n));
		close(fd);
		free(copied);
		free(bytes);
	}
}

static void put(struct gotap_raw_writer *w, unsigned int kind, uint64_t ticks, unsigned int nargs,
		uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct gotap_raw_event ev = { .kind = kind, .ticks = ticks, .nargs = nargs,
				      .args = { a, b, c, d } };

	CHECK_EQ(gotap_raw_write(w, &ev, sizeof(ev)), 0);
}

/* A file from nothing, which the reader of events takes: header 1.22, one thread, one P. */
static void a_file_can_be_made_event_by_event(void)
{
	struct gotap_raw_event status = { .kind = GOTAP_PROC_STATUS, .nargs = 2, .ticks = 300,
					  .args = { 3, GOTAP_STATUS_PROC_IDLE } };
	int fd = memfd_create("made", MFD_CLOEXEC);
	struct gotap_raw_writer *w;
	struct gotap_reader *r;
	struct gotap_event ev;

	CHECK_EQ(gotap_raw_writer_new(&w, fd, 22, NULL), 0);
	put(w, GOTAP_RAW_EVENT_BATCH, 0, 4, 1, GOTAP_NONE, 5000, 3);
	put(w, GOTAP_RAW_FREQUENCY, 0, 1, 1000, 0, 0, 0);
	put(w, GOTAP_RAW_EVENT_BATCH, 0, 4, 1, 70, 5000, (uint64_t)gotap_raw_size(w, &status,
										   sizeof(status)));
	CHECK_EQ(gotap_raw_write(w, &status, sizeof(status)), 0);
	CHECK_EQ(gotap_raw_writer_close(w, NULL), 0);
	lseek(fd, 0, SEEK_SET);
	CHECK_EQ(gotap_open_fd(&r, fd, NULL, NULL), 0);
	CHECK_EQ(gotap_next(r, &ev, sizeof(ev)), 1);
	CHECK_EQ(gotap_next(r, &ev, sizeof(ev)), 1);
	CHECK_EQ(ev.kind, GOTAP_PROC_STATUS);
	CHECK_EQ(ev.time, 5300LL * 1000000);	/* a tick is a millisecond */
	CHECK_EQ(ev.m, 70);
	gotap_close(r);
	close(fd);
}

/* --- errors --- */

static void what_the_header_does_not_have_is_not_written(void)
{
	static const struct gotap_raw_frame frame = { 1, 1, 1, 1 };
	static const struct {
		struct gotap_raw_event ev;
		const char *why;
	} bad[] = {
		{ { .kind = GOTAP_GO_SWITCH, .nargs = 2 }, "header go 1.22 has no event 45" },
		{ { .kind = 0 }, "header go 1.22 has no event 0" },
		{ { .kind = 300 }, "header go 1.22 has no event 300" },
		{ { .kind = GOTAP_GO_START, .nargs = 3 }, "GoStart has 2 arguments, not 3" },
		{ { .kind = GOTAP_RAW_STACK, .nargs = 2, .args = { 1, 2 }, .nframes = 1, .frames = &frame },
		  "Stack has 2 frames, not 1" },
		{ { .kind = GOTAP_GO_START, .nargs = 2, .nframes = 1, .frames = &frame },
		  "GoStart has 0 frames, not 1" },
		{ { .kind = GOTAP_GO_START, .nargs = 2, .len = 1, .data = "x" }, "GoStart has no data" },
	};
	int fd = open("/dev/null", O_WRONLY);
	struct gotap_raw_writer *w;
	size_t i;

	CHECK_EQ(gotap_raw_writer_new(&w, fd, 22, NULL), 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_EQ(gotap_raw_write(w, &bad[i].ev, sizeof(bad[i].ev)), -EINVAL);
		CHECK_STR(gotap_raw_writer_error(w)->text, bad[i].why);
		CHECK_EQ(gotap_raw_size(w, &bad[i].ev, sizeof(bad[i].ev)), -EINVAL);
	}
	gotap_raw_writer_free(w);
	gotap_raw_writer_free(NULL);
	close(fd);
}

static void a_disk_that_is_full_is_an_error_at_the_latest_at_the_end(void)
{
	struct gotap_raw_event ev = { .kind = GOTAP_GO_START, .nargs = 2 };
	int fd = open("/dev/full", O_WRONLY), i, failed = 0;
	struct gotap_raw_writer *w;
	struct gotap_error err;

	CHECK_EQ(gotap_raw_writer_new(&w, fd, 24, &err), -EINVAL);
	CHECK_STR(err.text, "there is no trace format go1.24");
	CHECK_EQ(gotap_raw_writer_new(&w, -1, 22, &err), -EBADF);
	CHECK_EQ(gotap_raw_writer_new(&w, fd, 22, &err), 0);
	for (i = 0; i < 100000 && !failed; i++)
		failed = gotap_raw_write(w, &ev, sizeof(ev));
	CHECK_EQ(failed, -ENOSPC);
	CHECK_STR(gotap_raw_writer_error(w)->text, "cannot write the trace: No space left on device");
	CHECK_EQ(gotap_raw_writer_close(w, &err), -ENOSPC);
	CHECK_EQ(err.code, -ENOSPC);
	CHECK_EQ(gotap_raw_writer_new(&w, fd, 22, &err), 0);
	CHECK_EQ(gotap_raw_writer_close(w, &err), -ENOSPC);	/* the header alone */
	close(fd);
}

static int64_t unplugged(void *ctx, void *buf, size_t n)
{
	memcpy(buf, "go 1.25 trace\0\0", 16);
	return (*(int *)ctx)++ ? -ENODEV : 16;
}

static void bytes_that_are_no_events_are_refused(void)
{
	struct gotap_input in = { .size = sizeof(in), .data = "go 1.26 trace\0\0\0\x09\x01", .len = 18 };
	struct gotap_raw_reader *r;
	struct gotap_raw_event ev;
	struct gotap_error err;
	int calls = 0;

	CHECK_EQ(gotap_raw_open(&r, &in, &err), 0);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), -EINVAL);
	CHECK_STR(gotap_raw_error(r)->text, "ProcsChange that starts at byte 16: file ends inside it");
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), -EINVAL);
	gotap_raw_close(r);
	in.data = "go 1.26 trace\0\0\0\x03\x01\xff\xff\xff\xff\xff\x01";
	in.len = 24;
	CHECK_EQ(gotap_raw_open(&r, &in, &err), 0);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), -EBADMSG);
	CHECK_STR(gotap_raw_error(r)->text, "byte 16: Stack is too large to be real");
	gotap_raw_close(r);
	in.data = "go 1.19 trace\0\0\0\x3f";
	in.len = 17;
	CHECK_EQ(gotap_raw_open(&r, &in, &err), 0);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), -EBADMSG);
	CHECK_STR(gotap_raw_error(r)->text, "unknown event type 63 at offset 0x10");
	gotap_raw_close(r);
	in.data = "go 1.24 trace\0\0";
	in.len = 16;
	CHECK_EQ(gotap_raw_open(&r, &in, &err), -ENOTSUP);
	in.data = "something else..";
	CHECK_EQ(gotap_raw_open(&r, &in, &err), -EINVAL);
	in.path = "/nowhere";
	CHECK_EQ(gotap_raw_open(&r, &in, &err), -ENOENT);
	in = (struct gotap_input){ .size = sizeof(in), .read = unplugged, .ctx = &calls };
	CHECK_EQ(gotap_raw_open(&r, &in, &err), 0);
	CHECK_EQ(gotap_raw_version(r), 25);
	CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), -ENODEV);
	CHECK_EQ(gotap_raw_error(r)->code, -ENODEV);
	gotap_raw_close(r);
	gotap_raw_close(NULL);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(events_are_those_of_the_file_in_its_order),
		UNIT(what_is_read_can_be_written_byte_for_byte),
		UNIT(a_file_can_be_made_event_by_event),
		UNIT(what_the_header_does_not_have_is_not_written),
		UNIT(a_disk_that_is_full_is_an_error_at_the_latest_at_the_end),
		UNIT(bytes_that_are_no_events_are_refused),
		{0},
	});
}
