// SPDX-License-Identifier: Apache-2.0
/* budget_meter: see budget_meter.h. */
#include "capture/budget_meter.h"

#include <string.h>

/* Measures of memory: nothing that follows needs them, and a program can make a lot of them. */
bool budget_is_extra(enum group g)
{
	return g == GROUP_HEAP || g == GROUP_SWEEP || g == GROUP_STACKS || g == GROUP_SPANS;
}

static bool is_extra(uint8_t kind)
{
	switch (kind) {
	case REC_HEAP_ALLOC: case REC_HEAP_GOAL: case REC_SWEEP_SPAN: case REC_SWEEP_MARK:
	case REC_GSTACK_ALLOC: case REC_GSTACK_FREE: case REC_SPAN_ALLOC: case REC_SPAN_FREE:
		return true;
	}
	return false;
}

static bool has_stack(uint8_t kind)
{
	switch (kind) {
	case REC_GO_PARK: case REC_GO_STOP: case REC_GO_READY: case REC_GO_CREATE:
	case REC_GO_CREATE_BLOCKED: case REC_GO_PREEMPT_PARK: case REC_SYS_ENTER:
	case REC_SYS_ENTER_BLOCK:
		return true;
	}
	return false;
}

static void count(struct budget_meter *m, const struct rec *r)
{
	const uint64_t *length;

	if (r->kind == REC_STACK) {
		*map64_put(&m->lengths, r->id, NULL) = ((const struct rec_stack *)r)->n;
		return;
	}
	m->sum.records++;
	m->sum.extras += is_extra(r->kind);
	if (!has_stack(r->kind))
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
