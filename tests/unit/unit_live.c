// SPDX-License-Identifier: Apache-2.0
/* live: the units of a trace that comes in generations, by interval; and what it leaves out is counted. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "trace_text.h"
#include "unit/live.h"

/* Stacks: 1 main.serve; 2 time.Sleep in main.handle; 3 main.handle. */
#define BEGIN \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"/src/x.go\"\nString id=2\n\tdata=\"main.serve\"\n" \
	"String id=3\n\tdata=\"main.handle\"\nString id=5\n\tdata=\"time.Sleep\"\n" \
	"String id=20\n\tdata=\"sleep\"\nString id=21\n\tdata=\"chan receive\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=1\n\tpc=1 func=2 file=1 line=10\n" \
	"Stack id=2 nframes=2\n\tpc=2 func=5 file=1 line=1\n\tpc=3 func=3 file=1 line=44\n" \
	"Stack id=3 nframes=1\n\tpc=5 func=3 file=1 line=28\n" \
	"batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n"

enum { HEADER = 16, LIFE = 1120 };

/* @n goroutines of main.handle, one after the other, each for LIFE ns. */
static struct buf trace_of(int n)
{
	struct buf story = {0}, bytes = {0};
	int i;

	buf_printf(&story, BEGIN);
	for (i = 0; i < n; i++) {
		buf_printf(&story, "GoCreate dt=10 new_g=%d new_stack=3 stack=1\n", 10 + i);
		buf_printf(&story, "GoBlock dt=10 reason_string=21 stack=1\n");
		buf_printf(&story, "GoStart dt=10 g=%d g_seq=1\n", 10 + i);
		buf_printf(&story, "GoBlock dt=100 reason_string=20 stack=2\n");
		buf_printf(&story, "GoUnblock dt=900 g=%d g_seq=2 stack=0\n", 10 + i);
		buf_printf(&story, "GoStart dt=10 g=%d g_seq=3\n", 10 + i);
		buf_printf(&story, "GoUnblock dt=80 g=1 g_seq=%d stack=3\n", 2 * i + 1);
		buf_printf(&story, "GoDestroy dt=10\n");
		buf_printf(&story, "GoStart dt=10 g=1 g_seq=%d\n", 2 * i + 2);
	}
	buf_add_byte(&story, 0);
	trace_reader_close(trace_of_text((char *)story.data, &bytes));
	buf_free(&story);
	return bytes;
}

static void add(struct unit_live *l, uint64_t number, const void *data, size_t n)
{
	unit_live_add(l, &(struct tracefile_generation){ .parts = { { data, n / 2 },
						{ (const char *)data + n / 2, n - n / 2 } },
						.number = number, .to = number * 1000 });
}

static struct unit_live_sample sample_of(int64_t interval, const void *junk, size_t n, uint64_t *skipped)
{
	struct unit_live *l = unit_live_new(interval);
	struct unit_live_sample s;
	struct buf bytes = trace_of(12);
	struct error err;

	CHECK(!unit_live_start(l, &err));
	unit_live_sample(l, &s);
	CHECK(!s.known && !s.n);
	add(l, 0, bytes.data, HEADER);
	if (n) {
		add(l, 1, junk, n);
		/* what is added while the junk is read is skipped with it */
		do
			unit_live_sample(l, &s);
		while (!s.skipped);
	}
	add(l, 2, bytes.data + HEADER, bytes.len - HEADER);
	unit_live_end(l);
	unit_live_sample(l, &s);
	*skipped = s.skipped;
	unit_live_free(l);
	buf_free(&bytes);
	return s;
}

static void an_end_without_a_whole_interval_has_all(void)
{
	uint64_t skipped;
	struct unit_live_sample s = sample_of(1000000000, NULL, 0, &skipped);

	CHECK(s.known);
	CHECK_EQ(skipped, 0);
	CHECK(s.n >= 1);
	CHECK_STR(s.rows[0].name, "goroutines of main.handle");
	CHECK_STR(s.rows[0].kind, "goroutine");
	CHECK_EQ(s.rows[0].n, 12);
	CHECK_EQ(s.rows[0].max, LIFE);
	CHECK(s.rows[0].p99 > LIFE * 98 / 100 && s.rows[0].p99 <= LIFE * 102 / 100);
}

/* Five lives, and 1130 more of the next: goroutines end at 1120, 2260, ... ns after the first event. */
static void an_interval_has_those_that_end_in_it(void)
{
	uint64_t skipped;
	struct unit_live_sample s = sample_of(6000, NULL, 0, &skipped);

	CHECK(s.known);
	CHECK_EQ(s.to - s.from, 6000);
	CHECK_STR(s.rows[0].name, "goroutines of main.handle");
	CHECK(s.rows[0].n == 5 || s.rows[0].n == 6);
}

static void a_generation_that_cannot_be_read_is_skipped_and_the_next_one_is_read(void)
{
	uint64_t skipped;
	uint8_t junk[500];
	struct unit_live_sample s;

	memset(junk, 0xee, sizeof(junk));
	s = sample_of(1000000000, junk, sizeof(junk), &skipped);
	CHECK_EQ(skipped, 1);
	CHECK(s.known);
	CHECK_EQ(s.rows[0].n, 12);
}

static void a_queue_that_is_too_long_is_skipped(void)
{
	struct unit_live *l = unit_live_new(1000);
	struct unit_live_sample s;
	size_t n = LIVE_QUEUE / 2 + 1;
	void *data = xcalloc(1, n);

	/* no thread takes them */
	add(l, 1, data, n);
	unit_live_sample(l, &s);
	CHECK_EQ(s.skipped, 0);
	add(l, 2, data, n);
	unit_live_sample(l, &s);
	CHECK_EQ(s.skipped, 1);
	add(l, 3, data, n);
	unit_live_sample(l, &s);
	CHECK_EQ(s.skipped, 2);
	unit_live_free(l);
	free(data);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(an_end_without_a_whole_interval_has_all), UNIT(an_interval_has_those_that_end_in_it),
		UNIT(a_generation_that_cannot_be_read_is_skipped_and_the_next_one_is_read),
		UNIT(a_queue_that_is_too_long_is_skipped), {0} });
}
