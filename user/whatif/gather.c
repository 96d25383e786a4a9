// SPDX-License-Identifier: Apache-2.0
/*
 * gather: see gather.h. Spans come in the order of their ends, and an event of one goroutine can
 * cut the run of another one: a wake-up or a creation is an op of the goroutine that makes it.
 */
#include "whatif/gather.h"

#include <stdlib.h>
#include <string.h>

#include "read/notes.h"
#include "read/view.h"
#include "trace/wait.h"
#include "whatif/nominal.h"
#include "whatif/peers.h"
#include "why/place.h"

/* WAKE_MOST: ns; a thread that has a CPU takes less to wake. */
enum { WAKE_MOST = 100000 };
enum { SAMPLES_PENDING = 8, PROCS_MOST = 4096, LATENCIES_MOST = 1 << 16 };

/* The state of a goroutine, by its slot. */
struct weave {
	uint32_t program;	/* index + 1; 0: there was no room for it */
	uint32_t wait;		/* the open wait or system call; 0: none */
	uint32_t joined;	/* its last wait for a WaitGroup; 0: none */
	uint32_t sleeps;	/* class of its last sleep in its first function */
	uint32_t stack;		/* where the current part of the run began */
	int64_t cut;		/* when it began */
	bool assist, idle;	/* idle: a P was idle when it became ready */
	bool fresh;		/* it has not run yet */
	uint64_t waker_p;
	uint8_t by;		/* enum op_by of the last wait */
	/* the samples of the current part; of more than SAMPLES_PENDING the last ones */
	uint32_t nsamples;
	uint32_t samples[SAMPLES_PENDING];
};

struct gather {
	struct spans *s;
	struct oncpu *oncpu;		/* NULL: there are no records of threads */
	struct programs p;
	struct vec weaves;		/* struct weave */
	struct vec facts;		/* uint8_t by stack: STACK_KNOWN and others; 0: none yet */
	bool idle[PROCS_MOST];
	bool woken[PROCS_MOST];		/* it was idle, and no goroutine has run on it since */
	uint64_t nidle, nready;
	/* time of the last event; for how long a P has been idle beside a ready goroutine, ns */
	int64_t last, beside;
	int64_t scheduled;		/* the last time at which a goroutine began to run */
	/* int64_t, ns: from the time at which a goroutine was ready to that at which it ran */
	struct vec latencies, timer_latencies;
	struct vec switches;		/* from the end of one run to the begin of the next one */
	int64_t ran[PROCS_MOST];	/* when the last run on the P ended */
	int64_t world;			/* when the last stop of the world ended */
	bool full;			/* no further op has room */
};

static struct weave *gather_weave(struct gather *a, const struct goroutine *g)
{
	while (a->weaves.len <= g->slot)
		vec_push(&a->weaves, sizeof(struct weave));
	return vec_at(&a->weaves, struct weave, g->slot);
}

/* --- ops --- */

/* Returns the number of a new op at the end of @w's program; 0: there is no room. */
static uint32_t gather_add(struct gather *a, const struct weave *w, enum op_kind kind, int64_t time)
{
	uint32_t number = (uint32_t)a->p.ops.len;
	struct program *program;
	struct op *op;

	if (!w->program || a->full)
		return 0;
	if (number >= OPS_MOST) {
		a->full = true;
		a->p.until = time;
		return 0;
	}
	op = vec_push(&a->p.ops, sizeof(*op));
	op->kind = (uint8_t)kind;
	op->time = time;
	op->latency = LATENCY_UNKNOWN;
	program = program_at(&a->p, w->program - 1);
	if (program->last)
		op_at(&a->p, program->last)->next = number;
	else
		program->first = number;
	program->last = number;
	return number;
}

/* Ends the current part of the run of @g, at a place with stack @to. */
static void gather_cut(struct gather *a, const struct goroutine *g, struct weave *w, int64_t time,
		       uint32_t to)
{
	uint32_t number, i;
	struct op *op;

	if (time > w->cut) {
		number = gather_add(a, w, OP_RUN, w->cut);
		if (number) {
			op = op_at(&a->p, number);
			op->ns = time - w->cut;
			op->class = classes_run(&a->p.classes, w->assist, g->name, w->stack, to,
						op->ns);
			op->flags = w->assist ? OP_ASSIST : 0;
			for (i = 0; i < w->nsamples && i < SAMPLES_PENDING; i++)
				classes_sample(&a->p.classes, op->class, w->samples[i]);
		}
		w->nsamples = 0;
	}
	w->cut = time;
	if (to)
		w->stack = to;
}

