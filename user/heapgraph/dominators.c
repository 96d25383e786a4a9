// SPDX-License-Identifier: Apache-2.0
/* dominators: see dominators.h. */
#include "heapgraph/dominators.h"

#include <stdlib.h>
#include <string.h>

#include "heapgraph/internal.h"

/* A node whose edges are being followed. */
struct step {
	uint32_t node, next;
};

struct search {
	const struct heapgraph *hg;
	struct dominators *d;
	struct vec steps;		/* struct step */
	uint32_t *parent;		/* by number: in the tree of the search, then compressed */
	uint32_t *semi, *label;
	uint32_t *bucket;		/* by semidominator: the first of a list; 0: none */
	uint32_t *first, *preds;	/* numbers of the predecessors */
	struct vec path;		/* uint32_t */
};

/* --- the search --- */

static void dom_visit(struct search *s, uint32_t node, uint32_t parent)
{
	uint32_t i = s->d->n++;

	s->d->number[node] = i;
	s->d->node[i] = node;
	s->parent[i] = parent;
	*(struct step *)vec_push(&s->steps, sizeof(struct step)) = (struct step){ node, 0 };
}

static void dom_search_from(struct search *s, uint32_t root)
{
	struct step *step;
	const uint32_t *to;
	uint32_t child, number;
	size_t n;

	dom_visit(s, root, 0);
	while (s->steps.len) {
		step = vec_at(&s->steps, struct step, s->steps.len - 1);
		to = heapgraph_edges(s->hg, step->node, &n);
		if (step->next == n) {
			s->steps.len--;
			continue;
		}
		child = to[step->next++];
		number = s->d->number[step->node];
		if (!s->d->number[child])
			dom_visit(s, child, number);
	}
}

static void dom_search(struct search *s)
{
	uint32_t i, nodes = heapgraph_nodes(s->hg);

	for (i = s->hg->nobjects; i < nodes; i++)
		dom_search_from(s, i);
}

/* --- predecessors --- */

static void dom_count_preds(struct search *s)
{
	uint32_t i, sum = 0, count;
	const uint32_t *to;
	size_t k, n;

	s->first = xcalloc((size_t)s->d->n + 1, sizeof(uint32_t));
	for (i = 1; i < s->d->n; i++) {
		to = heapgraph_edges(s->hg, s->d->node[i], &n);
		for (k = 0; k < n; k++)
			s->first[s->d->number[to[k]]]++;
	}
	for (i = 0; i <= s->d->n; i++) {
		count = s->first[i];
		s->first[i] = sum;
		sum += count;
	}
	s->preds = xcalloc((size_t)sum + 1, sizeof(uint32_t));
}

/* Afterwards first[i] is where the predecessors of i end, and those of i + 1 begin. */
static void dom_fill_preds(struct search *s)
{
	const uint32_t *to;
	uint32_t i;
	size_t k, n;

	for (i = 1; i < s->d->n; i++) {
		to = heapgraph_edges(s->hg, s->d->node[i], &n);
		for (k = 0; k < n; k++)
			s->preds[s->first[s->d->number[to[k]]]++] = i;
	}
}

/* --- dominators --- */

/* Returns the node with the least semidominator on the path from @v to nodes before @last. */
static uint32_t dom_eval(struct search *s, uint32_t v, uint32_t last)
{
	uint32_t p, best;

	if (s->parent[v] < last)
		return s->label[v];
	do {
		*(uint32_t *)vec_push(&s->path, sizeof(uint32_t)) = v;
		v = s->parent[v];
	} while (s->parent[v] >= last);
	p = v;
	best = s->label[p];
	while (s->path.len) {
		v = *vec_at(&s->path, uint32_t, --s->path.len);
		s->parent[v] = s->parent[p];
		if (s->semi[best] < s->semi[s->label[v]])
			s->label[v] = s->label[p];
		else
			best = s->label[v];
		p = v;
	}
	return s->label[v];
}

static void dom_begin(struct search *s)
{
	uint32_t i;

	for (i = 0; i < s->d->n; i++) {
		s->d->idom[i] = s->parent[i];
		s->semi[i] = s->label[i] = i;
	}
}

