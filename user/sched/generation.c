// SPDX-License-Identifier: Apache-2.0
/* generation: see generation.h. */
#include "sched/generation.h"

#include "base/vec.h"
#include "sched/ensure.h"
#include "sched/handlers.h"
#include "sched/ops.h"
#include "sched/steps.h"
#include "sched/waits.h"

/* A P beyond GOMAXPROCS is gone until procresize brings it back under a new status. */
static bool generation_is_gone(const struct model *s, const struct P *p)
{
	return p->status == P_IDLE && p->id >= s->gomaxprocs;
}

static void state_ps(struct model *s)
{
	size_t i;

	map64_each(&s->ps, i) {
		struct P *p = map64_ptr(&s->ps, i, struct P);

		if (p->status == STATUS_UNKNOWN && s->gen == 1)
			p->status = P_IDLE;
		if (generation_is_gone(s, p))
			p->status = STATUS_UNKNOWN;
		if (p->status != STATUS_UNKNOWN)
			step_p_status(s, p);
	}
}

static void state_gs(struct model *s)
{
	size_t i;

	map64_each(&s->gs, i)
		step_go_status(s, map64_ptr(&s->gs, i, struct G));
}

/*
 * A generation that has stated much lasts longer: each one states all goroutines, which
 * must not be most of the trace. With a million goroutines, some 17 MB are stated each
 * 16 s, or each 33 MB of events.
 */
static void set_due(struct model *s)
{
	enum { GOROUTINES_PER_UNIT = 65536 };

	s->due_time = s->gen_begin + s->opts.gen_ns * (1 + s->gs.len / GOROUTINES_PER_UNIT);
	s->due_size = s->opts.gen_bytes + 2 * *s->gen_size;
	s->usual_until = s->due_time < TIME_MAX ? s->due_time : TIME_MAX;
}

/*
 * Emits the labels of goroutines that run at once, and those of the others when they run next. The
 * base of addresses comes with the first.
 */
static void generation_restate(struct model *s)
{
	labels_restate(s);
	heap_restate(s);
	s->memory.told = false;
}

static void generation_begin(struct model *s)
{
	s->gen++;
	s->gen_begin = s->now;
	s->ps_looked_at = 0;
	s->sink.ops->gen_begin(s->sink.ctx);
	s->stating = true;
	state_ps(s);
	state_gs(s);
	s->stating = false;
	s->now += s->unit;
	s->tell_procs = s->gomaxprocs != 0;
	s->procs_stack = 0;
	s->tell_gc = s->gc_running;
	/* first: viewers index a list of GOMAXPROCS items with the ids of Ps */
	procs_tell_first(s);
	assist_tell_all(s);
	sweep_tell_all(s);
	if (s->opts.restate)
		generation_restate(s);
	s->tell_origin |= s->opts.notes && s->opts.origin[0] && (s->gen == 1 || s->opts.restate);
	set_due(s);
}

/* A P is in a syscall if its thread has a goroutine in one, whatever the P's own status is. */
static void settle_p(struct P *p)
{
	if (p->m->g && p->m->g->status == G_SYSCALL)
		p->status = P_SYSCALL;
	/* A C thread that has ended left it (dropm). */
	else if (p->status == P_SYSCALL && !p->m->g)
		p_unbind(p);
	else
		p->status = P_RUNNING;
}

/*
 * A running goroutine without a P is between the end of a syscall and its
 * next P (Go 1.26+, exitsyscall): a reader knows that as in a syscall.
 */
void generation_settle(struct model *s)
{
	size_t i;

	map64_each(&s->gs, i) {
		struct G *g = map64_ptr(&s->gs, i, struct G);

		if (g->status == G_RUNNING && !g->m->p)
			g->status = G_SYSCALL;
	}
	map64_each(&s->ps, i) {
		struct P *p = map64_ptr(&s->ps, i, struct P);

		if (p->m)
			settle_p(p);
	}
}