/* --- goroutines --- */

static void gather_create(struct gather *a, const struct goroutine *g, struct program *program)
{
	const struct goroutine *by = spans_goroutine(a->s, g->creator);
	struct weave *w = by ? gather_weave(a, by) : NULL;
	uint32_t number;

	if (!w || !w->program || by->now.state != GO_RUNNING)
		return;
	gather_cut(a, by, w, g->since, g->created_at);
	number = gather_add(a, w, OP_CREATE, g->since);
	if (!number)
		return;
	op_at(&a->p, number)->partner = gather_weave(a, g)->program - 1;
	op_at(&a->p, number)->stack = g->created_at;
	program_at(&a->p, gather_weave(a, g)->program - 1)->created = true;
}

static void gather_on_goroutine(void *ctx, struct goroutine *g)
{
	struct gather *a = ctx;
	struct weave *w = gather_weave(a, g);
	struct program *program;

	*w = (struct weave){ .fresh = true, .waker_p = TRACEV2_NO_ID };
	if (a->full || a->p.list.len >= PROGRAMS_MOST) {
		if (!a->full)
			a->p.until = spans_last(a->s);
		a->full = true;
		return;
	}
	program = vec_push(&a->p.list, sizeof(*program));
	*program = (struct program){ .g = g->id, .name = g->name, .since = g->since,
				     .latency = LATENCY_UNKNOWN };
	w->program = (uint32_t)a->p.list.len;
	if (g->created)
		gather_create(a, g, program);
}

static void gather_on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct gather *a = ctx;
	struct weave *w = gather_weave(a, g);
	struct program *program;

	if (!w->program)
		return;
	program = program_at(&a->p, w->program - 1);
	program->name = g->name;
	program->system = spans_is_system(g->name);
	if (ended)
		gather_add(a, w, OP_END, time);
}

/* --- the begin of spans --- */

/*
 * Was a P idle when P @p made a goroutine ready? Without a goroutine that did so it was @p itself:
 * it woke for that.
 */
static bool gather_is_idle(const struct gather *a, const struct span_edge *by)
{
	return a->nidle || (by->g == TRACEV2_NO_ID && by->p < PROCS_MOST && a->woken[by->p]);
}

static enum class_kind gather_kind(const struct span *span)
{
	if (span->state == GO_SYSCALL)
		return CLASS_SYSCALL;
	if (!strcmp(span->reason, "sleep"))
		return CLASS_SLEEP;
	return strcmp(span->reason, "network") ? CLASS_WAIT : CLASS_NETWORK;
}

/*
 * A goroutine that sleeps again and again in the function that it began with, and waits for no
 * other goroutine in between, paces itself, as a poller or a source of work does: its sleep is no
 * part of anybody's work.
 */
static void gather_pace(struct gather *a, struct weave *w, const struct op *op)
{
	const struct class *k = class_at(&a->p.classes, op->class);
	const struct stack_frame *root = stack_set_root(spans_stacks(a->s), op->stack);

	if (!op->class || k->kind != CLASS_SLEEP || !root ||
	    (root->func != k->names[0] &&
	     (strcmp(root->func, "runtime.main") || strcmp(k->names[0], "main.main"))))
		return;
	if (w->sleeps == op->class)
		class_at(&a->p.classes, op->class)->pace = true;
	w->sleeps = op->class;
}

static void gather_begin_wait(struct gather *a, const struct span *span, struct weave *w)
{
	uint32_t number = gather_add(a, w, span->state == GO_SYSCALL ? OP_SYSCALL : OP_WAIT,
				     span->from);
	struct op *op;

	w->wait = number;
	if (!number)
		return;
	op = op_at(&a->p, number);
	op->stack = span->stack;
	op->class = classes_at(&a->p.classes, gather_kind(span), span->stack);
	gather_pace(a, w, op);
	if (!span->begin.type && span->from == span->g->since)
		op->flags |= OP_FOUND;
}

