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
	/* a frame lies at @lo or above, by less than @room */
	__u64 lo, room;
};

static __always_inline void window_open(struct window *w)
{
	__u64 g = read_u64(read_u64(arch_g(0) + off.g_m) + off.m_curg), hi;

	w->lo = read_u64(g + off.g_stack_lo);
	hi = read_u64(g + off.g_stack_hi);
	w->room = g && is_readable(w->lo) && hi > w->lo + sizeof(struct frame) ?
		  hi - w->lo - sizeof(struct frame) + 1 : 0;
}

static __always_inline bool window_frame(struct window *w, __u64 bp, struct frame *f)
{
	if (bp - w->lo >= w->room)
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
	__u64 *seen = (__u64 *)((__u64)shared + layout.seen);

	return &seen[(key & (SEEN_SETS - 1)) * SEEN_WAYS];
}

#endif
