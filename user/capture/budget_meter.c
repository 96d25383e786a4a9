// SPDX-License-Identifier: Apache-2.0
/* budget_meter: see budget_meter.h. */
#include "capture/budget_meter.h"

#include <stdlib.h>

#include "base/vec.h"
#include "rings/inline_rings.h"

enum { TYPICAL_SIZE = 48 };	/* bytes of a record, assumed until one was counted */

/*
 * The lengths of stacks by key, in sets like those of bpf/stack.h: a BPF program sends a stack
 * again whose key was pushed out of its set. The number of frames takes the place of the key's
 * lowest byte, which the index of the set implies.
 */
enum { SETS = 16384, WAYS = 4 };

static uint64_t *meter_set_of(const struct budget_meter *m, uint64_t key)
{
	return &m->lengths[key % SETS * WAYS];
}

static bool is_of(uint64_t entry, uint64_t key)
{
	return entry && entry >> 8 == key >> 8;
}

static void put_length(struct budget_meter *m, uint64_t key, uint32_t frames)
{
	uint64_t *set = meter_set_of(m, key);
	int i;

	for (i = 0; i < WAYS; i++)
		if (!set[i] || is_of(set[i], key))
			break;
	if (i == WAYS)
		i = (int)(key >> 32) % WAYS;
	set[i] = (key & ~0xffULL) | (frames & 0xff);
}

/* 0: not known. */
static uint32_t length_of(const struct budget_meter *m, uint64_t key)
{
	const uint64_t *set = meter_set_of(m, key);
	int i;

	for (i = 0; i < WAYS; i++)
		if (is_of(set[i], key))
			return (uint8_t)set[i];
	return 0;
}

void budget_meter_init(struct budget_meter *m)
{
	*m = (struct budget_meter){ .lengths = xcalloc(SETS * WAYS, sizeof(uint64_t)) };
	pthread_mutex_init(&m->lock, NULL);
}

/*
 * Returns whether a probe walked a stack for a record of this kind. Extras and samples do not
 * count.
 */
static bool has_walk(uint8_t kind)
{
	return rec_has_stack(kind) && rec_is_of_thread(kind) && !rec_is_extra(kind) &&
	       rec_family(kind) != REC_FAMILY_SAMPLE;
}

static struct budget_work *work_of(struct budget_meter *m, uint32_t cpu)
{
	return cpu >= INLINE_SEGMENTS && cpu != CHUNK_USER_CPU ? &m->in_target : &m->probes;
}

static void meter_count(void *ctx, uint32_t cpu, struct rec *r)
{
	struct budget_meter *m = ctx;
	struct budget_work *w = work_of(m, cpu);
	uint32_t length;

	if (r->kind == REC_STACK) {
		put_length(m, r->id, ((const struct rec_stack *)r)->n);
		return;
	}
	w->records++;
	w->extras += rec_is_extra(r->kind);
	if (!has_walk(r->kind))
		return;
	/* The lengths of one in eight stacks are enough to know how long stacks are. */
	if (w->stacks++ % 8)
		return;
	length = length_of(m, ((const struct rec_long *)r)->stack);
	if (!length)
		return;
	w->walked++;
	w->frames += length;
}

void budget_meter_count(struct budget_meter *m, const struct chunk *c, size_t end)
{
	pthread_mutex_lock(&m->lock);
	chunk_each(c, end, meter_count, m);
	m->bytes += end;
	pthread_mutex_unlock(&m->lock);
}

/* Adds the records that are still in the rings, estimated by their bytes, and the lost ones. */
static void add_unread(struct budget_work *w, uint64_t bytes, const struct ring_counts *rings)
{
	if (bytes && w->records)
		w->records += (uint64_t)((double)rings->fill * (double)w->records / (double)bytes);
	else
		w->records += rings->fill / TYPICAL_SIZE;
	w->records += rings->lost;
}

struct budget_load budget_meter_read(struct budget_meter *m, const struct ring_set *rings)
{
	struct ring_counts probes = ring_set_counts(rings, false),
			   in_target = ring_set_counts(rings, true);
	struct budget_load sum = { .hits = probes.hits };
	uint64_t bytes;

	pthread_mutex_lock(&m->lock);
	sum.probes = m->probes;
	sum.in_target = m->in_target;
	bytes = m->bytes;
	pthread_mutex_unlock(&m->lock);
	/* @bytes is of both kinds of rings: if both have records, an average size is assumed */
	add_unread(&sum.probes, sum.in_target.records ? 0 : bytes, &probes);
	add_unread(&sum.in_target, 0, &in_target);
	return sum;
}

void budget_meter_free(struct budget_meter *m)
{
	free(m->lengths);
	pthread_mutex_destroy(&m->lock);
}