static void gather_ready(struct gather *a, const struct span *span, struct weave *w)
{
	w->idle = gather_is_idle(a, &span->begin);
	w->waker_p = span->begin.p;
	/* the only way to be ready without a wait, but for a preemption, is runtime.Gosched */
	if (span->begin.type == EV_GoStop && strcmp(span->reason, "preempted"))
		gather_add(a, w, OP_YIELD, span->from);
}

static void gather_on_span_begin(void *ctx, const struct span *span)
{
	struct gather *a = ctx;
	struct weave *w = gather_weave(a, span->g);

	a->nready += span->state == GO_RUNNABLE;
	switch (span->state) {
	case GO_RUNNING:
		w->cut = span->from;
		w->stack = span->stack;
		a->scheduled = span->from;
		if (span->p < PROCS_MOST)
			a->woken[span->p] = false;
		break;
	case GO_RUNNABLE:
		gather_ready(a, span, w);
		break;
	default:
		gather_begin_wait(a, span, w);
		break;
	}
}

/* --- the end of spans --- */

/* Facts about a stack, by its functions. */
enum {
	STACK_KNOWN = 1, STACK_CLOSES = 2, STACK_CHANNEL = 4, STACK_COLLECTS = 8,
	STACK_UNLOCKS = 16, STACK_JOINS = 32,
};

/* A part of the name of a function says so. */
static const struct {
	const char *part;
	uint8_t fact;
} gather_facts_of[] = {
	{ "Close", STACK_CLOSES }, { "Deadline", STACK_CLOSES },
	{ "runtime.chansend", STACK_CHANNEL }, { "runtime.chanrecv", STACK_CHANNEL },
	{ "runtime.selectgo", STACK_CHANNEL }, { "runtime.selectnbsend", STACK_CHANNEL },
	{ "runtime.selectnbrecv", STACK_CHANNEL },
	{ "runtime.gcStart", STACK_COLLECTS }, { "runtime.gcAssistAlloc", STACK_COLLECTS },
	{ "runtime.gcMarkDone", STACK_COLLECTS },
	{ "runtime.stopTheWorldWithSema", STACK_COLLECTS },
	{ "sync.(*WaitGroup).Wait", STACK_JOINS },
};

static uint8_t gather_look(const struct gather *a, uint32_t stack)
{
	const struct stack_set *stacks = spans_stacks(a->s);
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(stacks, stack, &n);
	uint8_t facts = STACK_KNOWN | (place_is_unlock(stacks, stack) ? STACK_UNLOCKS : 0);
	size_t k;

	for (i = 0; i < n; i++)
		for (k = 0; k < sizeof(gather_facts_of) / sizeof(*gather_facts_of); k++)
			if (strstr(stack_set_frame_at(stacks, frames[i])->func,
				   gather_facts_of[k].part))
				facts |= gather_facts_of[k].fact;
	return facts;
}

static bool gather_has(struct gather *a, uint32_t stack, uint8_t fact)
{
	uint8_t *facts;

	while (a->facts.len <= stack)
		vec_push(&a->facts, 1);
	facts = vec_at(&a->facts, uint8_t, stack);
	if (!*facts)
		*facts = gather_look(a, stack);
	return *facts & fact;
}

/* Who ended a wait that no goroutine of the programs ended? */
static enum op_by gather_alone(struct gather *a, const struct span *span)
{
	static const char *const timed[] = { "sleep", "chan receive", "select", NULL };
	size_t i;

	if (!span->end.type)
		return ENDED_NEVER;
	if (!strcmp(span->reason, "network"))
		return gather_has(a, span->end.stack, STACK_CLOSES) ? ENDED_RUNTIME :
								       ENDED_NETWORK;
	for (i = 0; timed[i]; i++)
		if (!strcmp(span->reason, timed[i]))
			return ENDED_TIMER;
	return ENDED_RUNTIME;
}

/*
 * The goroutine that ended the wait, if its program can have the op: else NULL. One of the runtime
 * is nobody to wait for: the collector runs when so much was allocated, not at the times of the
 * trace.
 */
