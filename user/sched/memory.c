// SPDX-License-Identifier: Apache-2.0
/*
 * memory: writes spans and stacks of goroutines as events of the experiment
 * AllocFree of Go 1.23 and later (runtime/traceallocfree.go). See handlers.h.
 * Readers check these events against no state. So only the spans and stacks that exist when
 * the trace begins are stated, once, as the runtime does.
 */
#include "sched/handlers.h"

#include "sched/steps.h"
#include "trace/varint.h"

/* runtime: pageSize, minHeapAlign, fixedStack of linux/amd64 and linux/arm64 */
enum { PAGE_BYTES = 8192, HEAP_ALIGN = 8, STACK_UNIT = 2048 };
/* runtime: heapArenaBytes. Heaps begin at such a boundary. */
#define ARENA_BYTES (64ULL << 20)

/* internal/trace/tracev2: AllocFree; runtime: traceAllocFreeInfoBatch */
enum { EXPERIMENT_ALLOC_FREE = 1, INFO_BATCH = 1 };

bool memory_is_known(const struct model *s)
{
	return s->opts.version >= 23;
}

/* The base address that readers need for the ids below. */
static void tell_units(struct model *s)
{
	const uint64_t units[] = { s->memory.base, PAGE_BYTES, HEAP_ALIGN, STACK_UNIT };
	uint8_t body[1 + 4 * VARINT_MAX], *p = body;
	size_t i;

	*p++ = INFO_BATCH;
	for (i = 0; i < 4; i++)
		p = varint_put(p, units[i]);
	s->sink.ops->experiment(s->sink.ctx, EXPERIMENT_ALLOC_FREE, s->now, body,
				(size_t)(p - body));
	s->memory.told = true;
}

/*
 * A launched program has no heap yet when the trace begins: it is taken to
 * begin in the arena of the first address. A lower one is no error, ids wrap.
 */
uint64_t memory_id(struct model *s, uint64_t addr, uint64_t unit)
{
	if (!s->memory.base)
		s->memory.base = addr & ~(ARENA_BYTES - 1);
	if (!s->memory.told)
		tell_units(s);
	return (addr - s->memory.base) / unit;
}

/* runtime, traceCompressStackSize: the number of bits that the size has */
static uint64_t order_of(uint64_t size)
{
	return size ? 64 - (uint64_t)__builtin_clzll(size) : 0;
}

static void emit_span(struct model *s, struct M *m, enum tracev2_event ev, uint64_t base,
		      uint64_t npages, uint64_t class)
{
	step_emit(s, m, ev, memory_id(s, base, PAGE_BYTES), npages, class);
}

static void emit_stack(struct model *s, struct M *m, enum tracev2_event ev, uint64_t lo,
		       uint64_t size)
{
	step_emit(s, m, ev, memory_id(s, lo, STACK_UNIT), order_of(size));
}

/* --- before the trace begins: what there is, with what moved since the attach --- */

#define GONE 0ULL
#define CLASS_BITS 16

static void memory_note(struct map64 *there, uint64_t addr, uint64_t what)
{
	*map64_put(there, addr, NULL) = what;
}

/* A span or stack that had a record since the attach keeps the state of that record. */
static void note_found(struct map64 *there, uint64_t addr, uint64_t what)
{
	if (!map64_get(there, addr))
		memory_note(there, addr, what);
}

static uint64_t pack_span(const struct rec *r)
{
	return r->ptr << CLASS_BITS | r->flags;
}

void snap_memory(struct model *s, struct M *m, const struct rec *r)
{
	s->memory.base = r->id;
	s->memory.tid = r->tid;
}

void snap_span(struct model *s, struct M *m, const struct rec *r)
{
	if (!s->started)
		note_found(&s->memory.spans, r->id, pack_span(r));
}

void snap_gstack(struct model *s, struct M *m, const struct rec *r)
{
	if (!s->started)
		note_found(&s->memory.stacks, r->id, r->ptr);
}

/* The events are of the program's first thread: readers want a thread, and this one never ends. */
void memory_tell_all(struct model *s)
{
	struct memory *mem = &s->memory;
	struct M *m;
	size_t i;

	if (memory_is_known(s) && mem->tid) {
		m = m_put(s, mem->tid);
		map64_each(&mem->spans, i) {
			const struct map64_slot *slot = &mem->spans.slots[i];

			if (slot->value != GONE)
				emit_span(s, m, EV_Span, slot->key, slot->value >> CLASS_BITS,
					  slot->value & ((1 << CLASS_BITS) - 1));
		}
		map64_each(&mem->stacks, i) {
			const struct map64_slot *slot = &mem->stacks.slots[i];

			if (slot->value != GONE)
				emit_stack(s, m, EV_GoroutineStack, slot->key, slot->value);
		}
	}
	map64_free(&mem->spans);
	map64_free(&mem->stacks);
}

/* --- as it happens --- */

void span_alloc(struct model *s, struct M *m, const struct rec *r)
{
	if (!s->started)
		memory_note(&s->memory.spans, r->id, pack_span(r));
	else if (memory_is_known(s))
		emit_span(s, m, EV_SpanAlloc, r->id, r->ptr, r->flags);
}

void span_free(struct model *s, struct M *m, const struct rec *r)
{
	if (!s->started)
		memory_note(&s->memory.spans, r->id, GONE);
	else if (memory_is_known(s))
		step_emit(s, m, EV_SpanFree, memory_id(s, r->id, PAGE_BYTES));
}

void gstack_alloc(struct model *s, struct M *m, const struct rec *r)
{
	if (!s->started)
		memory_note(&s->memory.stacks, r->id, r->ptr);
	else if (memory_is_known(s))
		emit_stack(s, m, EV_GoroutineStackAlloc, r->id, r->ptr);
}

void gstack_free(struct model *s, struct M *m, const struct rec *r)
{
	if (!s->started)
		memory_note(&s->memory.stacks, r->id, GONE);
	else if (memory_is_known(s))
		step_emit(s, m, EV_GoroutineStackFree, memory_id(s, r->id, STACK_UNIT));
}
