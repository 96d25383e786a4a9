/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gooffsets: where the fields that gotap reads lie inside the structs of the Go runtime. It is one
 * struct of byte offsets. User space (target/offsets) fills it from DWARF or from the table by
 * release, and gives it to the BPF programs as read-only data. Both sides compile this header.
 *
 * GO_OFFSET_NONE marks a field that the release does not have.
 */
#ifndef GOTAP_GOOFFSETS_H
#define GOTAP_GOOFFSETS_H

#define GO_OFFSET_NONE 0xffffffffU

/*
 * How functions are called, and where probes sit in them. bpf/goabi.h describes each of the three.
 */
enum go_abi {
	GO_ABI_PUSH = 0,	/* Go 1.21 and later */
	GO_ABI_CHECK = 1,	/* Go 1.17 to 1.20 */
	GO_ABI_STACK = 2,	/* up to Go 1.16, on arm64 up to 1.17 */
};

/*
 * F(member, "runtime type", "field path", since minor): one row per field. `since` is the first Go
 * minor release (1.NN) that must have the field. From that release on a missing field is an error.
 * Before it a missing field is GO_OFFSET_NONE. 99: no release must have the field. A path may list
 * the names that the field has had, as "new|old".
 */
#define GO_OFFSETS(F) \
	F(g_stack_lo,        "runtime.g", "stack.lo", 15) \
	F(g_stack_hi,        "runtime.g", "stack.hi", 15) \
	F(g_m,               "runtime.g", "m", 15) \
	F(g_sched_sp,        "runtime.g", "sched.sp", 15) \
	F(g_sched_pc,        "runtime.g", "sched.pc", 15) \
	F(g_sched_g,         "runtime.g", "sched.g", 15) \
	F(g_sched_bp,        "runtime.g", "sched.bp", 15) \
	F(g_syscallsp,       "runtime.g", "syscallsp", 15) \
	F(g_syscallpc,       "runtime.g", "syscallpc", 15) \
	F(g_syscallbp,       "runtime.g", "syscallbp", 23) \
	F(g_atomicstatus,    "runtime.g", "atomicstatus", 15) \
	F(g_goid,            "runtime.g", "goid", 15) \
	F(g_schedlink,       "runtime.g", "schedlink", 15) \
	F(g_waitreason,      "runtime.g", "waitreason", 15) \
	F(g_waitsince,       "runtime.g", "waitsince", 15) \
	F(g_tracking_seq,    "runtime.g", "trackingSeq", 17) \
	F(g_labels,          "runtime.g", "labels", 15) \
	F(g_waiting,         "runtime.g", "waiting", 15) \
	F(g_bubble,          "runtime.g", "bubble", 99) /* read by `gotap stacks` only */ \
	F(g_in_mark_assist,  "runtime.g", "inMarkAssist", 22) \
	F(g_coroexit,        "runtime.g", "coroexit", 22) \
	F(g_coroarg,         "runtime.g", "coroarg", 22) \
	F(g_sync_safe_point, "runtime.g", "syncSafePoint", 25) \
	F(g_async_safe_point, "runtime.g", "asyncSafePoint", 15) \
	F(g_lockedm,         "runtime.g", "lockedm", 15) \
	F(g_parent_goid,     "runtime.g", "parentGoid", 21) \
	F(g_gopc,            "runtime.g", "gopc", 15) \
	F(g_startpc,         "runtime.g", "startpc", 15) \
	F(bubble_id,         "runtime.synctestBubble", "id", 99) /* read by `gotap stacks` only */ \
	F(m_g0,              "runtime.m", "g0", 15) \
	F(m_procid,          "runtime.m", "procid", 15) \
	F(m_curg,            "runtime.m", "curg", 15) \
	F(m_p,               "runtime.m", "p", 15) \
	F(m_oldp,            "runtime.m", "oldp", 15) \
	F(m_id,              "runtime.m", "id", 15) \
	F(m_preemptoff,      "runtime.m", "preemptoff", 15) \
	F(m_isextra,         "runtime.m", "isextra", 21) \
	F(m_alllink,         "runtime.m", "alllink", 15) \
	F(m_ncgo,            "runtime.m", "ncgo", 15) \
	F(m_waitlock,        "runtime.m", "waitlock", 15) \
	F(m_wait_trace_skip, "runtime.m", "waitTraceSkip|waittraceskip", 15) \
	F(m_wait_trace_reason, "runtime.m", "waitTraceBlockReason|waittraceev", 15) \
	F(m_syscalltick,     "runtime.m", "syscalltick", 15) \
	F(m_vdso_sp,         "runtime.m", "vdsoSP", 99) /* read for CPU samples only */ \
	F(m_vdso_pc,         "runtime.m", "vdsoPC", 99) /* read for CPU samples only */ \
	F(p_id,              "runtime.p", "id", 15) \
	F(p_status,          "runtime.p", "status", 15) \
	F(p_syscalltick,     "runtime.p", "syscalltick", 15) \
	F(p_m,               "runtime.p", "m", 15) \
	F(p_goidcache,       "runtime.p", "goidcache", 15) \
	F(p_gc_mark_worker_mode, "runtime.p", "gcMarkWorkerMode", 15) \
	F(p_gc_bg_worker,    "runtime.p", "gcBgMarkWorker", 99) /* up to Go 1.15 */ \
	/* \
	 * Only to find the object of a wait (waits.h). For 1.16, 1.17, 1.18 and 1.20, without a \
	 * compiler to read, the rows have the offsets of the releases beside; poll_* are unknown. \
	 */ \
	F(sudog_g,           "runtime.sudog", "g", 99) \
	F(sudog_elem,        "runtime.sudog", "elem.vu|elem", 99) \
	F(sudog_waitlink,    "runtime.sudog", "waitlink", 99) \
	F(sudog_c,           "runtime.sudog", "c.vu|c", 99) \
	F(hchan_dataqsiz,    "runtime.hchan", "dataqsiz", 99) \
	F(hchan_lock,        "runtime.hchan", "lock", 99) \
	F(poll_fd,           "runtime.pollDesc", "fd", 99) \
	F(poll_rg,           "runtime.pollDesc", "rg", 99) \
	F(poll_wg,           "runtime.pollDesc", "wg", 99) \
	F(mheap_allspans,    "runtime.mheap", "allspans", 99) /* for memory snapshots */ \
	F(mheap_ranges,      "runtime.mheap", "pages.inUse.ranges", 99) /* for memory snapshots */ \
	F(mspan_start,       "runtime.mspan", "startAddr", 15) \
	F(mspan_spanclass,   "runtime.mspan", "spanclass", 15) \
	F(mspan_state,       "runtime.mspan", "state", 15) \
	F(mspan_npages,      "runtime.mspan", "npages", 15) \
	F(mspan_alloc_count, "runtime.mspan", "allocCount", 15) \
	F(mspan_elemsize,    "runtime.mspan", "elemsize", 15) \
	F(mspan_freeindex,   "runtime.mspan", "freeindex", 99) /* read for group objects only */ \
	F(mspan_nelems,      "runtime.mspan", "nelems", 99) /* read for group objects only */ \
	F(mspan_alloc_cache, "runtime.mspan", "allocCache", 99) /* read for group objects only */ \
	F(mspan_gcmark_bits, "runtime.mspan", "gcmarkBits", 99) /* read for group objects only */ \
	F(mspan_specials,    "runtime.mspan", "specials", 99) /* for the graph of the heap */ \
	F(mspan_large_type,  "runtime.mspan", "largeType", 99) /* likewise; Go 1.22 and later */ \
	F(gcc_percent,       "runtime.gcControllerState", "gcPercent", 19) \
	F(gcc_percent_goal,  "runtime.gcControllerState", "gcPercentHeapGoal", 19) \
	F(gcc_sweep_trigger, "runtime.gcControllerState", "sweepDistMinTrigger", 19) \
	F(gcc_heap_live,     "runtime.gcControllerState", "heapLive", 19)

/*
 * Stands for the number of the register that holds the P at the probe in exitsyscall: no register
 * holds it there, and the probe reads g.m.p.
 */
enum { EXITSYSCALL_P_OF_M = 255 };

/*
 * The place of a value at a probe in the middle of a function: register @reg (its number in x86
 * instructions) or, where @in_frame is set, the memory at @disp from the stack pointer.
 */
struct go_operand {
	unsigned char reg;
	unsigned char in_frame;
	short disp;
};

struct go_offsets {
#define F(member, type, path, since) unsigned int member;
	GO_OFFSETS(F)
#undef F
};

#endif
