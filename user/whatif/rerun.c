// SPDX-License-Identifier: Apache-2.0
/* rerun: see rerun.h. */
#include "whatif/rerun.h"

#include <stdlib.h>
#include <string.h>

#include "whatif/agenda.h"

/* ns: the runtime's forcePreemptNS */
enum { RERUN_SLICE = 10000000 };
/* Steps for each op, and beside them: beyond these a replay is given up. */
enum { STEPS_PER_OP = 16, STEPS_MORE = 1 << 20, RERUN_PROCS_MOST = 4096 };

#define NOBODY UINT32_MAX

/* Flags of a wait: its goroutine is there; it was ended; the goroutine that ended it is blocked. */
enum { WAIT_ARRIVED = 1, WAIT_POSTED = 2, WAIT_BLOCKS = 4 };

/* A goroutine that is executed. */
struct actor {
	uint32_t op;		/* the next op; 0: none is left */
	int64_t left;		/* of a run that was interrupted, ns; -1: none was */
};

struct rerun_proc {
	uint32_t now, next;	/* programs; NOBODY */
	int64_t slice;		/* when the slice ends */
};

/* A queue of programs: each is in it once at most. */
struct rerun_queue {
	uint32_t *list;
	size_t cap, first, n;
};

struct rerun {
	const struct programs *p;
	const struct rounds *r;
	const struct rerun_change *change;
	bool rendezvous;
	struct agenda agenda;
	int64_t now, wake_at;
	int64_t all_idle;	/* when the last P became idle */
	struct actor *actors;
	uint8_t *waits;		/* by op: flags of a wait */
	uint8_t *missing;	/* by op of a wait: goroutines that have still to end */
	uint32_t *partners;	/* by op of a wait: the program that has arrived, or blocks */
	struct rerun_proc *procs;
	uint32_t nprocs, *idle, nidle;
	struct rerun_queue ready, timers;
	struct rerun_queue polled;	/* ready, and known when a P looks at the network */
	int64_t *from, *to;	/* by instance */
	uint64_t steps;
};

/* --- queues --- */

static void rerun_queue_add(struct rerun_queue *q, uint32_t g)
{
	size_t i;
	uint32_t *list;

	if (q->n == q->cap) {
		list = xcalloc(q->cap ? 2 * q->cap : 64, sizeof(*list));
		for (i = 0; i < q->n; i++)
			list[i] = q->list[(q->first + i) % q->cap];
		free(q->list);
		q->list = list;
		q->first = 0;
		q->cap = q->cap ? 2 * q->cap : 64;
	}
	q->list[(q->first + q->n++) % q->cap] = g;
}

static uint32_t rerun_queue_take(struct rerun_queue *q)
{
	uint32_t g = q->list[q->first];

	q->first = (q->first + 1) % q->cap;
	q->n--;
	return g;
}

/* --- times --- */

static int64_t rerun_later(int64_t time, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(time, ns, &sum) ? INT64_MAX : sum;
}

static void rerun_plan(struct rerun *y, int64_t ns, enum agenda_kind kind, uint32_t a, uint32_t b)
{
	agenda_add(&y->agenda, rerun_later(y->now, ns), kind, a, b);
}

static double rerun_factor(const struct rerun *y, const struct op *op)
{
	return y->change->factors ? (double)y->change->factors[op->class] : 1;
}

static int64_t rerun_ns(const struct rerun *y, const struct op *op)
{
	double f = rerun_factor(y, op);

	return f == 1 ? op->ns : (int64_t)(f * (double)op->ns);
}

/* --- instances of the unit --- */

static void rerun_begins(struct rerun *y, uint32_t op)
{
	if (y->r->begins[op])
		y->from[y->r->begins[op] - 1] = y->now;
}

static void rerun_ends(struct rerun *y, uint32_t op)
{
	if (y->r->ends[op])
		y->to[y->r->ends[op] - 1] = y->now;
}

static void rerun_passes(struct rerun *y, uint32_t op)
{
	if (!y->r->at_arrival)
		rerun_ends(y, op);
	rerun_begins(y, op);
}

/* --- the scheduler --- */

static void rerun_start(struct rerun *y, uint32_t p, uint32_t g, int64_t ns, bool inherits)
{
	y->procs[p].now = g;
	if (!inherits)
		y->procs[p].slice = rerun_later(y->now, RERUN_SLICE);
	rerun_plan(y, ns, AGENDA_STEP, p, g);
}

