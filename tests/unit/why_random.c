// SPDX-License-Identifier: Apache-2.0
/*
 * why_random: the critical paths of random traces, compared with the definition of docs/why.md, instant by instant:
 * from the goroutine go on to the one that ended its wait, if it waits at that instant, or to its creator, if it does
 * not exist yet, and so on. The last goroutine and its state are the step; with a file of threads also the state of its
 * thread.
 */
#define _GNU_SOURCE
#include "why_random.h"

enum { STAYS = 4096, TRACES = 150 };

/* --- the definition --- */

struct stay {
	uint64_t g, waker, m;
	int64_t from, to;
	uint8_t state;
	bool woken;
};

struct history {
	struct stay stays[STAYS];
	size_t n;
	const struct machine *machine;
	const char *threads;	/* the file of threads; NULL: there is none */
	uint64_t queued, not_known;	/* ns that holders of Ps waited for a CPU; and those of them that gotap has as unknown */
	uint64_t creator[GOROUTINES + 1];
	int64_t since[GOROUTINES + 1], until[GOROUTINES + 1];
};

static void on_goroutine(void *ctx, struct goroutine *g)
{
	struct history *h = ctx;

	h->creator[g->id] = g->created ? g->creator : TRACEV2_NO_ID;
	h->since[g->id] = g->since;
}

static void on_span(void *ctx, const struct span *s)
{
	struct history *h = ctx;

	h->stays[h->n++] = (struct stay){ s->g->id, s->end.g, s->m, s->from, s->to, s->state, s->end.type != 0 };
}

static void on_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	((struct history *)ctx)->until[g->id] = time;
}

static const struct stay *stay_at(const struct history *h, uint64_t g, int64_t t)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		if (h->stays[i].g == g && h->stays[i].from <= t && t < h->stays[i].to)
			return &h->stays[i];
	return NULL;
}

/* Who is it, in the end, at the instant @t, and what does it do? Its depth is returned. */
static uint32_t who(const struct history *h, uint64_t g, int64_t t, uint64_t *last, uint8_t *state)
{
	uint32_t depth = 0;

	for (;; depth++) {
		const struct stay *s = stay_at(h, g, t);

		*last = g;
		*state = s ? s->state : GO_NOT_EXIST;
		if (!s && h->creator[g] != TRACEV2_NO_ID)
			g = h->creator[g];
		else if (s && s->state == GO_WAITING && s->woken && s->waker != TRACEV2_NO_ID)
			g = s->waker;
		else
			return depth;
	}
}

static uint8_t state_of(uint8_t kind)
{
	switch (kind) {
	case STEP_RUNNING:
		return GO_RUNNING;
	case STEP_RUNNABLE:
		return GO_RUNNABLE;
	case STEP_WAITING:
		return GO_WAITING;
	case STEP_SYSCALL:
		return GO_SYSCALL;
	default:
		return GO_NOT_EXIST;
	}
}

static bool is_on_thread(uint8_t state)
{
	return state == GO_RUNNING || state == GO_SYSCALL;
}

/* The state of the thread as in struct step: 0, or a state plus 1. */
static uint8_t thread_of(const struct history *h, const struct stay *s, int64_t t)
{
	return h->threads && s && is_on_thread(s->state) ? (uint8_t)(h->machine->states[s->m][t] + 1) : 0;
}

/* A step whose thread waits for a CPU names the task that took it, or woke the thread; no other step names one. */
static bool has_taker(const struct step *s)
{
	bool preempted = s->queued == QUEUED_PREEMPTED, woken = s->queued == QUEUED_WOKEN;

	if (s->thread != THREAD_QUEUED + 1 && s->thread != THREAD_THROTTLED + 1)
		return !s->taker.comm;
	return s->taker.comm && ((preempted && !strcmp(s->taker.comm, "other")) || (woken && !strcmp(s->taker.comm, "waker")));
}

static bool is_as_defined(const struct history *h, uint64_t g, const struct step *s)
{
	uint64_t last;
	uint8_t state;
	int64_t t;

	for (t = s->from; t < s->to; t++)
		if (who(h, g, t, &last, &state) != s->depth || last != s->g || state != state_of(s->kind) ||
		    s->thread != thread_of(h, stay_at(h, last, t), t))
			return false;
	return has_taker(s);
}

/*
 * Adds up the states of the threads with a P in the step. A wait for a CPU that lasts beyond the interval may be
 * unknown.
 */
