// SPDX-License-Identifier: Apache-2.0
/* budget_meter: see budget_meter.h. */
#include "capture/budget_meter.h"

#include <string.h>

/* Measures of memory: nothing that follows needs them, and a program can make a lot of them. */
bool budget_is_extra(enum group g)
{
	return g == GROUP_HEAP || g == GROUP_SWEEP || g == GROUP_STACKS || g == GROUP_SPANS;
}

/* Did a probe walk a stack for it, which is no extra's and not the sampler's? */
static bool has_walk(uint8_t kind)
{
	return rec_has_stack(kind) && rec_is_of_thread(kind) && !rec_is_extra(kind) &&
	       rec_family(kind) != REC_FAMILY_SAMPLE;
}

static void count(struct budget_meter *m, const struct rec *r)
{
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
	const uint8_t *data = c->data.data;
	size_t at = 0, stop, n;
	struct segment s;

	while (at < end) {
		memcpy(&s, data + at, sizeof(s));
		at += sizeof(s);
		for (stop = at + s.len; at < stop; at += n) {
			const struct rec *r = (const struct rec *)(data + at);

			n = record_size(r, stop - at);
			if (!n)
				return;
			count(m, r);
		}
	}
}

uint64_t budget_hits(struct bpf_side *b)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < bpf_ring_count(b); i++)
		n += __atomic_load_n(&bpf_ring(b, i)->state->hits, __ATOMIC_RELAXED);
	return n;
}

void budget_meter_free(struct budget_meter *m)
{
	map64_free(&m->lengths);
}
