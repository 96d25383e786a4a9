/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map64: a hash map from 64-bit keys to 64-bit values (ids, indexes,
 * pointers). Open addressing with linear probing at a load of at most 3/4:
 * look-ups outnumber insertions by far here, and removals (a goroutine's end)
 * shift the run back, so that no tombstones pile up in a long recording.
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
	struct map64_slot *slots;	/* power of two, NULL when empty */
	size_t cap, len;
};

/* 64-bit finalizer of good quality (splitmix64), for keys that are pointers. */
static inline uint64_t hash64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Other in each process: from 16 bytes that the kernel gives it (AT_RANDOM). */
extern uint64_t hash64_seed[2];

/*
 * For keys that come out of a file, which could be chosen so that all of them
 * begin at one slot. Not what map64 does itself: a trace is written in the
 * order of slots, and is the same whenever it is written.
 */
static inline uint64_t hash64_seeded(uint64_t x)
{
	__uint128_t product = (__uint128_t)(x ^ hash64_seed[0]) * (hash64_seed[1] | 1);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A key for such a key in a map64 that nobody looks through: no two have the same. */
static inline uint64_t map64_secret(uint64_t key)
{
	return (key ^ hash64_seed[0]) * (hash64_seed[1] | 1);
}

/* The slot of @key, or the free one where it belongs; the map has slots. */
static inline size_t map64_slot_of(const struct map64 *m, uint64_t key)
{
	size_t i = hash64(key) & (m->cap - 1);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

/* Pointer to the value of @key, or NULL. Valid until the next change. */
static inline uint64_t *map64_get(const struct map64 *m, uint64_t key)
{
	size_t i;

	if (!m->len)
		return NULL;
	i = map64_slot_of(m, key);
	return m->slots[i].used ? &m->slots[i].value : NULL;
}

/* Makes room before a key is added. */
void map64_grow(struct map64 *m);

/*
 * Pointer to the value of @key, which is added with value 0 if new;
 * @is_new (may be NULL) says which. Valid until the next change.
 */
static inline uint64_t *map64_put(struct map64 *m, uint64_t key, bool *is_new)
{
	struct map64_slot *slot;

	if (m->len + 1 > m->cap / 4 * 3)
		map64_grow(m);
	slot = &m->slots[map64_slot_of(m, key)];
	if (is_new)
		*is_new = !slot->used;
	if (!slot->used) {
		*slot = (struct map64_slot){ .key = key, .used = true };
		m->len++;
	}
	return &slot->value;
}

/* Removes @key; false if it was not there. */
bool map64_del(struct map64 *m, uint64_t key);
/* Forgets all keys but keeps the storage. */
void map64_clear(struct map64 *m);
void map64_free(struct map64 *m);

#endif
