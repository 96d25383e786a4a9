// SPDX-License-Identifier: Apache-2.0
/* tap_tables: the goroutines and threads of a tap, and the calls of its visitor when one ends. */
#include <stdlib.h>
#include <string.h>

#include "trace/tap_internal.h"

/* --- goroutines --- */

struct tap_go *tap_find(const struct tap *t, uint64_t goid)
{
	uint64_t *slot = map64_get(&t->gos, goid);

	return slot ? (struct tap_go *)(uintptr_t)*slot : NULL;
}

struct tap_go *tap_next(const struct tap *t, size_t *at)
{
	while (*at < t->gos.made) {
		const struct map64_slot *s = &t->gos.slots[(*at)++];

		if (s->used)
			return (struct tap_go *)(uintptr_t)s->value;
	}
	return NULL;
}

static struct tap_go *go_make(struct tap *t)
{
	struct tap_go *g = t->spare;
	size_t size = sizeof(*g) + t->opts.data;

	if (!g)
		return xcalloc(1, size);
	t->spare = g->free;
	memset(g, 0, size);
	return g;
}

struct tap_go *tap_go_put(struct tap *t, uint64_t goid, uint64_t time)
{
	bool is_new;
	uint64_t *slot = map64_put(&t->gos, goid, &is_new);
	struct tap_go *g;

	if (!is_new)
		return (struct tap_go *)(uintptr_t)*slot;
	g = go_make(t);
	g->id = goid;
	g->born = time;
	g->reason = "";
	*slot = (uint64_t)(uintptr_t)g;
	return g;
}

void tap_go_seat(struct tap_go *g, struct tap_thread *m)
{
	if (g->m)
		g->m->go = NULL;
	if (m && m->go)
		m->go->m = NULL;
	g->m = m;
	if (m)
		m->go = g;
}

void tap_go_end(struct tap *t, struct tap_go *g, uint64_t time)
{
	tap_go_leave(t, g, time, true);
	tap_go_seat(g, NULL);
	if (t->opts.visitor->gone)
		t->opts.visitor->gone(t->opts.ctx, g, time);
	map64_del(&t->gos, g->id);
	g->free = t->spare;
	t->spare = g;
}

/* --- threads --- */

struct tap_thread *tap_thread_put(struct tap *t, uint64_t id)
{
	uint64_t *slot;
	bool is_new;

	if (id == TRACEV2_NO_ID)
		return NULL;
	if (t->last && t->last->id == id)
		return t->last;
	slot = map64_put(&t->threads, id, &is_new);
	if (is_new) {
		struct tap_thread *new = xcalloc(1, sizeof(*new));

		new->id = id;
		*slot = (uint64_t)(uintptr_t)new;
	}
	t->last = (struct tap_thread *)(uintptr_t)*slot;
	return t->last;
}

void tap_thread_drop(struct tap *t, uint64_t id)
{
	uint64_t *slot = map64_get(&t->threads, id);
	struct tap_thread *m;

	if (!slot)
		return;
	m = (struct tap_thread *)(uintptr_t)*slot;
	if (m->go)
		tap_go_seat(m->go, NULL);
	if (t->opts.visitor->thread_gone)
		t->opts.visitor->thread_gone(t->opts.ctx, m);
	t->last = NULL;
	free(m);
	map64_del(&t->threads, id);
}

/* --- both --- */

static void tap_tables_free_values(struct map64 *m)
{
	size_t i;

	for (i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			free((void *)(uintptr_t)m->slots[i].value);
	map64_free(m);
}

void tap_tables_free(struct tap *t)
{
	struct tap_go *g;

	tap_tables_free_values(&t->gos);
	tap_tables_free_values(&t->threads);
	while ((g = t->spare)) {
		t->spare = g->free;
		free(g);
	}
}
