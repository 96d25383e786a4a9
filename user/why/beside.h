/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside: the traces of other processes that are read beside one, each with a trail of its own, so
 * that the critical path goes on in them (joins/joins.h). Side 0 is the trace itself.
 *
 * 	b = beside_new(spans, trail, readers, n);
 * 	walk.beside = b;
 * 	ret = beside_read(b, reader, &err);
 * 	walk.beside = NULL;
 * 	beside_free(b);
 */
#ifndef GOTAP_WHY_BESIDE_H
#define GOTAP_WHY_BESIDE_H

#include "why/held.h"
#include "why/trail.h"

enum { BESIDE_MOST = JOINS_MEMBERS - 1 };

struct beside;

/*
 * @s and @t: of the trace. @readers: the @n others, at most BESIDE_MOST, of which the caller keeps
 * the ownership; 0: the waits for connections within the process are joined all the same. To be
 * made for each reading of a trace.
 */
struct beside *beside_new(struct spans *s, struct trail *t, struct trace_reader *const *readers,
			  size_t n);
/* Frees @b, which may be NULL; @s and @t read as before. To be called before they are freed. */
void beside_free(struct beside *b);
/* As spans_read() of the trace. */
int beside_read(struct beside *b, struct trace_reader *r, struct error *err);
/* The fault of other trace @i, from 0 on, found by beside_read(); its code is 0 if there is none. */
const struct error *beside_fault(const struct beside *b, size_t i);
const struct joins *beside_joins(const struct beside *b);
/* The trail, and the sums of runnable steps, of a side from 1 on. */
struct trail *beside_trail(const struct beside *b, uint32_t side);
struct held *beside_held(struct beside *b, uint32_t side);
/* Prepares the sums of all sides from 1 on, as held_begin(). */
void beside_held_begin(struct beside *b, int64_t time, struct path *path);

#endif