static const struct goroutine *gather_poster(struct gather *a, const struct span *span)
{
	const struct goroutine *by = span->end.g == TRACEV2_NO_ID ? NULL :
				     spans_goroutine(a->s, span->end.g);

	if (!by || by == span->g || !strcmp(span->reason, "sleep") ||
	    (spans_is_system(by->name) && !spans_is_system(span->g->name)) ||
	    !gather_weave(a, by)->program)
		return NULL;
	if (!span->end.stack || (by->now.state != GO_RUNNING && span->end.type != EV_GoSwitch &&
				 span->end.type != EV_GoSwitchDestroy))
		return NULL;
	return by;
}

/* Do the channels of the wait hold values? A select can have channels of both kinds. */
static enum op_holds gather_holds(const struct trace_wait *wait)
{
	unsigned int i, n = 0;

	if (!wait || wait->more || !wait->n)
		return HOLDS_UNKNOWN;
	for (i = 0; i < wait->n; i++) {
		if (wait_capacity(wait, i) < 0)
			return HOLDS_UNKNOWN;
		n += wait_capacity(wait, i) > 0;
	}
	return !n ? HOLDS_NOTHING : n == wait->n ? HOLDS_SOME : HOLDS_UNKNOWN;
}

static void gather_post(struct gather *a, const struct span *span, const struct goroutine *by,
			uint32_t wait)
{
	struct weave *w = gather_weave(a, by);
	struct op *op;
	uint32_t number;

	if (by->now.state == GO_RUNNING)
		gather_cut(a, by, w, span->to, span->end.stack);
	number = gather_add(a, w, OP_POST, span->to);
	if (!number)
		return;
	op = op_at(&a->p, number);
	op->stack = span->end.stack;
	op->partner = wait;
	op->flags = gather_has(a, op->stack, STACK_CHANNEL) ? OP_OF_CHANNEL :
		    gather_has(a, op->stack, STACK_UNLOCKS) ? OP_OF_LOCK : 0;
	op->by = (uint8_t)gather_holds(span->wait);
	op_at(&a->p, wait)->partner = number;
	op_at(&a->p, wait)->by = ENDED_POST;
}

static bool gather_is_of_gc(struct gather *a, const struct span *span,
			    const struct goroutine *by)
{
	return strstr(span->reason, "GC") || !strcmp(span->reason, "preempted") ||
	       (by && spans_is_system(by->name)) || gather_has(a, span->stack, STACK_COLLECTS);
}

/*
 * No P was idle when the wait ended: the scheduler can have looked late. The true end lies after
 * the last time at which it looked, which is when a P took another goroutine.
 */
