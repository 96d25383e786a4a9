// SPDX-License-Identifier: GPL-2.0
/*
 * stack: see stack.h. Both functions are global, so that the verifier checks
 * each of them once and not at every call.
 */
#include "emit.h"
#include "stack.h"

__u64 seen[SEEN_SETS * SEEN_WAYS] = {};

/*
 * Calls @step until it says to stop. Since Linux 5.17 there is bpf_loop, whose
 * step is checked once, and not once per round; to name a function for it is
 * an error before 5.13, so stack_rounds.bpf.c is this file without it.
 */
static __always_inline void each_frame(long (*step)(__u32, void *), void *c)
{
#ifdef STACK_ROUNDS
	int i;

	for (i = 0; i < REC_MAX_FRAMES; i++)
		if (step(i, c))
			break;
#else
	bpf_loop(REC_MAX_FRAMES, step, c, 0);
#endif
}

/* Into a free place, else any: two CPUs may overwrite each other, which only sends one again. */
static __always_inline void seen_add(__u64 key)
{
	__u64 *s = seen_set(key);
	int i;

	for (i = 0; i < SEEN_WAYS; i++)
		if (!s[i])
			break;
	if (i == SEEN_WAYS)
		i = (key >> 32) & (SEEN_WAYS - 1);
	s[i & (SEEN_WAYS - 1)] = key;
}

static __always_inline __u64 mix(__u64 h, __u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 29);
}

/*
 * One walk, two uses; each step looks at one frame and says whether to stop.
 * Steps count by the loop's own index: a counter of ours would be a new
 * constant in every round to the verifier, and it would check each round.
 */

struct hash_walk {
	struct window w;
	__u64 bp, h;
	__u32 first;	/* frames before the walk: 1 or 2 */
};

static long hash_step(__u32 i, void *ctx)
{
	struct hash_walk *c = ctx;
	struct frame f;

	if (c->first + i >= stack_depth || !window_frame(&c->w, c->bp, &f))
		return 1;
	c->h = mix(c->h, f.ret);
	c->bp = f.bp;
	return 0;
}

__noinline __u64 stack_hash(__u64 pc, __u64 second, __u64 bp, __u64 salt)
{
	struct hash_walk c;

	__builtin_memset(&c, 0, sizeof(c));
	c.bp = bp;
	c.h = mix(salt, pc);
	c.first = 1;
	if (second) {
		c.h = mix(c.h, second);
		c.first = 2;
	}
	each_frame(hash_step, &c);
	/* bit 63 is user space's: a stack of one function entry */
	c.h &= ~(1ULL << 63);
	return c.h ? c.h : 1;
}

struct copy_walk {
	struct rec_stack *to;
	__u64 bp;
	__u32 first, n;
};

static long copy_step(__u32 i, void *ctx)
{
	struct copy_walk *c = ctx;
	struct rec_stack *to = c->to;
	__u32 n = c->first + i;
	struct frame f;

	if (n >= REC_MAX_FRAMES || n >= stack_depth || !is_frame(c->bp) ||
	    bpf_probe_read_user(&f, sizeof(f), (void *)c->bp))
		return 1;
	to->pcs[n & (REC_MAX_FRAMES - 1)] = f.ret;
	c->bp = f.bp;
	c->n = n + 1;
	return 0;
}

/*
 * New stacks are rare, some hundreds in a whole recording, so each gets a
 * record of full length, and its frames are read once more.
 */
__noinline int stack_send(__u64 key, __u64 pc, __u64 second, __u64 bp, __u64 tid_skip_class)
{
	struct rec_stack *s = ring_reserve(sizeof(*s) + 8 * REC_MAX_FRAMES);
	struct copy_walk c = { .to = s, .bp = bp, .first = 1, .n = 1 };

	if (!s)
		return 0;
	rec_fill(&s->r, tid_skip_class >> 32, REC_STACK, (__u8)tid_skip_class);
	s->r.flags = (__u16)(tid_skip_class >> 8);
	s->r.id = key;
	s->r.ptr = 0;
	s->room = REC_MAX_FRAMES;
	s->pcs[0] = pc;
	if (second) {
		s->pcs[1] = second;
		c.first = c.n = 2;
	}
	each_frame(copy_step, &c);
	s->n = c.n;
	rec_submit(s);
	/* Only now: who finds the key seen may rely on the record being in its ring. */
	seen_add(key);
	return 1;
}
