// SPDX-License-Identifier: Apache-2.0
/*
 * gap: a time of which nothing is known: too many records were lost, or the
 * probes were away. See handlers.h.
 *
 * At its begin each goroutine that runs blocks, with a reason that names the gap, and
 * each P stops: a viewer's lanes are empty, and no time counts as running that was not
 * seen. Then the model begins again as at the attach, with empty tables: from REC_RESUME
 * on the records and then the snapshot give the states. At REC_SNAP_END the model leads
 * the goroutines and Ps from before the gap to these states by legal steps, at the head
 * of a new generation.
 *
 * A reader accepts a new state of a goroutine that it knows only by such steps (Go 1.27,
 * internal/trace/order.go): a goroutine that ended meanwhile runs once more to end, one
 * that began is created. The steps are a nanosecond apart.
 */
#include "sched/handlers.h"
#include "sched/ops.h"

#include "base/vec.h"
#include "sched/ensure.h"
#include "sched/generation.h"
#include "sched/steps.h"
#include "sched/waits.h"

static const char NOT_RECORDED[] = "gotap: not recorded";

static const char *gap_text(enum rec_gap why)
{
	switch (why) {
	case REC_GAP_LOST:
		return "too many records were lost";
	case REC_GAP_REREAD:
		return "records were lost before, all states were read anew";
	case REC_GAP_BUDGET:
		return "probes would cost more than the budget";
	}
	return "unknown";
}

/* Swaps the model's tables with s->aside. */
static void swap_tables(struct model *s)
{
	struct tables t = s->aside;

	s->aside = (struct tables){ s->gs, s->ps, s->p_ptrs, s->ms };
	s->gs = t.gs;
	s->ps = t.ps;
	s->p_ptrs = t.p_ptrs;
	s->ms = t.ms;
	state_forget(s);
}

/* --- the begin --- */

/* The end of a cycle cannot be seen in a gap: the cycle ends here. */
static void end_ranges(struct model *s)
{
	struct M *speaker = any_speaker(s);
	size_t i;

	map64_each(&s->ms, i) {
		struct M *m = map64_ptr(&s->ms, i, struct M);

		if (m->sweep.place)
			step_sweep_end(s, m);
	}
	if (s->stw)
		step_stw_end(s);
	if (s->gc_running && speaker)
		gc_end(s, speaker, NULL);
}

static void put_to_rest(struct model *s, struct M *m)
{
	if (m_speaks(m)) {
		ensure_no_assist(s, m);
		step_go_block(s, m, NOT_RECORDED, NOT_RECORDED, 0, NULL);
	}
	if (m->p)	/* in a syscall, too: a reader takes this for a steal */
		step_p_stop(s, m);
}

/* Threads that only the tables that go away know. */
static void gap_drop_threads(struct model *s, const struct map64 *ms, const struct map64 *others)
{
	size_t i;

	map64_each(ms, i)
		if (!map64_get(others, ms->slots[i].key))
			s->sink.ops->thread_done(s->sink.ctx, ms->slots[i].key);
}

/* Addresses of Ps stay true. */
static void begin_collecting(struct model *s)
{
	size_t i;

	gap_drop_threads(s, &s->ms, &s->aside.ms);
	state_clear(s);
	map64_clear(&s->dead);
	map64_free(&s->memory.spans);
	map64_free(&s->memory.stacks);
	s->gap.born = 0;
	s->gc_known = s->gc_running = false;
	s->gc_left_open = s->gc_told;
	map64_each(&s->aside.ps, i) {
		struct P *p = map64_ptr(&s->aside.ps, i, struct P);

		p_put(s, p->id, p->ptr);
	}
}

static int gap_open(struct model *s, enum rec_gap why)
{
	size_t i;
	int r;

	if (!s->started)
		return 0;
	if (why != REC_GAP_REREAD && notes_tell(s, any_speaker(s)))
		note_add(s, "not recorded from here on: %s", gap_text(why));
	notes_tell(s, any_speaker(s));
	procs_tell(s);
	end_ranges(s);
	sockets_gap(s);
	map64_each(&s->ms, i)
		put_to_rest(s, map64_ptr(&s->ms, i, struct M));
	r = generation_end(s);
	s->started = false;
	s->usual_until = 0;
	s->tell_gap = 0;
	s->gap = (struct gap){ .open = true, .why = why, .since = s->now };
	s->counts.end = s->now;
	s->counts.slices += why == REC_GAP_BUDGET;
	swap_tables(s);
	allocs_forget(s);
	begin_collecting(s);
	return r;
}

