/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_walk: the walk that hashes the frames of a stack, and the one that copies the frames of a
 * new stack. stack.bpf.c includes it for BPF, inline/image.c for code inside the target.
 */
#ifndef GOTAP_BPF_STACK_WALK_H
#define GOTAP_BPF_STACK_WALK_H

#include "stack.h"

/*
 * Stores the key in a free place of its set, or over another key. Two CPUs may overwrite each
 * other's key: a stack is then sent once more. Who finds the key finds the record of the stack
 * submitted.
 */
static __always_inline void seen_add(__u64 key)
{
	__u64 *s = seen_set(key);
	int i;

	for (i = 0; i < SEEN_WAYS; i++)
		if (!s[i])
			break;
	if (i == SEEN_WAYS)
		i = (key >> 32) & (SEEN_WAYS - 1);
	arch_publish(&s[i & (SEEN_WAYS - 1)], key);
}

static __always_inline __u64 mix(__u64 h, __u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h << 32 | h >> 32;
}

/*
 * The state of a walk. The hash has two halves, which frames change in turn: a processor then works
 * at two frames at a time, which takes 15 % off a deep walk inside the target.
 */
struct hash {
	__u64 bp;
	__u64 h, other;		/* the half that the last frame has changed, and the other half */
	__u64 below;		/* the frame pointer before @bp; 0: none */
	__u64 unreadable;	/* address of the frame that could not be read; 0: none */
	__u64 end;		/* of the stack, which no frame lies beyond; 0: not known */
	__u32 first;		/* addresses that the walk starts with: 1 or 2 */
	__u32 most;
#ifdef ARCH_HAS_LINK_REGISTER
	__u64 over;		/* go_over() */
#endif
};

/*
 * The frame pointer after the frame with the return address @ret. On arm64 systemstack loads the
 * frame pointer of the system stack up to Go 1.24, which ends the chain, or leads to a function of
 * Go that C has called: a sample goes over to the frames of the goroutine there (struct
 * stack_start), as the runtime's profiler does (gentraceback, unwindJumpStack).
 */
static __always_inline __u64 go_over(struct hash *c, __u64 ret, __u64 bp)
{
#ifdef ARCH_HAS_LINK_REGISTER
	if (c->over && ret - systemstack_start < systemstack_end - systemstack_start)
		return c->over;
#endif
	return bp;
}

/* Takes the @second of a stack_start: an address of the stack, or for go_over(). */
static __always_inline bool hash_second(struct hash *c, __u64 pc, __u64 second, __u64 salt)
{
#ifdef ARCH_HAS_LINK_REGISTER
	if ((__u8)salt == STACK_CPU) {
		c->over = second;
		c->bp = go_over(c, pc, c->bp);
		return false;
	}
#endif
	return second;
}

static __always_inline void hash_add(struct hash *c, __u64 pc)
{
	__u64 h = mix(c->other, pc);

	c->other = c->h;
	c->h = h;
}

static __always_inline struct hash hash_begin(__u64 pc, __u64 second, __u64 bp, __u64 salt,
					      __u64 end)
{
	struct hash h = { .bp = bp, .first = 1, .h = mix(salt, pc), .other = salt,
			  .end = end, .most = frames_at_most(salt & SALT_SHORT) };

	if (hash_second(&h, pc, second, salt)) {
		hash_add(&h, second);
		h.first = 2;
	}
	return h;
}

/* Returns the key of the frames that the walk has taken so far. */
static __always_inline __u64 hash_key(const struct hash *c, __u64 marks)
{
	return stack_key_of_hash(mix(c->h, c->other), marks);
}

/*
 * The frame at c->bp cannot be read. If it belongs to the same stack, the walk is cut short here;
 * if not, the chain of frame pointers has ended. It belongs to the stack if it lies above the frame
 * before it (stacks grow downwards) by less than the largest frame. The first frame has no frame
 * before it: it counts as part of the stack, except in a CPU sample (STACK_CPU). A sample also
 * interrupts C and assembly code, where the register holds any value.
 */
static __always_inline void hash_unreadable(struct hash *c, __u64 salt)
{
	bool in_stack = c->below ? c->bp - c->below < LARGEST_FRAME :
				   (__u8)salt != STACK_CPU && c->bp < 1ULL << ARCH_USER_BITS;

	if (FRAMES_MAY_FAIL && in_stack)
		c->unreadable = c->bp;
}

static __always_inline __u64 marks_of(const struct hash *c, __u64 salt)
{
	return (salt & SALT_SHORT ? STACK_KEY_SHORT : 0) | (c->unreadable ? STACK_KEY_CUT : 0);
}

