/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_table: the strings and stacks of one generation. Ids are the writer's;
 * small dense ones cost a few bytes each, any others work as well. Id 0 is
 * always known: the empty string, the empty stack.
 *
 * As in Go's reader (1.23 and later) a frame belongs to its pc: where two
 * stacks give one pc two meanings, the first in the file holds for both.
 * frames_differ counts that.
 */
#ifndef GOTAP_READ_V2_TABLE_H
#define GOTAP_READ_V2_TABLE_H

#include <stdbool.h>

#include "base/map64.h"
#include "base/vec.h"
#include "read/cursor.h"
#include "read/v2_fault.h"

/* Ids of one kind, and for each the index of what it stands for. */
struct v2_ids {
	uint32_t *dense;	/* id -> index + 1 */
	size_t cap;
	struct map64 sparse;	/* ids far beyond the others */
	size_t len;
	uint64_t all_below;	/* every id below this is known; at least 1 */
};

struct v2_string {
	uint64_t start;		/* in v2_tables.text */
	uint32_t len;
};

struct v2_frame {
	uint64_t pc, line;
	uint64_t func, file;	/* string ids */
};

struct v2_stack {
	uint64_t id;
	uint64_t start;		/* in v2_tables.stack_frames */
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
	uint64_t frames_differ;	/* frames whose pc was known with another meaning */
};

/* Forgets the content, keeps the storage for the next generation. */
void tables_clear(struct v2_tables *t);
void tables_free(struct v2_tables *t);

/* Takes the records of a Strings or Stacks batch; @c stands after the batch's first byte. */
int tables_add_strings(struct v2_tables *t, struct cursor *c, struct v2_place *place,
		       struct v2_fault *fault);
int tables_add_stacks(struct v2_tables *t, struct cursor *c, struct v2_place *place,
		      struct v2_fault *fault);
/* Checks, when all is read, that every stack names strings that exist. */
int tables_check(const struct v2_tables *t, struct v2_place *place, struct v2_fault *fault);

/* 1 + index of what @id stands for, 0 if it is unknown. Not for id 0. */
uint32_t ids_find_sparse(const struct v2_ids *ids, uint64_t id);

static inline uint32_t ids_find(const struct v2_ids *ids, uint64_t id)
{
	if (id < ids->cap && ids->dense[id])
		return ids->dense[id];
	return ids->sparse.len ? ids_find_sparse(ids, id) : 0;
}

/*
 * Whether @id is known. Slot 0 of dense is always taken once there are ids, so
 * that the common cases, 0 and a small id, are one and the same branch.
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

/* Text of string @id, not NUL terminated, valid until the tables are cleared; NULL if unknown. */
const char *tables_string(const struct v2_tables *t, uint64_t id, size_t *len);
/* Stack @id, NULL if it is unknown or 0. */
const struct v2_stack *tables_stack(const struct v2_tables *t, uint64_t id);
/* Frame @i of @stack, leaf first. */
const struct v2_frame *tables_frame(const struct v2_tables *t, const struct v2_stack *stack,
				    uint32_t i);

#endif
