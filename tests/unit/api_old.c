// SPDX-License-Identifier: Apache-2.0
/* api: traces before Go 1.22: written and read raw, read in order, and rewritten. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gotap/raw.h"
#include "gotap/reader.h"
#include "gotap/rewrite.h"

static const int versions[] = { 4, 5, 7, 8, 9, 10, 11, 19, 21 };

struct file {
	struct gotap_raw_writer *w;
	int version, fd;
};

/* Adds an event by its name with as many arguments as the version has, and @ticks of 1. */
static void put(struct file *f, const char *name, ...)
{
	struct gotap_raw_event ev = { .ticks = 1, .seq = 1 };
	struct gotap_kind_spec spec;
	int kind = gotap_raw_kind_named(f->version, name, strlen(name));
	va_list args;
	uint32_t i;

	CHECK(kind > 0);
	CHECK_EQ(gotap_raw_kind_spec(f->version, (unsigned int)kind, &spec, sizeof(spec)), 0);
	ev.kind = (uint32_t)kind;
	ev.nargs = spec.nargs;
	va_start(args, name);
	for (i = 0; i < spec.nargs; i++)
		ev.args[i] = va_arg(args, unsigned int);
	va_end(args);
	CHECK_EQ(gotap_raw_write(f->w, &ev, sizeof(ev)), 0);
}

/*
 * Goroutine 1 creates goroutine 2 and blocks, goroutine 2 runs and ends. A tick is a ns. Sequence
 * numbers of goroutines came with 1.7, threads with 1.5, where a batch has a number of its own.
 */
static void put_events(struct file *f)
{
	if (f->version == 5)
		put(f, "Batch", 0, 1, 1000);
	else
		put(f, "Batch", 0, 1000);
	put(f, "ProcStart", 7);
	put(f, "GoCreate", 1, 0, 0);
	put(f, "GoStart", 1, 1);
	put(f, "GoCreate", 2, 0, 0);
	put(f, "GoBlockRecv", 0);
	put(f, "GoStart", 2, 1);
	put(f, "GoEnd");
}

static struct file file_new(int version)
{
	struct file f = { .version = version, .fd = memfd_create("old", MFD_CLOEXEC) };

	CHECK_EQ(gotap_raw_writer_new(&f.w, f.fd, version, NULL), 0);
	put_events(&f);
	return f;
}

static int file_end(struct file *f)
{
	put(f, "Frequency", 1000000000, 0);
	CHECK_EQ(gotap_raw_writer_close(f->w, NULL), 0);
	lseek(f->fd, 0, SEEK_SET);
	return f->fd;
}

static struct gotap_input input_of(int fd)
{
	return (struct gotap_input){ .size = sizeof(struct gotap_input), .fd = fd };
}

/* --- raw --- */

static void events_are_read_as_they_were_written(void)
{
	static const char *const names[] = { "Batch", "ProcStart", "GoCreate", "GoStart", "GoCreate",
					     "GoBlockRecv", "GoStart", "GoEnd", "Frequency" };
	struct gotap_raw_reader *r;
	struct gotap_raw_event ev;
	size_t v, i;

	for (v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		struct file f = file_new(versions[v]);
		struct gotap_input in = input_of(file_end(&f));

		CHECK_EQ(gotap_raw_open(&r, &in, NULL), 0);
		CHECK_EQ(gotap_raw_version(r), versions[v]);
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 1);
			CHECK_EQ(ev.kind, gotap_raw_kind_named(versions[v], names[i], strlen(names[i])));
			CHECK_EQ(ev.ticks, i > 0 && i < 8);
			CHECK_EQ(ev.seq, i > 0 && i < 8 && versions[v] == 5);
			if (i == 4)
				CHECK_EQ(ev.args[0], 2);
		}
		CHECK_EQ(ev.args[0], 1000000000);
		CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 0);
		gotap_raw_close(r);
		close(f.fd);
	}
}

