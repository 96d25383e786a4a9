/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dominators: what each node of a graph holds alone: node d dominates n if every path from a root
 * to n leads through d. The retained size of d is what would become garbage without it: the sizes
 * of all objects that it dominates, and its own. In: a graph. Called by retained.c.
 *
 * The algorithm is Semi-NCA (Georgiadis, Tarjan): semidominators by path compression, then the
 * nearest common ancestor. Time is nearly proportional to the edges.
 */
#ifndef GOTAP_HEAPGRAPH_DOMINATORS_H
#define GOTAP_HEAPGRAPH_DOMINATORS_H

#include <stdint.h>

#include "heapgraph/heapgraph.h"

/* Nodes that can be reached have numbers from 1 on, in preorder; 0 is the root of all roots. */
struct dominators {
	uint32_t n;			/* numbers, with 0 */
	uint32_t *number;		/* of each node; 0: it cannot be reached */
	uint32_t *node;			/* of each number; of 0: GRAPH_NONE */
	uint32_t *idom;			/* number of the immediate dominator, a smaller one */
	uint64_t *bytes;		/* retained, by number */
	uint32_t *objects;		/* retained */
};

/* -EINTR: hg->opts.stop asks to stop. The caller frees @ret with dominators_free(), in any case. */
int dominators_find(struct dominators *ret, const struct heapgraph *hg, struct error *err);
void dominators_free(struct dominators *d);

#endif
