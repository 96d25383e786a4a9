// SPDX-License-Identifier: Apache-2.0
/*
 * steps_go: the steps of goroutines. See steps.h; numbers as traceGo* of runtime/trace.go count
 * them.
 */
#include "v1write/steps_internal.h"

#include <stdlib.h>

/*
 * The two highest ids have a meaning inside parsers (internal/trace/order.go: unordered, garbage);
 * 0 is no goroutine.
 */
enum { RESERVED_IDS = 2 };

static bool can_be(uint64_t id)
{
	return id && id < UINT64_MAX - RESERVED_IDS + 1;
}

struct v1_g *v1_g(struct v1_steps *s, uint64_t id)
{
	struct v1_g **recent = &s->recent[id % V1_RECENT_GS];
	uint64_t *slot;

	if (*recent && (*recent)->id == id)
		return *recent;
	slot = map64_get(&s->gs, id);
	if (!slot)
		return NULL;
	*recent = (struct v1_g *)(uintptr_t)*slot;
	return *recent;
}

/* --- ends: parsers want every id once --- */

bool steps_has_ended(const struct v1_steps *s, uint64_t id)
{
	const uint64_t *bits = map64_get(&s->ended, id / 64);

	return bits && *bits >> id % 64 & 1;
}

static void v1_steps_go_drop(struct v1_steps *s, struct v1_g *g)
{
	*map64_put(&s->ended, g->id / 64, NULL) |= 1ULL << g->id % 64;
	map64_del(&s->gs, g->id);
	if (s->recent[g->id % V1_RECENT_GS] == g)
		s->recent[g->id % V1_RECENT_GS] = NULL;
	steps_g_free(g);
}

/* --- steps that were not seen --- */

/* Takes @g off its P, which another goroutine needs. */
static void v1_steps_go_displace(struct v1_steps *s, struct v1_g *g)
{
	v1_leave_out(s, V1_ADDED_GO_STEPS);
	if (g->syscall)
		v1_go_sysblock(s, g);
	else
		v1_go_yield(s, g->p, g, V1_GO_PREEMPT, 0);
}

void steps_clear(struct v1_steps *s, struct v1_p *p)
{
	if (p->g)
		v1_steps_go_displace(s, p->g);
}

/*
 * Ends the wait of @g. For a system call that @g has left, the format has the GoSysExit before the
 * next start of @g: this writes it, with the time at which @g left the call. The end of any other
 * wait was not seen, and counts as added.
 */
static void leave_wait(struct v1_steps *s, struct v1_p *p, struct v1_g *g)
{
	if (g->left_call) {
		g->left_call = false;
		v1_go_sysexit(s, p, g, g->exit_tick);
		return;
	}
	v1_leave_out(s, V1_ADDED_GO_STEPS);
	if (g->syscall)
		v1_go_sysexit(s, p, g, 0);
	else
		v1_go_unblock(s, p, g, 0);
}

static void make_runnable(struct v1_steps *s, struct v1_p *p, struct v1_g *g)
{
	if (g->state == V1_GO_RUNNING)
		v1_steps_go_displace(s, g);
	if (g->state == V1_GO_WAITS)
		leave_wait(s, p, g);
}

/* Makes @g run on @p, since its next event happens there. */
static void make_running(struct v1_steps *s, struct v1_p *p, struct v1_g *g)
{
	if (g->p == p)
		return;
	v1_leave_out(s, V1_ADDED_GO_STEPS);
	v1_go_start(s, p, g);
}

static bool is_in(const struct v1_g *g, enum v1_go_state state, bool syscall)
{
	switch (state) {
	case V1_GO_RUNNABLE:
		return g->state == V1_GO_RUNNABLE || g->left_call;
	case V1_GO_RUNNING:
		return g->state == V1_GO_RUNNING;
	default:
		return syscall ? g->syscall && !g->left_call :
				 g->state == V1_GO_WAITS && !g->syscall;
	}
}

