/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sweeping: the sweep that a thread is in, for the programs of probe_sweep.bpf.c, which are
 * compiled twice (old.bpf.c) and share one map.
 */
#ifndef GOTAP_BPF_SWEEPING_H
#define GOTAP_BPF_SWEEPING_H

#include "common.h"

/*
 * The sweep that a thread is in. The thread id is enough to find it: the runtime does not preempt a
 * goroutine that sweeps (mspan.sweep throws if its M is not locked), so that the goroutine keeps
 * its thread.
 */
struct sweeping {
	__u64 span;
	__u16 allocated;	/* mspan.allocCount before the sweep */
	__u8 place;		/* enum rec_sweep; 0: no span since the last sweep_call() */
	/* reclaimChunk got as far as sweep_looked(), so that its result counts */
	__u8 valid;
};

struct sweeps_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct sweeping);
};

/* Thread id -> its sweep; defined in emit.bpf.c. */
extern struct sweeps_map sweeps SEC(".maps");

#endif
