/* SPDX-License-Identifier: Apache-2.0 */
/* internal: for the files of joins: sockets (joins.c), and the meaning of stacks (stack.c). */
#ifndef GOTAP_JOINS_INTERNAL_H
#define GOTAP_JOINS_INTERNAL_H

#include "base/map64.h"
#include "base/vec.h"
#include "joins/joins.h"
#include "read/origin.h"

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

/* --- joins.c --- */

/* Stores the socket that the goroutine of @span waits for; false: it waits for none. */
bool joins_socket_of(const struct span *span, struct trace_socket *ret);
/* Are both addresses known? */
bool joins_is_connected(const struct trace_socket *s);
/* The socket at the other end: its addresses are those of @s, exchanged. */
struct trace_socket joins_other_end(const struct trace_socket *s);
uint64_t joins_hash(const struct trace_socket *s);

/* --- stack.c --- */

/* The flags of a stack, which @cache (uint8_t, by number of the stack) keeps. */
uint8_t joins_stack(struct vec *cache, const struct stack_set *stacks, uint32_t stack);
/* Does a goroutine of that function read for the one that created it? */
bool joins_reads_for_creator(const char *name);
/* Does it write for the one that created it? */
bool joins_writes_for_creator(const char *name);

#endif
