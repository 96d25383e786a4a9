// SPDX-License-Identifier: Apache-2.0
/* frames: see frames.h. */
#include "heapgraph/frames.h"

#include <stdlib.h>
#include <string.h>

#include "heapgraph/internal.h"
#include "live/fields.h"
#include "live/memory.h"
#include "symbol/pclntab_stackmap.h"
#include "target/gobin.h"

enum {
	/* runtime/stack.go, stackObjectRecord. Up to Go 1.16 it has the address of a type. */
	OBJECT_BYTES = 16, MINOR_SIZES = 18, MINOR_TYPES = 16,
	MOST_OBJECTS = 4096, MOST_BITS = 1 << 20, MOST_FACTS = 1 << 20,
};

/* A bitmap: bit i is the word at @words + 8 * i from its base. bits NULL: there is none. */
struct bitmap {
	const uint8_t *bits;
	uint32_t n;
};

struct frame_object {
	int64_t offset;			/* negative: from varp, else from argp */
	uint64_t size;
};

/* What holds for each frame with the same pc. */
struct frame_fact {
	uint64_t entry;
	int32_t delta;
	bool bottom;			/* runtime.goexit: no frames follow */
	/* it has no bitmaps, or they do not hold: each word from here on counts */
	bool unknown;
	bool no_locals;			/* each word of the locals counts */
	struct bitmap args, locals;
	struct frame_object *objects;
	uint32_t nobjects;
};

/* Functions below which the bitmaps do not hold. */
static const char *const irregular[] = {
	"runtime.gopanic", "runtime.sigpanic", "runtime.Goexit", "runtime.asyncPreempt",
	"runtime.asyncPreempt2", "runtime.debugCallV1", "runtime.debugCallV2",
	"runtime.cgocallback", "runtime.cgocallbackg", "runtime.cgocallback_gofunc",
	"reflect.makeFuncStub", "reflect.methodValueCall", "runtime.mstart", "runtime.rt0_go",
	"runtime.mcall",
	"runtime.morestack", "runtime.systemstack", "runtime.panicmem", "runtime.recovery",
};

static bool frames_is_irregular(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(irregular) / sizeof(irregular[0]); i++)
		if (!strcmp(name, irregular[i]))
			return true;
	return false;
}

/* Reads bitmap @index of the stackmap (runtime/symtab.go) at @addr. False: it has no such one. */
static bool frames_bitmap(const struct frames *f, uint64_t addr, int32_t index, struct bitmap *ret)
{
	const uint8_t *map = gobin_bytes(f->hg->opts.bin, addr, 8);
	uint64_t n, bytes;

	if (!map)
		return false;
	n = u32_at(map, 0);
	ret->n = u32_at(map, 4);
	bytes = ((uint64_t)ret->n + 7) / 8;
	if (index < 0)
		index = 0;		/* as the runtime: the function's prologue */
	if (ret->n > MOST_BITS || n > INT32_MAX || (uint64_t)index >= n)
		return false;
	ret->bits = gobin_bytes(f->hg->opts.bin, addr + 8 + (uint64_t)index * bytes, bytes);
	return ret->bits || !bytes;
}

static bool frames_object(const struct frames *f, const uint8_t *record, struct frame_object *ret)
{
	int minor = f->hg->opts.plan->minor;

	if (minor >= MINOR_SIZES) {
		int64_t pointers = (int32_t)u32_at(record, 8);

		/* up to its last pointer; negative: these are given by a program */
		ret->offset = (int32_t)u32_at(record, 0);
		ret->size = (uint64_t)(pointers < 0 ? -pointers : pointers);
		return true;
	}
	ret->offset = (int64_t)u64_at(record, 0);
	return minor <= MINOR_TYPES && !gobin_is_pie(f->hg->opts.bin) &&
	       memory_read(f->hg->opts.proc, u64_at(record, 8), &ret->size, sizeof(ret->size));
}

static bool frames_objects(const struct frames *f, uint64_t addr, struct frame_fact *fact)
{
	const uint8_t *bytes = gobin_bytes(f->hg->opts.bin, addr, 8);
	uint64_t i, n = bytes ? u64_at(bytes, 0) : UINT64_MAX;

	bytes = n <= MOST_OBJECTS ? gobin_bytes(f->hg->opts.bin, addr + 8, n * OBJECT_BYTES) : NULL;
	if (!bytes && n)
		return false;
	fact->objects = xcalloc(n + 1, sizeof(*fact->objects));
	for (i = 0; i < n; i++)
		if (!frames_object(f, bytes + i * OBJECT_BYTES, &fact->objects[i]))
			return false;
	fact->nobjects = (uint32_t)n;
	return true;
}

static struct frame_fact frames_fact_of(const struct frames *f, uint64_t pc)
{
	const struct pclntab *table = f->hg->opts.bin ? gobin_table(f->hg->opts.bin) : NULL;
	uint64_t link = pc - f->hg->opts.proc->bias;
	struct frame_fact fact = { .unknown = true };
	struct pclntab_stackmap m;

