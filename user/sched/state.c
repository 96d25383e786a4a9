// SPDX-License-Identifier: Apache-2.0
/* state: see state.h. */
#include "sched/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "sched/children.h"
#include "sched/ops.h"

static void *state_lookup(const struct map64 *map, uint64_t key)
{
	uint64_t *slot = map64_get(map, key);

	return slot ? (void *)(uintptr_t)*slot : NULL;
}

struct G *g_find(struct model *s, uint64_t goid)
{
	struct G *g = state_lookup(&s->gs, goid);

	if (g)
		s->recent_gs[goid % RECENT_GS] = g;
	return g;
}

struct G *g_new(struct model *s, uint64_t goid)
{
	struct G *g = xcalloc(1, sizeof(*g));

	g->id = goid;
	*map64_put(&s->gs, goid, NULL) = (uint64_t)(uintptr_t)g;
	if (s->started)
		count_goroutines(s, !map64_get(&s->extras, goid));
	s->gap.born += s->gap.collecting && !map64_get(&s->aside.gs, goid);
	return g;
}

void count_goroutines(struct model *s, uint64_t new)
{
	s->counts.goroutines += new;
	if (s->gs.len > s->counts.max_live)
		s->counts.max_live = s->gs.len;
}

void labels_release(struct label_set *l)
{
	if (l && !--l->refs)
		free(l);
}

void g_end_region(struct model *s, struct G *g)
{
	struct region *region = g->regions;

	g->regions = region->outer;
	s->region_bytes -= sizeof(*region) + region->len;
	free(region);
}

/* Frees what the goroutine owns. */
static void g_clear(struct model *s, struct G *g)
{
	while (g->regions)
		g_end_region(s, g);
	ops_drop(s, g);
	child_drop(g);
	labels_release(g->labels);
	g->labels = NULL;
	free(g->selected);
	g->selected = NULL;
}

static void g_remember_dead(struct model *s, const struct G *g)
{
	map64_put(&s->dead, g->id, NULL);
	if (s->dead.len >= DEAD_MOST)
		s->usual_until = 0;	/* the generation is due */
}

void g_drop(struct model *s, struct G *g)
{
	if (s->gen <= 1 || !s->started)
		g_remember_dead(s, g);
	if (s->stw == g)
		s->stw = NULL;
	g_unbind(g, STATUS_UNKNOWN);
	g_clear(s, g);
	if (s->recent_gs[g->id % RECENT_GS] == g)
		s->recent_gs[g->id % RECENT_GS] = NULL;
	map64_del(&s->gs, g->id);
	s->gap.born -= s->gap.collecting && !map64_get(&s->aside.gs, g->id);
	free(g);
}

struct P *p_get(struct model *s, uint64_t id)
{
	return state_lookup(&s->ps, id);
}

struct P *p_find(struct model *s, uint64_t ptr)
{
	struct P *p = state_lookup(&s->p_ptrs, ptr);

	if (p)
		*p_recent(s, ptr) = p;
	return p;
}

struct P *p_put(struct model *s, uint64_t id, uint64_t ptr)
{
	struct P *p = p_get(s, id);

	if (!p) {
		p = xcalloc(1, sizeof(*p));
		p->id = id;
		*map64_put(&s->ps, id, NULL) = (uint64_t)(uintptr_t)p;
	}
	if (ptr && p->ptr != ptr) {
		p->ptr = ptr;
		*map64_put(&s->p_ptrs, ptr, NULL) = (uint64_t)(uintptr_t)p;
		*p_recent(s, ptr) = p;
	}
	return p;
}

struct M *m_new(struct model *s, uint64_t tid)
{
	struct M *m = xcalloc(1, sizeof(*m));

	m->tid = tid;
	m->unheard = true;
	*map64_put(&s->ms, tid, NULL) = (uint64_t)(uintptr_t)m;
	s->sink.ops->thread(s->sink.ctx, tid);
	return m;
}

struct M *m_find(struct model *s, uint64_t tid)
{
	struct M *m = state_lookup(&s->ms, tid);

	if (m)
		s->recent_ms[tid % RECENT_MS] = m;
	return m;
}

struct M *any_speaker(struct model *s)
{
	size_t i;

	if (m_speaks(s->speaker))
		return s->speaker;
	s->speaker = NULL;
	map64_each(&s->ms, i)
		if (m_speaks(map64_ptr(&s->ms, i, struct M)))
			return s->speaker = map64_ptr(&s->ms, i, struct M);
	s->unheard = s->ms.cap;
	return NULL;
}

struct M *soon_speaker(struct model *s)
{
	if (m_speaks(s->speaker) || !s->unheard)
		return any_speaker(s);
	s->unheard--;
	return NULL;
}

void m_drop(struct model *s, struct M *m)
{
	s->sink.ops->thread_done(s->sink.ctx, m->tid);
	if (s->recent_ms[m->tid % RECENT_MS] == m)
		s->recent_ms[m->tid % RECENT_MS] = NULL;
	if (s->speaker == m)
		s->speaker = NULL;
	s->sweeps -= m->sweep.told;
	map64_del(&s->ms, m->tid);
	free(m);
}

void p_bind(struct P *p, struct M *m, uint8_t status)
{
	if (p->m && p->m != m)
		p->m->p = NULL;
	if (m->p && m->p != p)
		p_unbind(m->p);
	p->m = m;
	m->p = p;
	p->status = status;
}

void p_unbind(struct P *p)
{
	if (p->m)
		p->m->p = NULL;
	p->m = NULL;
	p->status = P_IDLE;
}

void repair(struct model *s, enum repair kind)
{
	if (s->started)
		s->counts.repairs[kind]++;
}

static void state_free_values(struct map64 *map)
{
	size_t i;

	map64_each(map, i)
		free(map64_ptr(map, i, void));
	map64_free(map);
}

void state_forget(struct model *s)
{
	memset(s->recent_gs, 0, sizeof(s->recent_gs));
	memset(s->recent_ms, 0, sizeof(s->recent_ms));
	memset(s->recent_ps, 0, sizeof(s->recent_ps));
	s->speaker = NULL;
	s->unheard = 0;
}

void state_clear(struct model *s)
{
	size_t i;

	map64_each(&s->gs, i)
		g_clear(s, map64_ptr(&s->gs, i, struct G));
	state_forget(s);
	state_free_values(&s->gs);
	state_free_values(&s->ps);
	state_free_values(&s->ms);
	map64_free(&s->p_ptrs);
}
