// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_resume: joins two parts of a trace between which events are missing. Input: the states of
 * the simulated reader at the end of the first part, and the states with which the generation after
 * the damage begins. Output: the steps between these states, all at the place of the damage and all
 * counted. Readers refuse a state that changes without a step.
 */
#include "rewrite/internal.h"

/* The first facts about one goroutine in the generation after the damage. */
struct stated_g {
	uint64_t id, m, stack;
	uint8_t status;		/* enum tracev2_gstatus */
	bool said;		/* the goroutine has a status, not only a range */
	bool assist;		/* a mark assist is active */
};

struct stated_p {
	uint64_t id, m;
	uint8_t status;		/* enum tracev2_pstatus */
	bool said;
	bool sweeping;
};

struct stated {
	struct rewrite *c;
	struct map64 g_index, p_index;
	struct vec gs, ps;
	struct map64 callers;	/* threads in a system call that still have their P */
	/* invented thread that steals Ps from system calls that have lost theirs */
	struct sim_m *thief;
	bool gc;
};

static void *resume_entry(struct map64 *index, struct vec *list, uint64_t id, size_t size)
{
	bool is_new;
	uint64_t *at = map64_put(index, id, &is_new);

	if (!is_new)
		return (char *)list->data + *at * size;
	*at = list->len;
	return vec_push(list, size);
}

static struct stated_g *g_entry(struct stated *st, uint64_t id)
{
	struct stated_g *g = resume_entry(&st->g_index, &st->gs, id, sizeof(*g));

	g->id = id;
	return g;
}

static struct stated_p *p_entry(struct stated *st, uint64_t id)
{
	struct stated_p *p = resume_entry(&st->p_index, &st->ps, id, sizeof(*p));

	p->id = id;
	return p;
}

static const struct stated_g *find_g(const struct stated *st, uint64_t id)
{
	const uint64_t *at = map64_get(&st->g_index, id);
	const struct stated_g *g = at ? vec_at(&st->gs, struct stated_g, *at) : NULL;

	return g && g->said ? g : NULL;
}

static const struct stated_p *find_p(const struct stated *st, uint64_t id)
{
	const uint64_t *at = map64_get(&st->p_index, id);
	const struct stated_p *p = at ? vec_at(&st->ps, struct stated_p, *at) : NULL;

	return p && p->said ? p : NULL;
}

static void take_go_status(struct stated *st, const struct trace_event *ev)
{
	struct stated_g *g = g_entry(st, ev->args[0]);

	if (g->said)
		return;
	g->said = true;
	g->status = (uint8_t)ev->args[2];
	g->m = g->status == G_RUNNING ? ev->place.thread : ev->args[1];
	if (ev->type == EV_GoStatusStack)
		g->stack = ev->args[3];
}

static void take_proc_status(struct stated *st, const struct trace_event *ev)
{
	struct stated_p *p = p_entry(st, ev->args[0]);

	if (p->said)
		return;
	p->said = true;
	p->status = (uint8_t)ev->args[1];
	p->m = ev->place.thread;
	if (p->status == P_SYSCALL)
		map64_put(&st->callers, p->m, NULL);
}

/* A trace_state_fn: notes the facts of the event. */
static void take_state(void *ctx, const struct trace_event *ev)
{
	struct stated *st = ctx;

	if (rewrite_is_of_no_p(ev))
		return;
	switch (ev->type) {
	case EV_GoStatus:
	case EV_GoStatusStack:
		if (rewrite_wanted(st->c, ev->args[0]))
			take_go_status(st, ev);
		break;
	case EV_ProcStatus:
		take_proc_status(st, ev);
		break;
	case EV_GCActive:
		st->gc = true;
		break;
	case EV_GCSweepActive:
		p_entry(st, ev->args[0])->sweeping = true;
		break;
	case EV_GCMarkAssistActive:
		if (rewrite_wanted(st->c, ev->args[0]))
			g_entry(st, ev->args[0])->assist = true;
		break;
	}
}

/* --- out of the old states: then no goroutine runs, no thread has a P --- */

static void leave_ranges(struct stated *st)
{
	struct sim *s = &st->c->sim;
	size_t i;

	if (st->c->gc_open && !st->gc) {
		st->c->gc_open = false;
		sim_program(s, SIM_ADDED, NULL, EV_GCEnd, 1,
			    (const uint64_t[]){ ++st->c->gc_seq });
	}
	for (i = 0; i < s->ps.cap; i++) {
		struct sim_p *p = (void *)(uintptr_t)s->ps.slots[i].value;
		const struct stated_p *now = p ? find_p(st, p->id) : NULL;

		if (!p || !p->sweeping || (now && now->sweeping))
			continue;
		if (p->m)
			sim_put(s, SIM_ADDED, p->m, EV_GCSweepEnd, 0, 0);
		p->sweeping = false;
	}
}

