// SPDX-License-Identifier: Apache-2.0
/* retained: see retained.h. */
#include "heapgraph/retained.h"

#include <stdlib.h>
#include <string.h>

#include "heapgraph/internal.h"

enum {
	/* dominators of an object that are looked at for one of its own type */
	MOST_UP = 64,
	/* an object that holds a smaller part of the heap is not listed */
	LEAST_PART = 10000,
};

/* --- paths --- */

/* Visits nodes in the order of their distance from the roots. */
static void retained_find_paths(struct retained *r)
{
	uint32_t nodes = heapgraph_nodes(r->hg), *queue = xcalloc((size_t)r->dom.n + 1, 4);
	size_t head = 0, tail = 0, i, n;
	const uint32_t *to;
	uint32_t node;

	r->from = xcalloc((size_t)nodes + 1, sizeof(uint32_t));
	memset(r->from, 0xff, ((size_t)nodes + 1) * sizeof(uint32_t));
	for (node = r->hg->nobjects; node < nodes; node++)
		queue[tail++] = node;
	while (head < tail) {
		node = queue[head++];
		to = heapgraph_edges(r->hg, node, &n);
		for (i = 0; i < n; i++) {
			if (r->from[to[i]] != GRAPH_NONE)
				continue;
			r->from[to[i]] = node;
			queue[tail++] = to[i];
		}
	}
	free(queue);
}

size_t retained_path(const struct retained *r, uint32_t node, uint32_t *ret, size_t max)
{
	size_t n = 0, i;
	uint32_t at;

	for (at = node; at != GRAPH_NONE; at = at < r->hg->nobjects ? r->from[at] : GRAPH_NONE)
		n++;
	at = node;
	for (i = 0; i < n && i < max; i++) {
		ret[(n < max ? n : max) - 1 - i] = at;
		at = at < r->hg->nobjects ? r->from[at] : GRAPH_NONE;
	}
	return n;
}

/* --- lists --- */

static int retained_more(uint64_t x, uint64_t y, uint32_t first, uint32_t second)
{
	return x != y ? (x < y) - (x > y) : (first > second) - (first < second);
}

static int retained_by_root(const void *a, const void *b)
{
	const struct retained_root *x = a, *y = b;

	return retained_more(x->bytes, y->bytes, x->node, y->node);
}

static int retained_by_type(const void *a, const void *b)
{
	const struct retained_type *x = a, *y = b;

	return retained_more(x->retained, y->retained, x->type, y->type);
}

/* A dominator and its size, for sorting. */
struct place {
	uint64_t bytes;
	uint32_t number;
};

static int retained_by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return retained_more(x->bytes, y->bytes, x->number, y->number);
}

static void retained_list_roots(struct retained *r)
{
	uint32_t node, number, nodes = heapgraph_nodes(r->hg);
	struct retained_root *root;

	r->bytes = r->shared_bytes = r->dom.bytes[0];
	r->objects = r->shared_objects = r->dom.objects[0];
	for (node = r->hg->nobjects; node < nodes; node++) {
		number = r->dom.number[node];
		if (!r->dom.objects[number])
			continue;
		root = vec_push(&r->roots, sizeof(*root));
		*root = (struct retained_root){ node, r->dom.bytes[number],
						r->dom.objects[number] };
		r->shared_bytes -= root->bytes;
		r->shared_objects -= root->objects;
	}
	vec_sort(&r->roots, sizeof(struct retained_root), retained_by_root);
}

/* Returns whether a dominator of @number is an object of the same type. */
static bool retained_within_type(const struct retained *r, uint32_t number, uint32_t type)
{
	uint32_t up = r->dom.idom[number], i;

	for (i = 0; i < MOST_UP && up; i++, up = r->dom.idom[up])
		if (r->dom.node[up] < r->hg->nobjects && r->types.of[r->dom.node[up]] == type)
			return true;
	return false;
}

static void retained_list_types(struct retained *r)
{
	struct retained_type *types = xcalloc(r->types.names.len, sizeof(*types));
	uint32_t i, node, type;
	size_t k;

	for (i = 1; i < r->dom.n; i++) {
		node = r->dom.node[i];
		if (node >= r->hg->nobjects)
			continue;
		type = r->types.of[node];
		types[type].objects++;
		types[type].bytes += heapgraph_span_of(r->hg, node)->elemsize;
		if (!retained_within_type(r, i, type))
			types[type].retained += r->dom.bytes[i];
	}
	for (k = 0; k < r->types.names.len; k++) {
		types[k].type = (uint32_t)k;
		if (types[k].retained > r->bytes)
			types[k].retained = r->bytes;
		if (types[k].objects)
			*(struct retained_type *)vec_push(&r->by_type, sizeof(types[k])) = types[k];
	}
	free(types);
	vec_sort(&r->by_type, sizeof(struct retained_type), retained_by_type);
}

/* Returns the most that a node retains which another one dominates directly, by its number. */
static uint64_t *retained_largest(const struct retained *r)
{
	uint64_t *largest = xcalloc(r->dom.n, sizeof(*largest));
	uint32_t i, up;

	for (i = 1; i < r->dom.n; i++) {
		up = r->dom.idom[i];
		if (r->dom.bytes[i] > largest[up])
			largest[up] = r->dom.bytes[i];
	}
	return largest;
}

static void retained_list_places(struct retained *r)
{
	uint64_t *largest = retained_largest(r);
	struct vec places = {0};
	struct place *p;
	uint32_t i;
	size_t k;

	for (i = 1; i < r->dom.n; i++) {
		if (r->dom.node[i] >= r->hg->nobjects ||
		    largest[i] >= r->dom.bytes[i] / 2 ||
		    r->dom.bytes[i] < r->bytes / LEAST_PART)
			continue;
		p = vec_push(&places, sizeof(*p));
		*p = (struct place){ r->dom.bytes[i], i };
	}
	free(largest);
	vec_sort(&places, sizeof(struct place), retained_by_place);
	for (k = 0; k < places.len; k++)
		*(uint32_t *)vec_push(&r->places, sizeof(uint32_t)) =
			vec_at(&places, struct place, k)->number;
	vec_free(&places);
}

int retained_find(struct retained *ret, struct heapgraph *hg, struct error *err)
{
	int r;

	*ret = (struct retained){ .hg = hg };
	r = dominators_find(&ret->dom, hg, err);
	if (r)
		return r;
	/* one after the other, as each takes some bytes for each object */
	retained_list_roots(ret);
	retained_list_places(ret);
	r = graph_types_find(&ret->types, hg, err);
	if (r)
		return r;
	retained_list_types(ret);
	retained_find_paths(ret);
	return graph_stopped(hg, err);
}

void retained_free(struct retained *r)
{
	dominators_free(&r->dom);
	graph_types_free(&r->types);
	free(r->from);
	vec_free(&r->by_type);
	vec_free(&r->roots);
	vec_free(&r->places);
	*r = (struct retained){0};
}