void v1_go_settle(struct v1_steps *s, struct v1_g *g, enum v1_go_state state, bool syscall)
{
	struct v1_p *nowhere = v1_p(s, V1_ANY_P);

	if (is_in(g, state, syscall))
		return;
	if (state == V1_GO_RUNNABLE) {
		make_runnable(s, nowhere, g);
		return;
	}
	make_running(s, nowhere, g);
	if (state == V1_GO_RUNNING)
		return;
	if (!syscall) {
		v1_go_block(s, nowhere, g, V1_GO_BLOCK, 0);
		return;
	}
	v1_go_syscall(s, nowhere, g, 0);
	v1_go_sysblock(s, g);
}

/* --- the beginning --- */

struct v1_g *v1_go_create(struct v1_steps *s, struct v1_p *p, uint64_t id, uint64_t start,
			  uint64_t stack)
{
	struct v1_g *g;

	if (!can_be(id) || v1_g(s, id) || steps_has_ended(s, id)) {
		v1_leave_out(s, V1_LEFT_AGAIN);
		return NULL;
	}
	g = xcalloc(1, sizeof(*g));
	g->id = id;
	g->state = V1_GO_RUNNABLE;
	g->last = p;
	*map64_put(&s->gs, id, NULL) = (uint64_t)(uintptr_t)g;
	steps_put(s, p, V1_GO_CREATE, STEPS_ARGS(id, start), stack);
	g->created = p->out->last;
	return g;
}

static void begin_waiting(struct v1_steps *s, struct v1_p *p, struct v1_g *g, unsigned int type)
{
	g->state = V1_GO_WAITS;
	g->syscall = type == V1_GO_IN_SYSCALL;
	g->seq++;
	steps_put(s, p, type, STEPS_ARGS(g->id), 0);
}

void v1_go_waiting(struct v1_steps *s, struct v1_p *p, struct v1_g *g)
{
	begin_waiting(s, p, g, V1_GO_WAITING);
}

void v1_go_in_syscall(struct v1_steps *s, struct v1_p *p, struct v1_g *g)
{
	begin_waiting(s, p, g, V1_GO_IN_SYSCALL);
}

/* --- running --- */

static void make_ready(struct v1_steps *s, struct v1_p *p, struct v1_g *g)
{
	make_runnable(s, p, g);
	steps_clear(s, p);
	if (p->runs || p->id == V1_NO_P)
		return;
	v1_leave_out(s, V1_ADDED_PROC_STEPS);
	steps_p_runs(s, p, p->thread);
}

/*
 * Returns whether the event needs no number, because the goroutine's last event was on the same P.
 */
static bool is_local(const struct v1_steps *s, const struct v1_g *g, const struct v1_p *p,
		     unsigned int type)
{
	return g->last == p && v1_writer_has(s->w, type);
}

void v1_go_start(struct v1_steps *s, struct v1_p *p, struct v1_g *g)
{
	make_ready(s, p, g);
	g->state = V1_GO_RUNNING;
	g->p = p;
	p->g = g;
	g->seq++;
	p->start_type = is_local(s, g, p, V1_GO_START_LOCAL) ? V1_GO_START_LOCAL : V1_GO_START;
	steps_put(s, p, p->start_type, STEPS_ARGS(g->id, g->seq), 0);
	g->last = p;
	p->started = g;
}

void v1_go_label(struct v1_steps *s, struct v1_g *g, const char *label, size_t n)
{
	struct v1_p *p = g->p;
	uint64_t id, tick;

	tick = p ? p->out->last : 0;
	if (!p || p->started != g || !v1_writer_has(s->w, V1_GO_START_LABEL) ||
	    !v1_writer_undo(s->w, p->out, p->start_type)) {
		v1_leave_out(s, V1_LEFT_LABELS);
		return;
	}
	id = v1_writer_string(s->w, p->out, label, n);
	v1_writer_event(s->w, p->out, tick, V1_GO_START_LABEL, STEPS_ARGS(g->id, g->seq, id), 0);
	p->started = NULL;
}

