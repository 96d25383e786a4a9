/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joins: waits for the network that go on in another goroutine: in another process of the same
 * machine whose trace is read beside (spans_read_beside()), or in the same one. A wait to read from
 * a socket with addresses (L, R) ends because of a write to the socket with addresses (R, L).
 *
 * A trace has the descriptor and the addresses of each wait, but not those of a write. The
 * goroutine that writes is found by its other acts: it has waited for that socket before, or it
 * created the goroutine that does so for it (net/http). So what is found is a fact of the traces:
 * this goroutine serves the other end, and wrote to a socket before the wait ended. If several
 * requests can have been answered by that write (HTTP/2, pipelining), none is named: of says how
 * many.
 *
 * One struct joins for all traces that are read side by side. A wait's end is looked up at its
 * time, while all traces have been read up to it; so the memory is that of live goroutines and of
 * connections, and both have a limit.
 */
#ifndef GOTAP_JOINS_JOINS_H
#define GOTAP_JOINS_JOINS_H

#include "spans/spans.h"

enum {
	JOINS_MEMBERS = 64,
	JOINS_ENDS = 1 << 20,	/* that are kept; waits for further ones are JOINS_NO_PEER */
	JOINS_CANDIDATES = 16,		/* requests of one connection that are told apart */
};

enum joins_found {
	JOINS_NO_READ,		/* it is no wait to read from a socket, or a deadline ended it */
	JOINS_NO_ADDRESS,	/* the trace does not have the addresses of the socket */
	JOINS_NO_PEER,		/* no process has waited for the other end of the connection */
	JOINS_NO_WRITE,		/* one has, but no write of it is known that ended the wait */
	JOINS_SEVERAL,		/* several requests, or processes, can have ended the wait */
	JOINS_ONE,
	JOINS_FOUNDS,
};

/* A write to a socket, by the goroutine that serves it. */
struct joins_write {
	uint32_t member;	/* number of the trace, of joins_add() */
	uint64_t g;
	const char *name;	/* the function that @g began with */
	int64_t time;		/* begin of the write */
	uint64_t mark;		/* of joins_mark_fn at that time */
	/* the request that was served, a task of group http; 0: none, or not known */
	uint64_t task;
	const char *request;	/* its name; "": none */
	int64_t task_from;
};

struct joins_wait {
	uint8_t found;		/* enum joins_found */
	uint32_t of;		/* JOINS_SEVERAL: how many there are */
	struct joins_write write;	/* JOINS_ONE */
};

/* A call that a goroutine has made, and the request that answered it. */
struct joins_call {
	uint32_t member;
	uint64_t g;		/* the goroutine that made the call */
	/*
	 * the request that it serves meanwhile, and the innermost task in it, which can be the call
	 * itself; 0: none
	 */
	uint64_t task, inner;
	/* of the wait for the network, of this goroutine or of one for it */
	int64_t from, to;
	struct joins_write write;
};

typedef void joins_call_fn(void *ctx, const struct joins_call *call);

struct joins;

/*
 * A number that the owner of a trace wants back with each write of the goroutine @g, which enters
 * a system call now.
 */
typedef uint64_t joins_mark_fn(void *ctx, const struct goroutine *g);

struct joins *joins_new(void);
/* Frees @j, which may be NULL; its visitors must have been removed, or their spans be freed. */
void joins_free(struct joins *j);
/*
 * Adds a trace with its visitor, behind those that are there; @mark may be NULL. Returns its
 * number, from 0 on. At most JOINS_MEMBERS.
 */
uint32_t joins_add(struct joins *j, struct spans *s, joins_mark_fn *mark, void *ctx);
/*
 * @fn gets each call, when the goroutine that made it gets to know of the response: it has waited
 * for the network itself, or it has waited in net/http for the goroutine that did so for it. One
 * call can come several times, if its response takes several waits.
 */
void joins_calls(struct joins *j, joins_call_fn *fn, void *ctx);
/* Removes the visitor of a trace from its spans, which are kept. */
void joins_leave(struct joins *j, uint32_t member);
/*
 * What ended the wait @wait, a span of the trace @member that has just ended. To be called from
 * visitors, at that time.
 */
struct joins_wait joins_ended(struct joins *j, uint32_t member, const struct span *wait);
/*
 * "server (pid 123)", or "trace 2" as long as the trace has not said which program it is of. Lives
 * as long as the spans.
 */
const char *joins_process(const struct joins *j, uint32_t member);
/* Numbers of waits so far, by enum joins_found. */
const uint64_t *joins_counts(const struct joins *j);

#endif