static void check_holders(struct history *h, const struct step *s)
{
	uint64_t want[THREAD_STATES] = {0}, held = 0;
	size_t i;
	int64_t t;

	for (i = 0; i < h->n; i++)
		for (t = s->from; t < s->to; t++)
			if (h->stays[i].from <= t && t < h->stays[i].to && is_on_thread(h->stays[i].state)) {
				want[h->threads ? h->machine->states[h->stays[i].m][t] : THREAD_UNKNOWN]++;
				held++;
			}
	CHECK_EQ(s->held, held);
	for (i = 0; i < THREAD_STATES; i++)
		if (i != THREAD_UNKNOWN && i != THREAD_QUEUED && i != THREAD_THROTTLED)
			CHECK_EQ(s->threads[i], want[i]);
	if (!h->threads)
		return;
	CHECK_EQ(s->threads[THREAD_UNKNOWN] + s->threads[THREAD_QUEUED] + s->threads[THREAD_THROTTLED],
		 want[THREAD_QUEUED] + want[THREAD_THROTTLED]);
	CHECK(s->threads[THREAD_QUEUED] <= want[THREAD_QUEUED]);
	CHECK(s->threads[THREAD_THROTTLED] <= want[THREAD_THROTTLED]);
	h->queued += want[THREAD_QUEUED] + want[THREAD_THROTTLED];
	h->not_known += s->threads[THREAD_UNKNOWN];
}

static uint32_t deepest;

static void check_path_of(struct history *h, const char *text, const struct why_question *q, int64_t from,
			  int64_t to)
{
	const struct why_answer *a;
	struct story s = { .threads = h->threads };
	int64_t sum = 0;
	uint32_t i;

	story_answer(&s, q, text);
	a = why_answer(s.w);
	CHECK_EQ(s.ret, 0);
	CHECK_EQ(a->path.from, from);
	CHECK_EQ(a->path.to, to);
	deepest = a->path.deepest > deepest ? a->path.deepest : deepest;
	for (i = 0; i < a->path.count && !unit_failures; i++) {
		const struct step *step = store_at(a->path.steps, i);

		sum += step->to - step->from;
		CHECK(is_as_defined(h, q->id, step));
		if (step->kind == STEP_RUNNABLE)
			check_holders(h, step);
	}
	CHECK_EQ(sum, to - from);
	story_free(&s);
}

/* Its whole life, and a part of it, which may begin before it. */
static void check_goroutine(struct history *h, const char *text, uint64_t g)
{
	struct why_question q = OF_GOROUTINE(g);
	int64_t begin = h->since[1], to = h->until[g] - (h->until[g] - h->since[g]) / 3;

	check_path_of(h, text, &q, h->since[g], h->until[g]);
	if (to == h->until[g])
		return;
	q.from = (to - begin) / 2;
	q.to = to - begin;
	check_path_of(h, text, &q, begin + q.from, to);
}

static uint64_t queued, not_known;

static void check_trace(unsigned seed, bool threads)
{
	struct history *h = calloc(1, sizeof(*h));
	struct thread_story file;
	struct machine *m;
	char *text = random_trace(seed, &m);
	struct buf bytes;
	struct trace_reader *r = trace_of_text(text, &bytes);
	struct spans *s = spans_new();
	struct error err = {0};
	uint64_t g;

	spans_visit(s, &(struct spans_visitor){ .ctx = h, .goroutine_begin = on_goroutine, .span = on_span,
						.goroutine_end = on_end });
	CHECK_EQ(spans_read(s, r, &err), 0);
	h->machine = m;
	if (threads) {
		random_threads(m, &file);
		h->threads = file.path;
	}
	for (g = 1; g <= GOROUTINES && !unit_failures; g++)
		if (h->until[g])
			check_goroutine(h, text, g);
	if (unit_failures)
		printf("# seed %u: %s\n%s", seed, err.text, text);
	queued += h->queued;
	not_known += h->not_known;
	if (threads)
		close(file.fd);
	trace_reader_close(r);
	spans_free(s);
	buf_free(&bytes);
	free(text);
	free(m);
	free(h);
}

static void each_instant_is_as_the_definition_says(void)
{
	unsigned seed;

	for (seed = 1; seed <= TRACES && !unit_failures; seed++)
		check_trace(seed, false);
	CHECK(deepest > 3);
}

static void each_instant_is_as_its_thread(void)
{
	unsigned seed;

	for (seed = 1; seed <= TRACES && !unit_failures; seed++)
		check_trace(seed, true);
	CHECK(queued > 1000);
	CHECK(not_known * 20 < queued);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(each_instant_is_as_the_definition_says),
					    UNIT(each_instant_is_as_its_thread), {0} });
}