/* An idle P will look for work in @ns. */
static void rerun_wake(struct rerun *y, int64_t ns)
{
	int64_t time = rerun_later(y->now, ns > y->p->latency ? ns : y->p->latency);

	if (!y->nidle || (y->wake_at && y->wake_at <= time))
		return;
	y->wake_at = time;
	agenda_add(&y->agenda, time, AGENDA_FOUND, 0, 0);
}

/* Takes the goroutine that another P would run next. */
static uint32_t rerun_steal(struct rerun *y, uint32_t p)
{
	uint32_t i, g;

	for (i = 0; i < y->nprocs; i++) {
		g = y->procs[i].next;
		if (i == p || g == NOBODY || y->procs[i].now == NOBODY)
			continue;
		y->procs[i].next = NOBODY;
		return g;
	}
	return NOBODY;
}

static void rerun_idle(struct rerun *y, uint32_t p)
{
	y->idle[y->nidle++] = p;
	if (y->nidle == y->nprocs)
		y->all_idle = y->now;
}

/* P @p looks for the next goroutine. */
static void rerun_pick(struct rerun *y, uint32_t p)
{
	struct rerun_proc *proc = &y->procs[p];
	uint32_t g = proc->next;
	bool inherits;

	proc->now = proc->next = NOBODY;
	if (y->timers.n) {
		if (g != NOBODY)
			rerun_queue_add(&y->ready, g);
		rerun_start(y, p, rerun_queue_take(&y->timers), y->p->switch_latency, false);
		return;
	}
	inherits = g != NOBODY && proc->slice > y->now;
	if (g != NOBODY && !inherits && y->ready.n) {
		rerun_queue_add(&y->ready, g);
		g = NOBODY;
	}
	if (g == NOBODY && y->ready.n)
		g = rerun_queue_take(&y->ready);
	if (g == NOBODY && y->polled.n)
		g = rerun_queue_take(&y->polled);
	if (g == NOBODY)
		g = rerun_steal(y, p);
	if (g == NOBODY)
		rerun_idle(y, p);
	else
		rerun_start(y, p, g, y->p->switch_latency, inherits);
}

static void rerun_found(struct rerun *y, int64_t time)
{
	uint32_t p;

	if (y->wake_at != time)
		return;
	y->wake_at = 0;
	if (!y->nidle)
		return;
	p = y->idle[--y->nidle];
	rerun_pick(y, p);
	if (y->procs[p].now != NOBODY && y->ready.n)
		rerun_wake(y, 0);
}

static void rerun_enter(struct rerun *y, uint32_t g, bool front)
{
	if (y->nidle)
		rerun_start(y, y->idle[--y->nidle], g, 0, false);
	else
		rerun_queue_add(front ? &y->timers : &y->ready, g);
}

/* @g is ready. @p: the P of the goroutine that made it so, NOBODY: none, then it is a timer. */
static void rerun_ready(struct rerun *y, uint32_t g, uint32_t p, bool front, int32_t latency)
{
	bool known = latency != LATENCY_UNKNOWN;
	uint32_t old;

	if (y->nidle && p == NOBODY && (!known || latency < 0)) {
		rerun_plan(y, front ? y->p->timer_latency : y->p->latency, AGENDA_ENTER, g, front);
		return;
	}
	if (y->nidle && known && latency >= 0) {
		rerun_plan(y, latency, AGENDA_ENTER, g, front);
		return;
	}
	if (p == NOBODY || y->procs[p].now == NOBODY) {
		rerun_queue_add(front ? &y->timers : &y->ready, g);
		rerun_wake(y, 0);
		return;
	}
	old = y->procs[p].next;
	y->procs[p].next = g;
	if (old != NOBODY)
		rerun_queue_add(&y->ready, old);
	rerun_wake(y, known && latency < 0 ? -(int64_t)latency : 0);
}

/* The network has something for @g. A P that has other work does not look. */
static void rerun_polled(struct rerun *y, uint32_t g, int32_t latency)
{
	if (y->nidle)
		rerun_ready(y, g, NOBODY, false, latency);
	else
		rerun_queue_add(&y->polled, g);
}

/* --- ops --- */

/* What an op did: the next op follows at once, or the goroutine has left the P, or runs. */
enum rerun_effect { NEXT_OP, LEFT_P, RUNS_ON };

static void rerun_next(struct rerun *y, uint32_t g)
{
	struct actor *actor = &y->actors[g];

	actor->op = op_at(y->p, actor->op)->next;
}

