// SPDX-License-Identifier: Apache-2.0
/*
 * heapgraph_dominators: dominators of random graphs, judged by their definition: d dominates n if n
 * cannot be reached once d is taken out.
 */
#include <stdlib.h>
#include <string.h>

#include "heapgraph/dominators.h"
#include "unit.h"

enum { OBJECTS = 24, ROOTS = 3 + GRAPH_ROOTS, SIZE = 16, GRAPHS = 400, MOST_EDGES = 4 };

static struct heapgraph hg;
static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static void make_graph(void)
{
	struct graph_span *s;
	uint32_t node, k;

	hg = (struct heapgraph){ .nobjects = OBJECTS };
	s = vec_push(&hg.spans, sizeof(*s));
	*s = (struct graph_span){ .base = 0x10000, .bytes = 8192, .elemsize = SIZE,
				  .nelems = OBJECTS };
	for (k = 0; k < ROOTS - GRAPH_ROOTS; k++)
		vec_push(&hg.globals, sizeof(struct graph_global));
	for (node = 0; node < heapgraph_nodes(&hg); node++) {
		*(uint32_t *)vec_push(&hg.edges.first, 4) = (uint32_t)hg.edges.to.len;
		for (k = random_below(MOST_EDGES); k; k--)
			*(uint32_t *)vec_push(&hg.edges.to, 4) = random_below(OBJECTS);
	}
	*(uint32_t *)vec_push(&hg.edges.first, 4) = (uint32_t)hg.edges.to.len;
}

static void reach_from(uint32_t node, uint32_t without, bool *seen)
{
	size_t i, n;
	const uint32_t *to;

	if (node == without || seen[node])
		return;
	seen[node] = true;
	to = heapgraph_edges(&hg, node, &n);
	for (i = 0; i < n; i++)
		reach_from(to[i], without, seen);
}

static void reach(uint32_t without, bool *seen)
{
	uint32_t root;

	memset(seen, 0, OBJECTS + ROOTS);
	for (root = OBJECTS; root < OBJECTS + ROOTS; root++)
		reach_from(root, without, seen);
}

/* What @node holds alone, by the definition. */
static uint64_t held_by(uint32_t node)
{
	bool all[OBJECTS + ROOTS], rest[OBJECTS + ROOTS];
	uint64_t n = 0;
	uint32_t i;

	reach(GRAPH_NONE, all);
	reach(node, rest);
	for (i = 0; i < OBJECTS; i++)
		n += all[i] && !rest[i];
	return n;
}

static void judge_graph(void)
{
	bool all[OBJECTS + ROOTS];
	struct dominators d;
	struct error err;
	uint32_t node;

	CHECK(!dominators_find(&d, &hg, &err));
	reach(GRAPH_NONE, all);
	for (node = 0; node < OBJECTS + ROOTS; node++) {
		CHECK((d.number[node] != 0) == all[node]);
		if (!all[node])
			continue;
		CHECK(d.objects[d.number[node]] == held_by(node));
		CHECK(d.bytes[d.number[node]] == SIZE * held_by(node));
		CHECK(d.idom[d.number[node]] < d.number[node]);
	}
	dominators_free(&d);
}

static void random_graphs(void)
{
	unsigned int i;

	for (i = 0; i < GRAPHS; i++) {
		make_graph();
		judge_graph();
		vec_free(&hg.spans);
		vec_free(&hg.globals);
		vec_free(&hg.edges.first);
		vec_free(&hg.edges.to);
	}
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(random_graphs), {0} });
}
