// SPDX-License-Identifier: Apache-2.0
/* idtab: see idtab.h. Open addressing with linear probing, at most 3/4 full. */
#include "read/idtab.h"

#include <stdlib.h>
#include <string.h>

static void grow(struct idtab *t)
{
	struct idtab old = *t;
	size_t i;

	t->cap = old.cap ? old.cap * 2 : 64;
	t->shift = old.cap ? old.shift - 1 : 64 - 6;
	t->slots = xcalloc(t->cap, sizeof(*t->slots));
	for (i = 0; i < old.cap; i++)
		if (old.slots[i])
			t->slots[idtab_slot(t, idtab_id(t, old.slots[i] - 1))] = old.slots[i];
	free(old.slots);
}

static uint32_t take_record(struct idtab *t)
{
	if (t->spare.len)
		return *vec_at(&t->spare, uint32_t, --t->spare.len);
	if (t->made == t->chunks.len * IDTAB_CHUNK)
		*(void **)vec_push(&t->chunks, sizeof(void *)) = xcalloc(IDTAB_CHUNK, t->item);
	return t->made++;
}

void *idtab_add(struct idtab *t, uint64_t id)
{
	uint32_t record;

	if (t->len + 1 > t->cap / 4 * 3)
		grow(t);
	record = take_record(t);
	t->slots[idtab_slot(t, id)] = record + 1;
	t->len++;
	*(uint64_t *)idtab_at(t, record) = id;
	return idtab_at(t, record);
}

/* Is slot @i cyclically within (@from, @to]? */
static bool between(size_t from, size_t i, size_t to)
{
	return from <= to ? from < i && i <= to : from < i || i <= to;
}

void idtab_del(struct idtab *t, uint64_t id)
{
	size_t hole = idtab_slot(t, id), i, mask = t->cap - 1;

	*(uint32_t *)vec_push(&t->spare, sizeof(uint32_t)) = t->slots[hole] - 1;
	/* Move later members of the run into the hole unless their home lies behind it. */
	for (i = (hole + 1) & mask; t->slots[i]; i = (i + 1) & mask) {
		if (between(hole, idtab_home(t, idtab_id(t, t->slots[i] - 1)), i))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole] = 0;
	t->len--;
}

void idtab_clear(struct idtab *t)
{
	if (t->cap)
		memset(t->slots, 0, t->cap * sizeof(*t->slots));
	t->len = t->spare.len = 0;
	t->made = 0;
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
