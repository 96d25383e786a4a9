/* SPDX-License-Identifier: GPL-2.0 */
/* thread, for code inside the target: it only runs on threads of the target, and stub.S has asked whether it may record. */
#ifndef GOTAP_BPF_INLINE_THREAD_H
#define GOTAP_BPF_INLINE_THREAD_H

/* The thread id, as the M knows it, in the target's own namespace; only the first M does not until it runs. */
static __always_inline __u64 current_ids(void)
{
	__u32 tid = read_u64(read_u64(arch_g(0) + off.g_m) + off.m_procid);

	return tid ? tid : target_tgid;
}

static __always_inline bool is_target(__u64 pid_tgid)
{
	ring_of_hit = ring_state_at(bpf_get_smp_processor_id());
	if (!ring_of_hit)
		return false;
	ring_of_hit->hits++;
	return true;
}

#endif