int gap_begin_told(struct model *s, struct M *m)
{
	return notes_tell(s, m) ? gap_open(s, s->tell_gap) : 0;
}

int gap_record(struct model *s, const struct rec *r)
{
	if (!r->flags || s->gap.open)
		return gap_open(s, r->sub);
	s->tell_gap = r->sub;
	return gap_begin_told(s, NULL);
}

void gap_resume(struct model *s, struct M *m, const struct rec *r)
{
	if (!s->gap.open)
		return;
	/* records from before, or of an attempt that failed, count no more */
	begin_collecting(s);
	allocs_forget(s);
	s->gap.collecting = true;
}

/*
 * --- the end ---
 *
 * The tables of the model have the states from before the gap; s->aside has the states of now,
 * which were collected since REC_RESUME. The steps below lead from the first to the second.
 */

static struct G *g_now(const struct model *s, uint64_t goid)
{
	uint64_t *slot = map64_get(&s->aside.gs, goid);

	return slot ? (struct G *)(uintptr_t)*slot : NULL;
}

/* Still in the same syscall, or in another on the same thread: no event is due. */
static bool stays_in_syscall(const struct G *before, const struct G *now)
{
	return now && before->status == G_SYSCALL && now->status == G_SYSCALL &&
	       before->m->tid == now->m->tid;
}

static void leave_syscalls(struct model *s)
{
	size_t i;

	map64_each(&s->gs, i) {
		struct G *g = map64_ptr(&s->gs, i, struct G);

		if (g->status == G_SYSCALL && !stays_in_syscall(g, g_now(s, g->id)))
			step_sys_end_blocked(s, g->m);
	}
}

static void give_p(struct model *s, struct M *m, struct P *p)
{
	ensure_p_idle(s, m, p);	/* says its status if it has none yet */
	step_p_start(s, m, p);
}

static void gap_run(struct model *s, struct M *m, struct G *g)
{
	if (g->status == G_WAITING)
		step_go_unblock(s, m, g, 0);
	step_go_start(s, m, g);
}

/* A thread that there is now and that runs no goroutine before the steps. NULL if there is none. */
static struct M *gap_thread(struct model *s, bool with_p)
{
	size_t i;

	map64_each(&s->aside.ms, i) {
		struct M *now = map64_ptr(&s->aside.ms, i, struct M), *m;

		if (with_p && !now->p)
			continue;
		m = m_put(s, now->tid);
		if (!m->g)
			return m;
	}
	return NULL;
}

/*
 * A thread for the steps of goroutines that have none: one with a P now, if any. If all threads of
 * the program are in syscalls, the steps are events of no thread of the program: those of thread
 * 0, as the events of a stand-in (procs.c).
 */
static struct M *any_thread(struct model *s)
{
	struct M *found = gap_thread(s, true);
	size_t i;

	if (found)
		return found;
	map64_each(&s->ms, i) {
		found = map64_ptr(&s->ms, i, struct M);
		if (!found->g)
			return found;
	}
	found = gap_thread(s, false);
	return found ? found : m_put(s, 0);
}

static void end_those_gone(struct model *s, struct M *m)
{
	struct vec gone = {0};
	size_t i;

	map64_each(&s->gs, i)
		if (!g_now(s, s->gs.slots[i].key))
			*(struct G **)vec_push(&gone, sizeof(struct G *)) =
				map64_ptr(&s->gs, i, struct G);
	for (i = 0; i < gone.len; i++) {
		gap_run(s, m, *vec_at(&gone, struct G *, i));
		ensure_may_leave(s, m);
		step_go_destroy(s, m);
	}
	vec_free(&gone);
}

/* In a mark assist when the gap began, and not any more. */
static void end_assist(struct model *s, struct M *m, struct G *g, const struct G *now)
{
	if (!g->assist || now->assist)
		return;
	gap_run(s, m, g);
	ensure_no_assist(s, m);
	step_go_block(s, m, NOT_RECORDED, now->waits, 0, NULL);
}

/* Goroutines that wait or are runnable now; and the creation of each that began in the gap. */
static void bring_along(struct model *s, struct M *m, const struct G *now)
{
	struct G *g = g_get(s, now->id);
	bool waits = now->status == G_WAITING;

	if (!g) {
		g = g_put(s, now->id);
		g->waits = now->waits;
		step_go_create(s, m, g, waits, now->start_pc, 0);
	}
	end_assist(s, m, g, now);
	if (waits && g->status == G_RUNNABLE) {
		gap_run(s, m, g);
		step_go_block(s, m, NOT_RECORDED, now->waits, now->stack, NULL);
	} else if (now->status == G_RUNNABLE && g->status == G_WAITING) {
		step_go_unblock(s, m, g, 0);
	}
	g->stack = now->stack;
	g->waits = now->waits;
	wait_copy(g, now);
	g->start_pc = now->start_pc;
	g->worker |= now->worker;
	g->gc_work |= now->gc_work;
}

