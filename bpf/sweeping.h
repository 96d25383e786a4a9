/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sweeping: the sweep that a thread is in, for the programs of probe_sweep.bpf.c and their old
 * forms.
 */
#ifndef GOTAP_BPF_SWEEPING_H
#define GOTAP_BPF_SWEEPING_H

#include "common.h"

/* It is never preempted there. */
struct sweeping {
	__u64 span;
	__u16 allocated;	/* mspan.allocCount before */
	__u8 place;		/* enum rec_sweep, 0: nothing since the last call */
	__u8 valid;		/* reclaimChunk got as far as to trace */
};

struct sweeps_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct sweeping);
};

/* By thread; defined in emit.bpf.c. */
extern struct sweeps_map sweeps SEC(".maps");

#endif