static void gather_late(const struct gather *a, struct op *op)
{
	int64_t least = a->scheduled - op->time;

	if (least < 1000)
		least = 1000;
	if (least > op->ns)
		least = op->ns;
	op->flags |= OP_LATE;
	op->partner = least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

/*
 * A wait for a WaitGroup ends with the last of its goroutines. If that becomes shorter, it is not
 * the last one any more: the wait is for all that the goroutine created since its wait before, and
 * that have ended. Their calls of Done are not in the trace, and their ends stand for them.
 */
static void gather_joins(struct gather *a, struct weave *w, uint32_t wait)
{
	uint32_t i = w->joined ? w->joined : program_at(&a->p, w->program - 1)->first;

	for (; i && i != wait; i = op_at(&a->p, i)->next) {
		const struct program *child = op_at(&a->p, i)->kind == OP_CREATE ?
			program_at(&a->p, op_at(&a->p, i)->partner) : NULL;

		if (!child || !child->last || op_at(&a->p, child->last)->kind != OP_END ||
		    op_at(&a->p, wait)->joins == UINT8_MAX)
			continue;
		op_at(&a->p, child->last)->partner = wait;
		op_at(&a->p, wait)->joins++;
	}
	w->joined = wait;
}

static void gather_wait_ends(struct gather *a, const struct span *span, struct weave *w)
{
	const struct goroutine *by = gather_poster(a, span);
	const struct goroutine *waker = span->end.g == TRACEV2_NO_ID ? NULL :
		spans_goroutine(a->s, span->end.g);
	uint32_t number = w->wait;
	struct op *op;

	w->wait = 0;
	w->by = by ? ENDED_POST : (uint8_t)gather_alone(a, span);
	if (by)
		w->sleeps = 0;
	if (span->gap && !a->full)
		a->p.gap += span->to - span->from;
	if (!number)
		return;
	if (by)
		gather_post(a, span, by, number);
	if (by && gather_has(a, span->stack, STACK_JOINS))
		gather_joins(a, w, number);
	op = op_at(&a->p, number);
	op->ns = span->to - span->from;
	if (op->by != ENDED_POST)
		op->by = by || (waker && spans_is_system(waker->name)) ? ENDED_RUNTIME : w->by;
	if (gather_is_of_gc(a, span, waker))
		op->flags |= OP_OF_GC;
	if (!gather_is_idle(a, &span->end) && op->by != ENDED_POST)
		gather_late(a, op);
	if (op->by != ENDED_NEVER)
		classes_count(&a->p.classes, op->class, op->ns);
}

static void gather_syscall_ends(struct gather *a, const struct span *span, struct weave *w)
{
	struct op *op;

	if (w->wait) {
		op = op_at(&a->p, w->wait);
		op->ns = span->to - span->from;
		if (span->end.type != EV_GoSyscallEnd)
			op->flags |= OP_BLOCKED;
		classes_count(&a->p.classes, op->class, op->ns);
	}
	w->wait = 0;
	w->by = ENDED_RUNTIME;
}

static void gather_latency(struct vec *list, int64_t ns)
{
	if (list->len < LATENCIES_MOST)
		*(int64_t *)vec_push(list, sizeof(int64_t)) = ns;
}

/* The goroutine was ready, and runs: the latency of its wake-up, or creation. */
static void gather_starts(struct gather *a, const struct span *span, struct weave *w)
{
	int64_t ns = span->to - span->from;
	bool own = w->waker_p != TRACEV2_NO_ID && span->end.p == w->waker_p;
	int32_t latency = ns > INT32_MAX - 1 ? INT32_MAX - 1 : (int32_t)ns;
	bool woken = span->begin.type == EV_GoUnblock || span->begin.type == EV_GoCreate;
	struct program *program;

	if (!w->program || !woken || span->end.type != EV_GoStart)
		return;
	if (own && span->end.p < PROCS_MOST && a->ran[span->end.p] > span->from)
		gather_latency(&a->switches, span->to - a->ran[span->end.p]);
	program = program_at(&a->p, w->program - 1);
	if (w->idle && !own && a->world < span->from)
		gather_latency(w->by == ENDED_POST || w->fresh ? &a->latencies :
				&a->timer_latencies, ns);
	if (!w->idle)
		return;
	latency = own && (w->by == ENDED_POST || w->fresh) ? -1 - latency : latency;
	if (w->fresh)
		program->latency = latency;
	else if (program->last && op_at(&a->p, program->last)->kind == OP_WAIT)
		op_at(&a->p, program->last)->latency = latency;
}

/* The part of a run in which its thread waited for a CPU: other tasks of the machine had it. */
static void gather_queued(struct gather *a, const struct span *span)
{
	const struct oncpu_part *parts;
	size_t n, i;

	if (!a->oncpu)
		return;
	parts = oncpu_parts(a->oncpu, span->m, span->from, span->to, &n);
	for (i = 0; i < n; i++) {
		int64_t ns = parts[i].to - parts[i].from;

		if (parts[i].state != THREAD_UNKNOWN)
			a->p.known += ns;
		if (parts[i].state == THREAD_QUEUED || parts[i].state == THREAD_THROTTLED)
			a->p.queued += ns;
	}
}

static void gather_on_span(void *ctx, const struct span *span)
{
	struct gather *a = ctx;
	struct weave *w = gather_weave(a, span->g);

	switch (span->state) {
	case GO_RUNNING:
		gather_cut(a, span->g, w, span->to,
			   span->end.g == span->g->id ? span->end.stack : 0);
		w->fresh = false;
		gather_queued(a, span);
		if (span->p < PROCS_MOST)
			a->ran[span->p] = span->to;
		break;
	case GO_RUNNABLE:
		a->nready--;
		gather_starts(a, span, w);
		break;
	case GO_SYSCALL:
		gather_syscall_ends(a, span, w);
		break;
	default:
		gather_wait_ends(a, span, w);
		break;
	}
}

/* --- events --- */

static void gather_proc(struct gather *a, uint64_t p, bool idle)
{
	if (p >= PROCS_MOST || a->idle[p] == idle)
		return;
	a->idle[p] = idle;
	a->woken[p] = !idle;
	a->nidle += idle ? 1 : (uint64_t)-1;
}

static void gather_procs(struct gather *a, uint64_t n)
{
	uint64_t i;

	a->p.procs_change |= a->p.procs && a->p.procs != n;
	a->p.procs = n;
	for (i = n; i < PROCS_MOST; i++)
		gather_proc(a, i, false);
}

/* A mark assist of the goroutine that runs begins or ends: its run is cut there. */
static void gather_assist(struct gather *a, const struct trace_event *ev, bool begins)
{
	const struct goroutine *g = spans_goroutine(a->s, ev->g);
	struct weave *w = g ? gather_weave(a, g) : NULL;

	if (!w || w->assist == begins)
		return;
	if (g->now.state == GO_RUNNING)
		gather_cut(a, g, w, ev->time, begins ? spans_stack(a->s, view_stack(ev)) : 0);
	w->assist = begins;
}

/* Up to @time the Ps and goroutines were as they are now: this event has not changed them yet. */
static void gather_beside(struct gather *a, int64_t time)
{
	if (a->last && a->nready && a->nidle && !a->full)
		a->beside += time - a->last;
	else if (a->beside) {
		if (a->beside > WAKE_MOST)
			a->p.starved += a->beside - WAKE_MOST;
		a->beside = 0;
	}
	a->last = time;
}

static void gather_on_event(void *ctx, const struct trace_event *ev)
{
	struct gather *a = ctx;

	gather_beside(a, ev->time);
	a->p.events += !a->full;
	switch (ev->type) {
	case EV_ProcStart:
		gather_proc(a, ev->args[0], false);
		break;
	case EV_ProcStop:
		gather_proc(a, ev->p, true);
		break;
	case EV_ProcSteal:
		gather_proc(a, ev->args[0], true);
		break;
	case EV_ProcStatus:
		gather_proc(a, ev->args[0], ev->args[1] == P_IDLE);
		break;
	case EV_GCMarkAssistBegin:
	case EV_GCMarkAssistEnd:
		gather_assist(a, ev, ev->type == EV_GCMarkAssistBegin);
		break;
	case EV_STWEnd:
		a->world = ev->time;
		break;
	case EV_ProcsChange:
		gather_procs(a, ev->args[0]);
		break;
	default:
		break;
	}
}

static void gather_on_sample(void *ctx, const struct trace_event *ev, uint32_t stack)
{
	struct gather *a = ctx;
	const struct goroutine *g = ev->g == TRACEV2_NO_ID ? NULL : spans_goroutine(a->s, ev->g);
	struct weave *w = g ? gather_weave(a, g) : NULL;

	if (w && g->now.state == GO_RUNNING && !w->assist)
		w->samples[w->nsamples++ % SAMPLES_PENDING] = stack;
}

static void gather_on_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
			  const char *message)
{
	struct gather *a = ctx;

	if (strcmp(category, NOTES_CATEGORY) || a->full)
		return;
	if (!a->p.notes++)
		a->p.note = message;
}

