/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idtab: records of one size, each found by the 64-bit id it begins with, that
 * never move. A file can name a goroutine in six bytes and never again, so a record has
 * no overhead but some bytes of index (map64 with a pointer in it would take twenty
 * times as much).
 */
#ifndef GOTAP_READ_IDTAB_H
#define GOTAP_READ_IDTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum {
	IDTAB_CHUNK = 128,	/* records that are allocated together */
	IDTAB_FRONT = 256,	/* a power of two */
};

/* A record that was made or found of late. */
struct idtab_front {
	void *record;		/* NULL = none */
	uint32_t number;
	bool indexed;		/* in the slots as well */
};

/*
 * The front holds one record for each value of the id's low bits. Most
 * goroutines are made, looked up and deleted there; a record goes into the
 * slots when another one takes its place.
 */
struct idtab {
	size_t item;		/* bytes of a record */
	uint32_t len;		/* records that can be found */
	uint32_t made;		/* records that there are, found or not */
	uint32_t *slots;	/* by hash: 1 + number of the record, 0 = free */
	size_t cap, indexed;	/* of slots, a power of two; used ones */
	unsigned shift;		/* 64 - log2(cap) */
	struct vec chunks;	/* void * */
	struct vec spare;	/* uint32_t: numbers of those that are found no more */
	struct idtab_front front[IDTAB_FRONT];
	uint32_t behind[IDTAB_FRONT];	/* how many of each are in the slots */
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

/* The general case of idtab_find(). */
void *idtab_find_indexed(struct idtab *t, uint64_t id);

/* NULL if there is none. */
static inline void *idtab_find(struct idtab *t, uint64_t id)
{
	void *record = t->front[id % IDTAB_FRONT].record;

	if (record && *(const uint64_t *)record == id)
		return record;
	return t->behind[id % IDTAB_FRONT] ? idtab_find_indexed(t, id) : NULL;
}

/*
 * Makes the record of @id, which there must not be yet. It is zero but for its
 * id, or a deleted one with what was in that.
 */
void *idtab_add(struct idtab *t, uint64_t id);
/* Deletes the record of @id, which there must be. */
void idtab_del(struct idtab *t, uint64_t id);
/* Forgets all records; keeps the storage unless it is far larger than they needed. */
void idtab_clear(struct idtab *t);
void idtab_free(struct idtab *t);

/* For what a record owns: an empty vec that has room for one item, not for the usual eight. */
static inline struct vec vec_of_one(size_t size)
{
	return (struct vec){ .data = xcalloc(1, size), .cap = 1 };
}

#endif
