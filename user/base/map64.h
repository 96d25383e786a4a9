/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map64: a hash map from 64-bit keys to 64-bit values (ids, indexes, pointers), used by every room.
 *
 * Entries lie in map->slots[0 .. map->cap) in the order in which their keys were added. Therefore
 * the order of the entries does not depend on the hash, and the hash has a seed that differs in
 * each process: the author of a file cannot choose keys that collide.
 *
 * An index of slot numbers finds the entries. It uses open addressing with linear probing at a load
 * of at most 1/2, since look-ups are much more frequent than insertions. A removal (the end of a
 * goroutine) moves later members of a run of the index back. The unused slot that it leaves is
 * removed when space for new slots is needed.
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
	/* in the order of their insertion; NULL before the first one */
	struct map64_slot *slots;
	size_t cap;			/* allocated slots */
	size_t len;			/* number of keys */
	size_t made;			/* slots that are or were in use; later ones are free */
	uint32_t *index;		/* number of a slot + 1, 0: free */
	/* number of entries of index - 1; the number is a power of two */
	size_t mask;
};

/* The finalizer of splitmix64, a 64-bit hash that is the same in each process. */
static inline uint64_t hash64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Random numbers of this process, from getrandom(2), set before main(). The second one is odd. */
extern uint64_t hash64_seed[2];

/* The xor of both halves of the 128-bit product. */
static inline uint64_t hash64_fold(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A hash for keys from a file or a program, which an author could choose to collide. */
static inline uint64_t hash64_seeded(uint64_t x)
{
	return hash64_fold(x ^ hash64_seed[0], hash64_seed[1]);
}

/* The place of @key in the index, or the free place for it. The index must exist. */
static inline size_t map64_place_of(const struct map64 *m, uint64_t key)
{
	size_t i = hash64_seeded(key) & m->mask;

	while (m->index[i] && m->slots[m->index[i] - 1].key != key)
		i = (i + 1) & m->mask;
	return i;
}

/* A pointer to the value of @key, or NULL. Valid until the next change of the map. */
static inline uint64_t *map64_get(const struct map64 *m, uint64_t key)
{
	uint32_t found;

	if (!m->len)
		return NULL;
	found = m->index[map64_place_of(m, key)];
	return found ? &m->slots[found - 1].value : NULL;
}

/* Makes space for a further key: removes unused slots, or doubles the storage. */
void map64_grow(struct map64 *m);

/*
 * A pointer to the value of @key. If the key is new it is added with value 0, and *@is_new is true;
 * @is_new may be NULL. The pointer is valid until the next change of the map.
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
/* Removes all keys. Keeps the storage unless the keys took only a small part of it. */
void map64_clear(struct map64 *m);
void map64_free(struct map64 *m);

#endif