static __always_inline __u64 hash_end(const struct hash *c, __u64 salt)
{
	struct ring_state *s;

	if (c->unreadable) {
		s = ring_of_cpu();
		if (s)
			s->unreadable_frame = c->unreadable;
	}
	return hash_key(c, marks_of(c, salt));
}

static __always_inline void hash_frame(struct hash *c, __u64 ret, __u64 bp)
{
	hash_add(c, arch_code(ret));
	c->below = c->bp;
	bp = go_over(c, ret, arch_next_fp(c->bp, bp));
	c->bp = c->end && bp - c->below >= c->end - c->below ? 0 : bp;
}

/*
 * Each step takes one frame and returns whether to stop. The steps count by the index of the loop:
 * a counter in the context would be a new constant in every round to the verifier, which would then
 * check every round.
 */

struct window_walk {
	struct hash to;
	__u64 salt;
	struct window w;
};

static long window_step(__u32 i, void *ctx)
{
	struct window_walk *c = ctx;
	struct frame f;

	if (c->to.first + i >= c->to.most || !is_frame(c->to.bp))
		return 1;
	if (!window_frame(&c->w, c->to.bp, &f)) {
		hash_unreadable(&c->to, c->salt);
		return 1;
	}
	hash_frame(&c->to, f.ret, f.bp);
	return 0;
}

__noinline __u64 stack_hash_slowly(__u64 pc, __u64 second, __u64 bp, __u64 salt, __u64 end)
{
	struct window_walk c;

	__builtin_memset(&c, 0, sizeof(c));
	window_open(&c.w);
	c.to = hash_begin(pc, second, bp, salt, end);
	c.salt = salt;
	each_frame(window_step, &c);
	return hash_end(&c.to, salt);
}

struct copy_walk {
	struct rec_stack *to;
	struct hash sum;	/* hash of the frames that are copied */
	__u64 key;
	__u32 n;
};

/*
 * Returns whether the copy has got as far as the walk that made the key. A page may have come into
 * memory, or left it, since that walk.
 */
static __always_inline bool copy_is_complete(const struct copy_walk *c)
{
	return hash_key(&c->sum, c->key & (STACK_KEY_SHORT | STACK_KEY_CUT)) == c->key;
}

static long copy_step(__u32 i, void *ctx)
{
	struct copy_walk *c = ctx;
	struct rec_stack *to = c->to;
	__u32 n = c->sum.first + i;
	struct frame f;

	if (n >= REC_MAX_FRAMES || n >= c->sum.most || !is_frame(c->sum.bp) ||
	    ((c->key & STACK_KEY_CUT) && copy_is_complete(c)) ||
	    !read_frame(&f, c->sum.bp))
		return 1;
	to->pcs[n & (REC_MAX_FRAMES - 1)] = arch_code(f.ret);
	hash_frame(&c->sum, f.ret, f.bp);
	c->n = n + 1;
	return 0;
}

/*
 * Sends a stack. New stacks are rare, some hundreds in a whole recording, so that each gets a
 * record of full length, for which its frames are read once more. If their hash is not @key, the
 * goroutine's stack has changed between the two reads: the record is then marked, and the next
 * probe that meets this stack sends it again.
 */
__noinline int stack_send(__u64 key, __u64 pc, __u64 second, __u64 bp, __u64 tid_skip_class)
{
	__u64 salt = (__u8)tid_skip_class | (key & STACK_KEY_SHORT ? SALT_SHORT : 0);
	__u64 end = stack_end_of(second, bp, (__u8)salt);
	struct copy_walk c = { .sum = hash_begin(pc, second, bp, salt, end), .key = key };
	struct rec_stack *s = ring_reserve(ring_of_cpu(), sizeof(*s) + 8 * REC_MAX_FRAMES);
	bool complete;

	/*
	 * The test must follow the call: the verifier of Linux 5.10 forgets the test in
	 * ring_reserve().
	 */
	if (!s)
		return 0;
	c.to = s;
	c.n = c.sum.first;
	rec_fill(&s->r, tid_skip_class >> 32, REC_STACK, (__u8)tid_skip_class);
	s->r.flags = (__u16)(tid_skip_class >> 8);
	s->r.id = key;
	s->room = REC_MAX_FRAMES;
	s->pcs[0] = pc;
	if (c.n > 1)
		s->pcs[1] = second;
	each_frame(copy_step, &c);
	complete = copy_is_complete(&c);
	s->r.ptr = complete ? 0 : REC_STACK_PART;
	s->n = c.n;
	rec_submit(s);
	/*
	 * Only now is the key stored: a probe that finds it sends no record of this stack any more.
	 */
	if (complete)
		seen_add(key);
	return 1;
}

#endif
