// SPDX-License-Identifier: Apache-2.0
/* map64: see map64.h. */
#include "base/map64.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/vec.h"

uint64_t hash64_seed[2];

/*
 * Runs before main(), so that no look-up has to check whether the seed is set. If getrandom() has
 * no bytes yet early in a boot, the seed is made of the 16 bytes that the kernel gives each process
 * at its start (AT_RANDOM).
 */
static __attribute__((constructor)) void map64_seed(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);

	if (getrandom(hash64_seed, sizeof(hash64_seed), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(hash64_seed) && bytes)
		memcpy(hash64_seed, bytes, sizeof(hash64_seed));
	hash64_seed[1] |= 1;
}

/* Moves the used slots to the front, in their order. */
static void close_holes(struct map64 *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->made; i++)
		if (m->slots[i].used)
			m->slots[n++] = m->slots[i];
	if (n < m->made)	/* an empty map has no slots */
		memset(m->slots + n, 0, (m->made - n) * sizeof(*m->slots));
	m->made = n;
}

static void double_slots(struct map64 *m)
{
	size_t cap = m->cap ? m->cap * 2 : 8;

	m->slots = xrealloc(m->slots, cap, sizeof(*m->slots));
	memset(m->slots + m->cap, 0, (cap - m->cap) * sizeof(*m->slots));
	m->cap = cap;
	m->mask = 2 * cap - 1;
	free(m->index);
	m->index = xcalloc(2 * cap, sizeof(*m->index));
}

void map64_grow(struct map64 *m)
{
	size_t i;

	close_holes(m);
	if (m->len >= m->cap / 4 * 3)
		double_slots(m);
	else
		memset(m->index, 0, (m->mask + 1) * sizeof(*m->index));
	for (i = 0; i < m->made; i++)
		m->index[map64_place_of(m, m->slots[i].key)] = (uint32_t)i + 1;
}

/* True if place @i lies cyclically in (@from, @to]. */
static bool map64_between(size_t from, size_t i, size_t to)
{
	return from <= to ? from < i && i <= to : from < i || i <= to;
}

bool map64_del(struct map64 *m, uint64_t key)
{
	size_t hole, i, slot;

	if (!m->len)
		return false;
	hole = map64_place_of(m, key);
	if (!m->index[hole])
		return false;
	slot = m->index[hole] - 1;
	/* Move later members of the run into the hole unless their home place is after the hole. */
	for (i = (hole + 1) & m->mask; m->index[i]; i = (i + 1) & m->mask) {
		if (map64_between(hole, hash64_seeded(m->slots[m->index[i] - 1].key) & m->mask, i))
			continue;
		m->index[hole] = m->index[i];
		hole = i;
	}
	m->index[hole] = 0;
	m->slots[slot] = (struct map64_slot){0};
	m->len--;
	while (m->made && !m->slots[m->made - 1].used)
		m->made--;
	return true;
}

enum { CLEAR_SLACK = 1024 };

/*
 * Frees the storage if the keys took only a small part of it: otherwise every clearing would have
 * to clear the whole index.
 */
void map64_clear(struct map64 *m)
{
	if (m->cap / 8 > m->len + CLEAR_SLACK) {
		map64_free(m);
		return;
	}
	if (m->made) {
		memset(m->slots, 0, m->made * sizeof(*m->slots));
		memset(m->index, 0, (m->mask + 1) * sizeof(*m->index));
	}
	m->len = m->made = 0;
}

void map64_free(struct map64 *m)
{
	free(m->slots);
	free(m->index);
	*m = (struct map64){0};
}
