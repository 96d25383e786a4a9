/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_table: the strings and stacks of one generation. The writer chooses ids: small dense ids cost
 * a few bytes each, all others work as well. Id 0 is always known: the empty string, the empty
 * stack.
 *
 * As in Go's reader (1.23 and later) a frame belongs to its pc: if two stacks have a pc with
 * different functions or lines, the first one in the file holds for both. frames_differ counts such
 * frames.
 */
#ifndef GOTAP_READ_V2_TABLE_H
#define GOTAP_READ_V2_TABLE_H

#include <stdbool.h>

#include "base/map64.h"
#include "base/vec.h"
#include "read/cursor.h"
#include "read/v2_fault.h"

/* The ids of one kind, each with an index. */
struct v2_ids {
	uint32_t *dense;	/* id -> index + 1 */
	size_t cap;
	struct map64 sparse;	/* ids that are much larger than the others */
	size_t len;
	uint64_t all_below;	/* all ids below this are known; at least 1 */
};

struct v2_string {
	uint64_t start;		/* offset in v2_tables.text */
	uint32_t len;
};

struct v2_frame {
	uint64_t pc, line;
	uint64_t func, file;	/* string ids */
};

struct v2_stack {
	uint64_t id;
	uint64_t start;		/* index in v2_tables.stack_frames */
	uint32_t len;
};

struct v2_tables {
	struct v2_ids string_ids, stack_ids;
	struct vec strings;	/* struct v2_string */
	struct vec stacks;	/* struct v2_stack */
	struct vec stack_frames;	/* uint32_t: index into frames */
	struct vec frames;	/* struct v2_frame, one per pc */
	struct map64 pcs;	/* pc -> index into frames */
	struct buf text;
	uint64_t frames_differ;	/* frames that differ from an earlier frame with the same pc */
};

/* Empties the tables and keeps the storage for the next generation. */
void tables_clear(struct v2_tables *t);
void tables_free(struct v2_tables *t);

/*
 * Add the records of a Strings or Stacks batch; @c is after the batch's first byte. Return 0, or
 * negative with @fault set.
 */
int tables_add_strings(struct v2_tables *t, struct cursor *c, struct v2_place *place,
		       struct v2_fault *fault);
int tables_add_stacks(struct v2_tables *t, struct cursor *c, struct v2_place *place,
		      struct v2_fault *fault);
/* To be called when all batches are read: checks that the strings of all frames exist. */
int tables_check(const struct v2_tables *t, struct v2_place *place, struct v2_fault *fault);

/* 1 + index of @id, 0: not known. Not for id 0. */
uint32_t ids_find_sparse(const struct v2_ids *ids, uint64_t id);

static inline uint32_t ids_find(const struct v2_ids *ids, uint64_t id)
{
	if (id < ids->cap && ids->dense[id])
		return ids->dense[id];
	return ids->sparse.len ? ids_find_sparse(ids, id) : 0;
}

/*
 * True if @id is known. dense[0] is set as soon as there are ids, so that 0 and small ids need only
 * one branch.
 */
static inline bool ids_know(const struct v2_ids *ids, uint64_t id)
{
	if (__builtin_expect(id < ids->cap && ids->dense[id], 1))
		return true;
	return !id || (ids->sparse.len && ids_find_sparse(ids, id));
}

static inline bool tables_have_string(const struct v2_tables *t, uint64_t id)
{
	return ids_know(&t->string_ids, id);
}

static inline bool tables_have_stack(const struct v2_tables *t, uint64_t id)
{
	return ids_know(&t->stack_ids, id);
}

/* The text of string @id, without a NUL, valid until the tables are cleared; NULL: not known. */
const char *tables_string(const struct v2_tables *t, uint64_t id, size_t *len);
/* Stack @id, NULL: not known, or 0. */
const struct v2_stack *tables_stack(const struct v2_tables *t, uint64_t id);
/* Frame @i of @stack, leaf first. */
const struct v2_frame *tables_frame(const struct v2_tables *t, const struct v2_stack *stack,
				    uint32_t i);

#endif
