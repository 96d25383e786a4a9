/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread, for code inside the target: the part of emit.h that asks for the thread. The code runs
 * only on threads of the target, and stub.S has already asked whether the hit may make a record.
 */
#ifndef GOTAP_BPF_INLINE_THREAD_H
#define GOTAP_BPF_INLINE_THREAD_H

/*
 * The thread id in the target's own PID namespace, from the M. An M has no id while it exits
 * (runtime.mexit), and the first M has none before it runs.
 */
static __always_inline __u64 current_ids(void)
{
	__u64 m = FIELD_OF_THREAD(64, arch_g(0), g_m);
	__u32 tid = FIELD_OF_THREAD(64, m, m_procid);

	return tid || FIELD_OF_THREAD(64, m, m_id) ? tid : target_tgid;
}

/* Notes that this thread takes @p. */
static __always_inline void thread_takes(__u64 pid_tgid, __u64 p)
{
	__u32 i = read_u32(p + off.p_id);

	if (i < INLINE_PS)
		shared->owners[i] = (__u32)pid_tgid;
}

/*
 * Returns the id of the thread that releases @p: its own id or, if its M has no id any more, the id
 * that thread_takes() noted.
 */
static __always_inline __u64 thread_of(__u64 pid_tgid, __u64 p)
{
	__u32 i = read_u32(p + off.p_id);

	return (__u32)pid_tgid || i >= INLINE_PS ? pid_tgid : shared->owners[i];
}

register __u64 stack_pointer __asm__("rsp");

/*
 * Returns whether the stack that stub.S has chosen has room for the rest of the program. The system
 * stack nearly always has. If it has no room, the program makes no record and counts it as lost,
 * because it must not write below the stack.
 */
static __always_inline bool has_room(void)
{
	enum { DEEPEST = 1024 };	/* MOST in tools/inline-check */
	__u64 g = arch_g(0), m = FIELD_OF_THREAD(64, g, g_m);

	if (FIELD_OF_THREAD(64, m, m_curg) == g)
		g = FIELD_OF_THREAD(64, m, m_g0);
	return stack_pointer - FIELD_OF_THREAD(64, g, g_stack_lo) >= DEEPEST;
}

static __always_inline bool is_target(__u64 pid_tgid)
{
	ring_of_hit = ring_state_at(bpf_get_smp_processor_id());
	if (!ring_of_hit)
		return false;
	ring_of_hit->hits++;
	if (has_room())
		return true;
	count_lost(ring_of_hit);
	return false;
}

#endif
