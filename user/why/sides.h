/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sides: the traces of other processes that are read beside one, each with a trail of its own, so
 * that the critical path goes on in them (joins/joins.h). Side 0 is the trace itself.
 *
 * 	b = sides_new(spans, trail, readers, n);
 * 	walk.sides = b;
 * 	ret = sides_read(b, reader, &err);
 * 	walk.sides = NULL;
 * 	sides_free(b);
 */
#ifndef GOTAP_WHY_SIDES_H
#define GOTAP_WHY_SIDES_H

#include "why/held.h"
#include "why/trail.h"

enum { SIDES_MOST = JOINS_MEMBERS - 1 };

struct sides;

/*
 * @s and @t: of the trace. @readers: the @n others, at most SIDES_MOST, of which the caller keeps
 * the ownership; 0: the waits for connections within the process are joined all the same. To be
 * made for each reading of a trace.
 */
struct sides *sides_new(struct spans *s, struct trail *t, struct trace_reader *const *readers,
			  size_t n);
/* Frees @b, which may be NULL; @s and @t read as before. To be called before they are freed. */
void sides_free(struct sides *b);
/* As spans_read() of the trace. */
int sides_read(struct sides *b, struct trace_reader *r, struct error *err);
/* The fault of other trace @i, from 0 on, found by sides_read(); its code is 0 if there is none. */
const struct error *sides_fault(const struct sides *b, size_t i);
/* The trail, and the sums of runnable steps, of a side from 1 on. */
struct trail *sides_trail(const struct sides *b, uint32_t side);
struct held *sides_held(struct sides *b, uint32_t side);
/* Prepares the sums of all sides from 1 on, as held_begin(). */
void sides_held_begin(struct sides *b, int64_t time, struct path *path);

#endif