	/* where the return address and the frame pointer lie is that of amd64 */
	if (!table || gobin_arch(f->hg->opts.bin)->has_link || !pclntab_stackmap(table, link, &m))
		return fact;
	/* a return address is behind its call, which may be the last instruction of a function */
	if (m.entry != link && !pclntab_stackmap(table, link - 1, &m))
		return fact;
	fact.entry = m.entry;
	fact.delta = m.sp_delta;
	fact.bottom = !strcmp(m.name, "runtime.goexit");
	fact.no_locals = !m.locals;
	fact.unknown = m.sp_delta < 0 || frames_is_irregular(m.name) ||
		       (m.locals && !frames_bitmap(f, m.locals, m.index, &fact.locals)) ||
		       (m.args && !frames_bitmap(f, m.args, m.index, &fact.args)) ||
		       (m.objects && !frames_objects(f, m.objects, &fact));
	return fact;
}

/* Returns the fact by number; facts may move when others are added. */
static const struct frame_fact *frames_fact(struct frames *f, uint64_t pc)
{
	uint64_t *known = map64_get(&f->known, pc);
	struct frame_fact fact;

	if (!known && f->facts.len < MOST_FACTS) {
		fact = frames_fact_of(f, pc);
		known = map64_put(&f->known, pc, NULL);
		*known = f->facts.len;
		*(struct frame_fact *)vec_push(&f->facts, sizeof(fact)) = fact;
	}
	return known ? vec_at(&f->facts, struct frame_fact, *known) : NULL;
}

/* --- words --- */

/* A frame; all are offsets in the stack's bytes. */
struct frame {
	uint64_t sp, varp, argp;
};

static void frames_add_words(struct frames *f, const struct frames_stack *s, uint64_t from,
			     uint64_t to)
{
	to = to < s->n ? to : s->n;
	for (; from + GRAPH_WORD <= to; from += GRAPH_WORD)
		graph_add_word(f->hg, u64_at(s->bytes + from, 0));
}

static void frames_add_bitmap(struct frames *f, const struct frames_stack *s,
			      const struct bitmap *map, uint64_t base)
{
	uint64_t i, at;

	for (i = 0; map->bits && i < map->n; i++) {
		at = base + i * GRAPH_WORD;
		if (map->bits[i / 8] >> i % 8 & 1 && at + GRAPH_WORD <= s->n)
			graph_add_word(f->hg, u64_at(s->bytes + at, 0));
	}
}

static void frames_add_objects(struct frames *f, const struct frames_stack *s,
			       const struct frame_fact *fact, const struct frame *frame)
{
	uint32_t i;

	for (i = 0; i < fact->nobjects; i++) {
		const struct frame_object *o = &fact->objects[i];
		uint64_t base = o->offset < 0 ? frame->varp : frame->argp;
		uint64_t at = base + (uint64_t)o->offset;

		if (at < s->n && o->size <= s->n)
			frames_add_words(f, s, at & ~7ULL, at + o->size);
	}
}

/* Adds what the frame has; false: the size of its locals does not fit the bitmap. */
static bool frames_add(struct frames *f, const struct frames_stack *s,
		       const struct frame_fact *fact, const struct frame *frame)
{
	uint64_t size = (uint64_t)fact->locals.n * GRAPH_WORD;

	if (fact->no_locals)
		frames_add_words(f, s, frame->sp, frame->varp);
	else if (size > frame->varp - frame->sp)
		return frame->varp == frame->sp;	/* before the prologue has made its frame */
	else
		frames_add_bitmap(f, s, &fact->locals, frame->varp - size);
	frames_add_bitmap(f, s, &fact->args, frame->argp);
	frames_add_objects(f, s, fact, frame);
	return true;
}

void frames_scan(struct frames *f, const struct frames_stack *s)
{
	uint64_t pc = s->pc, sp = 0;
	struct frame frame;

	while (sp + GRAPH_WORD <= s->n) {
		const struct frame_fact *fact = frames_fact(f, pc);

		if (fact && fact->bottom)
			return;
		frame.sp = sp;
		frame.argp = fact ? sp + (uint32_t)fact->delta + GRAPH_WORD : 0;
		frame.varp = frame.argp - GRAPH_WORD;
		if (frame.varp > sp)
			frame.varp -= GRAPH_WORD;	/* the frame pointer of the caller */
		if (!fact || fact->unknown || fact->delta % GRAPH_WORD || frame.argp > s->n ||
		    !frames_add(f, s, fact, &frame)) {
			frames_add_words(f, s, sp, s->n);
			return;
		}
		pc = u64_at(s->bytes + frame.argp - GRAPH_WORD, 0);
		sp = frame.argp;
	}
}

void frames_free(struct frames *f)
{
	size_t i;

	for (i = 0; i < f->facts.len; i++)
		free(vec_at(&f->facts, struct frame_fact, i)->objects);
	vec_free(&f->facts);
	map64_free(&f->known);
}
