// SPDX-License-Identifier: Apache-2.0
/* sim: the v2 state machine of a conversion. See sim.h. */
#include "v1/sim.h"

#include <stdlib.h>
#include <string.h>

/* ns that added events leave before the event that needs them. */
enum { LEAD = 8 };

static void *v1_sim_object(struct map64 *map, uint64_t id, size_t size, bool *is_new)
{
	uint64_t *slot = map64_put(map, id, is_new);

	if (*is_new) {
		void *p = xcalloc(1, size);

		/* Each of these structs begins with its id. */
		memcpy(p, &id, sizeof(id));
		*slot = (uintptr_t)p;
	}
	return (void *)(uintptr_t)*slot;
}

static void g_free(struct sim_g *g)
{
	free(g->wait);
	vec_free(&g->regions);
	free(g);
}

static void v1_sim_objects_free(struct map64 *map)
{
	size_t i;

	for (i = 0; i < map->cap; i++)
		if (map->slots[i].used)
			free((void *)(uintptr_t)map->slots[i].value);
	map64_free(map);
}

void sim_init(struct sim *s, struct tracefile *tf)
{
	memset(s, 0, sizeof(*s));
	s->tf = tf;
	s->next_made_up = V1_MADE_UP_THREAD;
}

void sim_release(struct sim *s)
{
	size_t i;

	for (i = 0; i < s->gs.cap; i++)
		if (s->gs.slots[i].used)
			g_free((void *)(uintptr_t)s->gs.slots[i].value);
	map64_free(&s->gs);
	v1_sim_objects_free(&s->ps);
	v1_sim_objects_free(&s->ms);
	vec_free(&s->spares);
	vec_free(&s->pending);
}

struct sim_g *sim_g(struct sim *s, uint64_t id)
{
	bool is_new;

	return v1_sim_object(&s->gs, id, sizeof(struct sim_g), &is_new);
}

void sim_forget_g(struct sim *s, struct sim_g *g)
{
	sim_stw(s, g, false);
	map64_del(&s->gs, g->id);
	g_free(g);
}

struct sim_p *sim_p(struct sim *s, uint64_t id)
{
	bool is_new;

	return v1_sim_object(&s->ps, id, sizeof(struct sim_p), &is_new);
}

struct sim_m *sim_m(struct sim *s, uint64_t id)
{
	bool is_new;

	return v1_sim_object(&s->ms, id, sizeof(struct sim_m), &is_new);
}

struct sim_m *sim_made_up(struct sim *s)
{
	struct sim_m *m;

	while (s->spares.len) {
		m = *vec_at(&s->spares, struct sim_m *, --s->spares.len);
		m->spare = false;
		if (!m->p && !m->g)
			return m;
	}
	do {
		m = sim_m(s, s->next_made_up++);
	} while (m->p || m->g);
	m->made_up = true;
	return m;
}

static void release_thread(struct sim *s, struct sim_m *m)
{
	if (!m->made_up || m->spare || m->p || m->g)
		return;
	m->spare = true;
	*(struct sim_m **)vec_push(&s->spares, sizeof(m)) = m;
}

uint64_t sim_stamp(struct sim *s, enum sim_origin origin)
{
	uint64_t t = s->now;

	if (origin == SIM_ADDED)
		t = t > LEAD ? t - LEAD : 0;
	if (t <= s->last)
		t = s->last + 1;
	s->last = t;
	return t;
}

void sim_emit(struct sim *s, enum sim_origin origin, struct sim_m *m, enum tracev2_event ev,
	      int nargs, const uint64_t *args)
{
	struct trace_stream *stream;

	if (s->muted)
		return;
	stream = tracefile_stream(s->tf, m ? m->id : TRACEV2_NO_ID);
	trace_emit_args(stream, sim_stamp(s, origin), ev, nargs, args);
	s->emitted++;
	if (origin == SIM_ADDED)
		s->counts.added++;
}

/* --- Ps and threads --- */

void sim_p_status(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *m,
		  enum tracev2_pstatus status)
{
	sim_put(s, origin, m, EV_ProcStatus, p->id, status);
	p->known = true;
	p->seq = 0;
	p->m = m;
	p->in_syscall = status == P_SYSCALL;
	if (m)
		m->p = p;
}

void sim_p_start(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *m)
{
	if (p->known)
		sim_put(s, origin, m, EV_ProcStart, p->id, ++p->seq);
	else
		sim_put(s, origin, m, EV_ProcStatus, p->id, P_RUNNING);
	p->known = true;
	p->m = m;
	m->p = p;
}

static void lose_p(struct sim *s, struct sim_p *p)
{
	struct sim_m *m = p->m;

	p->m = NULL;
	p->in_syscall = false;
	m->p = NULL;
	release_thread(s, m);
}

void sim_p_stop(struct sim *s, enum sim_origin origin, struct sim_p *p)
{
	sim_emit(s, origin, p->m, EV_ProcStop, 0, NULL);
	lose_p(s, p);
}

