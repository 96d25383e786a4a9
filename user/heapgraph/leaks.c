// SPDX-License-Identifier: Apache-2.0
/* leaks: see leaks.h. */
#include "heapgraph/leaks.h"

#include <stdlib.h>

/* @object can wake the goroutine with the index @goroutine. */
struct waker {
	uint32_t object, goroutine;
};

struct marking {
	const struct heapgraph *hg;
	uint64_t *marked;		/* bit set of objects */
	uint64_t *wakes;		/* bit set of objects that can wake somebody */
	struct vec wakers;		/* struct waker, by object */
	struct vec todo;		/* uint32_t, nodes whose edges were not followed yet */
	bool *leaked;			/* by goroutine: not marked from yet */
	size_t left;			/* goroutines that are still in it */
};

static bool leaks_has(const uint64_t *set, uint32_t object)
{
	return set[object / 64] >> object % 64 & 1;
}

static void leaks_put(uint64_t *set, uint32_t object)
{
	set[object / 64] |= 1ULL << object % 64;
}

static void leaks_todo(struct marking *m, uint32_t node)
{
	*(uint32_t *)vec_push(&m->todo, sizeof(uint32_t)) = node;
}

static void leaks_can_run(struct marking *m, uint32_t goroutine)
{
	if (!m->leaked[goroutine])
		return;
	m->leaked[goroutine] = false;
	m->left--;
	leaks_todo(m, heapgraph_goroutine_node(m->hg, goroutine));
}

/* Each goroutine that @object can wake can run. */
static void leaks_wake(struct marking *m, uint32_t object)
{
	size_t low = 0, high = m->wakers.len, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (vec_at(&m->wakers, struct waker, middle)->object < object)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < m->wakers.len; low++) {
		const struct waker *w = vec_at(&m->wakers, struct waker, low);

		if (w->object != object)
			break;
		leaks_can_run(m, w->goroutine);
	}
}

static void leaks_follow(struct marking *m, uint32_t node)
{
	size_t i, n;
	const uint32_t *to = heapgraph_edges(m->hg, node, &n);

	for (i = 0; i < n; i++) {
		if (leaks_has(m->marked, to[i]))
			continue;
		leaks_put(m->marked, to[i]);
		leaks_todo(m, to[i]);
		if (leaks_has(m->wakes, to[i]))
			leaks_wake(m, to[i]);
	}
}

static int leaks_by_object(const void *a, const void *b)
{
	const struct waker *x = a, *y = b;

	return (x->object > y->object) - (x->object < y->object);
}

static void leaks_begin(struct marking *m)
{
	uint32_t i, k;

	for (i = 0; i < m->hg->goroutines.len; i++) {
		const struct graph_goroutine *g =
			vec_at(&m->hg->goroutines, struct graph_goroutine, i);

		m->leaked[i] = true;
		if (g->wait == GRAPH_RUNS)
			leaks_can_run(m, i);
		for (k = 0; g->wait == GRAPH_OBJECTS && k < g->objects; k++) {
			struct waker w = { *vec_at(&m->hg->wakers, uint32_t, g->first_object + k),
					   i };

			*(struct waker *)vec_push(&m->wakers, sizeof(w)) = w;
			leaks_put(m->wakes, w.object);
		}
	}
	vec_sort(&m->wakers, sizeof(struct waker), leaks_by_object);
	for (i = 0; i < GRAPH_ROOTS; i++)
		leaks_todo(m, heapgraph_root_node(m->hg, i));
	for (i = 0; i < m->hg->globals.len; i++)
		leaks_todo(m, heapgraph_global_node(m->hg, i));
}

size_t heapgraph_leaks(const struct heapgraph *hg, bool **ret)
{
	struct marking m = {
		.hg = hg,
		.marked = xcalloc(hg->nobjects / 64 + 1, sizeof(uint64_t)),
		.wakes = xcalloc(hg->nobjects / 64 + 1, sizeof(uint64_t)),
		.leaked = xcalloc(hg->goroutines.len + 1, sizeof(bool)),
		.left = hg->goroutines.len,
	};

	leaks_begin(&m);
	while (m.todo.len)
		leaks_follow(&m, *vec_at(&m.todo, uint32_t, --m.todo.len));
	free(m.marked);
	free(m.wakes);
	vec_free(&m.wakers);
	vec_free(&m.todo);
	*ret = m.leaked;
	return m.left;
}
