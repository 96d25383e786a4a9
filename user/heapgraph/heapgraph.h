/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heapgraph: the heap of a Go program as a graph: objects, and which of them point to which. In: a
 * process that is still (live/still.h) or a core file, behind a struct process. Out: nodes and
 * edges, which goroutines are leaked (leaks.h), and who holds how much memory (retained.h). Nothing
 * is written. Called by `gotap stacks --leaked` and `gotap heap --retained`.
 *
 * Objects are those that the runtime has allocated and not yet freed (runtime/mheap.go, mspan:
 * freeindex and allocBits): also garbage that no sweep has freed. Words are taken for pointers:
 *
 *	objects		by the bitmaps of the collector from Go 1.22 on, where the type has one;
 *			each aligned word up to Go 1.21 (GRAPH_EXACT, GRAPH_EACH_WORD)
 *	global variables	by the bitmaps of the program (moduledata)
 *	stacks			by the bitmaps of the compiler (frames.h)
 *	registers, stacks of	each aligned word
 *	goroutines that run
 *
 * A word that only looks like a pointer makes an object that nobody needs reachable. So whatever is
 * not reachable here is not reachable in the program, and sizes are upper bounds.
 *
 * Nodes: first the objects, by address; then goroutines; then the roots of enum graph_root, and the
 * global variables. A g and a sudog have no edges: the runtime links all of them, and what a
 * goroutine holds are the edges of its own node.
 *
 * The program may be hostile: no list is longer than its memory allows, spans that overlap are
 * refused, and each address is checked before it is followed.
 */
#ifndef GOTAP_HEAPGRAPH_HEAPGRAPH_H
#define GOTAP_HEAPGRAPH_HEAPGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map64.h"
#include "base/vec.h"
#include "live/process.h"
#include "live/roots.h"
#include "live/stop_request.h"
#include "plan/plan.h"

enum { GRAPH_NONE = UINT32_MAX };

/* A span of objects of one size (mspan in use). */
struct graph_span {
	uint64_t base, bytes;		/* its memory */
	uint64_t elemsize;
	uint64_t specials;		/* address of the first one; 0: none */
	uint64_t large_type;		/* type of its only object; 0: not known */
	uint32_t first;			/* number of its first object */
	uint32_t nelems;
	uint32_t reciprocal;		/* of elemsize, as mspan.divMul */
	bool noscan;			/* its objects have no pointers */
	bool large;			/* its only object has no size class, and no header */
};

/* Where a node's edges begin: the edges of node i are to[first[i]] to to[first[i + 1]]. */
struct graph_edges {
	struct vec first;		/* uint32_t, one more than nodes */
	struct vec to;			/* uint32_t, numbers of objects */
};

/* Why a goroutine waits, as far as leaks go. */
enum graph_wait {
	GRAPH_RUNS,		/* it runs, or something outside of the heap can wake it */
	GRAPH_FOREVER,		/* nil channel, select without cases */
	GRAPH_OBJECTS,		/* one of its objects must be reachable */
};

struct graph_goroutine {
	uint64_t g, goid;
	uint64_t start_pc;
	uint8_t status, reason;
	uint8_t wait;			/* enum graph_wait */
	/* numbers of objects that can wake it: objects[first_object] on */
	uint32_t first_object, objects;
};

enum graph_root {
	GRAPH_SPECIALS,		/* finalizers and cleanups, what they hold; weak handles */
	GRAPH_FINALIZERS,	/* and cleanups that are due and did not run yet */
	GRAPH_THREADS,		/* stacks of the scheduler, and registers where they are known */
	GRAPH_ROOTS,
};

/* A global variable, or a part of the data that has no name. */
struct graph_global {
	uint64_t addr, size;		/* in memory */
	const char *name;		/* of the symbol; NULL: not known */
};