void sim_p_steal(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *by)
{
	sim_put(s, origin, by, EV_ProcSteal, p->id, ++p->seq, p->m->id);
	lose_p(s, p);
}

struct sim_m *sim_p_hold(struct sim *s, struct sim_p *p, struct sim_m *prefer)
{
	if (!p->m) {
		if (!prefer || prefer->p || prefer->g)
			prefer = sim_made_up(s);
		sim_p_start(s, SIM_ADDED, p, prefer);
	}
	return p->m;
}

struct sim_m *sim_p_move(struct sim *s, struct sim_p *p, struct sim_m *prefer)
{
	sim_p_stop(s, SIM_ADDED, p);
	return sim_p_hold(s, p, prefer);
}

struct sim_p *sim_free_p(struct sim *s)
{
	struct sim_p *p = NULL;
	size_t i;

	for (i = 0; i < s->ps.cap; i++) {
		if (!s->ps.slots[i].used)
			continue;
		p = (void *)(uintptr_t)s->ps.slots[i].value;
		if (!p->m)
			return p;
	}
	if (!p)
		return sim_p(s, 0);
	if (p->m->g)
		sim_g_make_runnable(s, p->m->g);
	if (p->m)
		sim_p_stop(s, SIM_ADDED, p);
	return p;
}

/* --- goroutines --- */

void sim_g_bind(struct sim *s, struct sim_g *g, struct sim_m *m, enum sim_status status)
{
	g->status = status;
	g->m = g->last_m = m;
	m->g = g;
	if (status == SIM_RUNNING) {
		s->nrunning++;
		s->last_user = m;
	}
}

static void v1_sim_unbind(struct sim *s, struct sim_g *g, enum sim_status status)
{
	struct sim_m *m = g->m;

	s->nrunning -= g->status == SIM_RUNNING;
	g->status = status;
	g->m = NULL;
	m->g = NULL;
	release_thread(s, m);
}

static uint64_t wire_status(enum sim_status status)
{
	switch (status) {
	case SIM_RUNNING:
		return G_RUNNING;
	case SIM_SYSCALL:
		return G_SYSCALL;
	case SIM_WAITING:
		return G_WAITING;
	default:
		return G_RUNNABLE;
	}
}

void sim_socket(struct sim *s, const struct trace_wait *wait)
{
	/*
	 * A reader that puts events in order may show this one somewhat later. A descriptor is not
	 * closed and opened again in so short a time.
	 */
	enum { LATER = 10000 };	/* ns */

	if (wait->kind == WAIT_NETWORK && wait->network.socket.protocol && !s->muted)
		tracefile_socket(s->tf, &(struct trace_socket_time){ wait_address(wait, 0), s->last,
								     s->last + LATER,
								     wait->network.socket });
}

static void put_status(struct sim *s, enum sim_origin origin, struct sim_g *g,
		       enum sim_status status, struct sim_m *m)
{
	uint64_t on = m ? m->id : TRACEV2_NO_ID;

	bool waits = g->wait && status == SIM_WAITING && !s->muted;

	if (waits)
		tracefile_waiting(s->tf, g->id, g->wait);
	if (s->status_stacks && g->start_stack && !s->muted)
		sim_put(s, origin, m, EV_GoStatusStack, g->id, on, wire_status(status),
			tracefile_stack(s->tf, g->start_stack));
	else
		sim_put(s, origin, m, EV_GoStatus, g->id, on, wire_status(status));
	if (waits)
		sim_socket(s, g->wait);
}

void sim_g_waits(struct sim_g *g, const struct trace_wait *wait)
{
	if (!wait) {
		free(g->wait);
		g->wait = NULL;
		return;
	}
	if (!g->wait)
		g->wait = xcalloc(1, sizeof(*g->wait));
	*g->wait = *wait;
}

void sim_g_status(struct sim *s, enum sim_origin origin, struct sim_g *g, enum sim_status status,
		  struct sim_m *m)
{
	put_status(s, origin, g, status, m);
	g->held_back = false;
	if (m)
		sim_g_bind(s, g, m, status);
	else
		g->status = status;
}

void sim_g_start(struct sim *s, enum sim_origin origin, struct sim_g *g, struct sim_m *m)
{
	sim_put(s, origin, m, EV_GoStart, g->id, ++g->seq);
	sim_g_bind(s, g, m, SIM_RUNNING);
}

void sim_g_leave(struct sim *s, enum sim_origin origin, struct sim_g *g, enum sim_status status,
		 enum tracev2_event ev, int nargs, const uint64_t *args)
{
	if (status == SIM_DEAD)
		sim_g_close_ranges(s, g);
	sim_emit(s, origin, g->m, ev, nargs, args);
	v1_sim_unbind(s, g, status);
}

void sim_g_exit(struct sim *s, enum sim_origin origin, struct sim_g *g)
{
	struct sim_m *m = g->m;

	if (m->p && m->p->in_syscall)
		sim_p_stop(s, SIM_ADDED, m->p);
	sim_emit(s, origin, m, EV_GoSyscallEndBlocked, 0, NULL);
	v1_sim_unbind(s, g, SIM_RUNNABLE);
}

