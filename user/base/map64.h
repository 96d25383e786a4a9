/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map64: a hash map from 64-bit keys to 64-bit values (ids, indexes,
 * pointers), used by every room.
 *
 * Entries lie in map->slots[0 .. map->cap) in the order in which their keys were
 * added. So output in the order of a map does not depend on the hash, and the
 * hash can have a seed that differs in each process: the author of a file cannot
 * choose keys that collide.
 *
 * An index of entry numbers finds them: open addressing with linear probing at
 * a load of at most 1/2, since look-ups outnumber insertions by far. A removal
 * (a goroutine's end) shifts a run of the index back; the hole that it leaves
 * among the entries is closed when room for new ones is needed.
 */
#ifndef GOTAP_BASE_MAP64_H
#define GOTAP_BASE_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map64_slot {
	uint64_t key, value;
	bool used;
};

struct map64 {
	struct map64_slot *slots;	/* by age; NULL when there never was one */
	size_t cap;			/* of slots */
	size_t len;			/* keys */
	size_t made;			/* slots that are or were used: none is from here on */
	uint32_t *index;		/* number of a slot + 1, 0 = free */
	size_t mask;			/* entries of index - 1, a power of two - 1 */
};

/* 64-bit finalizer of good quality (splitmix64), the same in each process. */
static inline uint64_t hash64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* From getrandom(2), before main(): other numbers in each process. The second one is odd. */
extern uint64_t hash64_seed[2];

/* Both halves of the 128-bit product, one over the other. */
static inline uint64_t hash64_fold(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* For keys from a file or a program, which could be chosen to collide. */
static inline uint64_t hash64_seeded(uint64_t x)
{
	return hash64_fold(x ^ hash64_seed[0], hash64_seed[1]);
}

/* Where @key stands in the index, or the free place where it belongs; there is an index. */
static inline size_t map64_place_of(const struct map64 *m, uint64_t key)
{
	size_t i = hash64_seeded(key) & m->mask;

	while (m->index[i] && m->slots[m->index[i] - 1].key != key)
		i = (i + 1) & m->mask;
	return i;
}

/* Pointer to the value of @key, or NULL. Valid until the next change. */
static inline uint64_t *map64_get(const struct map64 *m, uint64_t key)
{
	uint32_t found;

	if (!m->len)
		return NULL;
	found = m->index[map64_place_of(m, key)];
	return found ? &m->slots[found - 1].value : NULL;
}

/* Makes room before a key is added: closes holes, or doubles the storage. */
void map64_grow(struct map64 *m);

/*
 * Pointer to the value of @key, which is added with value 0 if new;
 * @is_new (may be NULL) says which. Valid until the next change.
 */
static inline uint64_t *map64_put(struct map64 *m, uint64_t key, bool *is_new)
{
	uint32_t *place;

	if (m->made == m->cap)
		map64_grow(m);
	place = &m->index[map64_place_of(m, key)];
	if (is_new)
		*is_new = !*place;
	if (!*place) {
		m->slots[m->made] = (struct map64_slot){ .key = key, .used = true };
		*place = (uint32_t)++m->made;
		m->len++;
	}
	return &m->slots[*place - 1].value;
}

/* Removes @key; false if it was not there. No other entry moves. */
bool map64_del(struct map64 *m, uint64_t key);
/* Forgets all keys; keeps the storage unless the keys took only a small part of it. */
void map64_clear(struct map64 *m);
void map64_free(struct map64 *m);

#endif
