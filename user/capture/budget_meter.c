// SPDX-License-Identifier: Apache-2.0
/* budget_meter: see budget_meter.h. */
#include "capture/budget_meter.h"

enum { TYPICAL_SIZE = 48 };	/* of a record, as long as none was counted */

void budget_meter_init(struct budget_meter *m)
{
	*m = (struct budget_meter){0};
	pthread_mutex_init(&m->lock, NULL);
}

/* Did a probe walk a stack for it, which is no extra's and not the sampler's? */
static bool has_walk(uint8_t kind)
{
	return rec_has_stack(kind) && rec_is_of_thread(kind) && !rec_is_extra(kind) &&
	       rec_family(kind) != REC_FAMILY_SAMPLE;
}

static void count(void *ctx, const struct rec *r)
{
	struct budget_meter *m = ctx;
	const uint64_t *length;

	if (r->kind == REC_STACK) {
		*map64_put(&m->lengths, r->id, NULL) = ((const struct rec_stack *)r)->n;
		return;
	}
	m->sum.records++;
	m->sum.extras += rec_is_extra(r->kind);
	if (!has_walk(r->kind))
		return;
	/* One in eight will do to know how long they are. */
	if (m->sum.stacks++ % 8)
		return;
	length = map64_get(&m->lengths, ((const struct rec_long *)r)->stack);
	if (!length)
		return;
	m->sum.walked++;
	m->sum.frames += *length;
}

void budget_meter_count(struct budget_meter *m, const struct chunk *c, size_t end)
{
	pthread_mutex_lock(&m->lock);
	chunk_each(c, end, count, m);
	m->bytes += end;
	pthread_mutex_unlock(&m->lock);
}

struct budget_load budget_meter_read(struct budget_meter *m, const struct ring_set *rings)
{
	size_t unread = ring_set_fill(rings);
	struct budget_load sum;
	uint64_t bytes;

	pthread_mutex_lock(&m->lock);
	sum = m->sum;
	bytes = m->bytes;
	pthread_mutex_unlock(&m->lock);
	sum.hits = ring_set_hits(rings);
	if (bytes && sum.records)
		sum.records += (uint64_t)((double)unread * (double)sum.records / (double)bytes);
	else
		sum.records += unread / TYPICAL_SIZE;
	sum.records += ring_set_lost(rings);
	return sum;
}

void budget_meter_free(struct budget_meter *m)
{
	map64_free(&m->lengths);
	pthread_mutex_destroy(&m->lock);
}