/* A stack has addresses alone before Go 1.7; texts came then, those of logs with 1.11. */
static void tables_have_their_frames_and_texts(void)
{
	static const struct gotap_raw_frame frames[] = { { 11, 12, 13, 14 }, { 300, 22, 23, 24 } };
	struct gotap_raw_event stack = { .kind = 3, .nargs = 2, .args = { 5, 2 }, .frames = frames,
					 .nframes = 2 };
	struct gotap_raw_event string = { .kind = 37, .nargs = 1, .args = { 9 }, .data = "te\0xt",
					  .len = 5 };
	struct gotap_raw_event log = { .kind = 48, .nargs = 3, .ticks = 4, .args = { 1, 9, 0 },
				       .data = "said", .len = 4 };
	struct gotap_raw_event ev;
	struct gotap_raw_reader *r;
	size_t v;

	for (v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		struct file f = file_new(versions[v]);
		struct gotap_input in = input_of(f.fd);

		CHECK_EQ(gotap_raw_write(f.w, &stack, sizeof(stack)), 0);
		CHECK_EQ(gotap_raw_write(f.w, &string, sizeof(string)), versions[v] < 7 ? -EINVAL : 0);
		CHECK_EQ(gotap_raw_write(f.w, &log, sizeof(log)), versions[v] < 11 ? -EINVAL : 0);
		file_end(&f);
		CHECK_EQ(gotap_raw_open(&r, &in, NULL), 0);
		do
			CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 1);
		while (ev.kind != 3);
		CHECK_EQ(ev.nframes, 2);
		CHECK_EQ(ev.frames[0].pc, 11);
		CHECK_EQ(ev.frames[1].pc, 300);
		CHECK_EQ(ev.frames[1].line, versions[v] < 7 ? 0 : 24);
		CHECK_EQ(ev.frames[0].func, versions[v] < 7 ? 0 : 12);
		if (versions[v] >= 7) {
			CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 1);
			CHECK(ev.kind == 37 && ev.args[0] == 9 && ev.len == 5 && !memcmp(ev.data, "te\0xt", 5));
		}
		if (versions[v] >= 11) {
			CHECK_EQ(gotap_raw_next(r, &ev, sizeof(ev)), 1);
			CHECK(ev.kind == 48 && ev.ticks == 4 && ev.len == 4 && !memcmp(ev.data, "said", 4));
		}
		gotap_raw_close(r);
		close(f.fd);
	}
}

static void check_args(int version, const char *name, const char *want)
{
	static const char *const types[] = { "raw", "value", "seq", "g", "p", "m", "task", "string",
					     "stack", "gstatus", "pstatus" };
	struct gotap_kind_spec spec = { 0 };
	char text[200] = "";
	size_t n = 0;
	uint32_t i;

	gotap_raw_kind_spec(version, (unsigned int)gotap_raw_kind_named(version, name, strlen(name)),
			    &spec, sizeof(spec));
	CHECK_STR(spec.name, name);
	for (i = 0; i < spec.nargs; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s:%s%s", i ? " " : "",
				      (int)spec.args[i].name.len, spec.args[i].name.s,
				      spec.args[i].is_new ? "+" : "", types[spec.args[i].type]);
	CHECK_STR(text, want);
}

/* runtime/trace.go of these releases. */
static void kinds_are_those_of_the_release(void)
{
	struct gotap_kind_spec spec = { .name = "untouched" };

	check_args(5, "Batch", "p:p seq:seq ticks:raw");
	check_args(7, "Batch", "p:p ticks:raw");
	check_args(4, "ProcStart", "");
	check_args(5, "ProcStart", "thread:m");
	check_args(5, "GoCreate", "g:g start_pc:+raw stack:stack");
	check_args(7, "GoCreate", "g:g start_stack:+stack stack:stack");
	check_args(9, "GCScanStart", "");
	check_args(19, "GCSTWStart", "kind:raw");
	check_args(21, "STWStart", "kind:raw");
	check_args(8, "GCSweepDone", "");
	check_args(9, "GCSweepDone", "swept:value reclaimed:value");
	check_args(21, "UserRegion", "task:task mode:raw name:string stack:stack");
	check_args(19, "CPUSample", "ticks:raw p:p g:g stack:stack");
	check_args(26, "GoSwitch", "g:g g_seq:seq");
	CHECK_EQ(gotap_raw_kind_named(11, "CPUSample", 9), -EINVAL);
	CHECK_EQ(gotap_raw_kind_named(19, "CPUSample", 9), 49);
	CHECK_EQ(gotap_raw_kind_named(22, "GoSwitch", 8), -EINVAL);
	CHECK_EQ(gotap_raw_kind_named(25, "Sync", 4), GOTAP_RAW_SYNC);
	CHECK_EQ(gotap_raw_kind_named(6, "GoEnd", 5), -EINVAL);
	CHECK_EQ(gotap_raw_kind_spec(11, 49, &spec, sizeof(spec)), -EINVAL);
	CHECK_EQ(gotap_raw_kind_spec(22, GOTAP_GO_SWITCH, &spec, sizeof(spec)), -EINVAL);
	CHECK_EQ(gotap_raw_kind_spec(20, 1, &spec, sizeof(spec)), -EINVAL);
	CHECK_STR(spec.name, "untouched");
	CHECK_EQ(gotap_raw_kind_spec(19, 48, &spec, sizeof(spec)), 0);
	CHECK(spec.has_data && spec.has_time && !spec.is_written && !spec.category);
	CHECK_EQ(spec.header, 11);
}

/* --- in order --- */

static void they_are_shown_as_go_1_22_would_have_written_them(void)
{
	struct gotap_trace_info info;
	struct gotap_transition tr;
	struct gotap_reader *r;
	struct gotap_event ev;
	size_t v;

	for (v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		struct file f = file_new(versions[v]);
		int kinds[256] = { 0 }, ret;

		CHECK_EQ(gotap_open_fd(&r, file_end(&f), NULL, NULL), 0);
		gotap_reader_info(r, &info, sizeof(info));
		CHECK_EQ(info.version, versions[v]);
		while ((ret = gotap_next(r, &ev, sizeof(ev))) > 0) {
			kinds[ev.kind]++;
			CHECK_EQ(ev.offset, 0);
			if (ev.kind != GOTAP_GO_BLOCK)
				continue;
			CHECK_EQ(gotap_event_transition(r, &tr, sizeof(tr)), 1);
			CHECK_EQ(tr.id, 1);
			CHECK(tr.reason.len == 12 && !memcmp(tr.reason.s, "chan receive", 12));
		}
		CHECK_EQ(ret, 0);
		CHECK_EQ(kinds[GOTAP_GO_BLOCK], 1);
		CHECK_EQ(kinds[GOTAP_GO_DESTROY], 1);
		gotap_close(r);
		close(f.fd);
	}
}

