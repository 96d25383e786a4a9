// SPDX-License-Identifier: Apache-2.0
/* stacks: see stacks.h. */
#include "frames/stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "release/release.h"
#include "frames/end_stack.h"

/* The function at g.sched.pc of a goroutine while its thread is on another stack. */
static const char SWITCH[] = "runtime.systemstack_switch";

/*
 * What records can define. A program that calls itself in ever other ways makes a new stack with
 * each record: of 128 frames, 1 KiB each. Stacks beyond are missing, and counted.
 */
enum {
	STACKS_MOST = 1 << 19,
	FRAMES_MOST = 1 << 24,
	TOPS_MOST = 1 << 10,	/* a program dies once */
};

struct stack {
	uint8_t class;
	/* a part of a stack; the record of the whole stack may still come */
	bool is_part;
	bool is_cut;		/* lacks frames that a reader would otherwise see */
	bool used;		/* a written generation refers to it */
	bool is_caller;		/* the first of the callers is the function itself */
	uint16_t skip;
	uint16_t n;
	uint64_t callers;	/* key of the stack that continues after pcs, 0: none */
	uint64_t pcs[];
};

struct stacks {
	struct symbolizer *symbols;
	int minor;
	unsigned int depth;
	struct map64 by_key;	/* key -> struct stack *, as records defined them */
	size_t frames;		/* of all of these */
	/*
	 * Stacks of samples, in the same form. Their number is that of pairs of an interrupted
	 * instruction and its callers. samples is for this generation, samples_before for the
	 * previous one: the first sample of this generation may refer to a stack of the previous
	 * one.
	 */
	struct map64 samples, samples_before;
	/* keys that the trace used and that no record defined; uses of those without room here */
	struct map64 missing;
	size_t more_missing;
	/* key of a stack of class STACK_END -> the top word from its record */
	struct map64 tops;
	/* keys of samples without callers, which could not be read */
	struct map64 cut_samples;
	size_t cut;		/* stacks that lack frames since memory could not be read */
};

struct stacks *stacks_new(struct symbolizer *symbols, int minor, unsigned int depth)
{
	struct stacks *s = xcalloc(1, sizeof(*s));

	s->symbols = symbols;
	s->minor = minor;
	s->depth = depth;
	return s;
}

/*
 * Up to Go 1.20 systemstack sets g.sched.pc to the first byte of systemstack_switch. Look-ups
 * expect a return address and take the byte before it, so the address is increased by 1.
 */
static void mend_leaf(const struct stacks *s, struct stack *st)
{
	struct frame f;

	if (!release_has(s->minor, RELEASE_SWITCH_AT_ENTRY) || !s->symbols || !st->n)
		return;
	symbolizer_entry(s->symbols, st->pcs[0], &f);
	if (!strcmp(f.func, SWITCH))
		st->pcs[0]++;
}

/*
 * True at the frame at which the runtime's profiler ends a stack: further frames are of another
 * stack, or have no meaning.
 */
static bool ends_sample(const struct frame *f)
{
	return !strcmp(f->func, "runtime.mcall") || !strcmp(f->func, "runtime.mstart");
}

/*
 * True if the walk has reached the end of a sample's stack, so that a walk that failed later lacks
 * no frame. Frame pointers lead on from mstart: a new thread has the register of its creator, the
 * main thread has a value from the kernel or from C.
 */
static bool has_end_of_sample(const struct stacks *s, const struct stack *st)
{
	struct frame frames[TRACEV2_MAX_FRAMES];
	size_t i, n;

	if (!s->symbols || st->class != STACK_CPU)
		return false;
	n = symbolizer_stack(s->symbols, st->pcs, st->n, 0, frames, TRACEV2_MAX_FRAMES);
	for (i = 0; i < n; i++)
		if (ends_sample(&frames[i]))
			return true;
	return false;
}

static struct stack *stack_of_record(const struct stacks *s, const struct rec_stack *r)
{
	struct stack *st = xcalloc(1, sizeof(*st) + r->n * sizeof(st->pcs[0]));

	st->class = r->r.sub;
	st->is_part = r->r.ptr == REC_STACK_PART;
	st->skip = r->r.flags;
	st->n = (uint16_t)r->n;
	memcpy(st->pcs, r->pcs, r->n * sizeof(st->pcs[0]));
	mend_leaf(s, st);
	st->is_cut = (st->is_part || (r->r.id & STACK_KEY_CUT)) && !has_end_of_sample(s, st);
	return st;
}

