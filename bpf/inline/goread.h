/* SPDX-License-Identifier: GPL-2.0 */
/*
 * goread, for code inside the target: reads the fields of gostate.h one by one, where BPF reads
 * them in large pieces.
 */
#ifndef GOTAP_BPF_INLINE_GOREAD_H
#define GOTAP_BPF_INLINE_GOREAD_H

struct g_chunk {
	__u64 g;
};

static __always_inline void g_read(struct g_chunk *c, __u64 g)
{
	c->g = g;
}

#define G_FIELD_u8 8
#define G_FIELD___u8 8
#define G_FIELD___u64 64
#define G_FIELD(c, type, field) G_FIELD_BITS(G_FIELD_##type, (c)->g, g_##field)
#define G_FIELD_BITS(bits, g, member) FIELD(bits, g, member)

static __always_inline struct wait_sudog read_sudog(__u64 s)
{
	return (struct wait_sudog){ .g = FIELD(64, s, sudog_g), .elem = FIELD(64, s, sudog_elem) };
}

static __always_inline struct wait_case read_case(__u64 s)
{
	return (struct wait_case){ .c = FIELD(64, s, sudog_c),
				   .next = FIELD(64, s, sudog_waitlink) };
}

static __always_inline __u64 read_sema_frame(__u64 bp)
{
	return read_u64(bp + 8) - sema_start < sema_end - sema_start ?
	       read_u64(arch_caller_sp(bp) + sema_slot) : 0;
}

static __always_inline void read_coro_args(struct coro_args *a, __u64 gp)
{
	a->exit = read_u8(gp + off.g_coroexit);
	a->coro = read_u64(gp + off.g_coroarg);
}

/* The way through m.curg leads to the same frames, and costs no helper call here. */
static __always_inline bool cross_systemstack(__u64 fp, struct stack_start *ret)
{
	return false;
}

#endif
