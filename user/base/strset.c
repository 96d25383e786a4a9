// SPDX-License-Identifier: Apache-2.0
/*
 * strset: see strset.h. Strings lie in blocks of 64 KiB, each after its length. A hash table points
 * at the strings.
 */
#include "base/strset.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"

enum { BLOCK = 64 * 1024 };

struct block {
	struct block *next;
	size_t used, size;
	char bytes[];
};

struct strset {
	const char **slots;
	size_t cap, len;
	size_t stored;		/* bytes of all blocks */
	struct block *blocks;
};

static uint64_t strset_word_at(const char *s, size_t n)
{
	uint64_t w = 0;

	memcpy(&w, s, n < sizeof(w) ? n : sizeof(w));
	return w;
}

/*
 * Hashes eight bytes at a time. The seed matters: texts come from files and may be chosen to
 * collide.
 */
static uint64_t hash_bytes(const char *s, size_t n)
{
	uint64_t h = hash64_seed[0] ^ n;

	for (; n > sizeof(h); s += sizeof(h), n -= sizeof(h))
		h = hash64_fold(h ^ strset_word_at(s, sizeof(h)), hash64_seed[1]);
	return hash64_fold(h ^ strset_word_at(s, n), hash64_seed[1]);
}

struct strset *strset_new(void)
{
	return xcalloc(1, sizeof(struct strset));
}

size_t strset_len(const char *s)
{
	uint32_t n;

	memcpy(&n, s - sizeof(n), sizeof(n));
	return n;
}

static size_t strset_slot_of(const struct strset *set, const char *s, size_t n)
{
	size_t i = hash_bytes(s, n) & (set->cap - 1);

	while (set->slots[i] && (strset_len(set->slots[i]) != n || memcmp(set->slots[i], s, n)))
		i = (i + 1) & (set->cap - 1);
	return i;
}

static void strset_grow(struct strset *set)
{
	const char **old = set->slots;
	size_t i, cap = set->cap;

	set->cap = cap ? cap * 2 : 256;
	set->slots = xcalloc(set->cap, sizeof(*set->slots));
	for (i = 0; i < cap; i++)
		if (old[i])
			set->slots[strset_slot_of(set, old[i], strset_len(old[i]))] = old[i];
	free(old);
}

static char *strset_store(struct strset *set, const char *s, size_t n)
{
	struct block *b = set->blocks;
	uint32_t length = (uint32_t)n;
	size_t need = sizeof(length) + n + 1;
	char *p;

	if (!b || b->size - b->used < need) {
		size_t size = need > BLOCK ? need : BLOCK;

		b = xcalloc(1, sizeof(*b) + size);
		b->size = size;
		b->next = set->blocks;
		set->blocks = b;
		set->stored += size;
	}
	p = b->bytes + b->used + sizeof(length);
	memcpy(p - sizeof(length), &length, sizeof(length));
	memcpy(p, s, n);
	p[n] = 0;
	b->used += need;
	return p;
}

const char *strset_add(struct strset *set, const char *s, size_t n)
{
	return strset_add_bytes(set, s, strnlen(s, n));
}

const char *strset_add_bytes(struct strset *set, const char *s, size_t n)
{
	size_t i;

	if (set->len + 1 > set->cap / 2)
		strset_grow(set);
	i = strset_slot_of(set, s, n);
	if (!set->slots[i]) {
		set->slots[i] = strset_store(set, s, n);
		set->len++;
	}
	return set->slots[i];
}

const char *strset_find(const struct strset *set, const char *s, size_t n)
{
	return set->cap ? set->slots[strset_slot_of(set, s, strnlen(s, n))] : NULL;
}

size_t strset_size(const struct strset *set)
{
	return set->stored + set->cap * sizeof(*set->slots);
}

void strset_free(struct strset *set)
{
	struct block *b, *next;

	if (!set)
		return;
	for (b = set->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	free(set->slots);
	free(set);
}
