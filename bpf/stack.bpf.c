// SPDX-License-Identifier: GPL-2.0
/*
 * stack: see stack.h. Both functions are global, so that the verifier checks
 * each of them once and not at every call.
 */
#include "emit.h"
#include "stack.h"

__u64 seen[SEEN_SETS * SEEN_WAYS] = {};

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

__noinline __u64 stack_hash(__u64 pc, __u64 second, __u64 bp, __u64 salt)
{
	__u64 h = mix(salt, pc);
	struct window w;
	struct frame f;
	__u32 n = 1;
	int i;

	w.base = 0;
	if (second) {
		h = mix(h, second);
		n++;
	}
	for (i = 0; i < REC_MAX_FRAMES; i++) {
		if (n >= stack_depth || !window_frame(&w, bp, &f))
			break;
		h = mix(h, f.ret);
		bp = f.bp;
		n++;
	}
	/* bit 63 is user space's: a stack of one function entry */
	h &= ~(1ULL << 63);
	return h ? h : 1;
}

static __always_inline __u32 count_frames(__u64 second, __u64 bp)
{
	__u32 n = second ? 2 : 1;
	int i;

	for (i = 0; i < REC_MAX_FRAMES; i++) {
		if (!is_frame(bp) || n >= stack_depth)
			break;
		if (bpf_probe_read_user(&bp, sizeof(bp), (void *)bp))
			break;
		n++;
	}
	return n;
}

/* Sends the stack in a record with room for @room frames; false when the ring is full. */
static __always_inline bool send_sized(__u64 key, __u64 pc, __u64 second, __u64 bp,
				       __u64 tid_skip_class, const __u32 room)
{
	struct rec_stack *s = ring_reserve(sizeof(*s) + 8 * (__u64)room);
	struct frame f;
	__u32 i, n = 1;

	if (!s)
		return false;
	rec_fill(&s->r, tid_skip_class >> 32, REC_STACK, (__u8)tid_skip_class);
	s->r.flags = (__u16)(tid_skip_class >> 8);
	s->r.id = key;
	s->r.ptr = 0;
	s->pcs[0] = pc;
	if (second)
		s->pcs[n++] = second;
	for (i = 0; i < room; i++) {
		if (!is_frame(bp) || n >= room || n >= stack_depth)
			break;
		if (bpf_probe_read_user(&f, sizeof(f), (void *)bp))
			break;
		s->pcs[n++] = f.ret;
		bp = f.bp;
	}
	s->n = n;
	rec_submit(s);
	return true;
}

__noinline int stack_send(__u64 key, __u64 pc, __u64 second, __u64 bp, __u64 tid_skip_class)
{
	__u32 n = count_frames(second, bp);
	bool sent;

	if (n <= 8)
		sent = send_sized(key, pc, second, bp, tid_skip_class, 8);
	else if (n <= 16)
		sent = send_sized(key, pc, second, bp, tid_skip_class, 16);
	else if (n <= 32)
		sent = send_sized(key, pc, second, bp, tid_skip_class, 32);
	else if (n <= 64)
		sent = send_sized(key, pc, second, bp, tid_skip_class, 64);
	else
		sent = send_sized(key, pc, second, bp, tid_skip_class, REC_MAX_FRAMES);
	/* Only now: who finds the key seen may rely on the record being in its ring. */
	if (sent)
		seen_add(key);
	return sent;
}
