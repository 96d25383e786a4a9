// SPDX-License-Identifier: Apache-2.0
/* pprof: the samples of small traces, as folded stacks; the limits on samples, labels and comments of a profile. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>
#include <zlib.h>

#include "pprof/pprof.h"
#include "trace_text.h"

/* Stacks 1 and 2: main.f1 and main.f2 below main.main; 3: a creator; 4: the root of a goroutine. */
#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"main.f1\"\nString id=2\n\tdata=\"main.f2\"\nString id=3\n\tdata=\"main.make\"\n" \
	"String id=4\n\tdata=\"x.go\"\nString id=5\n\tdata=\"chan receive\"\nString id=6\n\tdata=\"network\"\n" \
	"String id=7\n\tdata=\"main.main\"\nString id=8\n\tdata=\"gotap: not recorded\"\n" \
	"String id=9\n\tdata=\"sleep\"\nString id=10\n\tdata=\"gotap\"\nString id=11\n\tdata=\"lost 5 records\"\n" \
	"String id=12\n\tdata=\"main.worker\"\nString id=13\n\tdata=\"forever\"\n" \
	"String id=14\n\tdata=\"gotap.labels\"\nString id=15\n\tdata=\"path=\\\"/a\\\"\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=2\n\tpc=16 func=1 file=4 line=11\n\tpc=32 func=7 file=4 line=70\n" \
	"Stack id=2 nframes=2\n\tpc=48 func=2 file=4 line=22\n\tpc=32 func=7 file=4 line=70\n" \
	"Stack id=3 nframes=1\n\tpc=64 func=3 file=4 line=33\n" \
	"Stack id=4 nframes=1\n\tpc=80 func=12 file=4 line=44\n"

#define P0 "batch m=1\nProcStatus dt=1 p=0 pstatus=1\n"
#define G1_RUNS P0 "GoStatus dt=1 g=1 m=1 gstatus=2\n"

static struct pprof *pprof_of(const struct pprof_options *o, const char *text)
{
	struct pprof *p = pprof_new(o);
	struct trace_reader *r;
	struct buf bytes;
	struct error err = {0};

	r = trace_of_text(text, &bytes);
	if (pprof_read(p, r, "x.trace", &err))
		printf("# %s\n", err.text);
	CHECK_EQ(err.code, 0);
	trace_reader_close(r);
	buf_free(&bytes);
	pprof_finish(p);
	return p;
}

static void check_folded(struct pprof *p, const char *expected)
{
	struct raw_sink sink;

	sink_open(&sink, -1, NULL);
	profile_write_folded(pprof_profile(p), &sink);
	buf_add_byte(&sink.buf, 0);
	CHECK_STR((char *)sink.buf.data, expected);
	buf_free(&sink.buf);
}

static void check(const char *type, const char *text, const char *expected)
{
	struct pprof_options o = { .type = pprof_type_named(type), .to = INT64_MAX, .at = PPROF_END };
	struct pprof *p = pprof_of(&o, text);

	check_folded(p, expected);
	pprof_free(p);
}

/* Goroutine 1 makes 2, waits for it 100 ns, then for the network. */
static const char simple[] =
	TABLES G1_RUNS
	"GoCreate dt=10 new_g=2 new_stack=4 stack=3\n"
	"GoBlock dt=10 reason_string=5 stack=1\n"
	"GoStart dt=50 g=2 g_seq=1\n"
	"GoUnblock dt=50 g=1 g_seq=1 stack=4\n"
	"GoDestroy dt=7\n"
	"GoStart dt=3 g=1 g_seq=2\n"
	"GoBlock dt=20 reason_string=6 stack=2\n"
	"GoUnblock dt=30 g=1 g_seq=3 stack=0\n"
	"GoStart dt=5 g=1 g_seq=4\n"
	"GoBlock dt=40 reason_string=9 stack=2\n"
	"ProcStop dt=2\n";

static void as_go_has_them(void)
{
	check("sync", simple, "main.main;main.f1 100\n");
	check("net", simple, "main.main;main.f2 30\n");
	/* That of goroutine 2 came before it ran first. */
	check("sched", simple, "main.worker 10\n(no stack) 5\n");
	check("syscall", simple, "");
}