/* @old: what the stack of @n frames takes the place of, or NULL. */
static bool stacks_have_room(const struct stacks *s, const struct stack *old, size_t n)
{
	return (old || s->by_key.len < STACKS_MOST) &&
	       s->frames - (old ? old->n : 0) + n <= FRAMES_MOST;
}

void stacks_define(struct stacks *s, const struct rec_stack *r)
{
	bool is_part = r->r.ptr == REC_STACK_PART, is_new;
	uint64_t *slot = map64_get(&s->by_key, r->r.id);
	struct stack *old = slot ? (struct stack *)(uintptr_t)*slot : NULL, *st;

	/*
	 * A stack is sent twice if two CPUs had it at the same time, or if the kernel's table
	 * dropped the key. The first copy is kept unless it is partial.
	 */
	if ((old && (!old->is_part || is_part)) || !stacks_have_room(s, old, r->n))
		return;
	slot = map64_put(&s->by_key, r->r.id, &is_new);
	st = stack_of_record(s, r);
	s->frames += st->n;
	s->frames -= old ? old->n : 0;
	s->cut += is_new && st->is_cut;
	/* A written generation with the partial copy does not change: the stack remains counted. */
	s->cut -= old && !old->used && old->is_cut && !st->is_cut;
	free(old);
	*slot = (uint64_t)(uintptr_t)st;
}

/*
 * The return address into the caller of the interrupted function, if the function has no frame at
 * that instruction: frame pointers then skip the caller. 0 if they do not. On amd64 prologues push
 * BP first since Go 1.21. On arm64 a prologue stores the return address as it makes room for the
 * frame, and sets the frame pointer after that.
 */
static uint64_t skipped_caller(const struct rec_cpu *r, int32_t delta)
{
	if (r->r.flags & REC_CPU_RECORD_BELOW)
		return 0;
	if (delta == 0)
		return r->words[0];
	if (r->r.flags & REC_CPU_LINK)
		return delta > 0 && !(r->r.flags & REC_CPU_AT_FRAME) ? r->words[1] : 0;
	return delta == 8 && !(r->r.flags & REC_CPU_AT_FRAME) ? r->words[1] : 0;
}

uint64_t stacks_sample(struct stacks *s, const struct rec_cpu *r)
{
	int32_t delta = s->symbols ? symbolizer_sp_delta(s->symbols, r->ip) : -1;
	uint64_t caller = skipped_caller(r, delta), key;
	struct stack *st;
	uint64_t *slot;
	bool is_new;

	if (!s->depth || !r->ip)
		return 0;
	key = stack_key_of_hash(hash64(r->ip ^ hash64(caller ^ hash64(r->stack))),
				r->r.flags & REC_CPU_CUT ? STACK_KEY_CUT :
							   r->stack & STACK_KEY_CUT);
	/* a sample with callers needs no count here: the record of the callers' stack has it */
	if (r->r.flags & REC_CPU_CUT) {
		map64_put(&s->cut_samples, key, &is_new);
		s->cut += is_new;
	}
	slot = map64_put(&s->samples, key, &is_new);
	if (!is_new)
		return key;
	st = xcalloc(1, sizeof(*st) + 2 * sizeof(st->pcs[0]));
	st->class = STACK_CPU;
	st->callers = r->stack;
	st->is_caller = r->r.flags & REC_CPU_RECORD_BELOW && delta > 0;
	st->pcs[st->n++] = r->ip + 1;	/* look-ups take pc - 1 */
	if (caller && s->depth > 1)
		st->pcs[st->n++] = caller;
	*slot = (uint64_t)(uintptr_t)st;
	return key;
}

void stacks_end(struct stacks *s, const struct rec_user *r)
{
	if (r->arg && r->stack && s->tops.len < TOPS_MOST)
		*map64_put(&s->tops, r->stack, NULL) = r->arg;
}

/*
 * Frames outside Go's tables (C in a cgo program) have no line. The runtime's tracer leaves them
 * out; readers accept such a frame only as the leaf.
 */
