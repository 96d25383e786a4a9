/* SPDX-License-Identifier: GPL-2.0 */
/*
 * common: included by every probe file: kernel types, helpers, the record
 * ABI, the knobs and the maps. Knobs and maps are defined once, in
 * config.bpf.c and emit.bpf.c; `bpftool gen object` joins the objects.
 *
 * GO_INLINE: the same sources as code that runs inside of the target (inline/image.c). The headers
 * of bpf/inline then replace the kernel's types and helpers: vmlinux.h and bpf_helpers.h by the
 * search path, parts of this file, arch_x86.h, emit.h, gostate.h and stack.h by #ifdef.
 */
#ifndef GOTAP_BPF_COMMON_H
#define GOTAP_BPF_COMMON_H

/*
 * A knob is a constant to the verifier, but not to the compiler. In the target it is one to both.
 */
#ifdef GO_INLINE
#define KNOB_CONST const
#else
#define KNOB_CONST const volatile
#endif

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "read.h"
#include "goabi.h"
#include "gooffsets.h"
#include "record.h"
#include "rings.h"
#include "sites.h"

/* --- knobs: written by user space before the load, constants to the verifier --- */

/* Field offsets of the target's Go release. */
extern KNOB_CONST struct go_offsets off;
/* Thread group of the target; a child between fork and exec shares its text. */
extern KNOB_CONST __u32 target_tgid;
/*
 * Device and inode of the PID namespace in which that number, and the thread
 * ids of records, are meant: the target's own. 0: the machine's first one.
 */
extern KNOB_CONST __u64 target_ns_dev;
extern KNOB_CONST __u64 target_ns_ino;
/* Frames per stack, 0 to 127 (the runtime keeps 127 return addresses). 0: no walk at all. */
extern KNOB_CONST __u32 stack_depth;
/* The probes of casgstatus sit at the calls of it, not at its start. */
extern KNOB_CONST bool at_status_calls;
/*
 * Likewise for those functions that have a bit 1 << enum inline_program: `--attach inline` has
 * probes at calls.
 */
extern KNOB_CONST __u32 at_calls;
/* runtime.newproc1 assigns goid before the status change (Go 1.24+). */
extern KNOB_CONST bool goid_before_status;
/* Go 1.23+: g.syscallpc and g.syscallbp give the stack of a syscall. */
extern KNOB_CONST bool syscall_bp;
/* The kernel has bpf_task_pt_regs (5.15). */
extern KNOB_CONST bool have_task_regs;
/* Bytes from RBP inside runtime.ready to its spilled traceskip argument, 0: unknown. */
extern KNOB_CONST __s32 ready_skip_slot;
/*
 * Go 1.26+: register that holds m.p at the probe in runtime.exitsyscall (x86 number), or
 * EXITSYSCALL_P_OF_M.
 */
extern KNOB_CONST __u32 exitsyscall_p_reg;

/*
 * The register that has the sum after the addition to gcController.heapLive, where -pgo has inlined
 * that.
 */
extern KNOB_CONST __u32 heap_live_reg;
/*
 * Up to Go 1.18: memstats.heap_live and memstats.next_gc, or the fields of gcController that
 * replaced them.
 */
extern KNOB_CONST __u64 heap_live_at;
extern KNOB_CONST __u64 heap_goal_at;
/* At the probe in runtime.stackalloc: the stack's address, and its size (four bytes). */
extern KNOB_CONST struct go_operand gstack_lo;
extern KNOB_CONST struct go_operand gstack_size;

/* At the probe in runtime.mallocgc: the object's address, the bytes of its slot, and its type. */
extern KNOB_CONST struct go_operand object_addr;
extern KNOB_CONST struct go_operand object_size;
extern KNOB_CONST struct go_operand object_type;
/* Up to Go 1.23 a set of profiler labels is a map. */
extern KNOB_CONST bool labels_in_map;
/* Smaller slots are left out. */
extern KNOB_CONST __u64 object_min;
/* The program's type descriptors: an offset to a name counts from the first one. */
extern KNOB_CONST __u64 types_start;
extern KNOB_CONST __u64 types_end;

/* Go's own text, C's is outside; of a program's plugins nothing. */
extern KNOB_CONST __u64 text_start;
extern KNOB_CONST __u64 text_end;

/*
 * The return address into runtime.systemstack of a function that runs on the system
 * stack (0: not known), and the pc that systemstack leaves in g.sched.
 */
extern KNOB_CONST __u64 systemstack_return;
extern KNOB_CONST __u64 systemstack_pc;
/* The code of runtime.sigpanic (0: not known), and where runtime._panic has its arg. */
extern KNOB_CONST __u64 sigpanic_start;
extern KNOB_CONST __u64 sigpanic_end;
extern KNOB_CONST __u32 panic_arg;

/* Classes of call sites by SITE_KEY, see struct site_slot. */
extern KNOB_CONST struct site_slot site_table[SITE_SLOTS];
extern KNOB_CONST __u64 site_multiplier;

/*
 * sched_switch passes the state of the task that leaves the CPU (5.18); before, it is read from the
 * task.
 */
extern KNOB_CONST bool switch_has_state;
/* task_group.cfs_rq is an array of pointers, by CPU. */
extern KNOB_CONST bool queue_pointers;
/* --system: records of every context switch of the machine. */
extern KNOB_CONST bool every_switch;

/* Always true; see own_stack() in emit.h. */
extern KNOB_CONST bool on_own_stack;

/* --- state shared with user space while the programs run --- */

#ifdef GO_INLINE
#include "inline/state.h"
#else

/* Nothing is recorded before user space has attached everything and sets this. */
extern __u32 active;
/*
 * From the time @names_from on (CLOCK_MONOTONIC ns; all ones: never) user space knows the goid
 * of every runtime.g (Go 1.24+), so that probes may put REC_ID_TOLD for it. A lost record ends
 * that: it may have been the end of a goroutine, and its g another goroutine's by now. Each
 * loss adds to @names_lost; user space sets @names_lost_before to that count when it has read
 * all goids anew.
 */
extern __u64 names_from;
extern __u64 names_lost;
extern __u64 names_lost_before;
/* STACKS_WHOLE, SHORT or NONE: the budget is not enough for more. */
extern __u32 stacks;
/* Texts of annotations that were not in memory: their records are marked (enum rec_missing). */
extern __u64 texts_missing;
/* Threads on CPUs and off them are recorded (probe_threads.bpf.c). */
extern __u32 threads_active;
/*
 * Where records have ids of a PID namespace: the target's id in the machine's first one; all ones:
 * not known yet.
 */
extern __u32 threads_tgid;
/* When the target exec'ed another program, as records have the time; 0: it has not. */
extern __u64 exec_time;

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

/* The rings' memory; the records of one CPU are in reserve order. */
extern struct ring_chunks_map ring_chunks SEC(".maps");
extern struct ring_states_map ring_states SEC(".maps");
/* Programs to jump to: none. */
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
