// SPDX-License-Identifier: Apache-2.0
/* api: gotap/rewrite.h: a part of a trace, what is left of a damaged one, and an old one as a new one. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>

#include "api_trace.h"
#include "gotap/reader.h"
#include "gotap/rewrite.h"

static uint8_t *bytes;
static size_t len;

static int rewrite(const struct gotap_rewrite_options *options, struct gotap_rewrite_result *result,
		   struct gotap_reader **r, struct gotap_error *err)
{
	struct gotap_input in = { .size = sizeof(in), .data = bytes, .len = len };
	int fd = memfd_create("result", MFD_CLOEXEC);
	int ret = gotap_rewrite(&in, fd, options, result, sizeof(*result), err);

	*r = NULL;
	lseek(fd, 0, SEEK_SET);
	if (!ret)
		CHECK_EQ(gotap_open_fd(r, fd, NULL, err), 0);
	return ret;
}

struct facts {
	int version, events, kinds[256];
	int64_t first, last;	/* times of events but Syncs */
	uint64_t stacks;
	bool g18;		/* it is in it */
};

static struct facts facts_of(struct gotap_reader *r)
{
	struct facts f = { 0 };
	struct gotap_trace_info info;
	struct gotap_transition tr;
	struct gotap_event ev;
	int ret;

	gotap_reader_info(r, &info, sizeof(info));
	f.version = info.version;
	while ((ret = gotap_next(r, &ev, sizeof(ev))) > 0) {
		f.kinds[ev.kind]++;
		if (gotap_event_transition(r, &tr, sizeof(tr)))
			f.g18 |= tr.of == GOTAP_GOROUTINE && tr.id == 18;
		if (ev.kind == GOTAP_SYNC)
			continue;
		f.events++;
		f.first = f.first ? f.first : ev.time;
		f.last = ev.time;
		f.stacks += ev.stack != 0;
	}
	CHECK_EQ(ret, 0);
	gotap_close(r);
	return f;
}

static void all_of_a_trace_stays_as_it_is(void)
{
	struct gotap_rewrite_result result;
	struct gotap_reader *r;
	struct gotap_error err;
	struct facts f;

	bytes = api_trace_bytes(26, &len);
	CHECK_EQ(rewrite(NULL, &result, &r, &err), 0);
	f = facts_of(r);
	CHECK_EQ(f.version, 26);
	CHECK_EQ(f.kinds[GOTAP_GO_DESTROY], 1);
	CHECK_EQ(f.kinds[GOTAP_GO_BLOCK], 1);
	CHECK_EQ(f.kinds[GOTAP_USER_LOG], 1);
	CHECK_EQ(f.kinds[GOTAP_CPU_SAMPLE], 1);
	CHECK_EQ(f.kinds[GOTAP_SPAN], 1);
	CHECK_EQ(result.events, f.events - f.kinds[GOTAP_CPU_SAMPLE]);
	CHECK_EQ(result.faults, 0);
	CHECK_EQ(result.dropped, 0);
	CHECK_EQ(result.lost_bytes, 0);
	CHECK_STR(result.fault, "");
	free(bytes);
}

/* The 24th event of 1000 ns each is GoCreate, the 29th GoSyscallEnd. */
static void a_span_is_cut_out(void)
{
	struct gotap_rewrite_options options = { .size = sizeof(options), .version = 23,
						 .from = 24500, .to = 28500 };
	struct gotap_rewrite_result result;
	struct gotap_reader *r;
	struct gotap_error err;
	struct facts f;
	int64_t first;

	bytes = api_trace_bytes(26, &len);
	CHECK_EQ(gotap_open_memory(&r, bytes, len, NULL, NULL), 0);
	first = facts_of(r).first;
	CHECK_EQ(rewrite(&options, &result, &r, &err), 0);
	f = facts_of(r);
	CHECK_EQ(f.version, 23);
	CHECK(f.first >= first + 23000 && f.first <= first + 25000);
	CHECK(f.last >= first + 27000 && f.last <= first + 30000);
	CHECK_EQ(f.kinds[GOTAP_USER_LOG], 0);
	CHECK_EQ(f.kinds[GOTAP_GO_UNBLOCK], 1);
	CHECK_EQ(f.kinds[GOTAP_GO_DESTROY], 0);
	CHECK(f.stacks > 0);
	free(bytes);
}

static void goroutines_and_stacks_can_be_left_out(void)
{
	static const uint64_t one = 1, eighteen = 18, other = 77;
	struct gotap_rewrite_options options = { .size = sizeof(options), .strip_stacks = 1,
						 .goroutines = &one, .ngoroutines = 1 };
	struct gotap_rewrite_result result;
	struct gotap_reader *r;
	struct gotap_error err;
	struct facts f;

	bytes = api_trace_bytes(25, &len);
	CHECK_EQ(rewrite(&options, &result, &r, &err), 0);
	f = facts_of(r);
	CHECK_EQ(f.stacks, 0);
	CHECK(!f.g18);
	CHECK_EQ(f.kinds[GOTAP_USER_LOG], 1);
	CHECK_EQ(result.ran, 1);
	options.goroutines = &eighteen;
	options.strip_stacks = 0;
	CHECK_EQ(rewrite(&options, &result, &r, &err), 0);
	f = facts_of(r);
	CHECK(f.g18);
	CHECK(f.stacks > 0);
	CHECK_EQ(f.kinds[GOTAP_USER_LOG], 0);
	options.goroutines = &other;
	CHECK_EQ(rewrite(&options, &result, &r, &err), -ENOENT);
	CHECK_STR(err.text, "there is no goroutine 77 in this part of the trace");
	free(bytes);
}

