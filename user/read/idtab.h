/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idtab: records of one size that begin with their 64-bit id and are found by it. Records never
 * move. A file can name a new goroutine in six bytes, so a record costs only some bytes of index in
 * addition to its size (a map64 with pointers would take twenty times as much).
 */
#ifndef GOTAP_READ_IDTAB_H
#define GOTAP_READ_IDTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum {
	IDTAB_CHUNK = 128,	/* records that are allocated at once */
	IDTAB_FRONT = 256,	/* a power of two */
};

/* A record that was made or found recently. */
struct idtab_front {
	void *record;		/* NULL: none */
	uint32_t number;
	bool indexed;		/* the record is in the slots, too */
};

/*
 * The front holds one record for each value of the low bits of the id. Most goroutines are made,
 * looked up and deleted there. A record goes into the slots when another one replaces it in the
 * front.
 */
struct idtab {
	size_t item;		/* bytes of a record */
	uint32_t len;		/* records that can be found */
	uint32_t made;		/* allocated records, with the deleted ones */
	uint32_t *slots;	/* by hash: 1 + number of the record, 0: free */
	size_t cap, indexed;	/* number of slots, a power of two; used slots */
	unsigned shift;		/* 64 - log2(cap) */
	struct vec chunks;	/* void * */
	struct vec spare;	/* uint32_t: numbers of deleted records */
	struct idtab_front front[IDTAB_FRONT];
	/* for each entry of the front: number of its records in the slots */
	uint32_t behind[IDTAB_FRONT];
};

static inline void idtab_init(struct idtab *t, size_t item)
{
	*t = (struct idtab){ .item = item };
}

/* Record @i, below t->made, to iterate over all records. A deleted one keeps its content. */
static inline void *idtab_at(const struct idtab *t, uint32_t i)
{
	char *chunk = *vec_at(&t->chunks, char *, i / IDTAB_CHUNK);

	return chunk + i % IDTAB_CHUNK * t->item;
}

/* The general case of idtab_find(). */
void *idtab_find_indexed(struct idtab *t, uint64_t id);

/* The record of @id, NULL: none. */
static inline void *idtab_find(struct idtab *t, uint64_t id)
{
	void *record = t->front[id % IDTAB_FRONT].record;

	if (record && *(const uint64_t *)record == id)
		return record;
	return t->behind[id % IDTAB_FRONT] ? idtab_find_indexed(t, id) : NULL;
}

/*
 * Makes the record of @id, which must not exist. The record is zeroed except for its id, or it is a
 * deleted record with its old content.
 */
void *idtab_add(struct idtab *t, uint64_t id);
/* Deletes the record of @id, which must exist. */
void idtab_del(struct idtab *t, uint64_t id);
/* Removes all records. Keeps the storage unless it is much larger than needed. */
void idtab_clear(struct idtab *t);
void idtab_free(struct idtab *t);

/*
 * An empty vec for members of a record: it has space for one item, not for eight as vec_push()
 * would allocate.
 */
static inline struct vec vec_of_one(size_t size)
{
	return (struct vec){ .data = xcalloc(1, size), .cap = 1 };
}

#endif