static size_t copy_frames(const struct frame *from, size_t n, struct trace_frame *out)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++) {
		if (i && (!from[i].line || !from[i].pc || !*from[i].func || !from[i].file ||
			  !*from[i].file))
			continue;
		out[kept++] = (struct trace_frame){ from[i].pc, from[i].func, from[i].file,
						    from[i].line };
	}
	return kept;
}

/*
 * Drops the roots that runtime.traceStack drops: goexit, the root of every goroutine, and
 * runtime.main, the caller of main.main. traceStack drops the last addresses of its buffer, so a
 * stack that filled the buffer of 127 loses its last frame, too.
 */
static size_t drop_roots(const struct stacks *s, size_t n_pcs, const struct frame *frames,
			 size_t n)
{
	if (n && !strcmp(frames[n - 1].func, "runtime.goexit"))
		n--;
	else if (n && n_pcs >= 127 && s->depth >= 127)
		n--;
	if (n && !strcmp(frames[n - 1].func, "runtime.main"))
		n--;
	return n;
}

/*
 * The runtime's profiler drops no roots. It ends a stack at mcall, which has left the goroutine's
 * stack; up to Go 1.24 frame pointers lead on from mcall, and from mstart in all releases.
 * systemstack_switch never runs: g.sched names it while the thread is on another stack.
 */
static size_t sample_frames(const struct frame *frames, size_t n, size_t *skip)
{
	size_t i;

	*skip = n && !strcmp(frames[0].func, SWITCH);
	for (i = 0; i < n; i++)
		if (ends_sample(&frames[i]))
			return i + 1 - *skip;
	return n - *skip;
}

/*
 * The number of leaf frames of a waker's stack that the runtime would have left out, by their
 * names.
 */
static size_t waker_frames(const struct stacks *s, const struct stack *st,
			   const struct frame *frames, size_t n)
{
	size_t skip = 0;

	if (!release_skips_by_name(s->minor, st->class) || n < 2 ||
	    strcmp(frames[1].func, "runtime.goready"))
		return 0;
	while (skip < n && release_is_waker(frames[skip].func))
		skip++;
	return skip;
}

static size_t mend_end(struct stacks *s, uint64_t key, uint64_t pcs[REC_MAX_FRAMES], size_t n)
{
	const uint64_t *top = map64_get(&s->tops, key);

	return end_stack_mend(s->symbols, top ? *top : 0, pcs, n);
}

/* systemstack_switch never runs, see sample_frames(). */
static size_t end_frames(const struct frame *frames, size_t n)
{
	return n && !strcmp(frames[0].func, SWITCH);
}

/*
 * The leaf functions of the runtime, which runtime/pprof leaves out of heap profiles
 * (writeHeapProto); 0: there are no others.
 */
static size_t alloc_frames(const struct frame *frames, size_t n)
{
	static const char a[] = "runtime.", b[] = "internal/runtime/";
	size_t i;

	for (i = 0; i < n; i++)
		if (strncmp(frames[i].func, a, sizeof(a) - 1) &&
		    strncmp(frames[i].func, b, sizeof(b) - 1))
			return i;
	return 0;
}

/* The frames without a symbolizer: readers accept a frame without a name only as the leaf. */
static size_t raw_leaf(const uint64_t *pcs, size_t n, struct trace_frame *out, size_t max)
{
	if (!n || !max)
		return 0;
	out[0] = (struct trace_frame){ .pc = pcs[0] };
	return 1;
}

static void stacks_miss(struct stacks *s, uint64_t key)
{
	if (s->missing.len < STACKS_MOST)
		map64_put(&s->missing, key, NULL);
	else if (!map64_get(&s->missing, key))
		s->more_missing++;
}

static struct stack *stack_get(struct stacks *s, uint64_t key)
{
	uint64_t *slot = map64_get(&s->by_key, key);
	struct stack *st;

	if (!slot)
		slot = map64_get(&s->samples, key);
	if (!slot)
		slot = map64_get(&s->samples_before, key);
	if (!slot) {
		stacks_miss(s, key);
		return NULL;
	}
	st = (struct stack *)(uintptr_t)*slot;
	st->used = true;
	return st;
}

/*
 * All addresses of the stack, at most the depth that the user requested. Addresses outside of Go
 * (the vDSO) are kept only if frame pointers lead from them back into Go.
 */