/* The second generation breaks off: what is before it stays. */
static void what_can_be_read_of_a_damaged_trace_is_kept(void)
{
	struct gotap_rewrite_result result;
	struct gotap_reader *r;
	struct gotap_error err;
	struct facts f;

	bytes = api_trace_bytes(26, &len);
	len -= 5;
	CHECK_EQ(rewrite(NULL, &result, &r, &err), 0);
	f = facts_of(r);
	CHECK_EQ(f.kinds[GOTAP_GO_DESTROY], 1);
	CHECK_EQ(f.kinds[GOTAP_PROC_START], 0);
	CHECK_EQ(result.faults, 1);
	CHECK_EQ(result.resumed, 0);
	CHECK(result.lost_bytes > 0 && result.lost_bytes < 200);
	CHECK(strstr(result.fault, " at offset 0x"));
	len = 40;
	CHECK_EQ(rewrite(NULL, &result, &r, &err), -ENODATA);
	CHECK(strstr(err.text, "nothing of the trace is left"));
	free(bytes);
}

/* Data of experiments that header 1.22 cannot have is counted. */
static void what_a_header_cannot_have_is_counted(void)
{
	struct gotap_rewrite_options options = { .size = sizeof(options), .version = 22 };
	struct gotap_rewrite_result result;
	struct gotap_reader *r;
	struct gotap_error err;
	struct facts f;

	bytes = api_trace_bytes(26, &len);
	CHECK_EQ(rewrite(&options, &result, &r, &err), 0);
	f = facts_of(r);
	CHECK_EQ(f.version, 22);
	CHECK_EQ(f.kinds[GOTAP_SPAN], 0);
	CHECK_EQ(result.lost_data, 2);
	CHECK_EQ(result.dropped, 1);
	free(bytes);
}

/* The count of a kind that gotap_left_text() gives this name. */
static uint64_t left_of(const struct gotap_rewrite_result *result, const char *text)
{
	unsigned int kind;

	for (kind = 0; kind < GOTAP_LEFT_KINDS; kind++)
		if (!strcmp(gotap_left_text(kind), text))
			return result->by_kind[kind];
	CHECK_STR(text, "the name of a kind");
	return 0;
}

/* The sums of the kinds that were left out, and of those that were added. */
static void sum_kinds(const struct gotap_rewrite_result *result, uint64_t sums[2])
{
	unsigned int kind;

	sums[0] = sums[1] = 0;
	for (kind = 0; kind < GOTAP_LEFT_KINDS; kind++)
		sums[gotap_left_is_added(kind)] += result->by_kind[kind];
}

/* The trace has one event and two batches of data of experiments; at 7500 ns a collection goes on. */
static void what_an_old_format_cannot_hold_is_counted_by_kind(void)
{
	struct gotap_rewrite_options options = { .size = sizeof(options), .version = 19 };
	struct gotap_rewrite_result result;
	struct gotap_reader *r;
	struct gotap_error err;
	uint64_t sums[2];

	bytes = api_trace_bytes(26, &len);
	CHECK_EQ(rewrite(&options, &result, &r, &err), 0);
	gotap_close(r);
	CHECK_EQ(left_of(&result, "events of experiments"), 3);
	CHECK_EQ(left_of(&result, "ends of system calls that kept their P: the goroutine runs on"), 1);
	CHECK_EQ(result.joined, 0);
	sum_kinds(&result, sums);
	CHECK_EQ(sums[0], result.left);
	options.from = 7500;
	CHECK_EQ(rewrite(&options, &result, &r, &err), 0);
	gotap_close(r);
	CHECK_EQ(left_of(&result, "begins of collections and sweeping that went on when the trace began"), 1);
	sum_kinds(&result, sums);
	CHECK_EQ(sums[0], result.left);
	CHECK_EQ(sums[1], result.joined);
	free(bytes);
	CHECK(!gotap_left_text(GOTAP_LEFT_KINDS));
	CHECK_EQ(gotap_left_is_added(GOTAP_LEFT_KINDS), 0);
}

static void wrong_wishes_are_refused(void)
{
	struct gotap_rewrite_options options = { .size = sizeof(options) };
	struct gotap_input in = { .size = sizeof(in), .path = "/nowhere" };
	struct gotap_rewrite_result result;
	struct gotap_reader *r;
	struct gotap_error err;

	bytes = api_trace_bytes(26, &len);
	options.from = 5;
	options.to = 5;
	CHECK_EQ(rewrite(&options, &result, &r, &err), -EINVAL);
	CHECK_STR(err.text, "there is no span from 5 to 5 ns");
	options.from = -1;
	CHECK_EQ(rewrite(&options, &result, &r, &err), -EINVAL);
	options.from = options.to = 0;
	options.version = 24;
	CHECK_EQ(rewrite(&options, &result, &r, &err), -EINVAL);
	CHECK_STR(err.text, "there is no trace format go1.24");
	CHECK_EQ(gotap_rewrite(&in, 1, NULL, NULL, 0, &err), -ENOENT);
	in = (struct gotap_input){ .size = sizeof(in), .data = bytes, .len = len };
	CHECK_EQ(gotap_rewrite(&in, -1, NULL, NULL, 0, &err), -EBADF);
	in.data = "something else..";
	in.len = 16;
	CHECK_EQ(gotap_rewrite(&in, 1, NULL, NULL, 0, &err), -EINVAL);
	free(bytes);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(all_of_a_trace_stays_as_it_is),
		UNIT(a_span_is_cut_out),
		UNIT(goroutines_and_stacks_can_be_left_out),
		UNIT(what_can_be_read_of_a_damaged_trace_is_kept),
		UNIT(what_a_header_cannot_have_is_counted),
		UNIT(what_an_old_format_cannot_hold_is_counted_by_kind),
		UNIT(wrong_wishes_are_refused),
		{0},
	});
}
