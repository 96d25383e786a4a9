/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trail: the stays of all goroutines in a window of the trace. Each record is linked with the
 * record before it. Where another goroutine woke or created the goroutine, the record also has the
 * state of that other goroutine at that time. walk.c can therefore go back from any goroutine
 * without a search. A visitor of spans (spans/spans.h); why.c decides when the window begins.
 *
 * The records of a goroutine, from the newest: RUNNING, RUNNABLE, WOKE, WAITING, RUNNING, ...,
 * RUNNABLE, CREATED. A stay is cut into pieces where a mark assist, a sweep or a stop of the world
 * begins or ends, and where a system call loses its P.
 */
#ifndef GOTAP_WHY_TRAIL_H
#define GOTAP_WHY_TRAIL_H

#include "joins/joins.h"
#include "spans/spans.h"
#include "why/object.h"
#include "why/parts.h"
#include "why/store.h"

enum trail_kind {
	TRAIL_RUNNING,
	TRAIL_RUNNABLE,
	TRAIL_WAITING,
	TRAIL_SYSCALL,		/* with its P */
	TRAIL_SYSCALL_BARE,	/* its P was taken */
	TRAIL_GAP,		/* nothing was recorded of the goroutine */
	TRAIL_WOKE,		/* the end of the wait in the record before: who ended it */
	TRAIL_CREATED,		/* the begin of the goroutine: who created it */
	TRAIL_STOPPED,		/* a stop of the world; belongs to no goroutine */
	TRAIL_PROCS,		/* GOMAXPROCS was @g; belongs to no goroutine */
};

/*
 * Flags of a piece: the running goroutine was marking, was sweeping, or had stopped the world.
 * TRAIL_LATE: records with a later @to were added before this one.
 * Flags of a WOKE: TRAIL_JOINED: a write to the other end of the connection ended the wait, at
 * @from; @stack is a number for trail_joined(). TRAIL_SEVERAL: one of several requests did.
 */
enum {
	TRAIL_ASSIST = 1, TRAIL_SWEEP = 2, TRAIL_STOPS = 4, TRAIL_JOINED = 8, TRAIL_SEVERAL = 16,
	TRAIL_LATE = 128,
};

/*
 * A piece of a stay. A record WOKE or CREATED has the piece of the other goroutine, up to the
 * wake-up or creation.
 */
struct trail_rec {
	/* records are in the order of @to, except those with TRAIL_LATE */
	int64_t from, to;
	uint64_t g;		/* WOKE, CREATED: the other goroutine; TRACEV2_NO_ID: none */
	const char *name;	/* the function that g began with; "": not known yet */
	const char *reason;
	struct trail_object object;	/* WAITING */
	uint32_t prev;		/* the record before it, of the same goroutine; STORE_NONE: none */
	uint32_t stack;		/* stack at the begin of the piece, or of the wait */
	uint32_t end_stack;	/* stack of the goroutine at @to; 0: not known */
	uint32_t p;		/* UINT32_MAX: none */
	uint32_t other_prev;	/* WOKE, CREATED: the record before the piece of @g */
	uint32_t parts;		/* the newest of trail_parts() up to @to; STORE_NONE: none */
	uint8_t kind, flags;
	uint8_t how;		/* the event at @to; 0: the trace ended, or the stay was cut */
	/* WOKE, CREATED: kind of the piece of @g; TRAIL_WOKE: the trace does not have @g */
	uint8_t other_kind;
};

/* The other end of a connection: who wrote to it. Texts live as long as the spans. */
struct trail_join {
	uint32_t side;		/* number of the trail of that goroutine */
	const char *process;	/* "server (pid 123)" */
	const char *request;	/* the request that it served; "": none, or not known */
	uint64_t task;		/* its task; 0: none */
};

struct trail;

struct trail *trail_new(struct spans *s);
/* Frees @t, which may be NULL. */
void trail_free(struct trail *t);
/* Begins the window: all records are kept from now on. */
void trail_begin(struct trail *t);
/* Ends the window: drops all records, and keeps no further ones. */
void trail_end(struct trail *t);
struct store *trail_store(struct trail *t);
/*
 * Joins the trails of processes that are read side by side: adds the spans of @t to @j, as the next
 * side. Their windows begin and end with that of side 0. @sides, an array of @n, must live until
 * trail_part() or trail_free().
 */
void trail_join(struct trail *t, struct joins *j, struct trail *const *sides, size_t n);
void trail_part(struct trail *t);
/* Returns the other end of record @r, which has TRAIL_JOINED. */
const struct trail_join *trail_joined(const struct trail *t, const struct trail_rec *r);
/*
 * Returns the parts for the pieces RUNNING and SYSCALL. The caller sets their @oncpu before a trace
 * is read.
 */
struct parts *trail_parts(struct trail *t);
/* Returns the newest record of @g; STORE_NONE if it has none. */
uint32_t trail_newest(struct trail *t, const struct goroutine *g);
/*
 * trail_now() returns the piece of @g at @time, with @time as its end and @stack as its end_stack.
 * trail_open() calls @fn with the pieces, ending at @time, of all goroutines that run or are in a
 * system call, of the open stops of the world, and of GOMAXPROCS.
 */
struct trail_rec trail_now(struct trail *t, const struct goroutine *g, int64_t time,
			   uint32_t stack);
typedef void trail_fn(void *ctx, const struct trail_rec *r);
void trail_open(struct trail *t, int64_t time, trail_fn *fn, void *ctx);

#endif
