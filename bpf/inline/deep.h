/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep, for code inside the target: the walk over the frames of a deep stack. A chain of frame
 * pointers costs the latency of a load for each frame, because the processor knows the address of a
 * frame only after it has loaded the frame before. The frames of a deep stack therefore have hints:
 * where they were at the last walk of a stack that began with the same frames. Each frame pointer
 * is still read, and compared with its hint. If they are equal, which processors predict, the walk
 * goes on with the hint and does not wait for the frame pointer. The result is the same for any
 * hints: the target may write any value into them, and threads that store them at the same time may
 * mix theirs.
 */
#ifndef GOTAP_BPF_INLINE_DEEP_H
#define GOTAP_BPF_INLINE_DEEP_H

#include "stack_walk.h"

/*
 * UNHINTED: frames by which the hints of a stack are found. DEEP: hints pay off if the stack has
 * more bytes than this above those frames.
 */
enum { UNHINTED = 8, DEEP = 512 };

_Static_assert(sizeof(struct inline_hints) / sizeof(__u16) >= REC_MAX_FRAMES,
	       "struct inline_hints");

/* Returns the hints for stacks with @hash, in shared memory. */
static __always_inline volatile __u16 *hints_of(__u64 hash)
{
	struct inline_hints *all = (struct inline_hints *)((__u64)shared + LAYOUT(hints));

	return all[hash & (INLINE_HINTS - 1)].at;
}

/*
 * Returns @v, and hides from the compiler where it comes from. Otherwise the compiler would go on
 * with the frame pointer in place of the equal hint, and the next load would wait for the frame
 * pointer.
 */
static __always_inline __u64 apart(__u64 v)
{
	__asm__("" : "+r"(v));
	return v;
}

static __always_inline bool is_inside(const struct window *w, __u64 bp)
{
	return window_place(w, bp) < w->places;
}

/* Adds the next @n frames to @c; false: the chain has ended before. */
static __always_inline bool walk(struct hash *c, const struct window *w, __u32 n)
{
	const struct frame *f;

#pragma GCC unroll 2
	for (; n; n--) {
		if (!is_inside(w, c->bp))
			return false;
		f = (const struct frame *)c->bp;
		hash_add(c, f->ret);
		c->bp = f->bp;
	}
	return true;
}

static __always_inline bool is_deep(const struct window *w, __u64 bp)
{
	return is_inside(w, bp) && w->places - window_place(w, bp) > DEEP / 8;
}

/*
 * Where walk_hinted() goes on. It is a copy, so that the walk of a stack that is not deep keeps its
 * variables in registers.
 */
struct deep {
	struct hash sum;	/* its bp leads to a frame inside @w */
	struct window w;
	__u32 n;		/* frames at most, one at least */
};

/* A function of its own, because its loop needs all registers. */
static __noinline __u64 walk_hinted(const struct deep *d, __u64 salt)
{
	volatile __u16 *hint = hints_of(d->sum.h), *last = hint + d->n - 1;
	__u64 base = d->sum.bp, bp = base, guess;
	const __u64 end = d->w.lo + 8 * d->w.places;
	struct hash sum = d->sum;

#pragma GCC unroll 4
	for (; hint != last; hint++) {
		hash_add(&sum, ((const struct frame *)bp)->ret);
		guess = base + 8ULL * *hint;
		if (guess < end && *(volatile __u64 *)bp == apart(guess)) {
			bp = guess;
			continue;
		}
		bp = *(volatile __u64 *)bp;
		if (!is_inside(&d->w, bp))
			return hash_end(&sum, salt);
		*hint = (bp - base) / 8;
	}
	hash_add(&sum, ((const struct frame *)bp)->ret);
	return hash_end(&sum, salt);
}

__noinline __u64 stack_hash(__u64 pc, __u64 second, __u64 bp, __u64 salt, __u64 end)
{
	struct hash sum = hash_begin(pc, second, bp, salt, end);
	__u32 n = sum.most > sum.first ? sum.most - sum.first : 0;
	__u32 head = n < UNHINTED ? n : UNHINTED;
	struct window w;

	window_open(&w);
	if (!walk(&sum, &w, head) || n == head)
		return hash_end(&sum, salt);
	if (is_deep(&w, sum.bp)) {
		struct deep d = { sum, w, n - head };

		return walk_hinted(&d, salt);
	}
	walk(&sum, &w, n - head);
	return hash_end(&sum, salt);
}

#endif
