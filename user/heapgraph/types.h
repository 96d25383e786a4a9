/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types: the types of objects, by the type descriptors of the program (internal/abi, Type), Go 1.22
 * and later; also of stripped programs. In: a graph. Out: a type for each object of which it is
 * known. Called by retained.c.
 *
 * The allocator stores the type of objects with pointers of more than 512 bytes. From these, and
 * from global variables of which DWARF data has the type, types follow pointers: fields of structs,
 * elements of slices and arrays, what an interface holds. An object that nothing typed points to
 * has no known type.
 */
#ifndef GOTAP_HEAPGRAPH_TYPES_H
#define GOTAP_HEAPGRAPH_TYPES_H

#include "base/error.h"
#include "base/strset.h"
#include "heapgraph/heapgraph.h"

/* Types that are no descriptors. */
enum { TYPE_UNKNOWN, TYPE_NOSCAN, TYPE_G, TYPE_SUDOG, TYPE_STRING, TYPE_CLOSURE, TYPE_FIRST };

struct graph_types {
	struct vec names;		/* const char *, by number */
	struct strset *texts;
	uint32_t *of;			/* number of each object's type */
	/* why DWARF data did not give the types of global variables; code 0: it did */
	struct error variables;
	uint32_t variables_left_out;	/* more than are read */
};

/* -EINTR: hg->opts.stop asks to stop. The caller frees @ret with graph_types_free() in any case. */
int graph_types_find(struct graph_types *ret, struct heapgraph *hg, struct error *err);
void graph_types_free(struct graph_types *t);

#endif
