/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack: walks a stack by its frame pointers, as the runtime's own tracer does
 * (runtime.fpTracebackPCs, Go 1.21+). The leaf pc is known; each frame pointer then gives the next
 * return address, one word above it, until the frame pointer is 0. A record carries only a 64-bit
 * key of the stack; the addresses are sent once per distinct stack.
 *
 * The walk computes the hash and stores no address. A new stack is walked a second time, and its
 * addresses are written to the ring.
 *
 * A page of the stack that is not in memory cuts the walk short: the key is then marked
 * (STACK_KEY_CUT), and user space gets the address, to bring the page in. A chain of frame pointers
 * that leads out of the stack ends there: the frames of C code may hold any value in its place.
 */
#ifndef GOTAP_BPF_STACK_H
#define GOTAP_BPF_STACK_H

#include "emit.h"

struct frame {
	__u64 bp, ret;
};

/* Two frame pointers that are farther apart than this do not belong to the same stack. */
enum { LARGEST_FRAME = 1 << 20 };

#ifdef GO_INLINE
#include "inline/frames.h"
#else

/* Returns whether @bp can be a frame pointer: 0 ends the chain, and frame pointers are aligned. */
static __always_inline bool is_frame(__u64 bp)
{
	return bp && !(bp & 7);
}

/* Go frames mostly have 32 to 100 bytes, so that a window holds two or three of them. */
enum { WINDOW = 128 };

struct window {
	__u64 base;
	__u64 words[WINDOW / 8];
};

/* Reads the frame at @bp; false if it cannot be read. */
static __always_inline bool window_frame(struct window *w, __u64 bp, struct frame *f)
{
	__u64 at = bp - w->base;

	if (!is_frame(bp))
		return false;
	if (at > WINDOW - sizeof(*f)) {
		if (bpf_probe_read_user(w->words, WINDOW, (void *)bp)) {
			/*
			 * The whole window cannot be read: the frame may be the last one before the
			 * end of a mapping.
			 */
			w->base = 0;
			return !bpf_probe_read_user(f, sizeof(*f), (void *)bp);
		}
		w->base = bp;
		at = 0;
	}
	at = (at / 8) & (WINDOW / 8 - 1);
	f->bp = w->words[at];
	f->ret = w->words[(at + 1) & (WINDOW / 8 - 1)];
	return true;
}

static __always_inline void window_open(struct window *w)
{
	w->base = 0;
}

static __always_inline bool read_frame(struct frame *f, __u64 bp)
{
	return !bpf_probe_read_user(f, sizeof(*f), (void *)bp);
}

/* A read of a frame inside the stack can fail. */
enum { FRAMES_MAY_FAIL = 1 };

/*
 * Calls @step until it returns 1. Since Linux 5.17 there is bpf_loop, with which the verifier
 * checks the step once, and not once per round. Before Linux 5.13 a program that names a function
 * for bpf_loop does not load.
 */
static __always_inline void each_frame(long (*step)(__u32, void *), void *c)
{
#ifdef OLD_KERNEL
	int i;

	for (i = 0; i < REC_MAX_FRAMES; i++)
		if (step(i, c))
			break;
#else
	bpf_loop(REC_MAX_FRAMES, step, c, 0);
#endif
}

/*
 * Keys of stacks that were sent as REC_STACK, in sets of four, each set in one cache line. A key
 * that was pushed out is sent again, which costs a record and nothing more.
 */
enum { SEEN_WAYS = 4, SEEN_SETS = 16384 };

extern __u64 seen[SEEN_SETS * SEEN_WAYS];

static __always_inline __u64 *seen_set(__u64 key)
{
	return &seen[(key & (SEEN_SETS - 1)) * SEEN_WAYS];
}

#endif

/*
 * As stack_hash_slowly(), but 0 where the kernel has no compare-and-swap in BPF, which this walk
 * needs.
 */
__u64 stack_hash(__u64 pc, __u64 second, __u64 bp, __u64 salt, __u64 end);

#if defined(ARCH_STALE_FRAMES) && !defined(GO_INLINE)
/*
 * Returns the end of the goroutine's stack that holds @bp, if frame pointers may lead out of it to
 * another stack (stale_frames); 0: they do not.
 */
__u64 stack_end(__u64 bp);
#else
static __always_inline __u64 stack_end(__u64 bp) { return 0; }
#endif

