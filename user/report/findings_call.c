// SPDX-License-Identifier: Apache-2.0
/*
 * findings_call: system calls, and requests to the network, by the place that makes them: very many
 * tiny ones, and those that take long. Calls that may wait for work (read of a terminal, wait4)
 * lose no time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report/findings_cpu.h"

enum { CALLS_MAX = 1 << 14, SIZES = 40 };

/*
 * Tiny calls: least calls a second, least part of the time, and least calls in a row without a wait
 * between them.
 */
#define TINY_RATE 5000.0
#define TINY_SHARE 0.1
#define TINY_RUN 16.0
/* with STACK_NET: a server reads and writes in turns, and waits for the network between them */
#define TINY_RUN_NET 64.0
#define TINY_NS (1 << 15)
/* Long calls: least median, and least part of the time. */
#define LONG_NS (1 << 17)
#define LONG_SHARE 0.2
#define LONG_COUNT 5
#define IDLE_NS 50000000	/* ns; a longer call that may wait for work did wait for work */
/*
 * Requests are slow if at least REQUEST_OFTEN of them took 2^REQUEST_SIZE ns or more, and these
 * together take at least REQUEST_SHARE of the trace.
 */
#define REQUEST_SIZE 22			/* 2^22 ns: 4 ms */
#define REQUEST_OFTEN 0.2
#define REQUEST_SHARE 0.5

struct calls_at {
	uint32_t place, callee;		/* callee: the frame of the library that @place calls */
	uint16_t traits;
	uint64_t count, runs;
	double ns, times[SIZES];
	double io;			/* ns of @ns in which the thread waited for a disk */
	uint64_t sizes[SIZES];		/* number of calls by log2 of ns */
	struct few goroutines;
	uint64_t longest;		/* the longest call, ns */
	int64_t from, to;		/* time of the longest call */
};

struct calls {
	struct vec syscalls, requests;	/* struct calls_at */
	struct map64 syscall_of, request_of;
};

static void calls_new(struct findings *f)
{
	struct calls *c = xcalloc(1, sizeof(*c));

	vec_push(&c->syscalls, sizeof(struct calls_at));
	vec_push(&c->requests, sizeof(struct calls_at));
	f->calls = c;
}

static void calls_free(struct findings *f)
{
	struct calls *c = f->calls;

	vec_free(&c->syscalls);
	vec_free(&c->requests);
	map64_free(&c->syscall_of);
	map64_free(&c->request_of);
	free(c);
}

static struct calls_at *finding_call_add(struct map64 *map, struct vec *all,
					 const struct stay *stay)
{
	const struct span *span = stay->span;
	/* the time without a CPU does not belong to the call */
	uint64_t ns = (uint64_t)(span->to - span->from) - (uint64_t)stay->off,
		 size = ns ? 63 - (uint64_t)__builtin_clzll(ns) : 0;
	bool is_new;
	uint32_t number = findings_number(map, all, sizeof(struct calls_at), CALLS_MAX,
					  (uint64_t)stay->facts.place << 32 | stay->facts.callee |
						  (stay->facts.traits & STACK_POOL ? 1U << 31 : 0),
					  &is_new);
	struct calls_at *c = vec_at(all, struct calls_at, number);

	if (is_new) {
		c->place = stay->facts.place;
		c->callee = stay->facts.callee;
		c->traits = stay->facts.traits;
	}
	c->count++;
	c->ns += (double)ns;
	c->io += stay->io;
	size = size < SIZES ? size : SIZES - 1;
	c->sizes[size]++;
	c->times[size] += (double)ns;
	few_add(&c->goroutines, span->g->id);
	if (ns > c->longest) {
		c->longest = ns;
		c->from = span->from;
		c->to = span->to;
	}
	return c;
}

static void syscall_stay(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;
	struct calls_at *c;

	if (!span->begin.type || !span->end.type || stay->facts.traits & STACK_C)
		return;
	if (stay->facts.traits & STACK_IDLE_CALL && span->to - span->from >= IDLE_NS)
		return;
	c = finding_call_add(&f->calls->syscall_of, &f->calls->syscalls, stay);
	c->runs += stay->state->calls_at != stay->facts.place;
	stay->state->calls_at = stay->facts.place;
}

/*
 * Does the goroutine wait for the answer to a request of the program? A server that waits for the
 * next request makes the same read. A wait therefore counts only in a client of the library, below
 * a handler, or in a goroutine that dialled.
 */
static bool is_request(const struct stay *stay)
{
	uint16_t traits = stay->facts.traits;

	if (stay->why == WHY_SELECT)
		return (traits & (STACK_REQUEST | STACK_NET)) == (STACK_REQUEST | STACK_NET);
	if (stay->why != WHY_NET || traits & STACK_BODY)
		return false;
	if (traits & STACK_REQUEST)
		stay->state->dialled = true;
	return traits & (STACK_REQUEST | STACK_HANDLER) || stay->state->dialled;
}

static void calls_stay(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;

	if (span->state == GO_SYSCALL)
		syscall_stay(f, stay);
	else if (span->state == GO_WAITING)
		stay->state->calls_at = 0;
	if (span->state == GO_WAITING && is_request(stay) && span->begin.type && span->end.type)
		finding_call_add(&f->calls->request_of, &f->calls->requests, stay);
}

/* --- judgement --- */

/* Returns the median length, ns, rounded up to a power of two. */
static uint64_t finding_call_median(const struct calls_at *c)
{
	uint64_t sum = 0, i;

	for (i = 0; i < SIZES; i++) {
		sum += c->sizes[i];
		if (2 * sum >= c->count)
			break;
	}
	return 1ULL << (i + 1 < SIZES ? i + 1 : SIZES - 1);
}

