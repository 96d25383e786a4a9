/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retained: who holds how much memory: by root, by type, and the objects at which most of it comes
 * together. In: a graph. Out: lists, the largest first. Called by `gotap heap --retained`.
 */
#ifndef GOTAP_HEAPGRAPH_RETAINED_H
#define GOTAP_HEAPGRAPH_RETAINED_H

#include "heapgraph/dominators.h"
#include "heapgraph/heapgraph.h"
#include "heapgraph/types.h"

struct retained_type {
	uint32_t type;			/* number of graph_types */
	uint64_t bytes, objects;	/* of its objects that can be reached */
	/* what its objects hold alone; what one of them holds within another counts once */
	uint64_t retained;
};

struct retained_root {
	uint32_t node;
	uint64_t bytes, objects;	/* that it holds alone */
};

struct retained {
	const struct heapgraph *hg;
	struct dominators dom;
	struct graph_types types;
	uint32_t *from;			/* the node before each, on a shortest path */
	struct vec by_type;		/* struct retained_type */
	struct vec roots;		/* struct retained_root, of those that hold something */
	/*
	 * uint32_t, numbers of dominators: objects of which no object that they dominate directly
	 * holds half as much
	 */
	struct vec places;
	uint64_t bytes, objects;	/* that can be reached */
	uint64_t shared_bytes, shared_objects;	/* that no root holds alone */
};

/* -EINTR: hg->opts.stop asks to stop. The caller frees @ret with retained_free(), in any case. */
int retained_find(struct retained *ret, struct heapgraph *hg, struct error *err);
void retained_free(struct retained *r);
/*
 * Stores the nodes of a shortest path to @node, from the root on; at most @max, the last ones.
 * Returns the length of the whole path.
 */
size_t retained_path(const struct retained *r, uint32_t node, uint32_t *ret, size_t max);

#endif
