/* SPDX-License-Identifier: Apache-2.0 */
/* why_story: tables of the stories of why_*.c, and the steps of an answer as text. */
#ifndef GOTAP_TESTS_WHY_STORY_H
#define GOTAP_TESTS_WHY_STORY_H

#include "unit.h"

#include <stdlib.h>

#include "trace_text.h"
#include "oncpu/oncpu.h"
#include "why/why.h"

/* Stacks: 1 main.f1 in main.main; 2 main.f2; 3 main.f3; 4 sync.(*Mutex).Lock in main.f2; 5 Unlock in main.f3; 6 a deadline in main.f2. */
#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"main.f1\"\nString id=2\n\tdata=\"main.f2\"\nString id=3\n\tdata=\"main.f3\"\n" \
	"String id=4\n\tdata=\"x.go\"\nString id=5\n\tdata=\"chan receive\"\nString id=6\n\tdata=\"preempted\"\n" \
	"String id=7\n\tdata=\"main.main\"\nString id=8\n\tdata=\"gotap: not recorded\"\n" \
	"String id=9\n\tdata=\"network\"\nString id=10\n\tdata=\"sync\"\nString id=11\n\tdata=\"sleep\"\n" \
	"String id=12\n\tdata=\"sync.(*Mutex).Lock\"\nString id=13\n\tdata=\"sync.(*Mutex).Unlock\"\n" \
	"String id=14\n\tdata=\"GC mark termination\"\n" \
	"String id=15\n\tdata=\"internal/poll.setDeadlineImpl\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=2\n\tpc=16 func=1 file=4 line=11\n\tpc=32 func=7 file=4 line=70\n" \
	"Stack id=2 nframes=1\n\tpc=48 func=2 file=4 line=22\n" \
	"Stack id=3 nframes=1\n\tpc=64 func=3 file=4 line=33\n" \
	"Stack id=4 nframes=2\n\tpc=80 func=12 file=4 line=44\n\tpc=96 func=2 file=4 line=25\n" \
	"Stack id=5 nframes=2\n\tpc=112 func=13 file=4 line=55\n\tpc=128 func=3 file=4 line=35\n" \
	"Stack id=6 nframes=2\n\tpc=144 func=15 file=4 line=66\n\tpc=160 func=2 file=4 line=26\n"

/* One thread and P, on which goroutine 1 runs since the begin. */
#define BEGIN TABLES "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n"

static const char *const story_kinds[STEP_KINDS] = {
	"running", "assist", "sweep", "stops", "runnable", "stopped", "waiting", "syscall", "bare", "gap",
	"unknown", "not-there", "ended",
};

static const char *const story_by[] = { "", " by goroutine", " by holder", " by timer", " by netpoll",
					" by runtime", " by nobody", " by unknown", " by deep" };

/* "10-20 g2 runnable d1 woke 1": times since the begin, in their order. */
static inline void story_put_step(struct buf *b, const struct step *s, int64_t begin)
{
	buf_printf(b, "%lld-%lld g", (long long)(s->from - begin), (long long)(s->to - begin));
	if (s->g == TRACEV2_NO_ID)
		buf_printf(b, "-");
	else
		buf_printf(b, "%llu", (unsigned long long)s->g);
	buf_printf(b, " %s%s", story_kinds[s->kind], story_by[s->by]);
	if (s->depth)
		buf_printf(b, " d%u", s->depth);
	if (s->via)
		buf_printf(b, " %s %llu", s->via == VIA_WOKE ? "woke" : "created",
			   (unsigned long long)s->via_g);
	buf_printf(b, "\n");
}

/* Answers @q about the trace in @text; "-" and the error where there is none. The caller frees all. */
struct story {
	const char *threads;	/* the file of threads; NULL: there is none */
	struct why *w;
	struct buf bytes;
	struct error err;
	int ret;
};

static inline int story_pass(struct story *s, bool first)
{
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(s->bytes.data, s->bytes.len, &err);
	struct oncpu *threads = NULL;
	int ret;

	if (s->threads && !first)
		CHECK(!oncpu_open(&threads, why_spans(s->w), s->threads, &err));
	why_split(s->w, threads);
	ret = first ? why_choose(s->w, 0, r, &s->err) : why_read(s->w, 0, r, &s->err);
	why_split(s->w, NULL);
	spans_leave(why_spans(s->w), threads);
	oncpu_free(threads);
	trace_reader_close(r);
	return ret;
}

static inline void story_answer(struct story *s, const struct why_question *q, const char *text)
{
	struct trace_reader *r = trace_of_text(text, &s->bytes);

	trace_reader_close(r);
	s->err = (struct error){0};
	s->w = why_new(q);
	s->ret = 0;
	if (why_chooses(s->w)) {
		s->ret = story_pass(s, true);
		if (!s->ret)
			s->ret = why_chosen(s->w, &s->err);
	}
	if (!s->ret)
		s->ret = story_pass(s, false);
	if (!s->ret)
		s->ret = why_check(s->w, &s->err);
	if (s->ret)
		printf("# %s\n", s->err.text);
}

static inline void story_free(struct story *s)
{
	why_free(s->w);
	buf_free(&s->bytes);
}

static inline void story_steps(struct story *s, struct buf *b)
{
	const struct why_answer *a = why_answer(s->w);
	uint32_t i;

	for (i = s->ret ? 0 : a->path.count; i--; )
		story_put_step(b, store_at(a->path.steps, i), a->begin);
	buf_add_byte(b, 0);
}

static inline void check_path(const struct why_question *q, const char *text, const char *want)
{
	struct story s = {0};
	struct buf shown = {0};

	story_answer(&s, q, text);
	story_steps(&s, &shown);
	CHECK_STR((char *)shown.data, want);
	buf_free(&shown);
	story_free(&s);
}

#define OF_GOROUTINE(n) { .of = WHY_GOROUTINE, .id = (n), .percentile = 100, .from = INT64_MIN, .to = INT64_MAX }

#endif