static double run_length(const struct calls_at *c)
{
	return (double)c->count / (double)(c->runs ? c->runs : 1);
}

static bool is_tiny(const struct findings *f, const struct calls_at *c)
{
	return c->place && (double)c->count * 1e9 / findings_wall(f) >= TINY_RATE &&
	       finding_call_median(c) <= TINY_NS && c->ns >= TINY_SHARE * findings_wall(f) &&
	       run_length(c) >= (c->traits & STACK_NET ? TINY_RUN_NET : TINY_RUN);
}

static bool finding_call_is_long(const struct findings *f, const struct calls_at *c)
{
	return c->count >= LONG_COUNT && finding_call_median(c) > LONG_NS &&
	       c->ns >= LONG_SHARE * findings_wall(f) && !(c->traits & STACK_NET) &&
	       (c->traits & STACK_FILE || !(c->traits & STACK_IDLE_CALL));
}

/*
 * Do waits for a disk take a large part of the time of these calls? The finding is then about the
 * disk, even if each call is short.
 */
static bool is_disk(const struct findings *f, const struct calls_at *c)
{
	return c->place && c->count >= LONG_COUNT && c->io >= 0.3 * c->ns &&
	       c->io >= LONG_SHARE * findings_wall(f);
}

static bool is_slow_request(const struct findings *f, const struct calls_at *c)
{
	double ns = 0, count = 0;
	size_t i;

	for (i = REQUEST_SIZE; i < SIZES; i++) {
		ns += c->times[i];
		count += (double)c->sizes[i];
	}
	return count >= LONG_COUNT && count >= REQUEST_OFTEN * (double)c->count &&
	       ns >= 0.5 * c->ns && ns >= REQUEST_SHARE * findings_wall(f);
}

static void name_callee(struct findings *f, const struct calls_at *c, struct buf *text)
{
	if (c->callee)
		buf_printf(text, " (%s)",
			   stack_set_frame_at(spans_stacks(f->spans), c->callee)->func);
}

static void finding_call_say(struct findings *f, const char *kind, const struct calls_at *c,
			     struct buf *text)
{
	findings_add(f, &(struct verdict){ kind, c->ns, c->place, &c->goroutines, c->from, c->to },
		     text);
}

static void say_tiny(struct findings *f, const struct calls_at *c)
{
	struct buf text = { 0 };

	findings_name(f, &text, c->place);
	name_callee(f, c, &text);
	buf_printf(&text, " makes %.0f system calls a second, %.0f in a row, each ",
		   (double)c->count * 1e9 / findings_wall(f), run_length(c));
	findings_time(&text, c->ns / (double)c->count);
	buf_printf(
		&text,
		" on average, together %.0f %% of the time: fewer and larger ones would cost less.",
		100 * c->ns / findings_wall(f));
	finding_call_say(f, "tiny system calls", c, &text);
}

static void say_long(struct findings *f, const struct calls_at *c, const char *kind,
		     const char *what, const char *blame)
{
	struct buf text = { 0 };

	findings_name(f, &text, c->place);
	name_callee(f, c, &text);
	buf_printf(&text, " waits %s: %llu times, on average ", what, (unsigned long long)c->count);
	findings_time(&text, c->ns / (double)c->count);
	buf_printf(&text, ", the longest ");
	findings_time(&text, (double)c->longest);
	buf_printf(&text, ", together ");
	findings_time(&text, c->ns);
	buf_printf(&text, "%s.", blame);
	finding_call_say(f, kind, c, &text);
}

static void say_disk(struct findings *f, const struct calls_at *c)
{
	char blame[96];

	snprintf(blame, sizeof(blame), "; for %.0f %% of that it waits for a disk",
		 100 * c->io / c->ns);
	say_long(f, c, "slow disk", "for a disk, in system calls", blame);
}

/*
 * Returns the text about the cause of long calls. With a file of threads, waits for a disk have
 * findings of their own (is_disk()).
 */
static const char *long_call_cause(const struct findings *f)
{
	return cpu_is_known(f) ?
		       "; the kernel or the other side of a file causes that, not the program, and "
		       "hardly a disk" :
		       "; the kernel, a disk or a file system causes that, not the program";
}

static void calls_judge(struct findings *f)
{
	struct calls *calls = f->calls;
	size_t i;

	for (i = 1; i < calls->syscalls.len; i++) {
		const struct calls_at *c = vec_at(&calls->syscalls, struct calls_at, i);

		if (!is_disk(f, c) && !is_tiny(f, c) && !finding_call_is_long(f, c))
			continue;
		f->lost += c->ns;
		if (is_disk(f, c))
			say_disk(f, c);
		else if (is_tiny(f, c))
			say_tiny(f, c);
		else
			say_long(f, c, "slow system calls", "in system calls", long_call_cause(f));
	}
	for (i = 1; i < calls->requests.len; i++) {
		const struct calls_at *c = vec_at(&calls->requests, struct calls_at, i);

		if (!is_slow_request(f, c) || ps_are_busy(f))
			continue;
		f->lost += c->ns;
		if (c->traits & STACK_POOL)
			say_long(f, c, "slow network", "for connections",
				 "; they are dialled, or all that "
				 "there may be are taken (MaxConnsPerHost)");
		else
			say_long(f, c, "slow network", "for answers from the network",
				 "; it waits for the other side of the connection");
	}
}

const struct findings_family findings_of_calls = {
	.new = calls_new,
	.free = calls_free,
	.stay = calls_stay,
	.judge = calls_judge,
};