void sim_g_make_runnable(struct sim *s, struct sim_g *g)
{
	switch (g->status) {
	case SIM_UNKNOWN:
		sim_g_status(s, SIM_ADDED, g, SIM_RUNNABLE, NULL);
		break;
	case SIM_WAITING:
		sim_put(s, SIM_ADDED, NULL, EV_GoUnblock, g->id, ++g->seq, 0);
		g->status = SIM_RUNNABLE;
		break;
	case SIM_SYSCALL:
		sim_g_exit(s, SIM_ADDED, g);
		break;
	case SIM_RUNNING:
		if (!g->m->p)	/* a status event shows that it runs, but no P does */
			sim_p_start(s, SIM_ADDED, sim_free_p(s), g->m);
		sim_put(s, SIM_ADDED, g->m, EV_GoStop, 0, 0);
		v1_sim_unbind(s, g, SIM_RUNNABLE);
		break;
	case SIM_RUNNABLE:
	case SIM_DEAD:
		break;
	}
}

void sim_g_close_ranges(struct sim *s, struct sim_g *g)
{
	if (g->stw)
		sim_emit(s, SIM_ADDED, g->m, EV_STWEnd, 0, NULL);
	if (g->assist)
		sim_emit(s, SIM_ADDED, g->m, EV_GCMarkAssistEnd, 0, NULL);
	sim_stw(s, g, false);
	g->assist = false;
}

void sim_stw(struct sim *s, struct sim_g *g, bool open)
{
	s->stops += open;
	s->stops -= g->stw;
	g->stw = open;
	g->stw_ends = false;
}

struct sim_m *sim_g_thread(const struct sim_g *g)
{
	return g->status == SIM_RUNNING && g->m->p ? g->m : NULL;
}

static void restate_p(struct sim *s, struct sim_p *p)
{
	enum tracev2_pstatus status = p->m ? P_RUNNING : P_IDLE;

	p->seq = 0;
	if (p->known)
		sim_put(s, SIM_ADDED, p->m, EV_ProcStatus, p->id,
			p->in_syscall ? P_SYSCALL : status);
}

static void restate_g(struct sim *s, struct sim_g *g)
{
	g->seq = 0;
	if (g->status != SIM_UNKNOWN && g->status != SIM_DEAD && !g->held_back)
		put_status(s, SIM_ADDED, g, g->status, g->m);
}

void sim_restate(struct sim *s)
{
	size_t i;

	for (i = 0; i < s->ps.cap; i++)
		if (s->ps.slots[i].used)
			restate_p(s, (void *)(uintptr_t)s->ps.slots[i].value);
	for (i = 0; i < s->gs.cap; i++)
		if (s->gs.slots[i].used)
			restate_g(s, (void *)(uintptr_t)s->gs.slots[i].value);
}

/* --- events of the whole program --- */

static bool is_user(const struct sim_m *m)
{
	return m && m->p && m->g && m->g->status == SIM_RUNNING;
}

struct sim_m *sim_any_user(struct sim *s)
{
	size_t i;

	if (is_user(s->last_user))
		return s->last_user;
	for (i = 0; s->nrunning && i < s->ms.cap; i++) {
		struct sim_m *m = (void *)(uintptr_t)s->ms.slots[i].value;

		if (s->ms.slots[i].used && is_user(m))
			return s->last_user = m;
	}
	return NULL;
}

void sim_program(struct sim *s, enum sim_origin origin, struct sim_m *m, enum tracev2_event ev,
		 int nargs, const uint64_t *args)
{
	struct sim_pending *p;

	if (s->muted)
		return;
	sim_flush_pending(s);
	if (!m)
		m = sim_any_user(s);
	if (m) {
		sim_emit(s, origin, m, ev, nargs, args);
		return;
	}
	p = vec_push(&s->pending, sizeof(*p));
	p->ev = ev;
	p->nargs = nargs;
	memcpy(p->args, args, sizeof(*args) * (size_t)nargs);
}

void sim_flush_pending(struct sim *s)
{
	struct sim_m *m = s->pending.len ? sim_any_user(s) : NULL;
	size_t i;

	if (!m)
		return;
	for (i = 0; i < s->pending.len; i++) {
		const struct sim_pending *p = vec_at(&s->pending, struct sim_pending, i);

		sim_emit(s, SIM_CONVERTED, m, p->ev, p->nargs, p->args);
	}
	s->pending.len = 0;
}

bool sim_take_back(struct sim *s, enum tracev2_event ev)
{
	struct sim_pending *p = s->pending.data;
	size_t i = s->pending.len;

	while (i && p[i - 1].ev != ev)
		i--;
	if (!i)
		return false;
	memmove(p + i - 1, p + i, (s->pending.len - i) * sizeof(*p));
	s->pending.len--;
	return true;
}