static void true_spans(void)
{
	check("block", simple,
	      "main.main;main.f1;[chan receive] 100\nmain.main;main.f2;[network] 30\n"
	      "main.main;main.f2;[sleep] 3\n");
	check("waker", simple,
	      "main.worker;[chan receive] 100\n(network poller);[network] 30\n"
	      "(waits when the trace ends);[sleep] 3\n");
	check("wall", simple,
	      "(no stack);[running] 22\nmain.worker;[runnable] 60\n"
	      "main.main;main.f1;[waiting];[chan receive] 100\nmain.worker;[running] 57\n"
	      "main.main;main.f1;[runnable] 10\nmain.main;main.f1;[running] 20\n"
	      "main.main;main.f2;[waiting];[network] 30\nmain.main;main.f2;[runnable] 5\n"
	      "main.main;main.f2;[running] 40\nmain.main;main.f2;[waiting];[sleep] 3\n");
}

static void goroutines_at(void)
{
	struct pprof_options o = { .type = pprof_type_named("goroutine"), .to = INT64_MAX, .at = PPROF_END };
	struct pprof *p = pprof_of(&o, simple);
	struct trace_reader *r;
	struct buf bytes;
	struct error err;

	check_folded(p, "main.main;main.f2;[waiting];[sleep] 1\n");
	pprof_free(p);
	o.at = 80;
	p = pprof_of(&o, simple);
	check_folded(p, "main.main;main.f1;[waiting];[chan receive] 1\nmain.worker;[running] 1\n");
	pprof_free(p);
	o.at = 1000000;
	p = pprof_new(&o);
	r = trace_of_text(simple, &bytes);
	CHECK(pprof_read(p, r, "x.trace", &err) < 0);
	CHECK(strstr(err.text, "the trace ends") != NULL);
	trace_reader_close(r);
	buf_free(&bytes);
	pprof_free(p);
}

static void filters(void)
{
	struct pprof_options o = { .type = pprof_type_named("block"), .from = 30, .to = 140, .at = PPROF_END };
	struct pprof *p = pprof_of(&o, simple);
	regex_t func;

	/* 22 to 122, and 152 on. */
	check_folded(p, "main.main;main.f1;[chan receive] 92\n");
	CHECK_EQ(pprof_profile(p)->duration_ns, 110);
	pprof_free(p);
	regcomp(&func, "worker$", REG_EXTENDED | REG_NOSUB);
	o = (struct pprof_options){ .type = pprof_type_named("wall"), .to = INT64_MAX, .at = PPROF_END, .func = &func };
	p = pprof_of(&o, simple);
	check_folded(p, "main.worker;[runnable] 60\nmain.worker;[running] 57\n");
	pprof_free(p);
	regfree(&func);
	o.func = NULL;
	map64_put(&o.goroutines, 2, NULL);
	p = pprof_of(&o, simple);
	check_folded(p, "main.worker;[runnable] 60\nmain.worker;[running] 57\n");
	pprof_free(p);
	map64_free(&o.goroutines);
}

/*
 * An id that C code uses again: go tool trace counts the system calls of the last goroutine of that id from when
 * it runs, or all if it does not.
 */
static void ids_again(void)
{
	static const char once[] =
		TABLES "batch m=1\nGoCreateSyscall dt=5 new_g=9\nGoDestroySyscall dt=20\n";
	static const char again[] =
		TABLES "batch m=1\nGoCreateSyscall dt=5 new_g=9\nGoDestroySyscall dt=20\n"
		"ProcStatus dt=1 p=0 pstatus=2\nGoCreateSyscall dt=5 new_g=9\nProcStart dt=1 p=0 p_seq=1\n"
		"GoSyscallEndBlocked dt=3\nGoStart dt=1 g=9 g_seq=1\nGoSyscallBegin dt=10 p_seq=2 stack=1\n"
		"ProcSteal dt=1 p=0 p_seq=3 m=1\nGoDestroySyscall dt=30\n";

	check("syscall", once, "(no stack) 20\n");
	check("syscall", again, "main.main;main.f1 31\n");
}

/* A gap of the recording is in no sample; a comment of the profile has its length. */
static void gaps(void)
{
	static const char story[] =
		TABLES G1_RUNS
		"UserLog dt=10 task=0 key_string=10 value_string=11 stack=0\n"
		"GoBlock dt=10 reason_string=8 stack=1\n"
		"GoUnblock dt=100 g=1 g_seq=1 stack=0\n"
		"GoStart dt=3 g=1 g_seq=2\n";
	struct pprof_options o = { .type = pprof_type_named("block"), .to = INT64_MAX, .at = PPROF_END };
	struct pprof *p = pprof_of(&o, story);
	const struct profile *profile = pprof_profile(p);

	check_folded(p, "");
	CHECK_STR(pprof_missing(p), "1 note of the recorder, first of x.trace: lost 5 records; "
		  "0.000000 s of goroutines were not recorded");
	CHECK_EQ(profile->comments.len, 3);
	CHECK_STR(*vec_at(&profile->comments, char *, 0), "gotap pprof --type block of x.trace (go 1.26)");
	CHECK_STR(*vec_at(&profile->comments, char *, 1), "x.trace: lost 5 records");
	pprof_free(p);
}

