// SPDX-License-Identifier: Apache-2.0
/* budget_meter: see budget_meter.h. */
#include "capture/budget_meter.h"

#include <stdlib.h>

#include "base/vec.h"
#include "rings/inline_rings.h"

enum {
	TYPICAL_SIZE = 48,	/* bytes of a record, assumed until one was counted */
	SHARE = 8,		/* of so many stacks, the length of one is looked up */
};

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

/*
 * Returns whether a probe walked a stack for a record of this kind. Extras and samples do not
 * count.
 */
static bool has_walk(uint8_t kind)
{
	return rec_has_stack(kind) && rec_is_of_thread(kind) && !rec_is_extra(kind) &&
	       rec_family(kind) != REC_FAMILY_SAMPLE;
}

void budget_meter_init(struct budget_meter *m)
{
	unsigned int kind;

	*m = (struct budget_meter){ .lengths = xcalloc(SETS * WAYS, sizeof(uint64_t)) };
	pthread_mutex_init(&m->lock, NULL);
	for (kind = 0; kind < REC_BUSY; kind++) {
		m->is_extra[kind] = rec_is_extra((uint8_t)kind);
		m->has_walk[kind] = has_walk((uint8_t)kind);
	}
}

/* Adds the records that were taken since the last call, by their kinds. */
static void meter_take(const struct budget_meter *m, struct budget_work *w,
		       struct ring_tally *seen, const struct ring_tally *taken)
{
	unsigned int kind;
	uint64_t n;

	for (kind = 0; kind < REC_BUSY; kind++) {
		n = taken->of_kind[kind] - seen->of_kind[kind];
		if (!n || kind == REC_STACK)
			continue;
		w->records += n;
		w->extras += m->is_extra[kind] ? n : 0;
		w->stacks += m->has_walk[kind] ? n : 0;
	}
	*seen = *taken;
}

/* A look at the stacks of a chunk. */
struct look {
	struct budget_meter *meter;
	struct budget_work probes, in_target;
	uint64_t stacks;	/* that were passed */
	unsigned int every;	/* one in so many is looked up */
};

static struct budget_work *work_of(struct look *l, uint32_t cpu)
{
	return cpu >= INLINE_SEGMENTS && cpu != CHUNK_USER_CPU ? &l->in_target : &l->probes;
}

static void meter_look_at(void *ctx, uint32_t cpu, struct rec *r)
{
	struct look *l = ctx;
	struct budget_work *w;
	uint32_t length;

	if (r->kind == REC_STACK)
		put_length(l->meter, r->id, ((const struct rec_stack *)r)->n);
	if (!l->meter->has_walk[r->kind] || l->stacks++ % l->every)
		return;
	length = length_of(l->meter, ((const struct rec_long *)r)->stack);
	if (!length)
		return;
	w = work_of(l, cpu);
	w->walked++;
	w->frames += length;
}

/*
 * Looks at the stacks of an eighth of the records, which are enough to know how long stacks are; at
 * all records if there is the length of a new stack.
 */
static void meter_look(struct look *l, bool defined, const struct chunk *c, size_t end)
{
	l->every = defined ? SHARE : 1;
	chunk_each_of(c, end, defined ? 1 : SHARE, meter_look_at, l);
}

static void meter_add(struct budget_work *to, const struct budget_work *w)
{
	to->walked += w->walked;
	to->frames += w->frames;
}

void budget_meter_count(struct budget_meter *m, const struct ring_set *rings,
			const struct chunk *c, size_t end)
{
	uint64_t defined = ring_set_taken(rings, REC_STACK) -
			   m->probes_seen.of_kind[REC_STACK] - m->in_target_seen.of_kind[REC_STACK];
	struct look l = { .meter = m };

	meter_look(&l, defined, c, end);
	pthread_mutex_lock(&m->lock);
	meter_take(m, &m->probes, &m->probes_seen, &rings->probes);
	meter_take(m, &m->in_target, &m->in_target_seen, &rings->in_target);
	meter_add(&m->probes, &l.probes);
	meter_add(&m->in_target, &l.in_target);
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
