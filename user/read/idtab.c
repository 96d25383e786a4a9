// SPDX-License-Identifier: Apache-2.0
/*
 * idtab: see idtab.h. The slots use open addressing with linear probing and are at most 3/4 full.
 */
#include "read/idtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"

static uint64_t id_of(const struct idtab *t, uint32_t number)
{
	return *(const uint64_t *)idtab_at(t, number);
}

/* The slot at which the search for @id begins. */
static size_t home_of(const struct idtab *t, uint64_t id)
{
	return hash64_seeded(id) >> t->shift;
}

/* The slot of @id, or the free slot for it. There must be slots. */
static size_t slot_of(const struct idtab *t, uint64_t id)
{
	size_t i = home_of(t, id);

	while (t->slots[i] && id_of(t, t->slots[i] - 1) != id)
		i = (i + 1) & (t->cap - 1);
	return i;
}

static void idtab_grow(struct idtab *t)
{
	uint32_t *old = t->slots;
	size_t i, cap = t->cap;

	t->cap = cap ? cap * 2 : 64;
	t->shift = cap ? t->shift - 1 : 64 - 6;
	t->slots = xcalloc(t->cap, sizeof(*t->slots));
	for (i = 0; i < cap; i++)
		if (old[i])
			t->slots[slot_of(t, id_of(t, old[i] - 1))] = old[i];
	free(old);
}

static void add_to_slots(struct idtab *t, uint32_t number)
{
	uint64_t id = id_of(t, number);

	if (t->indexed + 1 > t->cap / 4 * 3)
		idtab_grow(t);
	t->slots[slot_of(t, id)] = number + 1;
	t->indexed++;
	t->behind[id % IDTAB_FRONT]++;
}

/* True if slot @i lies cyclically in (@from, @to]. */
static bool idtab_between(size_t from, size_t i, size_t to)
{
	return from <= to ? from < i && i <= to : from < i || i <= to;
}

static void empty_slot(struct idtab *t, size_t hole)
{
	size_t i, mask = t->cap - 1;

	/* Move later members of the run into the hole unless their home slot is after the hole. */
	for (i = (hole + 1) & mask; t->slots[i]; i = (i + 1) & mask) {
		if (idtab_between(hole, home_of(t, id_of(t, t->slots[i] - 1)), i))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole] = 0;
}

static inline void *put_in_front(struct idtab *t, uint64_t id, uint32_t number, bool indexed)
{
	struct idtab_front *front = &t->front[id % IDTAB_FRONT];

	if (front->record && !front->indexed)
		add_to_slots(t, front->number);
	*front = (struct idtab_front){ idtab_at(t, number), number, indexed };
	return front->record;
}

void *idtab_find_indexed(struct idtab *t, uint64_t id)
{
	uint32_t found = t->slots[slot_of(t, id)];

	return found ? put_in_front(t, id, found - 1, true) : NULL;
}

static inline uint32_t take_record(struct idtab *t)
{
	if (t->spare.len)
		return *vec_at(&t->spare, uint32_t, --t->spare.len);
	if (t->made == t->chunks.len * IDTAB_CHUNK)
		*(void **)vec_push(&t->chunks, sizeof(void *)) = xcalloc(IDTAB_CHUNK, t->item);
	return t->made++;
}

static void give_record(struct idtab *t, uint32_t number)
{
	if (t->spare.len == t->spare.cap)
		vec_reserve(&t->spare, t->spare.len + 1, sizeof(number));
	*vec_at(&t->spare, uint32_t, t->spare.len++) = number;
}

void *idtab_add(struct idtab *t, uint64_t id)
{
	uint64_t *record = put_in_front(t, id, take_record(t), false);

	t->len++;
	*record = id;
	return record;
}

static void del_indexed(struct idtab *t, uint64_t id)
{
	size_t slot = slot_of(t, id);

	give_record(t, t->slots[slot] - 1);
	empty_slot(t, slot);
	t->indexed--;
	t->behind[id % IDTAB_FRONT]--;
}

void idtab_del(struct idtab *t, uint64_t id)
{
	struct idtab_front *front = &t->front[id % IDTAB_FRONT];
	bool here = front->record && *(const uint64_t *)front->record == id;

	t->len--;
	if (here)
		front->record = NULL;
	if (here && !front->indexed)
		give_record(t, front->number);
	else
		del_indexed(t, id);
}

void idtab_clear(struct idtab *t)
{
	if (t->cap / 8 > t->indexed + 64) {
		free(t->slots);
		t->slots = NULL;
		t->cap = 0;
	}
	if (t->cap)
		memset(t->slots, 0, t->cap * sizeof(*t->slots));
	memset(t->front, 0, sizeof(t->front));
	memset(t->behind, 0, sizeof(t->behind));
	t->len = t->made = 0;
	t->indexed = t->spare.len = 0;
}

void idtab_free(struct idtab *t)
{
	size_t i;

	for (i = 0; i < t->chunks.len; i++)
		free(*vec_at(&t->chunks, void *, i));
	free(t->slots);
	vec_free(&t->chunks);
	vec_free(&t->spare);
	idtab_init(t, t->item);
}
