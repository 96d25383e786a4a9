// SPDX-License-Identifier: Apache-2.0
/*
 * why_random: paths of random traces against the definition of docs/why.md, taken literally: at each instant,
 * from the goroutine on to who ended its wait, if it waits at that instant, or to its creator, if it does not
 * exist yet, and so on; the last one and its state are the step. Two threads with a P each.
 */
#include "why_story.h"

enum { GOROUTINES = 14, STAYS = 4096, THREADS = 2, EVENTS = 160, TRACES = 150 };

/* --- a random scheduler --- */

enum state { NONE, RUNNABLE, RUNNING, WAITING, SYSCALL, GONE };

struct machine {
	struct buf text[THREADS];
	long last[THREADS];	/* time of the last event */
	int on[THREADS];	/* the goroutine that runs there, 0 none */
	enum state state[GOROUTINES + 1];
	int seq[GOROUTINES + 1], syscalls[THREADS];
	long now;
	unsigned random;
};

static unsigned pick(struct machine *m, unsigned n)
{
	m->random = m->random * 1103515245u + 12345u;
	return (m->random >> 16) % n;
}

static void emit(struct machine *m, int thread, const char *name, const char *args)
{
	buf_printf(&m->text[thread], "%s dt=%ld%s\n", name, m->now - m->last[thread], args);
	m->last[thread] = m->now;
}

/* One of those in @state, or 0. */
static int any(struct machine *m, enum state state)
{
	int first = 1 + (int)pick(m, GOROUTINES), i;

	for (i = 0; i < GOROUTINES; i++) {
		int g = 1 + (first + i) % GOROUTINES;

		if (m->state[g] == state)
			return g;
	}
	return 0;
}

static void unblock(struct machine *m, int thread)
{
	int g = any(m, WAITING);
	char args[64];

	if (!g)
		return;
	snprintf(args, sizeof(args), " g=%d g_seq=%d stack=%d", g, ++m->seq[g], m->on[thread] ? 2 : 0);
	emit(m, thread, "GoUnblock", args);
	m->state[g] = RUNNABLE;
}

static void start(struct machine *m, int thread)
{
	int g = any(m, RUNNABLE);
	char args[64];

	if (!g)
		return;
	snprintf(args, sizeof(args), " g=%d g_seq=%d", g, ++m->seq[g]);
	emit(m, thread, "GoStart", args);
	m->state[g] = RUNNING;
	m->on[thread] = g;
}

static void create(struct machine *m, int thread)
{
	int g = any(m, NONE);
	char args[64];

	if (!g)
		return;
	snprintf(args, sizeof(args), " new_g=%d new_stack=3 stack=2", g);
	emit(m, thread, "GoCreate", args);
	m->state[g] = RUNNABLE;
}

static void leave(struct machine *m, int thread, const char *event, const char *args, enum state state)
{
	emit(m, thread, event, args);
	m->state[m->on[thread]] = state;
	m->on[thread] = 0;
}

static void in_syscall(struct machine *m, int thread)
{
	char args[64];

	snprintf(args, sizeof(args), " p_seq=%d stack=1", ++m->syscalls[thread]);
	emit(m, thread, "GoSyscallBegin", args);
	m->now += 1 + pick(m, 30);
	emit(m, thread, "GoSyscallEnd", "");
}

static void act(struct machine *m, int thread)
{
	unsigned what = pick(m, 10);

	m->now += 1 + pick(m, 12);
	if (!m->on[thread])
		(what < 3 ? unblock : start)(m, thread);
	else if (what < 3)
		unblock(m, thread);
	else if (what < 5)
		create(m, thread);
	else if (what < 7)
		leave(m, thread, "GoBlock", " reason_string=5 stack=1", WAITING);
	else if (what == 7)
		leave(m, thread, "GoStop", " reason_string=6 stack=1", RUNNABLE);
	else if (what == 8)
		in_syscall(m, thread);
	else if (m->on[thread] != 1)
		leave(m, thread, "GoDestroy", "", GONE);
}

/* Times count from 1000; goroutine 1 runs on thread 1. */
static char *random_trace(unsigned seed)
{
	struct machine m = { .random = seed };
	struct buf all = {0};
	int i;

	buf_printf(&m.text[0], "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n");
	buf_printf(&m.text[1], "batch m=2\nProcStatus dt=2 p=1 pstatus=1\n");
	m.last[0] = m.last[1] = m.now = 2;
	m.on[0] = 1;
	m.state[1] = RUNNING;
	for (i = 0; i < EVENTS; i++)
		act(&m, (int)pick(&m, THREADS));
	buf_add(&all, TABLES, sizeof(TABLES) - 1);
	for (i = 0; i < THREADS; i++) {
		buf_add(&all, m.text[i].data, m.text[i].len);
		buf_free(&m.text[i]);
	}
	buf_add_byte(&all, 0);
	return (char *)all.data;
}

/* --- the definition --- */

struct stay {
	uint64_t g, waker;
	int64_t from, to;
	uint8_t state;
	bool woken;
};

struct history {
	struct stay stays[STAYS];
	size_t n;
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

	h->stays[h->n++] = (struct stay){ s->g->id, s->end.g, s->from, s->to, s->state, s->end.type != 0 };
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

static bool is_as_defined(const struct history *h, uint64_t g, const struct step *s)
{
	uint64_t last;
	uint8_t state;
	int64_t t;

	for (t = s->from; t < s->to; t++)
		if (who(h, g, t, &last, &state) != s->depth || last != s->g || state != state_of(s->kind))
			return false;
	return true;
}

static uint32_t deepest;

static void check_path_of(const struct history *h, const char *text, const struct why_question *q, int64_t from,
			  int64_t to)
{
	const struct why_answer *a;
	struct story s;
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
	}
	CHECK_EQ(sum, to - from);
	story_free(&s);
}

/* Its whole life, and a part of it, which may begin before it. */
static void check_goroutine(const struct history *h, const char *text, uint64_t g)
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

static void check_trace(unsigned seed)
{
	struct history *h = calloc(1, sizeof(*h));
	char *text = random_trace(seed);
	struct buf bytes;
	struct trace_reader *r = trace_of_text(text, &bytes);
	struct spans *s = spans_new();
	struct error err = {0};
	uint64_t g;

	spans_visit(s, &(struct spans_visitor){ .ctx = h, .goroutine_begin = on_goroutine, .span = on_span,
						.goroutine_end = on_end });
	CHECK_EQ(spans_read(s, r, &err), 0);
	for (g = 1; g <= GOROUTINES && !unit_failures; g++)
		if (h->until[g])
			check_goroutine(h, text, g);
	if (unit_failures)
		printf("# seed %u: %s\n%s", seed, err.text, text);
	trace_reader_close(r);
	spans_free(s);
	buf_free(&bytes);
	free(text);
	free(h);
}

static void each_instant_is_as_the_definition_says(void)
{
	unsigned seed;

	for (seed = 1; seed <= TRACES && !unit_failures; seed++)
		check_trace(seed);
	CHECK(deepest > 3);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(each_instant_is_as_the_definition_says), {0} });
}