static bool has_stale_range(const struct sim_g *g, const struct stated_g *now)
{
	return g->stw || (g->assist && !(now && now->assist));
}

/*
 * True if @g needs no step. Goroutines that ran or were in a system call always need one: they
 * stop.
 */
static bool resume_stays(const struct sim_g *g, const struct stated_g *now)
{
	if (!now || has_stale_range(g, now))
		return false;
	return (g->status == SIM_WAITING && now->status == G_WAITING) ||
	       (g->status == SIM_RUNNABLE && now->status == G_RUNNABLE);
}

/* Makes all goroutines runnable that need a step, and adds them to @list. */
static void stop_goroutines(struct stated *st, struct vec *list)
{
	struct sim *s = &st->c->sim;
	size_t i;

	for (i = 0; i < s->gs.cap; i++) {
		struct sim_g *g = (void *)(uintptr_t)s->gs.slots[i].value;

		if (!g || g->status == SIM_UNKNOWN || g->status == SIM_DEAD)
			continue;
		if (g->held_back) {	/* the written trace does not have it yet */
			g->status = SIM_UNKNOWN;
			g->held_back = false;
			continue;
		}
		if (resume_stays(g, find_g(st, g->id)))
			continue;
		sim_g_make_runnable(s, g);
		*(struct sim_g **)vec_push(list, sizeof(g)) = g;
	}
}

static void stop_ps(struct sim *s)
{
	size_t i;

	for (i = 0; i < s->ps.cap; i++) {
		struct sim_p *p = (void *)(uintptr_t)s->ps.slots[i].value;

		if (p && p->m)
			sim_p_stop(s, SIM_ADDED, p);
	}
}

/* --- a stop-the-world ends in its own generation --- */

static void end_stop(struct sim *s, struct sim_g *g)
{
	struct sim_p *p;
	struct sim_m *m;

	if (sim_g_thread(g)) {
		sim_g_close_ranges(s, g);
		return;
	}
	sim_g_make_runnable(s, g);
	p = sim_free_p(s);
	m = sim_made_up(s);
	sim_p_start(s, SIM_ADDED, p, m);
	sim_g_start(s, SIM_ADDED, g, m);
	sim_g_close_ranges(s, g);
	sim_g_make_runnable(s, g);
	sim_p_stop(s, SIM_ADDED, p);
}

void rewrite_end_stops(struct rewrite *c)
{
	struct sim *s = &c->sim;
	size_t i;

	for (i = 0; s->stops && i < s->gs.cap; i++) {
		struct sim_g *g = (void *)(uintptr_t)s->gs.slots[i].value;

		if (!g || !g->stw)
			continue;
		s->now = s->last + 1;
		end_stop(s, g);
	}
}

/* --- into the new states --- */

/* Lets @g run on @m, to end its open ranges and then to block or to end. */
static void run_for_a_moment(struct stated *st, struct sim_m *m, struct sim_g *g)
{
	struct sim *s = &st->c->sim;
	const struct stated_g *now = find_g(st, g->id);
	static const uint64_t none[2];

	if (now && now->status != G_WAITING && !has_stale_range(g, now))
		return;
	sim_g_start(s, SIM_ADDED, g, m);
	if (has_stale_range(g, now))
		sim_g_close_ranges(s, g);
	if (!now) {
		sim_g_leave(s, SIM_ADDED, g, SIM_DEAD, EV_GoDestroy, 0, NULL);
		sim_forget_g(s, g);
	} else if (now->status == G_WAITING) {
		sim_g_leave(s, SIM_ADDED, g, SIM_WAITING, EV_GoBlock, 2, none);
	} else {
		sim_g_leave(s, SIM_ADDED, g, SIM_RUNNABLE, EV_GoStop, 2, none);
	}
}

/* Creates a goroutine. The event of its creation is missing. */
static void resume_create(struct stated *st, struct sim_m *m, const struct stated_g *now)
{
	struct rewrite *c = st->c;
	struct sim_g *g = sim_g(&c->sim, now->id);
	bool blocked = now->status == G_WAITING && c->version >= 23;

	if (!now->said || g->status != SIM_UNKNOWN)
		return;
	g->start_stack = rewrite_stack_key(c, now->stack);
	g->seq = 0;
	sim_put(&c->sim, SIM_ADDED, m, blocked ? EV_GoCreateBlocked : EV_GoCreate, g->id,
		rewrite_stack(c, now->stack), 0);
	g->status = blocked ? SIM_WAITING : SIM_RUNNABLE;
	if (now->status == G_WAITING && !blocked)
		run_for_a_moment(st, m, g);
}

static struct sim_p *resume_any_p(struct stated *st)
{
	struct sim *s = &st->c->sim;
	size_t i;

