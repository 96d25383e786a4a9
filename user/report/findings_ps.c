// SPDX-License-Identifier: Apache-2.0
/*
 * findings_ps: goroutines that are ready to run and get no P, and which functions hold the Ps
 * meanwhile.
 *
 * A queue alone is no fault: each busy server has one. It is one if goroutines wait long because
 * functions of others run long without a stop, up to the 10 ms after which the runtime preempts
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings_cpu.h"

enum { RUNNERS_MAX = 1 << 16 };

/*
 * ns: half of the runtime's slice (runtime.forcePreemptNS is 10 ms), and a wait that a server can
 * feel.
 */
#define LONG_RUN 5e6
#define LONG_WAIT 2e6
/* Three slices: one that ran so long lost its CPU to other processes, or cannot be preempted. */
#define UNCUT_RUN 3e7
#define SHORT_RUN 1e5		/* shorter ones do not tell in which function a goroutine works */
#define AFTER_STOP 200000	/* ns: between the stop of a run and what the scheduler does next */
/*
 * A thread that lost its CPU looks as if its goroutine ran long; a function that does so does it
 * often.
 */
#define LONG_OFTEN 0.1
/*
 * Part of the trace's length that goroutines must have waited, and of the queue's time that the
 * function held a P.
 */
#define STARVED_SHARE 0.1
#define HELD_SHARE 0.5

/*
 * Goroutines of the program take so much of the Ps that it may be its own queue that makes answers
 * late.
 */
#define BUSY_SHARE 0.7

/* A function that goroutines ran in. */
struct runner {
	const char *func;
	uint64_t runs, long_runs;
	/* in long runs: time, and time that others were ready meanwhile */
	double ns, queue, longest;
	/* of @queue: in runs that the runtime would have preempted, ... */
	double uncut;
	/* ... and of which it is not known whether their threads had a CPU, ... */
	double unseen;
	double asleep;			/* ... or the threads slept in Linux */
	struct vote place;
};

/* Goroutines that began with the same function, ready to run for long. */
struct starved {
	const char *name;
	/* that those who made them ready began with; NULL: not known */
	const char *waker;
	double ns;
	struct few goroutines;
	int64_t from, to;		/* the longest wait */
};

struct ps {
	struct vec runners, starved;
	struct map64 runner_of, starved_of;
	/* a function, and one that began a goroutine that ran in it */
	struct map64 members;
	uint64_t ready;			/* goroutines that are */
	double queue;			/* ns: sum of the time that they were */
	uint64_t running;		/* goroutines that do, the runtime's as well */
	double full;			/* ns during which as many ran as there are Ps */
	int64_t since;			/* @queue and @full are of this time */
	double all_queue;		/* that of all runs together, ... */
	double off_queue;		/* ... and while their threads had no CPU */
	double waited, ran;		/* ns of all goroutines */
	uint64_t gomaxprocs, procs;	/* the greatest; the one of now */
	int64_t stopped;		/* the end of the last long run ... */
	double stopped_full;		/* ... and how long all Ps were taken during it */
};

static void ps_new(struct findings *f)
{
	struct ps *p = xcalloc(1, sizeof(*p));

	vec_push(&p->runners, sizeof(struct runner));
	vec_push(&p->starved, sizeof(struct starved));
	f->ps = p;
}

static void ps_free(struct findings *f)
{
	struct ps *p = f->ps;

	vec_free(&p->runners);
	vec_free(&p->starved);
	map64_free(&p->runner_of);
	map64_free(&p->starved_of);
	map64_free(&p->members);
	free(p);
}

/*
 * Spans of goroutines that are found late begin when the generation did, so time can seem to go
 * back.
 */
double ps_queue(struct ps *p, int64_t time)
{
	if (time > p->since) {
		p->queue += (double)p->ready * (double)(time - p->since);
		if (p->running >= p->procs)
			p->full += (double)(time - p->since);
		p->since = time;
	}
	return p->queue;
}

static void ps_metric(struct findings *f, const char *name, uint64_t value)
{
	if (strcmp(name, "/sched/gomaxprocs:threads"))
		return;
	f->ps->procs = value;
	if (value > f->ps->gomaxprocs)
		f->ps->gomaxprocs = value;
}

uint64_t ps_now(const struct ps *p)
{
	return p->procs ? p->procs : 1;
}

uint64_t ps_count(const struct ps *p)
{
	return p->gomaxprocs ? p->gomaxprocs : 1;
}

bool ps_are_busy(const struct findings *f)
{
	double all = findings_wall(f) * (double)ps_count(f->ps);

	return f->ps->ran >= BUSY_SHARE * all || f->ps->waited >= all;
}

