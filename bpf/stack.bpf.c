// SPDX-License-Identifier: GPL-2.0
/*
 * stack: the fast walk of stack.h, and the memory of all walks. Its functions are global, so that
 * the verifier checks each of them once and not at every call.
 */
#include "stack_walk.h"

#include "arch_saved.h"

__u64 seen[SEEN_SETS * SEEN_WAYS] = {};

#ifdef ARCH_STALE_FRAMES
__noinline __u64 stack_end(__u64 bp)
{
	__u64 m, gp, lo, hi;

	if (!stale_frames)
		return 0;
	m = peek_u64(arch_saved_g() + off.g_m);
	gp = m ? peek_u64(m + off.m_curg) : 0;
	if (!gp)
		return 0;
	lo = peek_u64(gp + off.g_stack_lo);
	hi = peek_u64(gp + off.g_stack_hi);
	return bp >= lo && bp < hi ? hi : 0;
}
#endif

/*
 * Bytes that the fast walk reads at once: the price of a read is the call, hardly its length. The
 * walk takes the goroutine's stack up to the end of a page, since the next page may not be mapped.
 * With pieces of 1 KiB syscall_enter took a fifth longer under a server (caddy) with frames of
 * hundreds of bytes, and with 512 bytes longer still; ping-pong, with short stacks, showed no
 * difference.
 *
 * There is one piece per CPU. A program can be preempted by another one on its CPU, which finds the
 * piece taken and walks with its own window.
 */
enum { PIECE = 4096 };

struct piece {
	__u64 taken;
	/*
	 * The address that @words were read from, and where in @words the last whole frame may lie.
	 * They are here and not in variables, because the verifier would track the values of
	 * variables.
	 */
	__u64 base, last;
	__u64 words[PIECE / 8];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RING_CPUS);
	__type(key, __u32);
	__type(value, struct piece);
} pieces SEC(".maps");

#ifdef OLD_KERNEL

/*
 * A program takes a piece by compare-and-swap, which BPF has since Linux 5.12; before, there is
 * only the slow walk.
 */
__noinline __u64 stack_hash(__u64 pc, __u64 second, __u64 bp, __u64 salt, __u64 end)
{
	return 0;
}

#else

/*
 * Fills the piece of @cpu from @bp on; 0 if there is nothing to read. The function is global, so
 * that the verifier checks it once, not once per frame.
 */
__noinline int piece_fill(__u32 cpu, __u64 bp)
{
	struct piece *p = bpf_map_lookup_elem(&pieces, &cpu);
	__u64 n = 4096 - (bp & 4095);

	if (n < sizeof(struct frame))
		n = sizeof(struct frame);
	if (!p || bpf_probe_read_user(p->words, n, (void *)bp))
		return 0;
	p->base = bp;
	p->last = n - sizeof(struct frame);
	return 1;
}

struct piece_walk {
	struct hash to;
	__u64 salt;
	struct piece *piece;
	__u32 cpu;
};

static long piece_step(__u32 i, void *ctx)
{
	struct piece_walk *c = ctx;
	struct piece *p = c->piece;
	__u64 at;

	if (c->to.first + i >= c->to.most || !is_frame(c->to.bp))
		return 1;
	if (c->to.bp - p->base > p->last && !piece_fill(c->cpu, c->to.bp)) {
		hash_unreadable(&c->to, c->salt);
		return 1;
	}
	at = (c->to.bp - p->base) / 8 & (PIECE / 8 - 1);
	hash_frame(&c->to, p->words[(at + 1) & (PIECE / 8 - 1)], p->words[at]);
	return 0;
}

/*
 * Takes the first frames, with which most stacks end: without a call for each frame, as bpf_loop
 * makes, they take half the time.
 */
static __always_inline void piece_steps(struct piece_walk *c)
{
	enum { FIRST = 12 };
	int i;

	for (i = 0; i < FIRST; i++)
		if (piece_step(i, c))
			return;
	c->to.first += FIRST;
	each_frame(piece_step, c);
}

__noinline __u64 stack_hash(__u64 pc, __u64 second, __u64 bp, __u64 salt, __u64 end)
{
	struct piece_walk c = {
		.to = hash_begin(pc, second, bp, salt, end),
		.salt = salt,
		.cpu = bpf_get_smp_processor_id(),
	};

	c.piece = bpf_map_lookup_elem(&pieces, &c.cpu);
	if (!c.piece || __sync_val_compare_and_swap(&c.piece->taken, 0, 1))
		return 0;
	c.piece->base = c.piece->last = 0;
	piece_steps(&c);
	barrier();
	c.piece->taken = 0;
	return hash_end(&c.to, salt);
}

#endif