/* --- tasks and regions --- */

static void gather_mark(struct gather *a, const struct goroutine *g, int64_t time, uint32_t stack,
			const struct mark *mark)
{
	struct weave *w = g ? gather_weave(a, g) : NULL;
	uint32_t number;
	struct mark *m;

	if (!w)
		return;
	if (g->now.state == GO_RUNNING)
		gather_cut(a, g, w, time, stack);
	number = gather_add(a, w, OP_MARK, time);
	if (!number)
		return;
	op_at(&a->p, number)->partner = (uint32_t)a->p.marks.len;
	m = vec_push(&a->p.marks, sizeof(*m));
	*m = *mark;
	m->op = number;
}

static void gather_on_region_begin(void *ctx, const struct region_span *r)
{
	if (!r->open_begin && !r->depth)
		gather_mark(ctx, r->g, r->from, r->stack,
			    &(struct mark){ .type = r->type, .begins = true });
}

static void gather_on_region(void *ctx, const struct region_span *r)
{
	if (!r->open_begin && !r->open_end && !r->depth)
		gather_mark(ctx, r->g, r->to, 0, &(struct mark){ .type = r->type });
}

static void gather_on_task_begin(void *ctx, const struct task_span *t)
{
	struct gather *a = ctx;

	if (!t->open_begin && t->id)
		gather_mark(a, t->g == TRACEV2_NO_ID ? NULL : spans_goroutine(a->s, t->g), t->from,
			    0, &(struct mark){ .type = t->type, .task = t->id, .begins = true });
}