void ps_begins(struct findings *f, const struct span *span, struct goroutine_state *state, bool own)
{
	struct ps *p = f->ps;

	state->queue = ps_queue(p, span->from);
	state->full = p->full;
	state->ready = own && span->state == GO_RUNNABLE;
	state->running = span->state == GO_RUNNING;
	p->ready += state->ready;
	p->running += state->running;
}

void ps_ends(struct ps *p, int64_t time, struct goroutine_state *state)
{
	ps_queue(p, time);
	p->ready -= state->ready;
	p->running -= state->running;
	state->ready = state->running = false;
}

/*
 * The place where a goroutine ran: the one where it stopped. If a function without a frame was
 * preempted, the stack has no name at all, as in the runtime's own traces: the place is then the
 * one where the goroutine began to run, if that is known.
 */
uint32_t ps_where(struct findings *f, const struct span *span)
{
	struct stack_facts end = { 0 }, begin = findings_stack(f, span->stack);

	if (span->end.g == span->g->id)
		end = findings_stack(f, span->end.stack);
	if (end.program)
		return end.place;
	if (begin.program || !strncmp(span->g->name, "runtime.", 8))
		return begin.program ? begin.place : 0;
	return findings_function(f, span->g);
}

/* Goroutines of one function may begin with many: "main.sick.gowrap1", "main.sick.gowrap2". */
static uint64_t member_key(const struct runner *r, const char *name)
{
	return hash64((uintptr_t)r->func) ^ (uintptr_t)name;
}

static void finding_ps_ran(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;
	double all = (double)(span->to - span->from),
	       queue = ps_queue(f->ps, span->to) - stay->state->queue;
	/*
	 * The time without a CPU is not the goroutine's own: findings_cpu counts it for the tasks
	 * that had the CPU.
	 */
	double ns = all - stay->off, off_queue = all > 0 ? queue * stay->off / all : 0;
	uint32_t place = ps_where(f, span);
	struct runner *r;
	bool is_new;
	uint32_t number = findings_number(&f->ps->runner_of, &f->ps->runners, sizeof(*r),
					  RUNNERS_MAX, (uintptr_t)findings_place(f, place).func,
					  &is_new);

	f->ps->all_queue += queue;
	f->ps->off_queue += off_queue;
	f->ps->ran += all;
	queue -= off_queue;
	r = vec_at(&f->ps->runners, struct runner, number);
	r->runs++;
	r->func = findings_place(f, place).func;
	if (ns >= SHORT_RUN && f->ps->members.len < RUNNERS_MAX)
		*map64_put(&f->ps->members, member_key(r, span->g->name), NULL) = 1;
	if (ns < LONG_RUN)
		return;
	f->ps->stopped = span->to;
	f->ps->stopped_full = f->ps->full - stay->state->full;
	r->long_runs++;
	r->ns += ns;
	r->queue += queue;
	r->uncut += ns >= UNCUT_RUN ? queue : 0;
	r->unseen += ns >= UNCUT_RUN && (!cpu_is_known(f) || stay->unknown > 0.1 * all) ? queue : 0;
	r->asleep += ns >= UNCUT_RUN && stay->asleep > 0.1 * all ? queue : 0;
	if (ns > r->longest)
		r->longest = ns;
	vote_add(&r->place, place, queue + 1);
}

static void add_starved(struct findings *f, const struct span *span, double ns)
{
	const struct goroutine *by = span->state == GO_RUNNABLE && span->begin.g != TRACEV2_NO_ID ?
		spans_goroutine(f->spans, span->begin.g) : NULL;
	const char *waker = by ? by->name : NULL;
	bool is_new;
	uint32_t number = findings_number(
		&f->ps->starved_of, &f->ps->starved, sizeof(struct starved), RUNNERS_MAX,
		hash64((uintptr_t)span->g->name) ^ (uintptr_t)waker, &is_new);
	struct starved *s = vec_at(&f->ps->starved, struct starved, number);

	s->name = span->g->name;
	s->waker = waker;
	s->ns += ns;
	few_add(&s->goroutines, span->g->id);
	if (ns > (double)(s->to - s->from)) {
		s->from = span->to - (int64_t)ns;
		s->to = span->to;
	}
}

static void was_ready(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;
	double full = f->ps->full - stay->state->full;

	f->ps->waited += (double)(span->to - span->from);
	/* While a P is idle it is the machine that is late, and not a P that is missing. */
	if (full >= LONG_WAIT)
		add_starved(f, span, full);
}

/*
 * Timers and the network are looked at when a P changes its goroutine; so a wait for them that ends
 * at the end of a long run ended late. The trace does not say how late: by half of that run, on
 * average.
 */
static void finding_ps_waited(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;
	double ns = (double)(span->to - span->from), late = f->ps->stopped_full;

	if (span->end.g != TRACEV2_NO_ID || !span->end.type ||
	    span->to - f->ps->stopped > AFTER_STOP)
		return;
	if (late > ns)
		late = ns;
	late /= 2;
	if (late < LONG_WAIT)
		return;
	f->ps->waited += late;
	add_starved(f, span, late);
}

