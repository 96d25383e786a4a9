/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack: return addresses by frame pointers, the way the runtime's own tracer
 * walks (runtime.fpTracebackPCs, Go 1.21+): the leaf pc is known, then each
 * frame pointer gives the next return address one word above it, until it is
 * 0. A record carries only a 64-bit key of the stack; the addresses travel
 * once per distinct stack.
 *
 * The walk hashes as it goes, and is made once more, into the ring, for a new
 * stack.
 *
 * A page of the stack that is not in memory cuts the walk short: its key is then marked
 * (STACK_KEY_CUT), and user space gets the address, to bring the page in. A chain that leads
 * out of the stack, as it does through C's frames, may end in anything: that is its end.
 */
#ifndef GOTAP_BPF_STACK_H
#define GOTAP_BPF_STACK_H

#include "emit.h"

struct frame {
	__u64 bp, ret;
};

/* Two frame pointers that are farther apart are not of the same stack. */
enum { LARGEST_FRAME = 1 << 20 };

#ifdef GO_INLINE
#include "inline/frames.h"
#else

/* The chain ends with 0; anything that is not aligned never was a frame pointer. */
static __always_inline bool is_frame(__u64 bp)
{
	return bp && !(bp & 7);
}

/* Go frames are mostly 32 to 100 bytes, so a window holds two or three links of the chain. */
enum { WINDOW = 128 };

struct window {
	__u64 base;
	__u64 words[WINDOW / 8];
};

/* The frame at @bp; false where the chain leaves readable memory. */
static __always_inline bool window_frame(struct window *w, __u64 bp, struct frame *f)
{
	__u64 at = bp - w->base;

	if (!is_frame(bp))
		return false;
	if (at > WINDOW - sizeof(*f)) {
		if (bpf_probe_read_user(w->words, WINDOW, (void *)bp)) {
			/* The last frames before the end of a mapping. */
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

/* Can a frame of the stack itself not be read? */
enum { FRAMES_MAY_FAIL = 1 };

/*
 * Calls @step until it returns 1. Since Linux 5.17 there is bpf_loop: the verifier checks its
 * step once, and not once per round. To name a function for it is an error before 5.13.
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
 * Keys of stacks that were sent as REC_STACK: sets of four in one cache line. A key that
 * was pushed out is sent again, which costs a record and nothing else.
 */
enum { SEEN_WAYS = 4, SEEN_SETS = 16384 };

extern __u64 seen[SEEN_SETS * SEEN_WAYS];

static __always_inline __u64 *seen_set(__u64 key)
{
	return &seen[(key & (SEEN_SETS - 1)) * SEEN_WAYS];
}

#endif

/* As stack_hash_slowly(), but 0 where only the slow way is free. */
__u64 stack_hash(__u64 pc, __u64 second, __u64 bp, __u64 salt);

/*
 * Where a walk begins: the leaf pc, the frame pointer behind it, and in one
 * case (preempted in a prologue) a return address that no frame holds yet.
 */
struct stack_start {
	__u64 pc, second, bp;
};

/*
 * A short stack has this bit in the salt of its hash, and STACK_KEY_SHORT in its key, so that
 * stack_send() copies as many frames as were hashed, whatever `stacks` has become by then.
 */
#define SALT_SHORT (1ULL << 8)

static __always_inline __u32 frames_at_most(bool is_short)
{
	return is_short && stack_depth > SHORT_STACK ? SHORT_STACK : stack_depth;
}

/* The key of the stack that begins there. */
__u64 stack_hash_slowly(__u64 pc, __u64 second, __u64 bp, __u64 salt);
int stack_send(__u64 key, __u64 pc, __u64 second, __u64 bp, __u64 tid_skip_class);

static __always_inline bool stack_known(__u64 key)
{
	__u64 *s = seen_set(key);

	return s[0] == key || s[1] == key || s[2] == key || s[3] == key;
}

/* This case is so rare that the fast walk is not worth the time that its verification takes. */
static __always_inline bool is_rare(__u8 class)
{
	return class == STACK_STW || class == STACK_GC || class == STACK_PROCS ||
	       class == STACK_ASSIST || class == STACK_PREEMPT;
}

static __always_inline __u64 stack_key(const struct stack_start *from, __u8 class)
{
	__u32 now = stacks;
	__u64 salt = now == STACKS_SHORT ? SALT_SHORT | class : class, key;

	if (!stack_depth || now == STACKS_NONE || !from->pc)
		return 0;
	key = is_rare(class) ? 0 : stack_hash(from->pc, from->second, from->bp, salt);
	return key ? key : stack_hash_slowly(from->pc, from->second, from->bp, salt);
}

/* Must the stack @key be sent? */
static __always_inline bool stack_is_new(__u64 key)
{
	return key && !stack_known(key);
}

/* Sends the stack @key, which stack_is_new() found. */
static __always_inline void stack_define(__u64 key, const struct stack_start *from, __u32 tid,
					 __u8 class, __u16 skip)
{
	stack_send(key, from->pc, from->second, from->bp,
		   (__u64)tid << 32 | (__u32)skip << 8 | class);
}

/*
 * A BPF program runs to its end. There the record goes first, because the drain stops at a record
 * that is not submitted, and to reserve the stack's record may take the ring to its next chunk. A
 * thread of the target can die with its program between any two instructions. There the stack goes
 * first: a stack that no record refers to does no harm.
 */
#ifdef GO_INLINE
enum { STACK_FIRST = 1 };
#else
enum { STACK_FIRST = 0 };
#endif

/*
 * Submits record @l, which has the stack @key, and sends the stack if it is new. @skip is evaluated
 * only then.
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
 * Completes record @l of thread @tid: the caller has filled all words but the stack's. Stores the
 * stack's key and submits the record.
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
