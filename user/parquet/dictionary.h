/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dictionary: the distinct values of a chunk, numbered from 0 on in the order in which they came.
 * Holds at most DICTIONARY_ENTRIES values and DICTIONARY_BYTES bytes of texts: a larger one would
 * cost a reader more than it saves, and memory.
 */
#ifndef GOTAP_PARQUET_DICTIONARY_H
#define GOTAP_PARQUET_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { DICTIONARY_ENTRIES = 32768, DICTIONARY_BYTES = 1 << 20 };
/* In place of a number. */
#define DICTIONARY_NONE UINT32_MAX

struct dictionary_entry {
	int64_t value;		/* of a text: where it is in the bytes */
	uint32_t n;		/* length of a text */
	uint32_t hash;
};

/* Empty when zeroed. Holds ints or texts, not both. */
struct dictionary {
	struct vec entries;	/* struct dictionary_entry */
	struct buf bytes;	/* the texts in PLAIN: each after its length */
	uint32_t *index;	/* number of an entry + 1, 0: free */
	size_t mask;		/* of the index */
};

/* The number of @value, which is added if it is new; DICTIONARY_NONE if there is no space. */
uint32_t dictionary_int(struct dictionary *d, int64_t value);
/* The number of the text, or DICTIONARY_NONE. */
uint32_t dictionary_find(const struct dictionary *d, const char *text, size_t n);
/* As dictionary_int(), for a text that dictionary_find() does not find. */
uint32_t dictionary_add(struct dictionary *d, const char *text, size_t n);
static inline size_t dictionary_count(const struct dictionary *d)
{
	return d->entries.len;
}
/* Entry number @i, and its text. */
static inline const struct dictionary_entry *dictionary_at(const struct dictionary *d, size_t i)
{
	return vec_at(&d->entries, const struct dictionary_entry, i);
}
static inline const char *dictionary_text(const struct dictionary *d, size_t i)
{
	return (const char *)d->bytes.data + dictionary_at(d, i)->value;
}
/* Removes all; keeps the storage. */
void dictionary_empty(struct dictionary *d);
size_t dictionary_memory(const struct dictionary *d);
void dictionary_free(struct dictionary *d);

#endif
