/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gostate: how probes read runtime.g and runtime.m. A call of a helper costs 60 to 90 ns, for any
 * size, so that each struct is read in one piece: the fields of a g that a transition needs lie
 * within 150 bytes in every release.
 */
#ifndef GOTAP_BPF_GOSTATE_H
#define GOTAP_BPF_GOSTATE_H

#include "emit.h"
#include "stack.h"

/* The arguments of coroswitch_m, which are fields of its g: g.coroarg and g.coroexit. */
struct coro_args {
	__u64 coro;
	bool exit;
};

/* The fields of a sudog that wait_object.h needs: of a semaphore's, and of a select's case. */
struct wait_sudog {
	__u64 g, elem;
};

struct wait_case {
	__u64 c, next;
};

/* Two fields of an M: m.curg (0 while the scheduler looks for a goroutine) and m.p. */
struct m_has {
	__u64 curg, p;
};

#ifdef GO_INLINE
#include "inline/goread.h"

static __always_inline void m_read(struct m_has *h, __u64 m)
{
	h->curg = FIELD_OF_THREAD(64, m, m_curg);
	h->p = FIELD_OF_THREAD(64, m, m_p);
}
#else

/* m.p follows m.curg within 16 bytes in every release, so that one read gets both. */
static __always_inline void m_read(struct m_has *h, __u64 m)
{
	__u64 words[3] = {}, at = off.m_p - off.m_curg;

	read_user(words, sizeof(words), m + off.m_curg);
	h->curg = words[0];
	h->p = at < sizeof(words) ? words[at / 8] : read_u64(m + off.m_p);
}

/* Bytes of runtime.g from m, the word before sched.sp, to waitreason, in 8-byte words. */
enum { G_CHUNK = 152 };

struct g_chunk {
	__u64 at[G_CHUNK / 8];
};

static __always_inline void g_read(struct g_chunk *c, __u64 g)
{
	if (!read_user(c, sizeof(*c), g + off.g_m))
		__builtin_memset(c, 0, sizeof(*c));
}

/* The elem of a sudog is within its first 40 bytes in every release. */
static __always_inline struct wait_sudog read_sudog(__u64 s)
{
	__u64 words[5] = {}, at = off.sudog_elem;

	read_user(words, sizeof(words), s);
	return (struct wait_sudog){ .g = words[0],
				    .elem = at <= sizeof(words) - 8 ? words[at / 8] : 0 };
}

/* The channel of a sudog is two words after the link in every release. */
static __always_inline struct wait_case read_case(__u64 s)
{
	__u64 words[3] = {}, at = off.sudog_c - off.sudog_waitlink;

	read_user(words, sizeof(words), s + off.sudog_waitlink);
	return (struct wait_case){ .c = at <= sizeof(words) - 8 ? words[at / 8] : 0,
				   .next = words[0] };
}

/*
 * The sudog in the frame of semacquire1, if that has called gopark, of which @bp is the frame
 * pointer; else 0. One read gets the frame pointer and the return address that gopark has saved,
 * and the frame of semacquire1, which is small.
 */
static __always_inline __u64 read_sema_frame(__u64 bp)
{
	__u64 words[15] = {}, at;

	if (bpf_probe_read_user(words, sizeof(words), (void *)bp) ||
	    words[1] - sema_start >= sema_end - sema_start)
		return 0;
	at = arch_sp_above(bp, words[0]) - bp + sema_slot;
	return at <= sizeof(words) - 8 ? words[at / 8] : read_u64(bp + at);
}

