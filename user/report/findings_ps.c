// SPDX-License-Identifier: Apache-2.0
/*
 * findings_ps: goroutines that are ready and get no P, and the functions that have the Ps
 * meanwhile.
 *
 * A queue alone is no defect: each busy server has one. The queue is a defect if goroutines wait
 * long because functions of other goroutines run long without a stop, up to the 10 ms after which
 * the runtime preempts them.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings_cpu.h"

enum { RUNNERS_MAX = 1 << 16 };

/*
 * ns. LONG_RUN: half of the runtime's time slice (runtime.forcePreemptNS is 10 ms). LONG_WAIT: a
 * wait that matters to a server.
 */
#define LONG_RUN 5e6
#define LONG_WAIT 2e6
/*
 * ns: three slices; a goroutine that ran longer lost its CPU to other processes, or cannot be
 * preempted
 */
#define UNCUT_RUN 3e7
/* ns; the end of a shorter run does not show the function in which a goroutine works */
#define SHORT_RUN 1e5
/* ns: limit on the time between the end of a run and the next step of the scheduler */
#define AFTER_STOP 200000
/*
 * Least proportion of long runs among the runs of a function. A goroutine whose thread loses the
 * CPU seems to run long, but rarely; a function that really runs long does so often.
 */
#define LONG_OFTEN 0.1
/*
 * Least ready time, as a part of the trace's length; and least part of the queue's time in which
 * the function had a P.
 */
#define STARVED_SHARE 0.1
#define HELD_SHARE 0.5

/*
 * If goroutines of the program use this part of the Ps, late answers may be due to the program's
 * own queue.
 */
#define BUSY_SHARE 0.7

/* The runs of goroutines in one function. */
struct runner {
	const char *func;
	uint64_t runs, long_runs;
	/*
	 * of long runs: their time, the time that others were ready meanwhile, and the longest; ns
	 */
	double ns, queue, longest;
	/* part of @queue in runs after which the runtime would have preempted the goroutine */
	double uncut;
	/* part of @uncut of which it is not known whether the threads had a CPU */
	double unseen;
	double asleep;			/* part of @uncut in which the threads slept in Linux */
	struct vote place;
};

/* Goroutines with the same first function and the same waker that were ready for long. */
struct starved {
	const char *name;
	/* the first function of the goroutines that made them ready; NULL: not known */
	const char *waker;
	double ns;
	struct few goroutines;
	int64_t from, to;		/* the longest wait */
};

struct ps {
	struct vec runners, starved;
	struct map64 runner_of, starved_of;
	/* pairs of a function, and the first function of a goroutine that ran in it */
	struct map64 members;
	uint64_t ready;			/* number of ready goroutines of the program */
	double queue;			/* ns: sum of their ready times */
	/* number of running goroutines, including those of the runtime */
	uint64_t running;
	double full;			/* ns during which all Ps had a running goroutine */
	int64_t since;			/* time up to which @queue and @full are counted */
	double all_queue;		/* ns that others were ready, summed over all runs */
	/* part of @all_queue while the threads of the runs had no CPU */
	double off_queue;
	double waited, ran;		/* ns of all goroutines */
	uint64_t gomaxprocs, procs;	/* largest GOMAXPROCS; current one */
	int64_t stopped;		/* end of the last long run */
	double stopped_full;		/* ns of that run during which all Ps were in use */
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
 * @time can be earlier than in the call before: the span of a goroutine that is found late begins
 * with its generation.
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
 * Returns the place where a goroutine ran: the place at which it stopped. If a function without a
 * frame was preempted, the stack at the end has no names, as in traces of the runtime itself: the
 * place is then the one where the run began, if that is known.
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

/*
 * Key of a function and a first function. Goroutines of one function can have many first functions:
 * "main.sick.gowrap1", "main.sick.gowrap2".
 */
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
	 * the time without a CPU is not the goroutine's own: findings_cpu.c counts it for the tasks
	 * that had the CPU
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
	/* while a P is idle, the machine is late, and no P is missing */
	if (full >= LONG_WAIT)
		add_starved(f, span, full);
}

/*
 * Counts late wake-ups. The scheduler looks at timers and the network when a P changes its
 * goroutine: if a wait for a timer or the network ends at the end of a long run, it ended late. The
 * trace does not have the delay: on average the delay is half of that run.
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

/* Returns the function that had the Ps while others were ready; NULL: there is none. */
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
 * Returns the goroutines that were ready longest, and *@ns, the time of all of them. Two groups do
 * not count. Goroutines with the same function as the hog share the Ps and lose nothing together
 * (@peers: they count). Goroutines that the hog wakes become ready because it took their data: they
 * are as far as they need to be.
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
	 * The runtime has a goroutine as running while it is in a system call that the program
	 * makes without runtime.entersyscall.
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
	/* with one P the peers could not run at the same time, either */
	s = find_starved(p, hog, p->gomaxprocs == 1, &ns);
	/* tasks of other programs cause the waits while a thread with a P has no CPU */
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