static bool rerun_collects(const struct rerun *y, uint32_t g, const struct op *op)
{
	return op->flags & OP_ASSIST ||
	       !strcmp(program_at(y->p, g)->name, "runtime.gcBgMarkWorker");
}

static enum rerun_effect rerun_do_run(struct rerun *y, uint32_t p, uint32_t g,
					const struct op *op)
{
	struct actor *actor = &y->actors[g];
	int64_t ns = actor->left >= 0 ? actor->left : rerun_ns(y, op), room;

	actor->left = -1;
	if (ns <= 0 || (y->change->no_gc && rerun_collects(y, g, op))) {
		rerun_next(y, g);
		return NEXT_OP;
	}
	room = y->procs[p].slice - y->now;
	if (room <= 0 && (y->ready.n || y->timers.n)) {
		actor->left = ns;
		rerun_queue_add(&y->ready, g);
		return LEFT_P;
	}
	if (room <= 0) {
		y->procs[p].slice = rerun_later(y->now, RERUN_SLICE);
		room = RERUN_SLICE;
	}
	if (ns > room)
		actor->left = ns - room;
	else
		rerun_next(y, g);
	rerun_plan(y, ns < room ? ns : room, AGENDA_STEP, p, g);
	return RUNS_ON;
}

static bool rerun_is_over(const struct rerun *y, uint32_t wait)
{
	return y->waits[wait] & WAIT_POSTED && !y->missing[wait];
}

/* The goroutine of @wait is there: it goes on if nothing is missing any more. */
static void rerun_complete(struct rerun *y, uint32_t p, uint32_t wait)
{
	uint32_t waiter = y->partners[wait];

	if (!rerun_is_over(y, wait))
		return;
	rerun_next(y, waiter);
	rerun_passes(y, wait);
	if (op_at(y->p, op_at(y->p, wait)->partner)->flags & OP_OF_NETWORK)
		rerun_polled(y, waiter, op_at(y->p, wait)->latency);
	else
		rerun_ready(y, waiter, p, false, op_at(y->p, wait)->latency);
}

/* A goroutine has ended. */
static void rerun_do_end(struct rerun *y, uint32_t p, const struct op *op)
{
	uint32_t wait = op->partner;

	if (!wait || !y->missing[wait])
		return;
	y->missing[wait]--;
	if (y->waits[wait] & WAIT_ARRIVED)
		rerun_complete(y, p, wait);
}

static enum rerun_effect rerun_do_post(struct rerun *y, uint32_t p, uint32_t g,
					 const struct op *op)
{
	uint32_t wait = op->partner;

	rerun_next(y, g);
	y->waits[wait] |= WAIT_POSTED;
	if (y->waits[wait] & WAIT_ARRIVED) {
		rerun_complete(y, p, wait);
		return NEXT_OP;
	}
	if (!(op->flags & OP_OF_CHANNEL) || op->by == HOLDS_SOME ||
	    (op->by == HOLDS_UNKNOWN && !y->rendezvous))
		return NEXT_OP;
	y->waits[wait] |= WAIT_BLOCKS;
	y->partners[wait] = g;
	return LEFT_P;
}

/* When a wait that no goroutine ends is over. */
static int64_t rerun_until(const struct rerun *y, uint32_t g, const struct op *op)
{
	int64_t ended = rerun_later(op->time, op->ns);

	if (op->by == ENDED_CLOCK || op->flags & OP_FOUND ||
	    (op->by == ENDED_RUNTIME && program_at(y->p, g)->system))
		return ended > y->now ? ended : y->now;
	return rerun_later(y->now, rerun_ns(y, op));
}

/* The sleep without what it was late by. */
static int64_t rerun_nominal(const struct rerun *y, const struct op *op)
{
	int64_t nominal = class_at(&y->p->classes, op->class)->nominal;

	return nominal < op->ns ? nominal : op->ns;
}

static bool rerun_is_shorter_sleep(const struct rerun *y, const struct op *op)
{
	return op->by == ENDED_TIMER && !(op->flags & OP_FOUND) && rerun_factor(y, op) != 1;
}

/*
 * A sleep that is shorter than it was is over. If all Ps are idle the runtime waits in
 * epoll_wait(2) since they are, for whole ms. Being late does not get shorter with the sleep.
 */