static void leave_p(struct v1_g *g, enum v1_go_state state)
{
	g->p->g = NULL;
	g->p = NULL;
	g->syscall = false;
	g->state = state;
}

void v1_go_block(struct v1_steps *s, struct v1_p *p, struct v1_g *g, unsigned int type,
		 uint64_t stack)
{
	if (!v1_writer_has(s->w, type)) {
		v1_leave_out(s, V1_LEFT_BLOCK_REASONS);
		type = V1_GO_BLOCK;
	}
	make_running(s, p, g);
	steps_put(s, p, type, STEPS_NONE, stack);
	leave_p(g, V1_GO_WAITS);
	if (type == V1_GO_STOP)
		v1_steps_go_drop(s, g);
}

void v1_go_yield(struct v1_steps *s, struct v1_p *p, struct v1_g *g, unsigned int type,
		 uint64_t stack)
{
	make_running(s, p, g);
	steps_put(s, p, type, STEPS_NONE, stack);
	leave_p(g, V1_GO_RUNNABLE);
	g->last = p;
}

void v1_go_end(struct v1_steps *s, struct v1_p *p, struct v1_g *g)
{
	make_running(s, p, g);
	steps_put(s, p, V1_GO_END, STEPS_NONE, 0);
	leave_p(g, V1_GO_RUNNABLE);
	v1_steps_go_drop(s, g);
}

void v1_go_unblock(struct v1_steps *s, struct v1_p *p, struct v1_g *g, uint64_t stack)
{
	/*
	 * Before Go 1.5 a goroutine in a system call counts as runnable, and a runnable one cannot
	 * become runnable.
	 */
	if (g->state != V1_GO_WAITS || (g->syscall && s->version == V1_GOTRACE))
		v1_go_settle(s, g, V1_GO_WAITS, false);
	g->state = V1_GO_RUNNABLE;
	g->syscall = g->left_call = false;
	g->seq++;
	steps_put(s, p, is_local(s, g, p, V1_GO_UNBLOCK_LOCAL) ? V1_GO_UNBLOCK_LOCAL :
		  V1_GO_UNBLOCK, STEPS_ARGS(g->id, g->seq), stack);
	g->last = p;
}

/* --- system calls --- */

void v1_go_syscall(struct v1_steps *s, struct v1_p *p, struct v1_g *g, uint64_t stack)
{
	make_running(s, p, g);
	g->syscall = true;
	steps_put(s, p, V1_GO_SYSCALL, STEPS_NONE, stack);
}

void v1_go_sysblock(struct v1_steps *s, struct v1_g *g)
{
	struct v1_p *p = g->p;

	if (!p)
		return;
	leave_p(g, V1_GO_WAITS);
	g->syscall = true;
	steps_put(s, p, V1_GO_SYSBLOCK, STEPS_NONE, 0);
}

/*
 * Takes the tick after all other steps: parsers refuse an exit that is not later than the missing
 * steps.
 */
void v1_go_left_syscall(struct v1_steps *s, struct v1_g *g, bool starts)
{
	v1_go_settle(s, g, V1_GO_WAITS, true);
	v1_go_sysblock(s, g);
	/* the event's own time is the only one that the format has */
	if (s->version == V1_GOTRACE) {
		v1_go_sysexit(s, v1_p(s, V1_ANY_P), g, 0);
		return;
	}
	g->left_call = true;
	g->exit_tick = starts ? 0 : steps_own_tick(s);
}

void v1_go_sysexit(struct v1_steps *s, struct v1_p *p, struct v1_g *g, uint64_t tick)
{
	v1_go_settle(s, g, V1_GO_WAITS, true);
	v1_go_sysblock(s, g);
	g->state = V1_GO_RUNNABLE;
	g->syscall = g->left_call = false;
	g->last = p;
	g->seq++;
	steps_put(s, p, V1_GO_SYSEXIT, STEPS_ARGS(g->id, g->seq, tick), 0);
}
