// SPDX-License-Identifier: Apache-2.0
/* stack_set: see stack_set.h. */
#include "spans/stack_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"

/*
 * Limits of a set: frames of all stacks together (4 bytes each), stacks, and different frames (40
 * bytes each).
 */
enum { ENTRIES_MAX = 16 << 20, STACKS_MAX = 2 << 20, FRAMES_MAX = 1 << 20 };

struct stack {
	uint32_t start, len;	/* index and count in entries */
};

/* Numbers by hash: open addressing at a load of at most 1/2. */
struct numbers {
	uint32_t *slots;	/* 0: free */
	size_t cap, len;	/* cap: a power of two, or 0 */
};

struct stack_set {
	struct vec frames;	/* struct stack_frame; the first one has number 1 */
	struct vec stacks;	/* struct stack */
	struct vec entries;	/* uint32_t: numbers of frames */
	struct numbers frame_numbers, stack_numbers;
	uint64_t dropped;
};

/* --- hashes --- */

static uint64_t hash_more(uint64_t hash, uint64_t value)
{
	return hash64_seeded(hash ^ value);
}

static uint64_t frame_hash(const struct stack_frame *f)
{
	uint64_t hash = hash_more(0, (uintptr_t)f->func);

	hash = hash_more(hash, (uintptr_t)f->file);
	return hash_more(hash_more(hash, f->pc), f->line);
}

static uint64_t stack_hash(const uint32_t *frames, uint32_t n)
{
	uint64_t hash = n;
	uint32_t i;

	for (i = 0; i < n; i++)
		hash = hash_more(hash, frames[i]);
	return hash;
}

static bool frames_equal(const struct stack_frame *a, const struct stack_frame *b)
{
	return a->func == b->func && a->file == b->file && a->pc == b->pc && a->line == b->line;
}

static const struct stack *stack_at(const struct stack_set *s, uint32_t stack)
{
	return vec_at(&s->stacks, struct stack, stack - 1);
}

static uint64_t stack_hash_at(const struct stack_set *s, uint32_t number)
{
	const struct stack *stack = stack_at(s, number);

	return stack_hash(vec_at(&s->entries, uint32_t, stack->start), stack->len);
}

static uint64_t frame_hash_at(const struct stack_set *s, uint32_t number)
{
	return frame_hash(vec_at(&s->frames, struct stack_frame, number - 1));
}

/* --- numbers --- */

typedef uint64_t hash_at_fn(const struct stack_set *s, uint32_t number);

static void stackset_grow(struct stack_set *s, struct numbers *n, hash_at_fn *hash_at)
{
	struct numbers old = *n;
	size_t i, place;

	n->cap = old.cap ? old.cap * 2 : 256;
	n->slots = xcalloc(n->cap, sizeof(*n->slots));
	for (i = 0; i < old.cap; i++) {
		if (!old.slots[i])
			continue;
		place = hash_at(s, old.slots[i]) & (n->cap - 1);
		while (n->slots[place])
			place = (place + 1) & (n->cap - 1);
		n->slots[place] = old.slots[i];
	}
	free(old.slots);
}

/* --- frames --- */

uint32_t stack_set_frame(struct stack_set *s, const struct stack_frame *frame)
{
	struct numbers *n = &s->frame_numbers;
	size_t place;

	if (n->len * 2 >= n->cap)
		stackset_grow(s, n, frame_hash_at);
	place = frame_hash(frame) & (n->cap - 1);
	for (; n->slots[place]; place = (place + 1) & (n->cap - 1))
		if (frames_equal(vec_at(&s->frames, struct stack_frame, n->slots[place] - 1),
				 frame))
			return n->slots[place];
	if (s->frames.len == FRAMES_MAX) {
		s->dropped++;
		return 0;
	}
	*(struct stack_frame *)vec_push(&s->frames, sizeof(*frame)) = *frame;
	n->len++;
	return n->slots[place] = (uint32_t)s->frames.len;
}

/* --- stacks --- */

static bool stack_is(const struct stack_set *s, uint32_t number, const uint32_t *frames, uint32_t n)
{
	const struct stack *stack = stack_at(s, number);

	return stack->len == n &&
	       !memcmp(vec_at(&s->entries, uint32_t, stack->start), frames, n * sizeof(*frames));
}

static bool stackset_has_room(const struct stack_set *s, uint32_t n)
{
	return s->stacks.len < STACKS_MAX && s->entries.len + n <= ENTRIES_MAX;
}

static uint32_t stackset_append(struct stack_set *s, const uint32_t *frames, uint32_t n)
{
	struct stack *stack = vec_push(&s->stacks, sizeof(*stack));

	*stack = (struct stack){ (uint32_t)s->entries.len, n };
	while (n--)
		*(uint32_t *)vec_push(&s->entries, sizeof(*frames)) = *frames++;
	return (uint32_t)s->stacks.len;
}

uint32_t stack_set_stack(struct stack_set *s, const uint32_t *frames, uint32_t n)
{
	struct numbers *numbers = &s->stack_numbers;
	size_t place;

	if (!n)
		return 0;
	if (numbers->len * 2 >= numbers->cap)
		stackset_grow(s, numbers, stack_hash_at);
	place = stack_hash(frames, n) & (numbers->cap - 1);
	for (; numbers->slots[place]; place = (place + 1) & (numbers->cap - 1))
		if (stack_is(s, numbers->slots[place], frames, n))
			return numbers->slots[place];
	if (!stackset_has_room(s, n)) {
		s->dropped++;
		return 0;
	}
	numbers->len++;
	return numbers->slots[place] = stackset_append(s, frames, n);
}

/* --- looking up --- */

uint32_t stack_set_stacks(const struct stack_set *s)
{
	return (uint32_t)s->stacks.len;
}

uint32_t stack_set_frames(const struct stack_set *s)
{
	return (uint32_t)s->frames.len;
}

uint64_t stack_set_dropped(const struct stack_set *s)
{
	return s->dropped;
}

const uint32_t *stack_set_of(const struct stack_set *s, uint32_t stack, uint32_t *n)
{
	const struct stack *found;

	*n = 0;
	if (!stack || stack > s->stacks.len)
		return NULL;
	found = stack_at(s, stack);
	*n = found->len;
	return vec_at(&s->entries, uint32_t, found->start);
}

const struct stack_frame *stack_set_frame_at(const struct stack_set *s, uint32_t frame)
{
	return vec_at(&s->frames, struct stack_frame, frame - 1);
}

const struct stack_frame *stack_set_at(const struct stack_set *s, uint32_t stack, uint32_t i)
{
	uint32_t n;
	const uint32_t *frames = stack_set_of(s, stack, &n);

	return i < n ? stack_set_frame_at(s, frames[i]) : NULL;
}

const struct stack_frame *stack_set_root(const struct stack_set *s, uint32_t stack)
{
	uint32_t n;
	const uint32_t *frames = stack_set_of(s, stack, &n);

	return n ? stack_set_frame_at(s, frames[n - 1]) : NULL;
}

/* --- begin and end --- */

struct stack_set *stack_set_new(void)
{
	return xcalloc(1, sizeof(struct stack_set));
}

void stack_set_free(struct stack_set *s)
{
	if (!s)
		return;
	vec_free(&s->frames);
	vec_free(&s->stacks);
	vec_free(&s->entries);
	free(s->frame_numbers.slots);
	free(s->stack_numbers.slots);
	free(s);
}
