/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trail: the stays of all goroutines in a window of the trace, each linked with the one before it,
 * and with the goroutine that woke or created it as that was at the instant. So walk.c finds the
 * way back from any goroutine without a search. It is a visitor of spans (spans/spans.h); why.c
 * says when the window begins.
 *
 * A goroutine's records, from the newest: RUNNING, RUNNABLE, WOKE, WAITING, RUNNING, ..., RUNNABLE,
 * CREATED. A stay is cut in pieces where a mark assist, a sweep or a stop of the world begins or
 * ends on it, and where a system call loses its P.
 */
#ifndef GOTAP_WHY_TRAIL_H
#define GOTAP_WHY_TRAIL_H

#include "spans/spans.h"
#include "why/parts.h"
#include "why/store.h"

enum trail_kind {
	TRAIL_RUNNING,
	TRAIL_RUNNABLE,
	TRAIL_WAITING,
	TRAIL_SYSCALL,		/* with its P */
	TRAIL_SYSCALL_BARE,	/* its P was taken */
	TRAIL_GAP,		/* nothing was recorded of it */
	TRAIL_WOKE,		/* the end of the wait behind: who ended it */
	TRAIL_CREATED,		/* the begin of the goroutine: who created it */
	TRAIL_STOPPED,		/* the world was stopped: of no goroutine */
	TRAIL_PROCS,		/* GOMAXPROCS was @g: of no goroutine */
};

/* What a goroutine that runs was doing besides. */
enum { TRAIL_ASSIST = 1, TRAIL_SWEEP = 2, TRAIL_STOPS = 4, TRAIL_LATE = 128 };

/*
 * A record. @from is that of the piece, also of WOKE and CREATED: of the other goroutine's at that
 * instant.
 */
struct trail_rec {
	/* records come in the order of @to, but for those with TRAIL_LATE */
	int64_t from, to;
	uint64_t g;		/* WOKE, CREATED: the other goroutine; TRACEV2_NO_ID: none */
	const char *name;	/* of g's first function, "" not known yet */
	const char *reason;
	uint32_t prev;		/* record of this goroutine before it; STORE_NONE */
	uint32_t stack;		/* where the piece began, or waits */
	uint32_t end_stack;	/* where the goroutine was at @to */
	uint32_t p;		/* UINT32_MAX: none */
	uint32_t other_prev;	/* WOKE, CREATED: of @g, the record before its piece */
	uint32_t parts;		/* the newest of trail_parts() up to @to; STORE_NONE: it has none */
	uint8_t kind, flags;
	uint8_t how;		/* the event at @to; 0: the trace ends, or the piece only */
	uint8_t other_kind;	/* WOKE, CREATED: of @g's piece; TRAIL_WOKE: @g is not known */
};

struct trail;

struct trail *trail_new(struct spans *s);
/* Accepts NULL. */
void trail_free(struct trail *t);
/* Everything is kept from here on. */
void trail_begin(struct trail *t);
/* Nothing is kept any more; what was is forgotten. */
void trail_end(struct trail *t);
struct store *trail_store(struct trail *t);
/*
 * The states of threads: of pieces RUNNING and SYSCALL. Its oncpu is the caller's to set before a
 * trace is read.
 */
struct parts *trail_parts(struct trail *t);
/* The newest record of @g, STORE_NONE if it has none. */
uint32_t trail_newest(struct trail *t, const struct goroutine *g);
/*
 * What goes on at @time, as pieces that end there: of @g; of what executes; the stops of the world;
 * GOMAXPROCS.
 */
struct trail_rec trail_now(struct trail *t, const struct goroutine *g, int64_t time,
			   uint32_t stack);
typedef void trail_fn(void *ctx, const struct trail_rec *r);
void trail_open(struct trail *t, int64_t time, trail_fn *fn, void *ctx);

#endif