struct graph_counts {
	uint64_t spans, objects, bytes;		/* that are allocated */
	uint64_t noscan_objects, noscan_bytes;
	uint64_t spans_unreadable;
	uint64_t spans_refused;			/* overlapping, or impossible */
	uint64_t unreadable_bytes;		/* of objects, data and stacks */
	uint64_t edges;
	uint64_t exact_objects, each_word_objects;
	/* running goroutines whose registers cannot be read (a process that is only stopped) */
	uint64_t registers_unknown;
	uint64_t goroutines_unreadable;
	/* lists of finalizers and of cleanups that are due, and cannot be found or read */
	uint64_t due_unknown;
	uint64_t threads_unreadable;		/* the list of all of them counts as one */
	/* blocked goroutines whose channel or lock was not found: they count as alive */
	uint64_t waits_unknown;
	bool globals_each_word;			/* moduledata was not found */
};

struct heapgraph_opts {
	const struct plan *plan;
	const struct process *proc;
	const struct roots *roots;
	const struct gobin *bin;	/* NULL: no names, and each word of a stack counts */
	const struct stop_request *stop;	/* may be NULL */
	/* called now and then with the parts of 1000 that are done; may be NULL */
	void (*progress)(void *ctx, unsigned int done);
	void *progress_ctx;
};

struct heapgraph {
	struct heapgraph_opts opts;
	struct vec spans;		/* struct graph_span, by address */
	uint64_t low, high;		/* all spans lie there */
	uint32_t **arenas;		/* by arena: number of a page's span + 1 */
	size_t narenas;
	uint32_t nobjects;
	uint64_t *allocated;		/* bit set of objects */
	struct vec goroutines;		/* struct graph_goroutine */
	struct vec wakers;		/* uint32_t, numbers of objects */
	struct vec globals;		/* struct graph_global */
	struct graph_edges edges;
	struct map64 opaque;		/* number of a g or sudog -> enum graph_opaque */
	struct map64 masks;		/* type -> number in mask_list + 1; 0: it has none */
	struct vec mask_list;		/* struct graph_mask */
	struct map64 places;		/* number of an object -> its bucket of the heap profile */
	struct graph_counts counts;
};

enum graph_opaque {
	GRAPH_G = 1,
	GRAPH_SUDOG,
	GRAPH_SUDOG_COND,	/* of sync.Cond before Go 1.26: its field next is an edge */
};

/*
 * Reads the graph. The caller frees @ret with heapgraph_free(), also after an error. -ENOTSUP: the
 * field offsets of this program's spans are not known; -EINTR: opts->stop asks to stop; -EINVAL:
 * what is there is no heap; other errors as memory_error().
 */
int heapgraph_read(struct heapgraph *ret, const struct heapgraph_opts *opts, struct error *err);
void heapgraph_free(struct heapgraph *hg);

static inline uint32_t heapgraph_nodes(const struct heapgraph *hg)
{
	return hg->nobjects + (uint32_t)hg->goroutines.len + GRAPH_ROOTS +
	       (uint32_t)hg->globals.len;
}

/* Numbers of nodes. */
static inline uint32_t heapgraph_goroutine_node(const struct heapgraph *hg, size_t i)
{
	return hg->nobjects + (uint32_t)i;
}

static inline uint32_t heapgraph_root_node(const struct heapgraph *hg, enum graph_root root)
{
	return hg->nobjects + (uint32_t)hg->goroutines.len + (uint32_t)root;
}

static inline uint32_t heapgraph_global_node(const struct heapgraph *hg, size_t i)
{
	return hg->nobjects + (uint32_t)hg->goroutines.len + GRAPH_ROOTS + (uint32_t)i;
}

/* Returns the number of the allocated object that @addr points into; GRAPH_NONE: there is none. */
uint32_t heapgraph_object_at(const struct heapgraph *hg, uint64_t addr);
/* Returns the span of an object. */
const struct graph_span *heapgraph_span_of(const struct heapgraph *hg, uint32_t object);
uint64_t heapgraph_address(const struct heapgraph *hg, uint32_t object);
/* Returns the edges of @node; stores their number. */
const uint32_t *heapgraph_edges(const struct heapgraph *hg, uint32_t node, size_t *n);

#endif