static void ps_stay(struct findings *f, const struct stay *stay)
{
	if (stay->span->state == GO_RUNNING)
		finding_ps_ran(f, stay);
	else if (stay->span->state == GO_RUNNABLE)
		was_ready(f, stay);
	else if (stay->why == WHY_SLEEP || stay->why == WHY_RECEIVE || stay->why == WHY_SELECT ||
		 stay->why == WHY_NET)
		finding_ps_waited(f, stay);
}

/* --- judgement --- */

/* The function that held the Ps while others were ready; NULL: there is none. */
static const struct runner *find_hog(const struct ps *p)
{
	const struct runner *hog = NULL;
	size_t i;

	for (i = 1; i < p->runners.len; i++) {
		const struct runner *r = vec_at(&p->runners, struct runner, i);

		if ((double)r->long_runs < LONG_OFTEN * (double)r->runs || r->long_runs < 5)
			continue;
		if (!hog || r->queue > hog->queue)
			hog = r;
	}
	return hog && hog->queue >= HELD_SHARE * (p->all_queue - p->off_queue) ? hog : NULL;
}

static bool finding_ps_is_member(struct ps *p, const struct runner *hog, const char *name)
{
	return name && map64_get(&p->members, member_key(hog, name));
}

/*
 * The time of those that did not begin as the hog did: peers that share the Ps lose nothing
 * together. Nor do those that work for the hog, and become ready because it took what they had:
 * they are as far as need be.
 */
static const struct starved *find_starved(struct ps *p, const struct runner *hog, bool peers,
					  double *ns)
{
	const struct starved *most = NULL;
	size_t i;

	*ns = 0;
	for (i = 1; i < p->starved.len; i++) {
		const struct starved *s = vec_at(&p->starved, struct starved, i);

		if (!peers && (finding_ps_is_member(p, hog, s->name) ||
			       finding_ps_is_member(p, hog, s->waker)))
			continue;
		*ns += s->ns;
		if (!most || s->ns > most->ns)
			most = s;
	}
	return most;
}

static const char *why_uncut(const struct runner *hog)
{
	if (hog->unseen > 0)
		return ": those that ran longer had lost their CPU to other processes, or are code "
		       "that cannot be preempted";
	/*
	 * To the runtime a goroutine runs while it is in a system call that the program makes by
	 * itself.
	 */
	if (hog->asleep > 0)
		return ": threads of those that ran longer slept meanwhile, as in system calls "
		       "that are not in the trace";
	return ", and its threads had CPUs: it is code that cannot be preempted";
}

static void finding_ps_say(struct findings *f, const struct runner *hog, const struct starved *s,
			   double ns)
{
	struct buf text = { 0 };

	buf_printf(
		&text,
		"Goroutines are ready to run and get no P, on average %.1f at a time, most of them "
		"those of %s, the longest for ",
		ns / findings_wall(f), s->name[0] ? s->name : "a function not known");
	findings_time(&text, (double)(s->to - s->from));
	buf_printf(&text, ": ");
	findings_name(f, &text, hog->place.value);
	buf_printf(&text, " runs up to ");
	findings_time(&text, hog->longest);
	buf_printf(&text,
		   " without a stop, and holds %.0f %% of the time of the Ps; GOMAXPROCS is %llu.",
		   100 * hog->ns / findings_wall(f) / (double)ps_count(f->ps),
		   (unsigned long long)ps_count(f->ps));
	if (hog->uncut > hog->queue / 2)
		buf_printf(&text, " The runtime preempts after 10 ms%s.", why_uncut(hog));
	findings_add(f,
		     &(struct verdict){ "starvation", ns, hog->place.value, &s->goroutines, s->from,
					s->to },
		     &text);
}

double ps_waited(const struct findings *f)
{
	return f->ps->waited;
}

static void ps_judge(struct findings *f)
{
	struct ps *p = f->ps;
	const struct runner *hog = find_hog(p);
	const struct starved *s;
	double ns;

	f->lost += p->waited;
	if (!hog)
		return;
	/* With one P the peers cannot run at the same time, either. */
	s = find_starved(p, hog, p->gomaxprocs == 1, &ns);
	/* Waits while a thread with a P had no CPU are caused by the tasks that had the CPU. */
	if (p->all_queue > 0)
		ns *= 1 - p->off_queue / p->all_queue;
	if (s && ns >= STARVED_SHARE * findings_wall(f))
		finding_ps_say(f, hog, s, ns);
}

const struct findings_family findings_of_ps = {
	.new = ps_new,
	.free = ps_free,
	.stay = ps_stay,
	.metric = ps_metric,
	.judge = ps_judge,
};
