// SPDX-License-Identifier: Apache-2.0
/*
 * heapgraph_dominators: dominators of random graphs, judged by their definition: d dominates n if n
 * cannot be reached once d is taken out.
 */
#include <stdlib.h>
#include <string.h>

#include "heapgraph/dominators.h"
#include "unit.h"

enum {
	OBJECTS = 24, ROOTS = 3 + GRAPH_ROOTS, SIZE = 16, GRAPHS = 400, MOST_EDGES = 4,
	LENGTH = 1000000,
};

static const struct process proc;
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

/*
 * Returns how many objects @node dominates, itself included, by the definition of a dominator: those
 * that no root reaches without @node.
 */
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

static void add_node(void)
{
	*(uint32_t *)vec_push(&hg.edges.first, 4) = (uint32_t)hg.edges.to.len;
}

static void add_edge(uint32_t to)
{
	*(uint32_t *)vec_push(&hg.edges.to, 4) = to;
}

/* Object i of a list points to i + 1, and to a value that a table has, too. */
static void make_list(void)
{
	struct graph_span *s;
	uint32_t i;

	hg = (struct heapgraph){ .opts.proc = &proc, .nobjects = 2 * LENGTH };
	s = vec_push(&hg.spans, sizeof(*s));
	*s = (struct graph_span){ .base = 0x10000, .bytes = 2ULL * LENGTH * SIZE,
				  .elemsize = SIZE, .nelems = 2 * LENGTH };
	vec_push(&hg.globals, sizeof(struct graph_global));
	for (i = 0; i < LENGTH; i++) {
		add_node();
		if (i + 1 < LENGTH)
			add_edge(i + 1);
		add_edge(LENGTH + i);
	}
	for (i = 0; i < LENGTH; i++)
		add_node();
	add_node();
	add_edge(0);
	for (i = 1; i < GRAPH_ROOTS; i++)
		add_node();
	add_node();
	for (i = 0; i < LENGTH; i++)
		add_edge(LENGTH + i);
	add_node();
}

/* A walk from each value up the list takes hours. */
static void long_list(void)
{
	struct dominators d;
	struct error err;
	uint32_t i;

	make_list();
	CHECK(!dominators_find(&d, &hg, &err));
	CHECK(d.n == 2 * LENGTH + GRAPH_ROOTS + 2);
	for (i = 1; i < LENGTH; i++)
		CHECK(d.node[d.idom[d.number[i]]] == i - 1);
	for (i = 0; i < LENGTH; i++)
		CHECK(!d.idom[d.number[LENGTH + i]]);
	CHECK(d.objects[d.number[0]] == LENGTH);
	dominators_free(&d);
	vec_free(&hg.spans);
	vec_free(&hg.globals);
	vec_free(&hg.edges.first);
	vec_free(&hg.edges.to);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(random_graphs), UNIT(long_list), {0} });
}
