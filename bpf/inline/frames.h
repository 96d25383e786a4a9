/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frames, for code inside the target: the frames of stack.h. Every stack of a record is that of the
 * thread's current goroutine, and a frame pointer that leads out of that stack is the end of the
 * chain.
 */
#ifndef GOTAP_BPF_INLINE_FRAMES_H
#define GOTAP_BPF_INLINE_FRAMES_H

/*
 * Returns whether @bp is aligned as a frame pointer is. 0, the end of the chain, lies outside the
 * stack.
 */
static __always_inline bool is_frame(__u64 bp)
{
	return !(bp & 7);
}

struct window {
	__u64 lo, places;	/* a frame lies @lo + 8 * n, n below @places */
};

/*
 * Returns the place of @bp as a number of words. One that is not a multiple of eight, or lies below
 * @w, becomes a high number, so that one comparison finds out all of that.
 */
static __always_inline __u64 window_place(const struct window *w, __u64 bp)
{
	__u64 at = bp - w->lo;

	return at >> 3 | at << 61;
}

static __always_inline void window_open(struct window *w)
{
	__u64 g = FIELD_OF_THREAD(64, FIELD_OF_THREAD(64, arch_g(0), g_m), m_curg), hi;

	*w = (struct window){};
	if (!g)
		return;
	w->lo = FIELD(64, g, g_stack_lo);
	hi = FIELD(64, g, g_stack_hi);
	if (is_readable(w->lo) && hi > w->lo + sizeof(struct frame))
		w->places = (hi - w->lo - sizeof(struct frame)) / 8 + 1;
}

static __always_inline bool window_frame(struct window *w, __u64 bp, struct frame *f)
{
	if (window_place(w, bp) >= w->places)
		return false;
	*f = *(struct frame *)bp;
	return true;
}

static __always_inline bool read_frame(struct frame *f, __u64 bp)
{
	struct window w;

	window_open(&w);
	return window_frame(&w, bp, f);
}

/* A read of a frame inside the stack cannot fail. */
enum { FRAMES_MAY_FAIL = 0 };

/* Calls @step until it returns 1; each step stops at stack_depth frames at the latest. */
static __always_inline void each_frame(long (*step)(__u32, void *), void *c)
{
	__u32 i;

	for (i = 0; !step(i, c); i++)
		;
}

/* The keys lie in shared memory, with room for INLINE_SEEN of them. */
enum { SEEN_WAYS = 4, SEEN_SETS = INLINE_SEEN / SEEN_WAYS };

static __always_inline __u64 *seen_set(__u64 key)
{
	__u64 *seen = (__u64 *)((__u64)shared + LAYOUT(seen));

	return &seen[(key & (SEEN_SETS - 1)) * SEEN_WAYS];
}

#endif