	for (i = 0; i < s->ps.cap; i++)
		if (s->ps.slots[i].used)
			return (void *)(uintptr_t)s->ps.slots[i].value;
	return sim_p(s, st->ps.len ? vec_at(&st->ps, struct stated_p, 0)->id : 0);
}

static void block_end_and_create(struct stated *st, struct vec *list)
{
	struct sim *s = &st->c->sim;
	struct sim_p *p = resume_any_p(st);
	struct sim_m *m = sim_made_up(s);
	size_t i;

	sim_p_start(s, SIM_ADDED, p, m);
	for (i = 0; i < list->len; i++)
		run_for_a_moment(st, m, *vec_at(list, struct sim_g *, i));
	for (i = 0; i < st->gs.len; i++)
		resume_create(st, m, vec_at(&st->gs, struct stated_g, i));
	sim_p_stop(s, SIM_ADDED, p);
}

static void start_ps(struct stated *st)
{
	struct sim *s = &st->c->sim;
	size_t i;

	for (i = 0; i < st->ps.len; i++) {
		const struct stated_p *now = vec_at(&st->ps, struct stated_p, i);
		struct sim_p *p = sim_p(s, now->id);
		struct sim_m *m;

		if (!now->said)
			continue;
		m = now->m == TRACEV2_NO_ID ? NULL : sim_m(s, now->m);
		if ((now->status == P_RUNNING || now->status == P_SYSCALL) && m && !m->p)
			sim_p_start(s, SIM_ADDED, p, m);
		else if (!p->known)
			sim_p_status(s, SIM_ADDED, p, NULL, P_IDLE);
	}
}

static void enter_syscall(struct sim *s, struct sim_g *g)
{
	struct sim_p *p = g->m->p;

	sim_put(s, SIM_ADDED, g->m, EV_GoSyscallBegin, ++p->seq, 0);
	g->status = SIM_SYSCALL;
	p->in_syscall = true;
	s->nrunning--;
}

/*
 * Puts @g into a system call without a P. Readers accept only a system call that begins with a P,
 * so an idle P is used, and an invented thread steals it.
 */
static void enter_without_p(struct stated *st, struct sim_g *g, struct sim_m *m)
{
	struct sim *s = &st->c->sim;
	struct sim_p *p = resume_any_p(st);

	sim_p_start(s, SIM_ADDED, p, m);
	sim_g_start(s, SIM_ADDED, g, m);
	enter_syscall(s, g);
	if (!st->thief)
		st->thief = sim_made_up(s);
	sim_p_steal(s, SIM_ADDED, p, st->thief);
}

/* Starts @g, which runs, or is in a system call with the P of its thread. */
static void enter_with_p(struct stated *st, struct sim_g *g, struct sim_m *m, uint8_t status)
{
	sim_g_start(&st->c->sim, SIM_ADDED, g, m);
	if (status == G_SYSCALL)
		enter_syscall(&st->c->sim, g);
}

static void start_goroutines(struct stated *st, bool with_p)
{
	struct sim *s = &st->c->sim;
	size_t i;

	for (i = 0; i < st->gs.len; i++) {
		const struct stated_g *now = vec_at(&st->gs, struct stated_g, i);
		struct sim_g *g = sim_g(s, now->id);
		struct sim_m *m = now->m == TRACEV2_NO_ID ? NULL : sim_m(s, now->m);

		if (!now->said || g->status != SIM_RUNNABLE || !m || m->g)
			continue;
		if (with_p && m->p && (now->status == G_RUNNING || now->status == G_SYSCALL))
			enter_with_p(st, g, m, now->status);
		else if (!with_p && now->status == G_SYSCALL && !map64_get(&st->callers, m->id))
			enter_without_p(st, g, m);
	}
}

/* A goroutine that waited before and waits now may have waited for something else in between. */
static void forget_waits(struct sim *s)
{
	size_t i;

	for (i = 0; i < s->gs.cap; i++)
		if (s->gs.slots[i].used)
			sim_g_waits((void *)(uintptr_t)s->gs.slots[i].value, NULL);
}

void rewrite_resume(struct rewrite *c)
{
	struct stated st = { .c = c };
	struct vec list = {0};

	if (!c->sim.gs.len && !c->sim.ps.len)	/* no event before the damage: begin here */
		return;
	forget_waits(&c->sim);
	trace_reader_states(c->r, take_state, &st);
	c->sim.now = c->sim.last + 1;
	leave_ranges(&st);
	stop_goroutines(&st, &list);
	stop_ps(&c->sim);
	block_end_and_create(&st, &list);
	start_goroutines(&st, false);
	start_ps(&st);
	start_goroutines(&st, true);
	vec_free(&list);
	vec_free(&st.gs);
	vec_free(&st.ps);
	map64_free(&st.g_index);
	map64_free(&st.p_index);
	map64_free(&st.callers);
}