/* --- rewritten --- */

static void they_become_new_ones(void)
{
	struct gotap_rewrite_options options = { .size = sizeof(options), .version = 25 };
	struct gotap_rewrite_result result;
	struct gotap_trace_info info;
	struct gotap_reader *r;
	struct gotap_event ev;
	size_t v;

	for (v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		struct file f = file_new(versions[v]);
		struct gotap_input in = input_of(file_end(&f));
		int fd = memfd_create("new", MFD_CLOEXEC), n = 0;

		CHECK_EQ(gotap_rewrite(&in, fd, &options, &result, sizeof(result), NULL), 0);
		CHECK_EQ(result.unnamed_pcs, versions[v] < 7);
		CHECK_EQ(result.faults, 0);
		lseek(fd, 0, SEEK_SET);
		CHECK_EQ(gotap_open_fd(&r, fd, NULL, NULL), 0);
		gotap_reader_info(r, &info, sizeof(info));
		CHECK_EQ(info.version, 25);
		while (gotap_next(r, &ev, sizeof(ev)) > 0)
			n += ev.kind != GOTAP_SYNC;
		CHECK_EQ(result.events, n);
		gotap_close(r);
		close(fd);
		close(f.fd);
	}
}

/* The same steps are in each. */
static void results_can_have_an_old_format(void)
{
	static const int wanted[] = { 8, 11, 19, 21 };
	struct gotap_rewrite_options options = { .size = sizeof(options) };
	struct gotap_rewrite_result result;
	struct gotap_trace_info info;
	struct gotap_reader *r;
	struct gotap_event ev;
	size_t v;

	for (v = 0; v < 8; v++) {
		struct file f = file_new(19);
		struct gotap_input in = input_of(file_end(&f));
		int fd = memfd_create("new", MFD_CLOEXEC), kinds[256] = { 0 };

		options.version = wanted[v % 4];
		options.to = v < 4 ? 0 : 1000000;	/* all of it; or a part, which is made as a new one */
		CHECK_EQ(gotap_rewrite(&in, fd, &options, &result, sizeof(result), NULL), 0);
		CHECK(result.events >= 6);
		CHECK(!result.faults);
		lseek(fd, 0, SEEK_SET);
		CHECK_EQ(gotap_open_fd(&r, fd, NULL, NULL), 0);
		gotap_reader_info(r, &info, sizeof(info));
		CHECK_EQ(info.version, wanted[v % 4]);
		while (gotap_next(r, &ev, sizeof(ev)) > 0)
			kinds[ev.kind]++;
		CHECK_EQ(kinds[GOTAP_GO_BLOCK], 1);
		CHECK_EQ(kinds[GOTAP_GO_DESTROY], 1);
		gotap_close(r);
		close(fd);
		close(f.fd);
	}
}

/* Without its last record the file has no frequency, and breaks off. */
static void what_is_left_of_a_damaged_one_is_kept(void)
{
	struct file f = file_new(19);
	struct gotap_rewrite_result result;
	struct gotap_input in;
	struct gotap_reader *r;
	int fd = memfd_create("new", MFD_CLOEXEC);
	off_t n;

	CHECK_EQ(gotap_raw_writer_close(f.w, NULL), 0);
	n = lseek(f.fd, 0, SEEK_END);
	CHECK_EQ(write(f.fd, "\x02", 1), 1);	/* the begin of a Frequency */
	lseek(f.fd, 0, SEEK_SET);
	CHECK_EQ(gotap_open_fd(&r, f.fd, NULL, NULL), -ENODATA);
	lseek(f.fd, 0, SEEK_SET);
	in = input_of(f.fd);
	CHECK_EQ(gotap_rewrite(&in, fd, NULL, &result, sizeof(result), NULL), 0);
	CHECK_EQ(result.faults, 1);
	CHECK_EQ(result.no_frequency, 1);
	CHECK_EQ(result.lost_bytes, 1);
	CHECK(result.fault[0] != 0);
	CHECK(n > 16);
	close(fd);
	close(f.fd);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(events_are_read_as_they_were_written),
		UNIT(tables_have_their_frames_and_texts),
		UNIT(kinds_are_those_of_the_release),
		UNIT(they_are_shown_as_go_1_22_would_have_written_them),
		UNIT(they_become_new_ones),
		UNIT(results_can_have_an_old_format),
		UNIT(what_is_left_of_a_damaged_one_is_kept),
		{0},
	});
}
