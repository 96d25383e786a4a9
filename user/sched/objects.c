// SPDX-License-Identifier: Apache-2.0
/*
 * objects: writes objects of the heap and their types as events and data of the experiment
 * AllocFree of Go 1.23 and later (runtime/traceallocfree.go, tracetype.go). See handlers.h.
 * An object's type is a number in a table of the generation, which ends with it.
 */
#include "sched/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "sched/steps.h"
#include "trace/varint.h"

/* runtime: minHeapAlign; internal/trace/tracev2: AllocFree; runtime: traceAllocFreeTypesBatch */
enum { HEAP_ALIGN = 8, EXPERIMENT_ALLOC_FREE = 1, TYPES_BATCH = 0 };

/*
 * Types with a name: more than any program has. Each address in the program's table of types can
 * be one for the probe, so that a program can forge many.
 */
enum { TYPES_MOST = 1 << 18 };

/* A batch of a trace has at most 64 KiB; one type takes at most 1 KiB of them. */
enum { BATCH_FULL = 60 << 10 };

struct object_type {
	uint64_t size, ptr_bytes;
	size_t len;
	char name[];
};

void object_type(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_user *u = (const struct rec_user *)r;
	struct object_type *t;
	uint64_t *slot;

	if (s->memory.types.len >= TYPES_MOST && !map64_get(&s->memory.types, r->id)) {
		s->counts.repairs[REPAIR_DROPPED]++;
		return;
	}
	slot = map64_put(&s->memory.types, r->id, NULL);
	free((void *)(uintptr_t)*slot);
	t = xcalloc(1, sizeof(*t) + u->len[0]);
	t->size = r->ptr;
	t->ptr_bytes = u->arg;
	t->len = u->len[0];
	memcpy(t->name, u->text, t->len);
	*slot = (uint64_t)(uintptr_t)t;
}

static uint64_t type_id(struct model *s, uint64_t type)
{
	uint64_t *id;
	bool is_new;

	if (!type)
		return 0;
	id = map64_put(&s->memory.type_ids, type, &is_new);
	if (is_new)
		*id = s->memory.type_ids.len;
	return *id;
}

void object_alloc(struct model *s, struct M *m, const struct rec *r)
{
	if (s->started && memory_is_known(s))
		step_emit(s, m, EV_HeapObjectAlloc, memory_id(s, r->id, HEAP_ALIGN),
			  type_id(s, as_long(r)->arg));
}

/* The record has a bit for each slot that was freed. */
void object_free(struct model *s, struct M *m, const struct rec *r)
{
	uint64_t freed = as_long(r)->arg;

	if (!s->started || !memory_is_known(s))
		return;
	for (; freed; freed &= freed - 1)
		step_emit(s, m, EV_HeapObjectFree,
			  memory_id(s, r->id + r->ptr * (uint64_t)__builtin_ctzll(freed),
				    HEAP_ALIGN));
}

/* Without its record, which may have been lost, a type has its address only. */
static void objects_put_type(struct buf *out, const struct map64_slot *slot,
			     const struct object_type *t)
{
	const uint64_t words[] = { slot->value, slot->key, t ? t->size : 0, t ? t->ptr_bytes : 0,
				   t ? t->len : 0 };
	uint8_t bytes[5 * VARINT_MAX], *p = bytes;
	size_t i;

	for (i = 0; i < 5; i++)
		p = varint_put(p, words[i]);
	buf_add(out, bytes, (size_t)(p - bytes));
	if (t)
		buf_add(out, t->name, t->len);
}

static void write_batch(struct model *s, struct buf *body)
{
	if (body->len)
		s->sink.ops->experiment(s->sink.ctx, EXPERIMENT_ALLOC_FREE, s->now, body->data,
					body->len);
	body->len = 0;
}

void objects_tell_types(struct model *s)
{
	struct buf body = {0};
	size_t i;

	map64_each(&s->memory.type_ids, i) {
		const struct map64_slot *slot = &s->memory.type_ids.slots[i];
		const uint64_t *known = map64_get(&s->memory.types, slot->key);

		if (!body.len)
			buf_add_byte(&body, TYPES_BATCH);
		objects_put_type(&body, slot,
				 known ? (const struct object_type *)(uintptr_t)*known : NULL);
		if (body.len >= BATCH_FULL)
			write_batch(s, &body);
	}
	write_batch(s, &body);
	buf_free(&body);
	map64_free(&s->memory.type_ids);
}

void objects_free(struct model *s)
{
	size_t i;

	map64_each(&s->memory.types, i)
		free((void *)(uintptr_t)s->memory.types.slots[i].value);
	map64_free(&s->memory.types);
	map64_free(&s->memory.type_ids);
}
