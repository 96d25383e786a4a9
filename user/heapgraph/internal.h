/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: shared by the files that read the graph: spans and their objects (spans.c), pointer
 * bitmaps (masks.c), edges (scan.c), goroutines (goroutines.c), specials (specials.c) and global
 * variables (globals.c). See heapgraph.h.
 */
#ifndef GOTAP_HEAPGRAPH_INTERNAL_H
#define GOTAP_HEAPGRAPH_INTERNAL_H

#include "heapgraph/heapgraph.h"

enum {
	GRAPH_PAGE_SHIFT = 13,
	GRAPH_PAGE = 1 << GRAPH_PAGE_SHIFT,
	GRAPH_ARENA_SHIFT = 26,
	GRAPH_ARENA_PAGES = 1 << (GRAPH_ARENA_SHIFT - GRAPH_PAGE_SHIFT),
	GRAPH_PIECE = 256 << 10,	/* bytes that are read at a time */
	GRAPH_WORD = 8,
	/* Objects up to this size have their bitmap at the end of the span (Go 1.22 and later) */
	GRAPH_SMALL = 512,
};

/* Pointers of a type: bit i is word i of @words, which repeat every @size bytes. */
struct graph_mask {
	uint64_t size;
	uint64_t words;		/* words of a value up to its last pointer */
	uint8_t *bits;
};

/* spans.c */

/* Reads the spans, numbers their objects, and reads which are allocated. */
int graph_read_spans(struct heapgraph *hg, struct error *err);
static inline bool graph_is_allocated(const struct heapgraph *hg, uint32_t object)
{
	return hg->allocated[object / 64] >> object % 64 & 1;
}

/* masks.c */

/* Returns the pointers of the type at @type; NULL: it has no bitmap that can be read. */
const struct graph_mask *graph_mask_of(struct heapgraph *hg, uint64_t type);

/* scan.c */

/* Begins the edges of the next node. Nodes follow one another by number. */
void graph_begin_node(struct heapgraph *hg);
/* Adds an edge to the object that @word points to, if there is one. */
void graph_add_word(struct heapgraph *hg, uint64_t word);
/* As graph_add_word(), for each aligned word of [@from, @to) in memory; @from is aligned. */
void graph_add_range(struct heapgraph *hg, uint64_t from, uint64_t to);
/* Adds the edges of @object to the current node, which is a later one. */
void graph_add_edges_of(struct heapgraph *hg, uint32_t object);
/* Makes the edges of all objects. -E2BIG: there are more than fit. */
int graph_scan_objects(struct heapgraph *hg, struct error *err);
int graph_stopped(const struct heapgraph *hg, struct error *err);

/* goroutines.c */

/* Reads the goroutines, and which objects are gs and sudogs. Before the edges are made. */
int graph_read_goroutines(struct heapgraph *hg, struct error *err);
/* Makes the edges of all goroutines. */
int graph_scan_goroutines(struct heapgraph *hg, struct error *err);

/* Makes the edges of GRAPH_THREADS. */
void graph_scan_threads(struct heapgraph *hg);

/* specials.c */

/* Makes the edges of GRAPH_SPECIALS, and finds the places of allocation of sampled objects. */
void graph_scan_specials(struct heapgraph *hg);
/* Makes the edges of GRAPH_FINALIZERS. */
void graph_scan_finalizers(struct heapgraph *hg);

/* globals.c */

struct globals;

/* Finds the global variables; the caller frees *@ret with graph_globals_free(). */
void graph_find_globals(struct heapgraph *hg, struct globals **ret);
/* Makes their edges, which come last. */
void graph_scan_globals(struct globals *gl);
/* Accepts NULL. */
void graph_globals_free(struct globals *gl);

#endif