static size_t stacks_gather(struct stacks *s, const struct stack *st, uint64_t pcs[REC_MAX_FRAMES])
{
	const struct stack *callers = st->callers ? stack_get(s, st->callers) : NULL;
	size_t n = st->n, i;

	memcpy(pcs, st->pcs, n * sizeof(pcs[0]));
	if (!callers || !callers->n)	/* a damaged file may have a stack without frames */
		return n;
	if (s->symbols && symbolizer_sp_delta(s->symbols, pcs[0] - 1) < 0 &&
	    symbolizer_sp_delta(s->symbols, callers->pcs[0] - 1) < 0)
		return n;
	for (i = st->is_caller; i < callers->n && n < s->depth && n < REC_MAX_FRAMES; i++)
		pcs[n++] = callers->pcs[i];
	return n;
}

size_t stacks_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	struct stacks *s = ctx;
	struct frame frames[TRACEV2_MAX_FRAMES];
	uint64_t pcs[REC_MAX_FRAMES];
	const struct stack *st;
	size_t n, skip, n_pcs;

	if (max > TRACEV2_MAX_FRAMES)
		max = TRACEV2_MAX_FRAMES;
	if (key & STACK_KEY_ENTRY) {
		if (!s->symbols)
			return 0;
		return copy_frames(
			frames, symbolizer_entry(s->symbols, key & ~STACK_KEY_ENTRY, frames), out);
	}
	st = stack_get(s, key);
	if (!st)
		return 0;
	n_pcs = stacks_gather(s, st, pcs);
	if (!s->symbols)
		return raw_leaf(pcs, n_pcs, out, max);
	if (st->class == STACK_END)
		n_pcs = mend_end(s, key, pcs, n_pcs);
	n = symbolizer_stack(s->symbols, pcs, n_pcs,
			     release_stack_skip(s->minor, st->class, st->skip), frames, max);
	if (st->class == STACK_CPU) {
		n = sample_frames(frames, n, &skip);
		return copy_frames(frames + skip, n, out);
	}
	if (st->class == STACK_ALLOC)
		skip = alloc_frames(frames, n);
	else if (st->class == STACK_END)
		skip = end_frames(frames, n);
	else
		skip = waker_frames(s, st, frames, n);
	return copy_frames(frames + skip, drop_roots(s, n_pcs, frames + skip, n - skip), out);
}

size_t stacks_look(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	struct stacks *s = ctx;
	uint64_t *slot = key & STACK_KEY_ENTRY ? NULL : map64_get(&s->by_key, key);
	struct stack *st = slot ? (struct stack *)(uintptr_t)*slot : NULL;
	bool used = st && st->used;
	size_t n;

	if (!st && !(key & STACK_KEY_ENTRY))
		return 0;
	n = stacks_frames(s, key, out, max);
	if (st)
		st->used = used;
	return n;
}

size_t stacks_pcs(const struct stacks *s, uint64_t key, uint64_t *pcs, size_t max)
{
	const uint64_t *slot = map64_get(&s->by_key, key);
	const struct stack *st = slot ? (const struct stack *)(uintptr_t)*slot : NULL;
	size_t n = st ? st->n : 0;

	n = n < max ? n : max;
	if (n)
		memcpy(pcs, st->pcs, n * sizeof(*pcs));
	return n;
}

size_t stacks_defined(const struct stacks *s)
{
	return s->by_key.len;
}

size_t stacks_cut(const struct stacks *s)
{
	return s->cut;
}

size_t stacks_missing(const struct stacks *s)
{
	return s->missing.len + s->more_missing;
}

uint64_t stacks_unanswered(const struct stacks *s, const char **why)
{
	return symbolizer_unanswered(s->symbols, why);
}

static void free_stacks(struct map64 *map)
{
	size_t i;

	for (i = 0; i < map->cap; i++)
		if (map->slots[i].used)
			free((void *)(uintptr_t)map->slots[i].value);
	map64_free(map);
}

void stacks_turn(struct stacks *s)
{
	free_stacks(&s->samples_before);
	s->samples_before = s->samples;
	s->samples = (struct map64){0};
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	free_stacks(&s->by_key);
	free_stacks(&s->samples);
	free_stacks(&s->samples_before);
	map64_free(&s->missing);
	map64_free(&s->cut_samples);
	map64_free(&s->tops);
	free(s);
}
