/* SPDX-License-Identifier: GPL-2.0 */
/*
 * order, for code inside the target: the time of a record. The processor may read its time stamp
 * counter before earlier instructions are done (RDTSC in the manuals of Intel and AMD), so that a
 * time can be too early. Three orders depend on the time:
 *
 * 1. Between threads. GoStart on one CPU is later than GoUnblock on another one: the thread that
 * starts the goroutine has loaded a value that the other thread stored after its record. Without a
 * fence one in ten million records was older, by 0.8 us, than a record of another CPU that it
 * depended on. order_after_others() is an LFENCE: the processor reads the counter after all loads
 * before the fence. These loads are the runtime's own, so that the fence may come before the
 * reservation of the record, where it waits for less. The other direction needs no fence: a store
 * becomes visible to other CPUs after the instructions before it have retired.
 *
 * A record needs no fence if each record that it must follow is of the same thread
 * (rec_begin_own()): the thread has owned the goroutine and the P since an earlier record of its
 * own, which had the fence, and no other thread makes records of them. These are GoBlock, GoStop
 * and GoDestroy, the begin of a syscall, and from Go 1.26 on the end of a syscall in which no
 * thread took the P. Up to Go 1.25 a thread can get its P back after another thread has used it, so
 * that the end of a syscall needs the fence. The fence costs 10 to 14 ns a record.
 *
 * 2. Within a thread. rec_time() returns more than the time of the last record of the same M, which
 * it loads from memory: a load returns the last store of its own thread, on whichever CPU that ran.
 * Between a record of a uprobe and one of this code the thread was in the kernel and has come back,
 * by IRET, which serializes, or after more instructions than a processor has under way. Ms beyond
 * INLINE_MS have no place for a time: their records wait for all earlier instructions.
 *
 * 3. The watermark (user/stream/chunk.h). A record that gotap does not find at time t must not be
 * older than t; its reservation becomes visible after t. RDTSC comes after the reservation in the
 * program, but may be executed before it. How long before has a bound: an interrupt, a fault, an
 * exit to the hypervisor and a system management interrupt discard instructions that were executed
 * and have not retired, and RDTSC is then executed again. So both are executed within one run of
 * the pipeline without such an event. gotap takes a slack off the watermark
 * (user/rings/inline_rings.c).
 */
#ifndef GOTAP_BPF_INLINE_ORDER_H
#define GOTAP_BPF_INLINE_ORDER_H

/* All loads that precede it in the program are done before later instructions are executed. */
static __always_inline void order_after_others(void)
{
	__asm__ volatile("lfence");
}

static __always_inline __u64 counter(void)
{
	__u32 low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (__u64)high << 32 | low;
}

/* The place of the current M; NULL: it has none. */
static __always_inline struct inline_m *order_of_m(void)
{
	__u64 id = FIELD_OF_THREAD(64, FIELD_OF_THREAD(64, arch_g(0), g_m), m_id);
	struct inline_m *ms = (void *)((__u64)shared + LAYOUT(ms));

	return id < INLINE_MS ? &ms[id] : 0;
}

/* Returns the time for a record that is reserved. */
static __always_inline __u64 rec_time(void)
{
	/*
	 * More than a processor can be ahead, in ticks: 0.8 ms at 5 GHz. A last time beyond that is
	 * of before a suspend, which sets the counter to 0, or no time at all.
	 */
	enum { AHEAD = 1 << 22 };
	struct inline_m *m = order_of_m();
	__u64 now, last;

	if (!m)
		return bpf_ktime_get_ns();
	now = counter();
	last = m->last;
	if (last - now < AHEAD)
		now = last + 1;
	m->last = now;
	return now;
}

#endif