/*
 * Where a walk begins: the leaf pc, the frame pointer to the next frame, and for a goroutine that
 * was preempted in a prologue a second return address, which no frame holds yet. In a CPU sample
 * (STACK_CPU) on arm64 @second is a frame pointer instead: that of the goroutine that runs code on
 * the system stack, where frame pointers do not lead to it (go_over() in stack_walk.h).
 */
struct stack_start {
	__u64 pc, second, bp;
};

/* Returns stack_end() of the goroutine's frames in a stack of @class. */
static __always_inline __u64 stack_end_of(__u64 second, __u64 bp, __u8 class)
{
	return stack_end(class == STACK_CPU && second ? second : bp);
}

/*
 * A short stack has this bit in the salt of its hash, and STACK_KEY_SHORT in its key. stack_send()
 * then copies as many frames as were hashed, also if `stacks` has changed meanwhile.
 */
#define SALT_SHORT (1ULL << 8)

static __always_inline __u32 frames_at_most(bool is_short)
{
	return is_short && stack_depth > SHORT_STACK ? SHORT_STACK : stack_depth;
}

/*
 * Returns the key of the stack that begins at @pc. @end: stack_end_of(). A walk does not ask for it
 * itself: its frame and that of a probe leave no room for a third one on Linux 6.1.
 */
__u64 stack_hash_slowly(__u64 pc, __u64 second, __u64 bp, __u64 salt, __u64 end);
int stack_send(__u64 key, __u64 pc, __u64 second, __u64 bp, __u64 tid_skip_class);

static __always_inline bool stack_known(__u64 key)
{
	__u64 *s = seen_set(key);

	return s[0] == key || s[1] == key || s[2] == key || s[3] == key;
}

/*
 * Returns whether stacks of @class are so rare that the fast walk does not repay the time that the
 * verifier takes to check it.
 */
static __always_inline bool is_rare(__u8 class)
{
	return class == STACK_STW || class == STACK_GC || class == STACK_PROCS ||
	       class == STACK_ASSIST || class == STACK_PREEMPT;
}

static __always_inline __u64 stack_key(const struct stack_start *from, __u8 class)
{
	__u32 now = stacks;
	__u64 salt = now == STACKS_SHORT ? SALT_SHORT | class : class, key, end;

	if (!stack_depth || now == STACKS_NONE || !from->pc)
		return 0;
	end = stack_end_of(from->second, from->bp, class);
	key = is_rare(class) ? 0 : stack_hash(from->pc, from->second, from->bp, salt, end);
	return key ? key : stack_hash_slowly(from->pc, from->second, from->bp, salt, end);
}

/* Returns whether the stack @key must be sent. */
static __always_inline bool stack_is_new(__u64 key)
{
	return key && !stack_known(key);
}

/* Sends the stack @key, for which stack_is_new() returned true. */
static __always_inline void stack_define(__u64 key, const struct stack_start *from, __u32 tid,
					 __u8 class, __u16 skip)
{
	stack_send(key, from->pc, from->second, from->bp,
		   (__u64)tid << 32 | (__u32)skip << 8 | class);
}

/*
 * The order of a record and of its new stack. A BPF program runs to its end: the record goes first,
 * because the drain stops at a record that is not submitted, and because the stack's record may
 * take the ring to its next chunk. With code inside the target a thread can die between any two
 * instructions: the stack goes first, since a stack without a record does no harm, and a record
 * without its stack does.
 */
#ifdef GO_INLINE
enum { STACK_FIRST = 1 };
#else
enum { STACK_FIRST = 0 };
#endif

/*
 * Submits record @l, which has the stack @key, and sends the stack if it is new. @skip is evaluated
 * only for a new stack.
 */
#define submit_with_key(l, key, from, tid, class, skip)                 \
	do {                                                             \
		if (STACK_FIRST && stack_is_new(key))                    \
			stack_define(key, from, tid, class, skip);       \
		rec_submit(l);                                           \
		if (!STACK_FIRST && stack_is_new(key))                   \
			stack_define(key, from, tid, class, skip);       \
	} while (0)

/*
 * Completes record @l of thread @tid: stores the key of its stack and submits it. The caller has
 * filled all other words.
 */
static __always_inline void submit_with_stack(struct rec_long *l, __u32 tid,
					      const struct stack_start *from, __u8 class,
					      __u16 skip)
{
	__u64 key = stack_key(from, class);

	l->stack = key;
	submit_with_key(l, key, from, tid, class, skip);
}

#endif