static void rerun_due(struct rerun *y, uint32_t g)
{
	const struct op *op = op_at(y->p, y->actors[g].op);
	int64_t late = op->ns - rerun_nominal(y, op), rest = 0;

	if (y->nidle == y->nprocs) {
		rest = (y->now - y->all_idle) % POLLER_NS;
		rest = rest ? POLLER_NS - rest : 0;
	}
	rerun_plan(y, rest + late, AGENDA_FIRE, g, 0);
}

static enum rerun_effect rerun_over(struct rerun *y, uint32_t g, uint32_t number)
{
	rerun_next(y, g);
	rerun_passes(y, number);
	return NEXT_OP;
}

static enum rerun_effect rerun_do_wait(struct rerun *y, uint32_t p, uint32_t g,
					 const struct op *op)
{
	uint32_t number = y->actors[g].op;
	int64_t until;

	if (y->r->at_arrival)
		rerun_ends(y, number);
	if (y->change->no_gc && op->flags & OP_OF_GC && !program_at(y->p, g)->system)
		return rerun_over(y, g, number);
	if (op->by == ENDED_NEVER)
		return LEFT_P;
	if (rerun_is_shorter_sleep(y, op)) {
		rerun_plan(y, (int64_t)(rerun_factor(y, op) * (double)rerun_nominal(y, op)),
			   AGENDA_DUE, g, 0);
		return LEFT_P;
	}
	if (op->by != ENDED_POST) {
		until = rerun_until(y, g, op);
		if (until <= y->now)
			return rerun_over(y, g, number);
		agenda_add(&y->agenda, until, AGENDA_FIRE, g, 0);
		return LEFT_P;
	}
	if (y->waits[number] & WAIT_BLOCKS)
		rerun_ready(y, y->partners[number], p, false, LATENCY_UNKNOWN);
	if (rerun_is_over(y, number))
		return rerun_over(y, g, number);
	y->waits[number] |= WAIT_ARRIVED;
	y->partners[number] = g;
	return LEFT_P;
}

static enum rerun_effect rerun_do_syscall(struct rerun *y, uint32_t p, uint32_t g,
					    const struct op *op)
{
	int64_t ns = rerun_ns(y, op);

	if (op->flags & OP_BLOCKED) {
		rerun_plan(y, ns, AGENDA_RETURN, g, 0);
		return LEFT_P;
	}
	rerun_next(y, g);
	if (ns <= 0)
		return NEXT_OP;
	rerun_plan(y, ns, AGENDA_STEP, p, g);
	return RUNS_ON;
}

static void rerun_do_create(struct rerun *y, uint32_t p, const struct op *op)
{
	const struct program *child = program_at(y->p, op->partner);

	y->actors[op->partner].op = child->first;
	if (child->first)
		rerun_ready(y, op->partner, p, false, child->latency);
}

static enum rerun_effect rerun_do(struct rerun *y, uint32_t p, uint32_t g, uint32_t number)
{
	const struct op *op = op_at(y->p, number);

	switch (op->kind) {
	case OP_RUN:
		return rerun_do_run(y, p, g, op);
	case OP_POST:
		return rerun_do_post(y, p, g, op);
	case OP_WAIT:
		return rerun_do_wait(y, p, g, op);
	case OP_SYSCALL:
		return rerun_do_syscall(y, p, g, op);
	default:
		break;
	}
	rerun_ends(y, number);
	rerun_begins(y, number);
	rerun_next(y, g);
	if (op->kind == OP_CREATE)
		rerun_do_create(y, p, op);
	if (op->kind == OP_END) {
		rerun_do_end(y, p, op);
		return LEFT_P;
	}
	if (op->kind != OP_YIELD || (!y->ready.n && y->procs[p].next == NOBODY))
		return NEXT_OP;
	rerun_queue_add(&y->ready, g);
	return LEFT_P;
}

/* Goroutine @g goes on on P @p, up to an op that takes time. */
static void rerun_step(struct rerun *y, uint32_t p, uint32_t g)
{
	enum rerun_effect effect = NEXT_OP;

	while (effect == NEXT_OP) {
		y->steps++;
		effect = y->actors[g].op ? rerun_do(y, p, g, y->actors[g].op) : LEFT_P;
	}
	if (effect == LEFT_P)
		rerun_pick(y, p);
}

/* --- the begin --- */

