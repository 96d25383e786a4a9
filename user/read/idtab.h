/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idtab: records of one size, each found by the 64-bit id it begins with, that
 * never move. A file can name a goroutine in six bytes and never speak of it
 * again, so a record has no overhead but some bytes of index (map64 with a
 * pointer in it would take twenty times as much).
 */
#ifndef GOTAP_READ_IDTAB_H
#define GOTAP_READ_IDTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { IDTAB_CHUNK = 128 };	/* records that are allocated together */

struct idtab {
	size_t item;		/* bytes of a record */
	uint32_t *slots;	/* by hash: 1 + number of the record, 0 = free */
	size_t cap, len;	/* of slots, a power of two; used ones */
	unsigned shift;		/* 64 - log2(cap) */
	struct vec chunks;	/* void * */
	uint32_t made;		/* records that there are, found or not */
	struct vec spare;	/* uint32_t: numbers of those that are found no more */
};

static inline void idtab_init(struct idtab *t, size_t item)
{
	*t = (struct idtab){ .item = item };
}

/* Record @i of t->made: a way to visit them all. One that was deleted keeps its content. */
static inline void *idtab_at(const struct idtab *t, uint32_t i)
{
	char *chunk = *vec_at(&t->chunks, char *, i / IDTAB_CHUNK);

	return chunk + i % IDTAB_CHUNK * t->item;
}

static inline uint64_t idtab_id(const struct idtab *t, uint32_t i)
{
	return *(const uint64_t *)idtab_at(t, i);
}

/*
 * Where the search for @id begins. Ids mostly count up, and multiples of the
 * golden ratio keep their distance: hardly two of them begin at one slot.
 */
static inline size_t idtab_home(const struct idtab *t, uint64_t id)
{
	return ((id ^ id >> 32) * 0x9e3779b97f4a7c15) >> t->shift;
}

/* The slot of @id, or the free one where it belongs; there are slots. */
static inline size_t idtab_slot(const struct idtab *t, uint64_t id)
{
	size_t i = idtab_home(t, id);

	while (t->slots[i] && idtab_id(t, t->slots[i] - 1) != id)
		i = (i + 1) & (t->cap - 1);
	return i;
}

/* NULL if there is none. */
static inline void *idtab_find(const struct idtab *t, uint64_t id)
{
	size_t i;

	if (!t->len)
		return NULL;
	i = idtab_slot(t, id);
	return t->slots[i] ? idtab_at(t, t->slots[i] - 1) : NULL;
}

/*
 * Makes the record of @id, which there must not be yet. It is zero but for its
 * id, or a deleted one with what was in that.
 */
void *idtab_add(struct idtab *t, uint64_t id);
/* Deletes the record of @id, which there must be. */
void idtab_del(struct idtab *t, uint64_t id);
/* Forgets all records but keeps the storage. */
void idtab_clear(struct idtab *t);
void idtab_free(struct idtab *t);

/* For what a record owns: an empty vec that has room for one item, not for the usual eight. */
static inline struct vec vec_of_one(size_t size)
{
	return (struct vec){ .data = xcalloc(1, size), .cap = 1 };
}

#endif
