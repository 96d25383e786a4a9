// SPDX-License-Identifier: Apache-2.0
/* report: `gotap diff` of two traces that this test makes: of a server with times from a random generator of fixed seed. */
#include "unit.h"

#include <stdlib.h>

#include "report/diff.h"
#include "trace_text.h"

/* --- a server --- */

/*
 * A worker takes a job (chan receive), locks, stores (sleep), computes, and makes a goroutine that sends the answer.
 * Means in ns; a time is between half of it and one and a half.
 */
struct server {
	unsigned seed, jobs;
	unsigned receive, lock, store, compute, stores, line;
	bool audit;		/* waits for chan send, too */
	unsigned seldom;	/* but only in one of so many jobs */
	unsigned answer_waits;	/* waits of the goroutine of an answer */
};

static const struct server plain = {
	.seed = 1, .jobs = 1000, .receive = 400000, .lock = 50000, .store = 300000, .compute = 50000, .stores = 1,
	.answer_waits = 1,
};

/* Stacks: 1 receive, 2 lock, 3 store, 4 audit, 5 of the answer's goroutine, 6 where it is made. */
static void put_tables(struct buf *b, unsigned line)
{
	static const char *const strings[] = {
		"main.worker", "x.go", "chan receive", "sync", "sleep", "chan send", "main.handle",
		"sync.(*Mutex).Lock", "time.Sleep", "main.answer", "runtime.chanrecv1", "network",
	};
	unsigned i;

	buf_printf(b, "batch\nStrings\n");
	for (i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		buf_printf(b, "String id=%u\n\tdata=\"%s\"\n", i + 1, strings[i]);
	buf_printf(b, "batch\nStacks\n");
#define FRAME(pc, func, at) buf_printf(b, "\tpc=%u func=%u file=2 line=%u\n", pc, func, at)
	buf_printf(b, "Stack id=1 nframes=2\n");
	FRAME(1, 11, 5); FRAME(2, 1, 10 + line);
	buf_printf(b, "Stack id=2 nframes=3\n");
	FRAME(3, 8, 5); FRAME(4, 7, 20 + line); FRAME(5, 1, 12 + line);
	buf_printf(b, "Stack id=3 nframes=3\n");
	FRAME(6, 9, 5); FRAME(7, 7, 30 + line); FRAME(5, 1, 12 + line);
	buf_printf(b, "Stack id=4 nframes=2\n");
	FRAME(8, 7, 40 + line); FRAME(5, 1, 12 + line);
	buf_printf(b, "Stack id=5 nframes=1\n");
	FRAME(9, 10, 50 + line);
	buf_printf(b, "Stack id=6 nframes=2\n");
	FRAME(10, 7, 60 + line); FRAME(5, 1, 12 + line);
#undef FRAME
}

struct story {
	struct buf text;
	uint64_t random, time, seq, lines, next_g;
};

static unsigned draw(struct story *s, unsigned mean)
{
	s->random = s->random * 6364136223846793005u + 1442695040888963407u;
	return mean / 2 + (unsigned)((s->random >> 33) % (mean + 1));
}

static void put(struct story *s, unsigned dt, const char *event)
{
	if (s->lines++ % 500 == 0)
		buf_printf(&s->text, "batch m=1 time=%llu\n", (unsigned long long)s->time);
	s->time += dt;
	buf_printf(&s->text, event, dt);
	buf_add_byte(&s->text, '\n');
}

/* Goroutine 1 waits for so long; nobody wakes it. */
static void wait_for(struct story *s, unsigned reason, unsigned stack, unsigned mean)
{
	char line[96];

	snprintf(line, sizeof(line), "GoBlock dt=%%u reason_string=%u stack=%u", reason, stack);
	put(s, 500, line);
	snprintf(line, sizeof(line), "GoUnblock dt=%%u g=1 g_seq=%llu stack=0", (unsigned long long)++s->seq);
	put(s, draw(s, mean), line);
	snprintf(line, sizeof(line), "GoStart dt=%%u g=1 g_seq=%llu", (unsigned long long)++s->seq);
	put(s, draw(s, 1000), line);
}

/* The goroutine of the answer waits, and ends while goroutine 1 waits for the next job. */
static void answer(struct story *s, unsigned waits)
{
	char line[96];
	uint64_t g = s->next_g++, seq = 0;

	snprintf(line, sizeof(line), "GoCreate dt=%%u new_g=%llu new_stack=5 stack=6", (unsigned long long)g);
	put(s, 300, line);
	put(s, 500, "GoBlock dt=%u reason_string=3 stack=1");
	snprintf(line, sizeof(line), "GoStart dt=%%u g=%llu g_seq=%llu", (unsigned long long)g,
		 (unsigned long long)++seq);
	put(s, draw(s, 1000), line);
	for (; waits; waits--) {
		put(s, draw(s, 5000), "GoBlock dt=%u reason_string=12 stack=5");
		snprintf(line, sizeof(line), "GoUnblock dt=%%u g=%llu g_seq=%llu stack=0", (unsigned long long)g,
			 (unsigned long long)++seq);
		put(s, draw(s, 40000), line);
		snprintf(line, sizeof(line), "GoStart dt=%%u g=%llu g_seq=%llu", (unsigned long long)g,
			 (unsigned long long)++seq);
		put(s, draw(s, 1000), line);
	}
	put(s, draw(s, 5000), "GoDestroy dt=%u");
}

static struct trace_reader *serve(const struct server *v, struct buf *bytes)
{
	struct story s = { .random = v->seed, .time = 1000, .next_g = 10 };
	struct trace_reader *r;
	char line[96];
	unsigned i, k;

	put_tables(&s.text, v->line);
	put(&s, 1, "ProcStatus dt=%u p=0 pstatus=1");
	put(&s, 1, "GoStatus dt=%u g=1 m=1 gstatus=2");
	for (i = 0; i < v->jobs; i++) {
		wait_for(&s, 4, 2, v->lock);
		for (k = 0; k < v->stores; k++)
			wait_for(&s, 5, 3, v->store);
		if (v->audit && (!v->seldom || i % v->seldom == 1))
			wait_for(&s, 6, 4, 200000);
		put(&s, draw(&s, v->compute), "UserLog dt=%u task=0 key_string=1 value_string=1 stack=0");
		answer(&s, v->answer_waits);
		snprintf(line, sizeof(line), "GoUnblock dt=%%u g=1 g_seq=%llu stack=0", (unsigned long long)++s.seq);
		put(&s, draw(&s, v->receive), line);
		snprintf(line, sizeof(line), "GoStart dt=%%u g=1 g_seq=%llu", (unsigned long long)++s.seq);
		put(&s, 100, line);
	}
	buf_add_byte(&s.text, 0);
	r = trace_of_text((char *)s.text.data, bytes);
	buf_free(&s.text);
	return r;
}

static struct diff *compare(const struct server *a, const struct server *b)
{
	const struct server *sides[] = { a, b };
	struct diff *d = diff_new();
	int i;

	for (i = 0; i < 2; i++) {
		struct error err = {0};
		struct buf bytes;
		struct trace_reader *r = serve(sides[i], &bytes);

		if (diff_read(d, i, r, &err))
			printf("# %s\n", err.text);
		CHECK_EQ(err.code, 0);
		trace_reader_close(r);
		buf_free(&bytes);
	}
	diff_judge(d);
	return d;
}

/* --- what must come out --- */

static void show(const struct diff *d)
{
	struct buf text = {0};
	size_t i;

	for (i = 0; i < d->changes.len; i++) {
		text.len = 0;
		diff_say(d, vec_at(&d->changes, struct diff_change, i), &text);
		printf("# %.*s\n", (int)text.len, text.data);
	}
	buf_free(&text);
}

static void check_none(const struct server *a, const struct server *b)
{
	struct diff *d = compare(a, b);

	CHECK_EQ(d->changes.len, 0);
	CHECK(d->compared >= 8);
	CHECK(d->noise > 1);
	show(d);
	diff_free(d);
}

/* The first change begins so, and so does the first of the reverse comparison. */
static void check_first(const struct server *a, const struct server *b, const char *slower, const char *faster)
{
	const struct server *sides[] = { a, b };
	struct buf text = {0};
	int i;

	for (i = 0; i < 2; i++) {
		struct diff *d = compare(sides[i], sides[!i]);
		const struct diff_change *first = d->changes.data;

		text.len = 0;
		CHECK(d->changes.len > 0);
		if (d->changes.len) {
			CHECK_EQ(first->slower, i == 0);
			diff_say(d, first, &text);
		}
		buf_add_byte(&text, 0);
		if (strncmp((char *)text.data, i ? faster : slower, strlen(i ? faster : slower)))
			CHECK_STR((char *)text.data, i ? faster : slower);
		diff_free(d);
	}
	buf_free(&text);
}

static void equal(void)
{
	check_none(&plain, &plain);
}

static void same_program_again(void)
{
	struct server other = plain;

	for (other.seed = 2; other.seed < 12; other.seed++)
		check_none(&plain, &other);
}

static void longer_and_shorter_recordings(void)
{
	struct server other = plain;

	other.seed = 77;
	other.jobs = 3000;
	check_none(&plain, &other);
}

static void one_place_slower(void)
{
	struct server other = plain;

	other.seed = 5;
	other.lock = 150000;
	check_first(&plain, &other, "main.worker waits 3 times as long in sync", "main.worker waits 0.3");
	other.lock = plain.lock;
	other.store = 600000;
	check_first(&plain, &other, "main.worker waits 1.9", "main.worker waits 0.5");
	other.store = plain.store;
	other.compute = 200000;
	check_first(&plain, &other, "main.worker runs 3.", "main.worker runs 0.");
}

/* It names the function of the library, the place, and how long before and after. */
static void sentence(void)
{
	struct server other = plain;
	struct buf text = {0};
	struct diff *d;

	other.lock = 250000;
	d = compare(&plain, &other);
	CHECK(d->changes.len == 1);
	diff_say(d, d->changes.data, &text);
	buf_add_byte(&text, 0);
	CHECK(strstr((char *)text.data, " times as long in sync.(*Mutex).Lock at main.handle (x.go:20): "));
	CHECK(strstr((char *)text.data, " a second, p50 "));
	CHECK(strstr((char *)text.data, " us -> "));
	CHECK(((struct diff_change *)d->changes.data)->noise > 1);
	buf_free(&text);
	diff_free(d);
}

/* Twice as many jobs a second, each as before. */
static void more_load(void)
{
	struct server idle = plain, busy = plain;

	idle.receive = 900000;
	busy.receive = 890000;
	busy.seed = 3;
	check_none(&idle, &busy);
}

static void more_often(void)
{
	struct server other = plain;

	other.stores = 3;
	check_first(&plain, &other, "main.worker waits 3 times as often in time.Sleep at main.handle (x.go:30)",
		    "main.worker waits 0.333 times as often in time.Sleep");
	other = plain;
	other.answer_waits = 2;
	check_first(&plain, &other, "main.answer waits 2 times as often for network at x.go:50: 1 -> 2 a goroutine",
		    "main.answer waits 0.5 times as often");
}

/*
 * The shown numbers of @c bear its ratio out: it is that of the counts per goroutine, or per second, within the four
 * times by which the load may have changed.
 */
static void check_possible(const struct diff *d, const struct diff_change *c)
{
	const char *unit;
	double a = diff_often(d, c, !c->slower, &unit), b = diff_often(d, c, c->slower, &unit);

	CHECK(c->way == DIFF_NEW || (c->ratio > 1 && c->ratio < 1e6 && c->noise <= c->ratio));
	if (c->way == DIFF_OFTEN)
		CHECK(b > a && c->ratio <= b / a * (strcmp(unit, "second") ? 1.01 : 4.04));
}

/*
 * A program that did one thing 300 times too often, and no longer does, has not become 300 times as busy with others, nor
 * the other way round: a lock or an audit that comes as often per second as before is no change. Findings once had
 * "waits 269 times as often" first for such a program.
 */
static void no_ratio_is_impossible(void)
{
	struct server spins = plain, rare = plain, pairs[4];
	size_t i, k, n;

	spins.stores = 300;
	spins.jobs = 300;
	spins.store = 4000;
	rare.audit = true;
	rare.seldom = 200;
	pairs[0] = plain;
	pairs[1] = spins;
	pairs[2] = rare;
	/* an audit in each second job, of which there are forty times fewer */
	pairs[3] = rare;
	pairs[3].seldom = 2;
	pairs[3].receive = 40000000;
	pairs[3].jobs = 80;
	for (i = 0; i < 4; i++) {
		for (k = 0; k < 4; k++) {
			struct diff *d = compare(&pairs[i], &pairs[k]);

			for (n = 0; n < d->changes.len; n++)
				check_possible(d, vec_at(&d->changes, struct diff_change, n));
			diff_free(d);
		}
	}
}

static void new_wait(void)
{
	struct server other = plain;

	other.audit = true;
	check_first(&plain, &other, "main.worker now waits for chan send at main.handle (x.go:40): ",
		    "main.worker no longer waits for chan send at main.handle (x.go:40): ");
}

/* Longer stretches of running are those between fewer waits only if it does not run longer in all. */
static void runs_longer_and_waits_less_often(void)
{
	struct server other = plain, often = plain;

	struct buf text = {0};
	struct diff *d;

	often.stores = 3;
	other.compute = 5000000;
	d = compare(&often, &other);
	CHECK(d->changes.len > 0 && ((struct diff_change *)d->changes.data)->slower);
	diff_say(d, d->changes.data, &text);
	buf_add_byte(&text, 0);
	CHECK(!strncmp((char *)text.data, "main.worker runs ", 17));
	buf_free(&text);
	diff_free(d);
}

/* Too few on one side to know its noise by its parts. */
static void wait_that_was_rare(void)
{
	struct server seldom = plain, always = plain;

	seldom.audit = always.audit = true;
	seldom.seldom = 200;
	check_first(&seldom, &always, "main.worker waits 2", "main.worker waits 1/2");
	seldom.seldom = 120;
	always.seldom = 40;	/* chance can make three times as many of so few */
	check_none(&seldom, &always);
}

/* Another build: each line is elsewhere. */
static void lines_moved(void)
{
	struct server other = plain;

	other.line = 7;
	check_none(&plain, &other);
	other.lock = 200000;
	check_first(&plain, &other, "main.worker waits 4", "main.worker waits 0.2");
}

/* Too short to know the noise: nothing is said. */
static void too_short(void)
{
	struct server few = plain, slow;
	struct diff *d;

	few.jobs = 2;
	slow = few;
	slow.lock *= 100;
	d = compare(&few, &slow);
	CHECK_EQ(d->changes.len, 0);
	CHECK_EQ(d->compared, 0);
	diff_free(d);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(equal), UNIT(same_program_again), UNIT(longer_and_shorter_recordings), UNIT(one_place_slower),
		UNIT(sentence), UNIT(more_load), UNIT(more_often), UNIT(no_ratio_is_impossible), UNIT(new_wait), UNIT(wait_that_was_rare),
		UNIT(runs_longer_and_waits_less_often),
		UNIT(lines_moved), UNIT(too_short),
		{0},
	});
}
