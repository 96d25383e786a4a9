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

#include "read.h"
#include "goabi.h"
#include "gooffsets.h"
#include "record.h"
#include "rings.h"
#include "sites.h"

/* --- knobs: written by user space before the load, constants to the verifier --- */

/* Field offsets of the target's Go release. */
extern KNOB_CONST struct go_offsets off;
/*
 * Thread group of the target. The kernel also runs a uprobe in a child of the target that has
 * forked and not yet exec'ed, because the child has the same text: the probe makes no record there.
 */
extern KNOB_CONST __u32 target_tgid;
/*
 * Device and inode of the PID namespace that target_tgid and the thread ids of records belong to:
 * the target's own. 0: the initial namespace.
 */
extern KNOB_CONST __u64 target_ns_dev;
extern KNOB_CONST __u64 target_ns_ino;
/* Frames per stack, 0 to 127 (the runtime keeps 127 return addresses). 0: no walk at all. */
extern KNOB_CONST __u32 stack_depth;
/* The probes of casgstatus sit at its calls, not at its start. */
extern KNOB_CONST bool at_status_calls;
/*
 * Bit 1 << enum inline_program: the probes of this function sit at its calls, not at its start.
 * `--attach inline` places probes at calls.
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
 * x86 number of the register that holds the sum after the addition to gcController.heapLive, at the
 * places where -pgo has inlined the addition.
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
/* The runtime keeps a set of profiler labels as a map (up to Go 1.23). */
extern KNOB_CONST bool labels_in_map;
/* Objects in slots of fewer bytes get no record. */
extern KNOB_CONST __u64 object_min;
/* Addresses of the program's type descriptors. An offset to a name counts from types_start. */
extern KNOB_CONST __u64 types_start;
extern KNOB_CONST __u64 types_end;

/* Text of the Go program, without C's and without the text of its plugins. */
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

/* Classes of call sites, hashed by SITE_KEY (struct site_slot). */
extern KNOB_CONST struct site_slot site_table[SITE_SLOTS];
extern KNOB_CONST __u64 site_multiplier;

/*
 * sched_switch passes the state of the task that leaves the CPU (Linux 5.18). Up to 5.17 a program
 * reads the state from the task.
 */
extern KNOB_CONST bool switch_has_state;
/* task_group.cfs_rq is an array of pointers, by CPU. */
extern KNOB_CONST bool queue_pointers;
/* --system: records of every context switch of the machine. */
extern KNOB_CONST bool every_switch;

/* Always true; own_stack() in emit.h says why. */
extern KNOB_CONST bool on_own_stack;

/* --- state shared with user space while the programs run --- */

#ifdef GO_INLINE
#include "inline/state.h"
#else

/* 0 until user space has attached all probes and sets it; until then no probe makes a record. */
extern __u32 active;
/*
 * From the time @names_from on (CLOCK_MONOTONIC ns; all ones: never) user space knows the goid of
 * every runtime.g (Go 1.24+). A probe may then put REC_ID_TOLD in place of the goid. A lost record
 * ends this: the record may have been the end of a goroutine, and the runtime may have given its g
 * to another one. Each loss adds to @names_lost; user space sets @names_lost_before to that count
 * when it has read all goids anew.
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
/* User space wants records of threads on CPUs and off them (probe_threads.bpf.c). */
extern __u32 threads_active;
/*
 * The target's id in the initial PID namespace, if records have ids of another one. All ones: not
 * known yet.
 */
extern __u32 threads_tgid;
/* When the target exec'ed another program, on the clock of records; 0: it has not. */
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
