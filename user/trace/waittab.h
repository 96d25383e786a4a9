/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waittab: the objects that goroutines wait for, in one generation of a trace. tracefile.c owns
 * one.
 *
 * The format has no place for such an object. A GoBlock refers to its reason by the id of a string.
 * Each object gets an id of its own for the reason, with the same text, and a string that no event
 * refers to says which object an id stands for; another one says it for goroutines that have a
 * status, which has no reason. Readers of Go 1.22 to 1.27 keep such strings and use none of them.
 *
 * These strings are in batches of TRACEV2_WAITS (tracev2.h) in place of a thread, which tells them
 * apart from texts of the program: those can have any bytes. A string is WAITTAB_MAGIC, a byte
 * WAITTAB_REASONS or WAITTAB_GOROUTINES, and entries:
 *
 *	key	the id of the string of a reason, or a goid: difference to the entry before
 *	head	enum wait_kind | more << 4 | n << 5
 *	n times	address, or descriptor + 1: difference to the address before; capacity + 1, 0: none
 *
 * A string of WAITTAB_SOCKETS has one entry: the descriptor, the time from and to which it was this
 * socket (units of the trace), protocol, both ports, and 16 bytes of each address.
 *
 * All numbers are LEB128; a difference d is stored as d << 1 ^ d >> 63. In each string differences
 * begin from 0.
 */
#ifndef GOTAP_TRACE_WAITTAB_H
#define GOTAP_TRACE_WAITTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"
#include "trace/wait.h"

#define WAITTAB_MAGIC "gotap.w1"
enum { WAITTAB_MAGIC_LEN = sizeof(WAITTAB_MAGIC) - 1 };
enum { WAITTAB_REASONS = 'r', WAITTAB_GOROUTINES = 'g', WAITTAB_SOCKETS = 's' };

/* The strings of one sort. */
struct waittab_part {
	struct buf text;	/* the open string; empty: none is open */
	uint64_t key, address;	/* of the last entry */
};

struct waittab {
	struct strset *seen;	/* a reason and its object, as bytes */
	struct map64 ids;	/* address of those bytes -> id of the reason's string */
	struct waittab_part reasons, goroutines;
	struct map64 fds;	/* descriptor -> index in sockets, of its last one */
	struct vec sockets;	/* struct trace_socket_time */
	struct buf whole;	/* complete strings: their length in two bytes, then the string */
};

/*
 * The id of the reason's string for @wait; *@is_new: the caller has to store the id there, and to
 * call waittab_reason(). @reason: the id of the reason without an object.
 */
uint64_t *waittab_id(struct waittab *t, uint64_t reason, const struct trace_wait *wait,
		     bool *is_new);
void waittab_reason(struct waittab *t, uint64_t id, const struct trace_wait *wait);
/* The goroutine has a status at the begin of the generation, and waits. */
void waittab_goroutine(struct waittab *t, uint64_t goid, const struct trace_wait *wait);
/*
 * Times are in units of the trace. A descriptor that was the same socket the last time was so in
 * between, too.
 */
void waittab_socket(struct waittab *t, const struct trace_socket_time *s);
/* Bytes of all strings. */
size_t waittab_size(const struct waittab *t);
/* Ends the open strings: @whole has all. */
void waittab_finish(struct waittab *t);
void waittab_reset(struct waittab *t);
void waittab_free(struct waittab *t);

#endif