void generation_first(struct model *s)
{
	generation_settle(s);
	if (!s->gomaxprocs)
		s->gomaxprocs = s->ps.len;
	s->started = true;
	count_goroutines(s, s->gs.len);
	s->counts.begin = s->now;
	labels_settle(s, &s->gs);
	generation_begin(s);
	labels_tell_all(s);
	memory_tell_all(s);
}

/*
 * A wall clock that was set back would make readers refuse the generation: it
 * goes on as the other clock does until it has caught up. Less than a second is no repair:
 * the two clocks are read one after the other, by a thread that may wait for its CPU in between.
 */
static struct trace_clock clock_now(struct model *s)
{
	uint64_t wall = s->clock_wall + (s->gen_begin - s->clock_mono);
	uint64_t least = s->last_wall + (s->gen_begin - s->last_begin);

	if (wall > WALL_MAX || wall + 1000000000 < least)
		repair(s, REPAIR_CLOCK);
	if (wall < least || wall > WALL_MAX)
		wall = least;
	s->last_wall = wall;
	s->last_begin = s->gen_begin;

	return (struct trace_clock){
		.time = s->gen_begin,
		.mono_ns = s->gen_begin,
		.wall_sec = wall / 1000000000,
		.wall_nsec = wall % 1000000000,
	};
}

/* Threads that hold nothing and said nothing for a whole generation have most likely ended. */
static void forget_idle_threads(struct model *s)
{
	size_t i = 0;

	while (i < s->ms.cap) {
		struct M *m = map64_ptr(&s->ms, i, struct M);

		if (s->ms.slots[i].used && !m->g && !m->p && m->gen < s->gen)
			m_drop(s, m);	/* another one may move here: look again */
		else
			i++;
	}
}

int generation_end(struct model *s)
{
	struct trace_clock clock = clock_now(s);

	objects_tell_types(s);
	sockets_tell(s);
	ops_tell(s);
	return s->sink.ops->gen_end(s->sink.ctx, &clock, s->err);
}

/*
 * A reader looks an STW's name up in the generation of its end: never across. But
 * where that end was lost, or was never to come, the generation must not grow without bound.
 * While the world is stopped a program makes few records: a quarter more has room for them.
 */
static bool generation_is_too_large(const struct model *s)
{
	return *s->gen_size >= s->due_size + s->due_size / 4 ||
	       s->dead.len >= DEAD_MOST + DEAD_MOST / 4;
}

static bool generation_is_too_long(const struct model *s)
{
	enum { PATIENCE = 8 };

	return s->now - s->gen_begin >= PATIENCE * (s->due_time - s->gen_begin);
}

bool generation_is_overdue(const struct model *s)
{
	return generation_is_too_large(s) || generation_is_too_long(s);
}

/*
 * A program that is stopped by a signal, frozen, or in the hands of a debugger can have its world
 * stopped for any time. Only a loss says that the end may have come.
 */
static bool can_end(const struct model *s)
{
	return !s->stw || generation_is_too_large(s) ||
	       (generation_is_too_long(s) && s->counts.lost != s->stw_lost);
}

void generation_next(struct model *s)
{
	map64_free(&s->dead);
	generation_begin(s);
}

int generation_turn_now(struct model *s)
{
	int r;

	ensure_world_runs(s);
	forget_idle_threads(s);
	procs_tell(s);
	r = generation_end(s);
	if (r)
		return r;
	generation_next(s);
	return 0;
}

int generation_turn(struct model *s)
{
	return can_end(s) ? generation_turn_now(s) : 0;
}

int generation_finish(struct model *s, bool restate)
{
	int r;

	/* first: a stand-in says it at the begin, where its P has no events yet */
	procs_tell(s);
	notes_tell_last(s);
	r = generation_end(s);
	if (r || !restate)
		return r;
	generation_next(s);
	procs_tell(s);
	return generation_end(s);
}