/* Finds the semidominator of @i, and puts @i into the bucket of it. */
static void dom_semi(struct search *s, uint32_t i)
{
	uint32_t k, u;

	s->semi[i] = s->parent[i];
	for (k = s->first[i - 1]; k < s->first[i]; k++) {
		u = s->semi[dom_eval(s, s->preds[k], i + 1)];
		if (u < s->semi[i])
			s->semi[i] = u;
	}
	s->d->idom[i] = s->bucket[s->semi[i]];
	s->bucket[s->semi[i]] = i;
}

/*
 * Empties the bucket of @parent, after its child @i. The dominator of a node is @parent, or that of
 * another node, which comes before it.
 */
static void dom_empty_bucket(struct search *s, uint32_t parent, uint32_t i)
{
	uint32_t v = s->bucket[parent], u, next;

	s->bucket[parent] = 0;
	for (; v; v = next) {
		next = s->d->idom[v];
		u = dom_eval(s, v, i);
		s->d->idom[v] = s->semi[u] < parent ? u : parent;
	}
}

/*
 * Lengauer and Tarjan, with path compression: time is that of the edges times a logarithm. Until a
 * node is in a bucket, idom has its parent in the tree; then the next node of the bucket.
 */
static int dom_find_dominators(struct search *s, struct error *err)
{
	uint32_t *idom = s->d->idom, i, parent;

	dom_begin(s);
	for (i = s->d->n - 1; i >= 1; i--) {
		if (!(i % 65536) && graph_stopped(s->hg, err))
			return err->code;
		parent = idom[i];
		dom_semi(s, i);
		dom_empty_bucket(s, parent, i);
	}
	for (i = 1; i < s->d->n; i++)
		if (idom[i] != s->semi[i])
			idom[i] = idom[idom[i]];
	return 0;
}

/* --- sizes --- */

/* The sizes of objects, by number. Objects of one span have numbers that follow one another. */
static void dom_own_sizes(struct search *s)
{
	size_t i;
	uint32_t k, number;

	for (i = 0; i < s->hg->spans.len; i++) {
		const struct graph_span *span = vec_at(&s->hg->spans, struct graph_span, i);

		for (k = 0; k < span->nelems; k++) {
			number = s->d->number[span->first + k];
			if (!number)
				continue;
			s->d->bytes[number] = span->elemsize;
			s->d->objects[number] = 1;
		}
	}
}

static void dom_sum(struct dominators *d)
{
	uint32_t i, up;

	for (i = d->n - 1; i >= 1; i--) {
		up = d->idom[i];
		d->bytes[up] += d->bytes[i];
		d->objects[up] += d->objects[i];
	}
}

static void dom_free_search(struct search *s)
{
	free(s->parent);
	free(s->semi);
	free(s->label);
	free(s->bucket);
	free(s->first);
	free(s->preds);
	vec_free(&s->steps);
	vec_free(&s->path);
}

static int dom_find(struct search *s, size_t most, struct error *err)
{
	struct dominators *d = s->d;

	s->parent = xcalloc(most, sizeof(uint32_t));
	dom_search(s);
	dom_count_preds(s);
	/* the predecessors of number i end where its counter stops: at first[i] */
	dom_fill_preds(s);
	s->semi = xcalloc(d->n, sizeof(uint32_t));
	s->label = xcalloc(d->n, sizeof(uint32_t));
	s->bucket = xcalloc(d->n, sizeof(uint32_t));
	d->idom = xcalloc(d->n, sizeof(uint32_t));
	return dom_find_dominators(s, err);
}

int dominators_find(struct dominators *ret, const struct heapgraph *hg, struct error *err)
{
	struct search s = { .hg = hg, .d = ret };
	size_t most = (size_t)heapgraph_nodes(hg) + 1;
	int r;

	*ret = (struct dominators){ .n = 1 };
	ret->number = xcalloc(most, sizeof(uint32_t));
	ret->node = xcalloc(most, sizeof(uint32_t));
	ret->node[0] = GRAPH_NONE;
	r = dom_find(&s, most, err);
	/* before the sums take as much memory */
	dom_free_search(&s);
	if (r)
		return r;
	ret->bytes = xcalloc(ret->n, sizeof(uint64_t));
	ret->objects = xcalloc(ret->n, sizeof(uint32_t));
	dom_own_sizes(&s);
	dom_sum(ret);
	return 0;
}

void dominators_free(struct dominators *d)
{
	free(d->number);
	free(d->node);
	free(d->idom);
	free(d->bytes);
	free(d->objects);
	*d = (struct dominators){0};
}