/* Offsets are constants to the verifier, which checks that each field lies inside the chunk. */
#define G_FIELD(c, type, field) \
	(*(type *)((void *)(c) + (off.g_##field - off.g_m)))

/* The two fields are at most 200 bytes apart, so that one read gets both. */
static __always_inline void read_coro_args(struct coro_args *a, __u64 gp)
{
	__u64 first = off.g_coroexit & ~7, at = off.g_coroarg - first;
	__u64 words[26] = {};

	read_user(words, sizeof(words), gp + first);
	a->exit = (__u8)(words[0] >> 8 * (off.g_coroexit & 7));
	a->coro = at <= sizeof(words) - 8 ? words[at / 8] : read_u64(gp + off.g_coroarg);
}

/*
 * systemstack keeps the frame pointer of the goroutine that calls it, so that the chain of frames
 * leads from the system stack to the goroutine's stack. The start is found after one or two frames,
 * mostly with one read; the way through m.curg takes three reads.
 */
static __always_inline bool cross_systemstack(__u64 fp, struct stack_start *ret)
{
	struct window w;
	struct frame f;
	int i;

	if (!systemstack_return)
		return false;
	window_open(&w);
	for (i = 0; i < 3; i++) {
		if (!window_frame(&w, fp, &f))
			return false;
		if (f.ret == systemstack_return) {
			*ret = (struct stack_start){ .pc = systemstack_pc, .bp = f.bp };
			return true;
		}
		fp = f.bp;
	}
	return false;
}

#endif

static __always_inline __u64 g_m(__u64 g)
{
	return FIELD_OF_THREAD(64, g, g_m);
}

/* Where the stack of a goroutine begins that left it by mcall or systemstack: both fill g.sched. */
static __always_inline struct stack_start start_at_sched(struct g_chunk *c)
{
	return (struct stack_start){
		.pc = G_FIELD(c, __u64, sched_pc),
		.bp = G_FIELD(c, __u64, sched_bp),
	};
}

/*
 * The return address of the function that called morestack, which has no frame yet: on top of its
 * stack, or where morestack stores its register. SWITCH_HAS_FRAME: systemstack has a frame also up
 * to Go 1.20.
 */
#ifdef ARCH_HAS_LINK_REGISTER
/* gobuf.lr, the word before gobuf.bp in every release */
#define return_of_left(c) (*(__u64 *)((void *)(c) + (off.g_sched_bp - 8 - off.g_m)))
enum { SWITCH_HAS_FRAME = 1 };
#else
#define return_of_left(c) read_u64(G_FIELD(c, __u64, sched_sp))
enum { SWITCH_HAS_FRAME = 0 };
#endif

/*
 * As start_at_sched(), for a goroutine that was preempted in morestack: its frame pointer is still
 * the caller's, and the return address to the caller lies at sched.sp. The runtime's tracer shows
 * that caller since Go 1.25 (runtime.traceStack, "syncSafePoint"), and showed it up to 1.20, when
 * the runtime unwound by its tables of frame sizes.
 */
static __always_inline struct stack_start start_at_preempted(struct g_chunk *c, __u64 g)
{
	struct stack_start s = start_at_sched(c);
	bool in_prologue = false;

	if (off.g_sync_safe_point != GO_OFFSET_NONE)
		in_prologue = read_u8(g + off.g_sync_safe_point);
	else if (program_abi)
		in_prologue = !read_u8(g + off.g_async_safe_point);
	if (in_prologue)
		s.second = return_of_left(c);
	return s;
}

/*
 * Where the stack of @curg begins, for code on the system stack. Up to Go 1.20 systemstack has no
 * frame on amd64: the address that systemstack returns to lies at sched.sp.
 */
static __always_inline struct stack_start start_at_switch(__u64 curg)
{
	struct stack_start from;
	struct g_chunk c;

	g_read(&c, curg);
	from = start_at_sched(&c);
	if (program_abi && !SWITCH_HAS_FRAME)
		from.second = read_u64(G_FIELD(&c, __u64, sched_sp));
	return from;
}

/*
 * Where the stack of the acting goroutine begins. A probe on the scheduler's stack (g is g0) takes
 * the current goroutine of its M, or no stack if the M has no goroutine. A probe on a goroutine's
 * stack takes the frames from the probe on. Each of the two ways reads in a function of its own, so
 * that their buffers share one place on the BPF stack.
 */
static __always_inline struct stack_start start_at_actor(__u64 g, __u64 ret, __u64 fp)
{
	struct stack_start from;
	__u64 curg;

	if (cross_systemstack(fp, &from))
		return from;
	curg = FIELD_OF_THREAD(64, g_m(g), m_curg);
	if (!curg)
		return (struct stack_start){};
	if (curg == g)
		return (struct stack_start){ .pc = ret, .bp = fp };
	return start_at_switch(curg);
}

#endif
