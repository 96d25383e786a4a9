// SPDX-License-Identifier: Apache-2.0
/*
 * tally_states: the states of goroutines and Ps, and their sums, as a visitor of the tap. See
 * tally_internal.h.
 */
#include <stdlib.h>

#include "top/tally_internal.h"

/* --- Ps --- */

static enum proc_mode mode_of(const struct tap_thread *m)
{
	if (!m)
		return PROC_AWAY;
	if (!m->go)
		return PROC_HAS_THREAD;
	return m->go->state == TAP_SYSCALL ? PROC_IN_SYSCALL : PROC_RUNS;
}

void top_tally_proc_settle(struct tally *t, struct tally_proc *p)
{
	p->ns[p->mode] += t->now - p->at;
	p->at = t->now;
}

/* Sets the mode of the P, after its thread or its goroutine has changed. */
static void proc_look(struct tally *t, struct tally_proc *p)
{
	top_tally_proc_settle(t, p);
	p->mode = mode_of(p->m);
}

/* As proc_look(), for the P of @m; @m may be NULL. */
static void proc_look_at(struct tally *t, const struct tap_thread *m)
{
	if (m && m->data)
		proc_look(t, m->data);
}

struct tally_proc *top_tally_proc(struct tally *t, uint64_t id)
{
	bool is_new;
	uint64_t *slot = map64_put(&t->procs, id, &is_new);
	struct tally_proc *p;

	if (!is_new)
		return (struct tally_proc *)(uintptr_t)*slot;
	p = xcalloc(1, sizeof(*p));
	p->id = id;
	p->at = t->now;
	*slot = (uint64_t)(uintptr_t)p;
	return p;
}

void top_tally_proc_move(struct tally *t, struct tally_proc *p, struct tap_thread *m)
{
	struct tally_proc *other = m ? m->data : NULL;

	if (p->m)
		p->m->data = NULL;
	if (other && other != p) {
		other->m = NULL;
		proc_look(t, other);
	}
	p->m = m;
	if (m)
		m->data = p;
	proc_look(t, p);
}

/* --- goroutines --- */

static bool states_is_status(const struct sink_event *e)
{
	return e->kind == EV_GoStatus || e->kind == EV_GoStatusStack;
}

static bool states_is_creation(const struct sink_event *e)
{
	return e->kind == EV_GoCreate || e->kind == EV_GoCreateBlocked ||
	       e->kind == EV_GoCreateSyscall;
}

/*
 * Is the current event a real step at its time? At the begin and the end of a gap, events only set
 * states, and no sum counts them.
 */
static bool is_step(const struct tally *t)
{
	return !t->in_gap && !t->catching_up;
}

static uint32_t states_reason_of(struct tally *t, const struct tap_go *g)
{
	const struct sink_text text = { .bytes = g->reason, .constant = true };

	return g->state == TAP_WAITING ? reasons_number(&t->reasons, &text) : 0;
}

/*
 * Adds a goroutine, with the labels of its creator unless the new goroutine is one of the runtime's
 * own (runtime.newproc1).
 */
void top_tally_born(void *tally, struct tap_go *g, const struct tap_step *s)
{
	struct tally_go *of = tally_go_of(g);
	struct tally *t = tally;

	of->system = top_tally_is_system(t, g->start);
	t->system += of->system;
	if (states_is_creation(s->event) && s->by && !of->system && tally_go_of(s->by)->labels)
		of->labels = xstrdup(tally_go_of(s->by)->labels);
	of->group = top_tally_group_of(t, g);
	of->group->created += states_is_creation(s->event) && is_step(t);
}

/* Counts how long the goroutine, which now runs, was runnable. */
static void count_wait(struct tally *t, struct tally_go *of)
{
	if (of->before != TAP_RUNNABLE || !of->since || of->since <= t->catch_up || !is_step(t))
		return;
	dist_add(&of->group->sched, (int64_t)(t->now - of->since));
	if (!of->system)
		top_histogram_add(&t->histograms[TOP_HISTOGRAM_SCHED], TOP_HISTOGRAM_LOW,
				  t->now - of->since);
}

void top_tally_enter(void *tally, struct tap_go *g, const struct tap_step *s)
{
	struct tally_go *of = tally_go_of(g);
	struct tally *t = tally;

	if (s->event->kind == EV_GoStart)
		count_wait(t, of);
	of->group->syscalls += s->event->kind == EV_GoSyscallBegin && is_step(t);
	of->since = states_is_status(s->event) ? 0 : t->now;
	of->reason = states_reason_of(t, g);
	group_enter(of->group, tally_state(g), of->reason, t->now);
	if (g->state == TAP_WAITING && !of->system)
		top_tally_wait_begins(t, of->reason);
	t->runnable += g->state == TAP_RUNNABLE;
	if (t->runnable > t->runnable_max)
		t->runnable_max = t->runnable;
	if (t->left != g->m)
		proc_look_at(t, t->left);
	proc_look_at(t, g->m);
	t->left = NULL;
}

/* Returns the length of a wait that ends now, in the trace from its begin on; 0: not known. */
static uint64_t wait_length(const struct tally *t, const struct tally_go *of)
{
	return of->since && of->since > t->catch_up && is_step(t) ? t->now - of->since : 0;
}

void top_tally_leave(void *tally, struct tap_go *g, uint64_t time, bool known)
{
	struct tally_go *of = tally_go_of(g);
	struct tally *t = tally;

	group_leave(of->group, tally_state(g), of->reason, t->now);
	if (g->state == TAP_WAITING && !of->system)
		top_tally_wait_ends(t, of->reason, wait_length(t, of));
	t->runnable -= g->state == TAP_RUNNABLE;
	of->before = g->state;
	t->left = g->m;
}

void top_tally_go_free(struct tap_go *g)
{
	vec_free(&tally_go_of(g)->regions);
	free(tally_go_of(g)->labels);
}

void top_tally_gone(void *tally, struct tap_go *g, uint64_t time)
{
	struct tally *t = tally;

	tally_go_of(g)->group->ended += is_step(t);
	t->system -= tally_go_of(g)->system;
	if (t->routes)
		top_routes_gone(t->routes, g->id);
	proc_look_at(t, t->left);
	t->left = NULL;
	top_tally_go_free(g);
}

void top_tally_thread_gone(void *tally, struct tap_thread *m)
{
	if (m->data)
		top_tally_proc_move(tally, m->data, NULL);
}

void top_tally_go_regroup(struct tally *t, struct tap_go *g)
{
	struct group *to = top_tally_group_of(t, g);
	struct tally_go *of = tally_go_of(g);

	if (to == of->group)
		return;
	group_leave(of->group, tally_state(g), of->reason, t->now);
	of->group = to;
	group_enter(to, tally_state(g), of->reason, t->now);
}

/* --- ranges --- */

void top_tally_range_begin(struct tally_range *r, uint64_t time)
{
	if (!r->on)
		r->since = r->begun = time;
	r->on = true;
}

uint64_t top_tally_range_end(struct tally_range *r, uint64_t time)
{
	uint64_t length = r->on && r->begun ? time - r->begun : 0;

	if (r->on)
		r->ns += time - r->since;
	r->on = false;
	return length;
}