/*
 * Binds a thread to the P and the goroutine that it has now, when no step of another
 * thread needs that P any more. Where the goroutine is in a syscall, the P is idle for a
 * reader until the end of the syscall: that record names the P that the thread then has.
 */
static void gap_seat(struct model *s, struct M *now)
{
	struct M *m = m_put(s, now->tid);
	struct G *g = now->g ? g_get(s, now->g->id) : NULL;
	bool in_syscall = g && now->g->status == G_SYSCALL;

	m->unheard = now->unheard;
	m->uprobe_exit = now->uprobe_exit;
	m->coro_exit = now->coro_exit;
	if (in_syscall && g->m == m)
		return;
	if (now->p) {
		give_p(s, m, p_put(s, now->p->id, now->p->ptr));
		m->p->worker_mode = now->p->worker_mode;
	} else if (g) {
		give_p(s, m, p_put(s, 0, 0));
	}
	if (g)
		gap_run(s, m, g);
	if (!in_syscall)
		return;
	ensure_may_leave(s, m);
	step_sys_begin(s, m, now->g->stack);
	step_p_stop(s, m);
}

/* Threads in a syscall first: they hold a P for a moment only. */
static void seat_all(struct model *s, bool in_syscall)
{
	size_t i;

	map64_each(&s->aside.ms, i) {
		struct M *now = map64_ptr(&s->aside.ms, i, struct M);

		if (in_syscall == (now->g && now->g->status == G_SYSCALL))
			gap_seat(s, now);
	}
}

/*
 * The next generation begins with the statuses from before the gap. A goroutine that has
 * the same status now is stated with the stack and the reason that it has now.
 */
static void take_stacks(struct model *s)
{
	size_t i;

	map64_each(&s->gs, i) {
		struct G *g = map64_ptr(&s->gs, i, struct G), *now = g_now(s, g->id);

		g->stack = now && now->status == g->status ? now->stack : 0;
		g->object = 0;
		if (now && now->status == G_WAITING) {
			g->waits = now->waits;
			wait_copy(g, now);
		}
	}
}

void gap_drop(struct model *s)
{
	swap_tables(s);
	state_clear(s);
	swap_tables(s);
}

static void catch_up(struct model *s)
{
	struct M *m;
	size_t i;

	leave_syscalls(s);
	m = any_thread(s);
	give_p(s, m, p_put(s, 0, 0));
	end_those_gone(s, m);
	map64_each(&s->aside.gs, i)
		bring_along(s, m, map64_ptr(&s->aside.gs, i, struct G));
	step_p_stop(s, m);
	seat_all(s, true);
	seat_all(s, false);
	map64_each(&s->aside.gs, i) {
		struct G *now = map64_ptr(&s->aside.gs, i, struct G);

		labels_after_gap(s, g_get(s, now->id), now);
	}
}

/* allp has as many items as GOMAXPROCS says. */
static uint64_t count_ps(const struct model *s)
{
	uint64_t n = 0;
	size_t i;

	map64_each(&s->ps, i)
		n += map64_ptr(&s->ps, i, struct P)->status != STATUS_UNKNOWN;
	return n;
}

/* The tables of the gap were used, or are not valid any more. */
static void drop_collected(struct model *s)
{
	gap_drop_threads(s, &s->aside.ms, &s->ms);
	gap_drop(s);
}

static void end_gap(struct model *s)
{
	s->counts.unrecorded += s->now - s->gap.since;
	s->gap.open = s->gap.collecting = false;
	ops_lose(s);
	s->started = true;
}

/* The trace ends with the states of the gap's begin, when everything was at rest. */
void gap_abandon(struct model *s)
{
	swap_tables(s);
	drop_collected(s);
	end_gap(s);
}

void gap_close(struct model *s)
{
	uint64_t procs = count_ps(s);

	generation_settle(s);
	labels_settle(s, &s->gs);
	swap_tables(s);
	s->counts.resumed++;
	heap_forget(s);
	end_gap(s);
	s->counts.end = s->now;
	if (procs)
		s->gomaxprocs = procs;
	take_stacks(s);
	generation_next(s);
	catch_up(s);
	labels_tell_all(s);
	memory_tell_all(s);
	drop_collected(s);
	note_add(s, "not recorded %s: %s", note_period(s, s->gap.since, s->counts.end).text,
		 gap_text(s->gap.why));
}
