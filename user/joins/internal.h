/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: for the files of joins: the traces (joins.c), ends of connections (ends.c), goroutines
 * (goroutines.c), their requests (requests.c), waits and calls (calls.c), and the meaning of stacks
 * (stack.c). An event goes to goroutines.c or requests.c, the end of a wait to calls.c.
 */
#ifndef GOTAP_JOINS_INTERNAL_H
#define GOTAP_JOINS_INTERNAL_H

#include "base/map64.h"
#include "base/vec.h"
#include "joins/joins.h"
#include "read/origin.h"

enum {
	G_ENDS = 4,		/* connections of a goroutine that are told apart */
};

#define NO_END UINT32_MAX

/* What a stack is doing. */
enum {
	JOINS_LOOKED = 1,
	JOINS_READS = 2,	/* it waits to read from a descriptor */
	JOINS_WRITES = 4,	/* it writes to a socket */
	JOINS_SERVES = 8,	/* the socket is one that net/http serves */
	JOINS_CALLS = 16,	/* it waits for the response to its call */
	JOINS_COPIES = 32,	/* it copies, maybe from another socket */
	JOINS_RESPONDS = 64,	/* it copies to the socket that net/http serves */
};

/* A request, as a goroutine serves it. */
struct joins_task {
	uint64_t id, g;
	const char *name;
	int64_t from, to;	/* to: INT64_MAX: open */
};

/* One end of a connection. */
struct joins_end {
	struct trace_socket socket;
	uint32_t member;
	bool shared;		/* another trace has an end with the same addresses */
	struct joins_write write;	/* the last one */
	/*
	 * the last write for another request, and how many requests have had one since the last
	 * wait that a write ended
	 */
	int64_t other_time;
	uint32_t requests;
	bool fresh;		/* no wait was ended by @write yet */
	/* goroutines of HTTP/2 have served it: @tasks; several can be open */
	bool multiplexed;
	struct vec tasks;	/* struct joins_task */
	/* those that had no room in @tasks: open ones, and ended ones, the last at @more_to */
	uint32_t more_open, more_ended;
	int64_t more_to;
};

/* A live goroutine, in an array by its slot. */
struct joins_g {
	uint64_t id;
	uint32_t ends[G_ENDS];	/* numbers of ends that it has waited for */
	uint8_t n;
	bool has_more;		/* and for further ones */
	uint32_t served;	/* the one that net/http serves in it; NO_END: none */
	uint64_t creator;
	/* the last request that it served; id 0: none. Tasks that begin meanwhile are part of it */
	struct joins_task task;
	uint32_t more;		/* the end that counts @task in more_open; NO_END: none */
	uint64_t inner;		/* the innermost open one of those, or call; 0: none */
	/*
	 * the request of the innermost open region of one, in a goroutine that a handler has
	 * created; 0: none
	 */
	uint64_t region;
	/* a write that ended its last wait, for which it has woken no goroutine yet */
	bool pending;
	int64_t from, to;	/* of that wait */
	struct joins_write write;
};

/* A trace. */
struct joins_member {
	struct joins *j;
	uint32_t number;
	struct spans *s;
	joins_mark_fn *mark;
	void *ctx;
	struct origin origin;
	const char *process;	/* NULL: not made yet */
	char stand_in[16];
	struct vec gs;		/* struct joins_g */
	struct vec stacks;	/* uint8_t, see joins_stack() */
};

struct joins {
	struct joins_member members[JOINS_MEMBERS];
	uint32_t n;
	struct vec ends;	/* struct joins_end */
	struct map64 index;	/* hash of addresses -> number of the end */
	uint64_t counts[JOINS_FOUNDS];
	joins_call_fn *call;
	void *call_ctx;
	/* the wait that was looked up last, for the other visitors of that span */
	struct {
		uint32_t member;
		uint64_t g;
		int64_t to;
		struct joins_wait wait;
	} last;
};

/* --- ends.c --- */

/* Stores the socket that the goroutine of @span waits for; false: it waits for none. */
bool joins_socket_of(const struct span *span, struct trace_socket *ret);
/* Are both addresses known? */
bool joins_is_connected(const struct trace_socket *s);
/* The socket at the other end: its addresses are those of @s, exchanged. */
struct trace_socket joins_other_end(const struct trace_socket *s);
uint64_t joins_hash(const struct trace_socket *s);
/* The end with that number; valid until the next joins_end_put(). */
struct joins_end *joins_end_at(struct joins *j, uint32_t number);
/* The number of the end with these addresses; NO_END: none. Stores the key for a new one. */
uint32_t joins_end_find(struct joins *j, const struct trace_socket *socket, uint64_t *key);
/* The number of the end with these addresses, which it adds; NO_END: there was no room. */
uint32_t joins_end_put(struct joins *j, uint32_t member, const struct trace_socket *socket);
/* HTTP/2: forgets the requests that had ended before @before, the last write that ended a wait. */
void joins_tasks_drop(struct joins_end *e, int64_t before);

/* --- goroutines.c --- */

/* The record of @g, which it adds; valid until the next call. */
struct joins_g *joins_g(struct joins_member *m, const struct goroutine *g);
/* The record of the live goroutine @creator, or NULL. */
struct joins_g *joins_creator(struct joins_member *m, uint64_t creator);
/* A goroutine begins to wait for a socket: it is one that reads there, or its creator is. */
void joins_waits(struct joins_member *m, const struct span *span);
/* A goroutine enters a system call: a write to a socket, if its stack says so. */
void joins_take_write(struct joins_member *m, const struct span *span);

/* --- requests.c: the functions of the visitor for tasks and regions; @ctx: the joins_member --- */

/* The request that @g works for now: one that it serves, or that of its creator; 0: none. */
uint64_t joins_serves_now(const struct joins_g *g);
void joins_task_begins(void *ctx, const struct task_span *task);
void joins_task_ended(void *ctx, const struct task_span *task);
void joins_region_begins(void *ctx, const struct region_span *r);
void joins_region_ended(void *ctx, const struct region_span *r);

/* --- calls.c --- */

/* The function of the visitor for spans that have ended; @ctx: the joins_member. */
void joins_span_ended(void *ctx, const struct span *span);

/* --- stack.c --- */

/* The flags of a stack, which @cache (uint8_t, by number of the stack) keeps. */
uint8_t joins_stack(struct vec *cache, const struct stack_set *stacks, uint32_t stack);
/* Does a goroutine of that function read for the one that created it? */
bool joins_reads_for_creator(const char *name);
/* Does it write for the one that created it? */
bool joins_writes_for_creator(const char *name);

#endif
