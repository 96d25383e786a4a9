// SPDX-License-Identifier: Apache-2.0
/* dictionary: see dictionary.h. The index uses open addressing, at a load of at most 1/2. */
#include "parquet/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "parquet/encode.h"

enum { INDEX_FIRST = 256 };

static uint64_t dictionary_word(const char *text, size_t n)
{
	uint64_t word = 0;

	memcpy(&word, text, n);
	return word;
}

/* With the seed of the process: texts are those of programs, which could choose them to collide. */
static uint32_t dictionary_hash(const char *text, size_t n)
{
	uint64_t h = hash64_seed[0] ^ n;

	for (; n > sizeof(h); text += sizeof(h), n -= sizeof(h))
		h = hash64_fold(h ^ dictionary_word(text, sizeof(h)), hash64_seed[1]);
	h = hash64_fold(h ^ (n ? dictionary_word(text, n) : 0), hash64_seed[1]);
	return (uint32_t)(h ^ h >> 32);
}

static void dictionary_grow(struct dictionary *d)
{
	size_t slots = d->mask ? (d->mask + 1) * 2 : INDEX_FIRST, i, at;

	free(d->index);
	d->index = xcalloc(slots, sizeof(*d->index));
	d->mask = slots - 1;
	for (i = 0; i < d->entries.len; i++) {
		at = dictionary_at(d, i)->hash & d->mask;
		while (d->index[at])
			at = (at + 1) & d->mask;
		d->index[at] = (uint32_t)i + 1;
	}
}

/* Adds an entry, which is not there yet. */
static uint32_t dictionary_put(struct dictionary *d, struct dictionary_entry entry)
{
	size_t at;

	if (d->entries.len >= DICTIONARY_ENTRIES)
		return DICTIONARY_NONE;
	if (2 * (d->entries.len + 1) > d->mask)
		dictionary_grow(d);
	at = entry.hash & d->mask;
	while (d->index[at])
		at = (at + 1) & d->mask;
	*(struct dictionary_entry *)vec_push(&d->entries, sizeof(entry)) = entry;
	return d->index[at] = (uint32_t)d->entries.len, d->index[at] - 1;
}

uint32_t dictionary_int(struct dictionary *d, int64_t value)
{
	uint64_t h = hash64_seeded((uint64_t)value);
	uint32_t hash = (uint32_t)(h ^ h >> 32);
	size_t at = hash & d->mask;

	if (d->index)
		for (; d->index[at]; at = (at + 1) & d->mask)
			if (dictionary_at(d, d->index[at] - 1)->value == value)
				return d->index[at] - 1;
	return dictionary_put(d, (struct dictionary_entry){ .value = value, .hash = hash });
}

uint32_t dictionary_find(const struct dictionary *d, const char *text, size_t n)
{
	uint32_t hash = dictionary_hash(text, n);
	const struct dictionary_entry *entry;
	size_t at = hash & d->mask;

	if (!d->index)
		return DICTIONARY_NONE;
	for (; d->index[at]; at = (at + 1) & d->mask) {
		entry = dictionary_at(d, d->index[at] - 1);
		if (entry->hash == hash && entry->n == n &&
		    (!n || !memcmp(d->bytes.data + entry->value, text, n)))
			return d->index[at] - 1;
	}
	return DICTIONARY_NONE;
}

uint32_t dictionary_add(struct dictionary *d, const char *text, size_t n)
{
	struct dictionary_entry entry = { .n = (uint32_t)n, .hash = dictionary_hash(text, n) };
	size_t before = d->bytes.len;
	uint32_t number;

	/* A first text of any length is taken. */
	if (before && before + sizeof(uint32_t) + n > DICTIONARY_BYTES)
		return DICTIONARY_NONE;
	entry.value = (int64_t)(before + sizeof(uint32_t));
	number = dictionary_put(d, entry);
	if (number == DICTIONARY_NONE)
		return number;
	encode_u32(&d->bytes, (uint32_t)n);
	buf_add(&d->bytes, text, n);
	return number;
}

void dictionary_empty(struct dictionary *d)
{
	if (d->index && d->entries.len)
		memset(d->index, 0, (d->mask + 1) * sizeof(*d->index));
	d->entries.len = 0;
	d->bytes.len = 0;
}

size_t dictionary_memory(const struct dictionary *d)
{
	return d->entries.cap * sizeof(struct dictionary_entry) + d->bytes.cap +
	       (d->index ? (d->mask + 1) * sizeof(*d->index) : 0);
}

void dictionary_free(struct dictionary *d)
{
	vec_free(&d->entries);
	buf_free(&d->bytes);
	free(d->index);
	*d = (struct dictionary){0};
}
