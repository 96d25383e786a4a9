// SPDX-License-Identifier: Apache-2.0
/* heapgraph: see heapgraph.h. Here: the order of the steps. */
#include "heapgraph/heapgraph.h"

#include <stdlib.h>

#include "heapgraph/internal.h"

/* Makes all edges, node after node. */
static int graph_scan(struct heapgraph *hg, struct globals *gl, struct error *err)
{
	int r = graph_scan_objects(hg, err);

	/* the edges of the last object end where those of the first goroutine begin */
	if (!r)
		r = graph_scan_goroutines(hg, err);
	if (r)
		return r;
	graph_scan_specials(hg);
	graph_scan_finalizers(hg);
	graph_scan_threads(hg);
	graph_scan_globals(gl);
	graph_begin_node(hg);
	hg->counts.edges = hg->edges.to.len;
	return graph_stopped(hg, err);
}

int heapgraph_read(struct heapgraph *ret, const struct heapgraph_opts *opts, struct error *err)
{
	struct globals *gl = NULL;
	int r;

	*ret = (struct heapgraph){ .opts = *opts };
	r = graph_read_spans(ret, err);
	if (!r)
		r = graph_read_goroutines(ret, err);
	if (!r) {
		graph_find_globals(ret, &gl);
		r = graph_scan(ret, gl, err);
	}
	graph_globals_free(gl);
	return r;
}

void heapgraph_free(struct heapgraph *hg)
{
	size_t i;

	for (i = 0; i < hg->narenas; i++)
		free(hg->arenas[i]);
	for (i = 0; i < hg->mask_list.len; i++)
		free(vec_at(&hg->mask_list, struct graph_mask, i)->bits);
	free(hg->arenas);
	free(hg->allocated);
	vec_free(&hg->spans);
	vec_free(&hg->goroutines);
	vec_free(&hg->wakers);
	vec_free(&hg->globals);
	vec_free(&hg->edges.first);
	vec_free(&hg->edges.to);
	vec_free(&hg->mask_list);
	map64_free(&hg->opaque);
	map64_free(&hg->masks);
	map64_free(&hg->places);
	*hg = (struct heapgraph){0};
}

const uint32_t *heapgraph_edges(const struct heapgraph *hg, uint32_t node, size_t *n)
{
	uint32_t from = *vec_at(&hg->edges.first, uint32_t, node);

	*n = *vec_at(&hg->edges.first, uint32_t, node + 1) - from;
	return vec_at(&hg->edges.to, uint32_t, from);
}
