// SPDX-License-Identifier: Apache-2.0
/* map64: see map64.h. */
#include "base/map64.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/vec.h"

uint64_t hash64_seed[2];

/* Before main(), so that nobody who looks something up has to ask whether there is a seed. */
static __attribute__((constructor)) void seed(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);

	if (bytes)
		memcpy(hash64_seed, bytes, sizeof(hash64_seed));
}

void map64_grow(struct map64 *m)
{
	struct map64 old = *m;
	size_t i;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->slots = xcalloc(m->cap, sizeof(*m->slots));
	for (i = 0; i < old.cap; i++)
		if (old.slots[i].used)
			m->slots[map64_slot_of(m, old.slots[i].key)] = old.slots[i];
	free(old.slots);
}

/* Is slot index @i cyclically within (@from, @to]? */
static bool between(size_t from, size_t i, size_t to)
{
	return from <= to ? from < i && i <= to : from < i || i <= to;
}

bool map64_del(struct map64 *m, uint64_t key)
{
	size_t hole, i, mask = m->cap - 1;

	if (!m->len)
		return false;
	hole = map64_slot_of(m, key);
	if (!m->slots[hole].used)
		return false;
	/* Move later members of the run into the hole unless their home lies behind it. */
	for (i = (hole + 1) & mask; m->slots[i].used; i = (i + 1) & mask) {
		if (between(hole, hash64(m->slots[i].key) & mask, i))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].used = false;
	m->len--;
	return true;
}

void map64_clear(struct map64 *m)
{
	if (m->slots)
		memset(m->slots, 0, m->cap * sizeof(*m->slots));
	m->len = 0;
}

void map64_free(struct map64 *m)
{
	free(m->slots);
	*m = (struct map64){0};
}