/* A goroutine that waited when the trace began, or when it was found. */
static void rerun_waits(struct rerun *y, uint32_t g)
{
	uint32_t number = y->actors[g].op;
	const struct op *op = op_at(y->p, number);

	if (op->by == ENDED_NEVER)
		return;
	if (op->by != ENDED_POST) {
		agenda_add(&y->agenda, rerun_until(y, g, op), AGENDA_FIRE, g, 0);
		return;
	}
	if (y->waits[number] & WAIT_BLOCKS)
		rerun_ready(y, y->partners[number], NOBODY, false, LATENCY_UNKNOWN);
	if (!rerun_is_over(y, number)) {
		y->waits[number] |= WAIT_ARRIVED;
		y->partners[number] = g;
		return;
	}
	rerun_over(y, g, number);
	rerun_ready(y, g, NOBODY, false, LATENCY_UNKNOWN);
}

static void rerun_appears(struct rerun *y, uint32_t g)
{
	if (op_at(y->p, y->actors[g].op)->kind == OP_WAIT)
		rerun_waits(y, g);
	else
		rerun_ready(y, g, NOBODY, false, LATENCY_UNKNOWN);
}

static void rerun_init(struct rerun *y)
{
	size_t ops = y->p->ops.len, n = y->p->list.len;
	uint32_t i;

	y->now = y->all_idle = y->p->begin;
	y->actors = xcalloc(n + 1, sizeof(*y->actors));
	y->waits = xcalloc(ops, 1);
	y->missing = xcalloc(ops, 1);
	for (i = 0; i < ops; i++)
		if (op_at(y->p, i)->kind == OP_WAIT)
			y->missing[i] = op_at(y->p, i)->joins;
	y->partners = xcalloc(ops, sizeof(*y->partners));
	y->nprocs = y->p->procs < RERUN_PROCS_MOST ? (uint32_t)y->p->procs : RERUN_PROCS_MOST;
	y->procs = xcalloc(y->nprocs, sizeof(*y->procs));
	y->idle = xcalloc(y->nprocs, sizeof(*y->idle));
	for (i = 0; i < y->nprocs; i++) {
		y->procs[i] = (struct rerun_proc){ NOBODY, NOBODY, 0 };
		y->idle[y->nidle++] = i;
	}
	y->from = xcalloc(y->r->n + 1, sizeof(*y->from));
	y->to = xcalloc(y->r->n + 1, sizeof(*y->to));
	for (i = 0; i < y->r->n; i++)
		y->from[i] = y->to[i] = ROUND_NONE;
	for (i = 0; i < n; i++) {
		const struct program *program = program_at(y->p, i);

		y->actors[i] = (struct actor){ 0, -1 };
		if (program->created || !program->first)
			continue;
		y->actors[i].op = program->first;
		agenda_add(&y->agenda, op_at(y->p, program->first)->time, AGENDA_APPEAR, i, 0);
	}
}

static void rerun_free(struct rerun *y)
{
	free(y->actors);
	free(y->waits);
	free(y->missing);
	free(y->partners);
	free(y->procs);
	free(y->idle);
	free(y->from);
	free(y->to);
	free(y->ready.list);
	free(y->timers.list);
	free(y->polled.list);
	agenda_free(&y->agenda);
}

static void rerun_take(struct rerun *y, const struct agenda_item *item)
{
	uint32_t number;

	switch (item->kind) {
	case AGENDA_STEP:
		rerun_step(y, item->a, item->b);
		break;
	case AGENDA_FOUND:
		rerun_found(y, item->time);
		break;
	case AGENDA_ENTER:
		rerun_enter(y, item->a, item->b);
		break;
	case AGENDA_DUE:
		rerun_due(y, item->a);
		break;
	case AGENDA_APPEAR:
		rerun_appears(y, item->a);
		break;
	default:
		number = y->actors[item->a].op;
		rerun_next(y, item->a);
		rerun_passes(y, number);
		rerun_ready(y, item->a, NOBODY, true, op_at(y->p, number)->latency);
		break;
	}
}

struct rerun_result rerun_run(const struct programs *p, const struct rounds *r,
			   enum rerun_variant variant, const struct rerun_change *change)
{
	struct rerun y = { .p = p, .r = r, .change = change,
			    .rendezvous = variant == RERUN_ORDER };
	uint64_t most = (uint64_t)p->ops.len * STEPS_PER_OP + STEPS_MORE;
	struct rerun_result result = {0};
	struct agenda_item item;

	rerun_init(&y);
	while (y.steps < most && agenda_take(&y.agenda, &item)) {
		y.now = item.time;
		y.steps++;
		rerun_take(&y, &item);
	}
	result.ended = y.steps < most;
	result.measured = rounds_measure(y.from, y.to, r->n, p->begin, p->until);
	rerun_free(&y);
	return result;
}