/* --- the trace --- */

static void gather_on_trace(void *ctx, int64_t time)
{
	struct gather *a = ctx;

	a->p.begin = a->p.end = time;
}

static void gather_on_end(void *ctx, int64_t time)
{
	struct gather *a = ctx;

	a->p.end = time;
	if (!a->full)
		a->p.until = time;
}

struct gather *gather_new(struct spans *s, struct oncpu *o)
{
	struct gather *a = xcalloc(1, sizeof(*a));

	a->s = s;
	a->oncpu = o;
	vec_push(&a->p.ops, sizeof(struct op));
	classes_init(&a->p.classes, spans_stacks(s));
	spans_visit(s, &(struct spans_visitor){
		.ctx = a, .waits = true, .trace_begin = gather_on_trace, .event = gather_on_event,
		.goroutine_begin = gather_on_goroutine, .span_begin = gather_on_span_begin,
		.span = gather_on_span, .goroutine_end = gather_on_goroutine_end,
		.region_begin = gather_on_region_begin, .region = gather_on_region,
		.task_begin = gather_on_task_begin, .sample = gather_on_sample,
		.log = gather_on_log, .notes = true, .trace_end = gather_on_end,
	});
	return a;
}

/* --- the end --- */

static int gather_by_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The mean of the lower 95 % of @list; @usual if there are few. Frees @list. */
static int64_t gather_mean(struct vec *list, int64_t usual)
{
	size_t i, n = list->len * 95 / 100;
	int64_t sum = 0;

	vec_sort(list, sizeof(int64_t), gather_by_ns);
	for (i = 0; i < n; i++)
		sum += *vec_at(list, int64_t, i);
	vec_free(list);
	return n >= 5 ? sum / (int64_t)n : usual;
}

static int64_t gather_median(struct vec *list, int64_t usual)
{
	int64_t median = usual;

	vec_sort(list, sizeof(int64_t), gather_by_ns);
	if (list->len >= 5)
		median = *vec_at(list, int64_t, list->len / 2);
	vec_free(list);
	return median;
}

/* Without a measurement: usual values of the runtime on Linux, ns. */
enum { USUAL_WAKE = 4000, USUAL_TIMER = 1000, USUAL_SWITCH = 300, SWITCH_MOST = 5000 };

struct programs *gather_finish(struct gather *a)
{
	struct programs *p = &a->p;

	spans_leave(a->s, a);
	p->latency = gather_mean(&a->latencies, USUAL_WAKE);
	p->timer_latency = gather_median(&a->timer_latencies, USUAL_TIMER);
	p->switch_latency = gather_mean(&a->switches, USUAL_SWITCH);
	if (p->switch_latency > SWITCH_MOST)
		p->switch_latency = SWITCH_MOST;
	if (!p->procs)
		p->procs = 1;
	nominal_find(p);
	peers_join(p);
	return p;
}

void programs_free(struct programs *p)
{
	vec_free(&p->ops);
	vec_free(&p->list);
	vec_free(&p->marks);
	classes_free(&p->classes);
}

void gather_free(struct gather *a)
{
	if (!a)
		return;
	programs_free(&a->p);
	vec_free(&a->weaves);
	vec_free(&a->facts);
	vec_free(&a->latencies);
	vec_free(&a->timer_latencies);
	vec_free(&a->switches);
	free(a);
}
