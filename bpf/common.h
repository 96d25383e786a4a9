/* SPDX-License-Identifier: GPL-2.0 */
/*
 * common: the part that every probe file includes: kernel types, helpers, the record ABI, the knobs
 * and the maps. config.bpf.c defines the knobs and emit.bpf.c the maps, each once; `bpftool gen
 * object` links the objects.
 *
 * GO_INLINE: the same sources, compiled as code that runs inside the target (inline/image.c). The
 * headers of bpf/inline then replace the kernel's types and helpers: vmlinux.h and bpf_helpers.h by
 * the search path, parts of common.h, arch_x86.h, emit.h, gostate.h and stack.h by #ifdef.
 */
#ifndef GOTAP_BPF_COMMON_H
#define GOTAP_BPF_COMMON_H

/*
 * User space sets a knob before the load. A knob is then a constant to the verifier, but not to the
 * compiler of a BPF program. To code inside the target a knob is a plain constant.
 */
#ifdef GO_INLINE
#define KNOB_CONST const
#else
#define KNOB_CONST const volatile
#endif

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "gooffsets.h"
#include "grpc.h"
#include "http.h"
#include "record.h"
#include "rings.h"
#include "sites.h"
#include "waits.h"

/* User space sets the knobs before the load; knobs.def explains each. */
#define KNOB(code, type, name, initial) extern KNOB_CONST __typeof__(type) name;
#include "knobs.def"

#include "read.h"
#include "goabi.h"

/* --- state shared with user space while the programs run --- */

#ifdef GO_INLINE
#include "inline/state.h"
#else

/* User space sets it once all probes are attached; until then no probe makes a record. */
extern __u32 active;
/*
 * User space has read the goid of every runtime.g by the time @names_from (CLOCK_MONOTONIC ns; all
 * ones: it has not; Go 1.24+). From then on a probe may put REC_ID_TOLD in place of the goid, until
 * a record is lost: that record may have been the end of a goroutine, and the runtime may have
 * given its g to another one. Each loss adds to @names_lost. When user space has read all goids
 * anew, it sets @names_lost_before to the count of losses from before the reading.
 */
extern __u64 names_from;
extern __u64 names_lost;
extern __u64 names_lost_before;
/* What the budget for probes allows: STACKS_WHOLE, STACKS_SHORT or STACKS_NONE. */
extern __u32 stacks;
/*
 * Count of annotations' texts that were not in memory. Their records are marked (enum rec_missing).
 */
extern __u64 texts_missing;
/* User space sets it: the programs of probe_threads.bpf.c then make records. */
extern __u32 threads_active;
/*
 * The target's id in the initial PID namespace, if records have ids of another one. All ones: not
 * known yet.
 */
extern __u32 threads_tgid;
/* The time at which the target exec'ed another program, on the clock of records; 0: it has not. */
extern __u64 exec_time;
/* The time at which the OOM killer chose the target, on the same clock; 0: it has not. */
extern __u64 oom_time;

enum { BPF_F_MMAPABLE = 1U << 10 };	/* linux/bpf.h */
enum { RESERVE_TRIES = 4 };		/* ring.h */

struct ring_chunk {
	__u8 bytes[RING_CHUNK];
};

struct ring_chunks_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct ring_chunk);
};

struct ring_states_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RING_STATES);
	__type(key, __u32);
	__type(value, struct ring_state);
};

struct nowhere_map {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
};

/* The rings' memory. In each ring the records are in the order in which probes reserved them. */
extern struct ring_chunks_map ring_chunks SEC(".maps");
extern struct ring_states_map ring_states SEC(".maps");
/* An empty array of programs, for a tail call that never happens (own_stack() in emit.h). */
extern struct nowhere_map nowhere SEC(".maps");

static __always_inline struct ring_state *ring_state_at(__u32 i)
{
	return bpf_map_lookup_elem(&ring_states, &i);
}

static __always_inline void *ring_chunk_at(__u32 i)
{
	return bpf_map_lookup_elem(&ring_chunks, &i);
}

#endif

#endif