/* Labels that a goroutine gets are those of its samples from then on, and of the goroutines that it makes. */
static void labels(void)
{
	static const char story[] =
		TABLES G1_RUNS
		"UserLog dt=10 task=0 key_string=14 value_string=15 stack=0\n"
		"GoBlock dt=10 reason_string=5 stack=1\n"
		"GoUnblock dt=100 g=1 g_seq=1 stack=0\n";
	struct pprof_options o = { .type = pprof_type_named("block"), .to = INT64_MAX, .at = PPROF_END };
	struct pprof *p = pprof_of(&o, story);
	const struct profile *profile = pprof_profile(p);
	static uint8_t plain[4096];
	struct raw_sink sink;
	uLongf n = sizeof(plain);
	z_stream z = {0};

	CHECK_EQ(profile->tally.items.len, 1);
	CHECK_STR(vec_at(&profile->tags, struct tag, 1)->labels, "path=\"/a\"");
	sink_open(&sink, -1, NULL);
	profile_write(pprof_profile(p), &sink);
	CHECK_EQ(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_in = sink.buf.data;
	z.avail_in = (unsigned int)sink.buf.len;
	z.next_out = plain;
	z.avail_out = sizeof(plain);
	CHECK_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
	n = z.total_out;
	inflateEnd(&z);
	/* Strings of the table: field 6, length, text. */
	CHECK(memmem(plain, n, "\x32\x04path", 6) && memmem(plain, n, "\x32\x02/a", 4));
	buf_free(&sink.buf);
	pprof_free(p);
}

/* The clock says 1700000000.000000005 at 1000 ns, when the trace begins. */
static void time_of_day(void)
{
	struct pprof_options o = { .type = pprof_type_named("block"), .from = 7, .to = INT64_MAX, .at = PPROF_END };
	struct pprof *p = pprof_of(&o, simple);

	CHECK_EQ(pprof_profile(p)->wall_ns, 1700000000000000012);
	pprof_free(p);
}

/* --- limits --- */

static uint64_t total(const struct profile *p)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < p->tally.items.len; i++)
		ns += vec_at(&p->tally.items, struct tally_item, i)->ns;
	return ns;
}

static const struct value_type values[] = { { "n", "count", false }, { "t", "nanoseconds", true } };

static void samples_too_many(void)
{
	struct spans *s = spans_new();
	struct profile p;
	uint32_t i;

	profile_init(&p, s, values, 2);
	for (i = 0; i < PROFILE_SAMPLES + 1000; i++)
		profile_add(&p, i + 10, 0, 1, 3);
	CHECK_EQ(p.tally.items.len, PROFILE_SAMPLES + 1);
	CHECK_EQ(p.crowded, 1000);
	CHECK_EQ(total(&p), 3ull * (PROFILE_SAMPLES + 1000));
	profile_free(&p);
	spans_free(s);
}

static void tags_too_many(void)
{
	struct spans *s = spans_new();
	const char *reason = spans_text(s, "r", 1);
	struct profile p;
	char text[32];
	uint32_t i, n;

	profile_init(&p, s, values, 2);
	for (i = 0; i < PROFILE_TAGS + 1000; i++) {
		n = (uint32_t)snprintf(text, sizeof(text), "id=\"%u\"", i);
		profile_tag(&p, &(struct tag){ spans_text(s, text, n), "running", reason, 0 });
	}
	CHECK_EQ(p.tags.len, PROFILE_TAGS + 1);
	CHECK_EQ(p.untagged, 1001);
	CHECK_EQ(profile_tag(&p, &(struct tag){ "", "running", reason, 0 }), PROFILE_TAGS);
	for (i = 0; i < 1000; i++) {
		n = (uint32_t)snprintf(text, sizeof(text), "reason %u", i);
		profile_tag(&p, &(struct tag){ "", "running", spans_text(s, text, n), 0 });
	}
	CHECK_EQ(p.tags.len, PROFILE_TAGS + 2);
	profile_free(&p);
	spans_free(s);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(as_go_has_them), UNIT(true_spans), UNIT(goroutines_at), UNIT(filters), UNIT(ids_again),
		UNIT(gaps), UNIT(labels),
		UNIT(time_of_day), UNIT(samples_too_many), UNIT(tags_too_many), {0},
	});
}
