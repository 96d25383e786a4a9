/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record: the records that probes send to user space, byte for byte. Both sides compile this
 * header, and spool files consist of these records. record.def has the table of kinds.
 *
 * Every record begins with struct rec. Its two words `id` and `ptr` name the object: a goroutine
 * (goid, address of its runtime.g) or a P (p.id, address of its runtime.p). The length of a record
 * is a multiple of 8 bytes and follows from its kind (record_size()).
 *
 * Times are CLOCK_MONOTONIC in nanoseconds, the clock of the runtime's tracer (nanotime).
 */
#ifndef GOTAP_RECORD_H
#define GOTAP_RECORD_H

#ifndef __bpf__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef uint8_t __rec_u8;
typedef uint16_t __rec_u16;
typedef uint32_t __rec_u32;
typedef uint64_t __rec_u64;
#else
typedef unsigned char __rec_u8;
typedef unsigned short __rec_u16;
typedef unsigned int __rec_u32;
typedef unsigned long long __rec_u64;
#endif

#include "stackkey.h"

/*
 * The kinds, from their table record.def. Spool files have their numbers, which mean nothing else:
 * the predicates below have the families of kinds.
 */
enum rec_kind {
	REC_NONE = 0,		/* memory of a ring without a record */
#define KIND(number, name, ...) REC_##name = number,
#include "record.def"
#undef KIND
};

/* The part of the runtime, or of gotap, that a record is about. */
enum rec_family {
	REC_FAMILY_NONE,	/* the number is not a kind */
	REC_FAMILY_GO,		/* status changes of a goroutine */
	REC_FAMILY_WAIT,	/* details of the next status change of the thread's goroutine */
	REC_FAMILY_SYSCALL,	/* status changes of a goroutine at syscalls and calls from C */
	REC_FAMILY_PROC,
	REC_FAMILY_MEMORY,	/* spans, stacks and objects */
	REC_FAMILY_WORLD,	/* stop-the-world, GC cycles, mark assists */
	REC_FAMILY_HEAP,	/* live heap and heap goal */
	/* annotations of runtime/trace, profiler labels, the message with which a program dies */
	REC_FAMILY_USER,
	REC_FAMILY_SWEEP,
	REC_FAMILY_SAMPLE,	/* CPU samples */
	REC_FAMILY_TABLE,	/* other records refer to these by key */
	REC_FAMILY_SNAPSHOT,	/* read from the process by user space */
	REC_FAMILY_CAPTURE,	/* about the recording itself */
	REC_FAMILY_LINUX,	/* threads on and off CPUs, as the kernel schedules them */
};

/* The meaning of one word of a record, for the columns of record.def. */
enum rec_word {
	REC_WORD_NONE,
	REC_WORD_GOID,		/* 0: none, or the probe could not read it */
	REC_WORD_GOID_OR_TOLD,	/* a goid, or REC_ID_TOLD */
	REC_WORD_G,		/* address of runtime.g */
	REC_WORD_P_ID,
	REC_WORD_P,		/* address of runtime.p */
	REC_WORD_TID,		/* kernel thread id */
	REC_WORD_STACK,		/* key of a REC_STACK (stackkey.h), 0 = none */
	REC_WORD_PC,
	REC_WORD_ADDRESS,
	REC_WORD_BYTES,
	REC_WORD_PAGES,
	REC_WORD_COUNT,
	REC_WORD_CPU,
	REC_WORD_TIME,
	REC_WORD_NS,
	REC_WORD_TASK,		/* id of a runtime/trace task */
	REC_WORD_TEXT8,		/* eight bytes of text */
	REC_WORD_TYPE,		/* address of an abi.Type, 0: none */
	REC_WORD_SLOTS,		/* a bit for each slot of a span */
	REC_WORD_PART,		/* 1: the memory of further frames could not be read */
	REC_WORD_TASK_IDS,	/* tid | process id << 32 */
	/* number of the system call; below 0 (64 bits): an exception or interrupt */
	REC_WORD_SYSCALL,
	/* ns that the thread has run on CPUs since its creation (first number of its schedstat) */
	REC_WORD_RAN,
	/*
	 * ns that the thread has waited for CPUs since its creation (second number of its
	 * schedstat)
	 */
	REC_WORD_WAITED,
	/* ns or periods in which a CPU quota throttled the cgroup, since its creation */
	REC_WORD_THROTTLED,
	REC_WORD_QUOTA,		/* ns of CPU time in each period of a CPU quota */
	REC_WORD_PERIOD,	/* ns of a period of a CPU quota */
	REC_WORD_PERIODS,	/* periods since the creation of the cgroup */
	/* ns in which some task waited for a resource, since the creation of the cgroup */
	REC_WORD_SOME,
	REC_WORD_ALL,		/* ns in which all tasks waited */
	REC_WORD_PID,
	REC_WORD_OURS,		/* bool: the task belongs to the target */
	REC_WORD_WITH,		/* enum rec_threads_with */
	/* number of a descriptor | local port << 32 | remote port << 48 */
	REC_WORD_FD_PORTS,
	REC_WORD_INODE,		/* of a socket */
	REC_WORD_PROTOCOL,	/* enum rec_protocol */
	REC_WORD_WAIT,		/* an object that a goroutine waits for (waits.h) */
	/* words `sub` */
	REC_WORD_WAIT_REASON,	/* runtime.waitReason of the target's release */
	/* number of the record among those of one goroutine, from 1 on */
	REC_WORD_PART_NUMBER,
	REC_WORD_STW_REASON,	/* runtime.stwReason of the target's release */
	REC_WORD_STOP,		/* enum rec_stop */
	REC_WORD_WORKER,	/* p.gcMarkWorkerMode, 0: not a GC worker */
	REC_WORD_SAME_P,	/* enum rec_exit */
	REC_WORD_PSTART,	/* enum rec_pstart */
	REC_WORD_SWEEP,		/* enum rec_sweep */
	REC_WORD_SWEEP_MARK,	/* REC_SWEEP_FREED or REC_SWEEP_CALL */
	REC_WORD_CLASS,		/* enum stack_class */
	REC_WORD_IN_SYSCALL,	/* bool */
	REC_WORD_G_STATUS,	/* g.atomicstatus without the scan bit */
	REC_WORD_GC_PHASE,	/* runtime.gcphase: 0 off, 1 mark, 2 mark termination */
	REC_WORD_GAP,		/* enum rec_gap */
	REC_WORD_LEVEL,		/* enum rec_level */
	REC_WORD_MISSING,	/* enum rec_missing */
	REC_WORD_OFF,		/* enum rec_off */
	REC_WORD_WAKER,		/* enum rec_waker */
	REC_WORD_THREADS,	/* enum rec_threads */
	REC_WORD_RESOURCE,	/* enum rec_resource */
	/* words `flags` */
	REC_WORD_WORKER_1,	/* 1 + p.gcMarkWorkerMode of a preempted goroutine, 0: not read */
	/* for id 0: low bits of the goid that the previous goroutine of this g had */
	REC_WORD_GOID_BEFORE,
	REC_WORD_SPAN,		/* spanclass << 1, or 1: not a span of the heap */
	REC_WORD_CPU_FLAGS,	/* enum rec_cpu_flags */
	REC_WORD_END,		/* enum rec_end | number of the signal << 8 (REC_END_SIGNAL) */
	REC_WORD_HTTP_PEER,	/* length of the client's address, HTTP_PEER_PARENT (http.h) */
	REC_WORD_HTTP_END,	/* enum http_end (http.h) */
	REC_WORD_HTTP_STATUS,	/* 0: the handler has set none */
	REC_WORD_OP,		/* kind and flags (op_kind.h) */
	REC_WORD_OP_KEY,	/* of an operation: an address or a number */
	REC_WORD_OP_VALUE,	/* a value of an operation, by its kind */
	REC_WORD_SKIP,		/* number of leaf frames that the runtime's tracer skips */
	REC_WORD_G_WAIT,	/* g.waitreason | g.inMarkAssist << 8 */
	REC_WORD_MAY_WAIT,	/* bool */
	REC_WORD_UP,		/* number of levels above the program's cgroup */
	REC_WORD_MACHINE,	/* bool: values of the machine, not of the program's cgroup */
};

/* The reason why a thread is not on a CPU. */
enum rec_off {
	REC_OFF_UNKNOWN = 0,
	REC_OFF_RUNNABLE = 1,	/* another task got the CPU, also by sched_yield(2) */
	REC_OFF_THROTTLED = 2,	/* the CPU quota of its cgroup is used up */
	REC_OFF_SLEEP = 3,	/* sleeps until a wake-up or a signal */
	REC_OFF_BLOCKED = 4,	/* uninterruptible */
	/* uninterruptible, and the kernel counts it as a wait for a block device */
	REC_OFF_IO = 5,
	REC_OFF_STOPPED = 6,	/* by a signal */
	REC_OFF_TRACED = 7,	/* by a debugger */
	REC_OFF_FROZEN = 8,	/* by the freezer of its cgroup */
	REC_OFF_DEAD = 9,	/* the thread has ended */
};

enum rec_waker {
	REC_WAKER_UNKNOWN = 0,
	REC_WAKER_TASK = 1,
	/* a timer or a device; the task on the CPU was only interrupted */
	REC_WAKER_INTERRUPT = 2,
	/*
	 * A task or an interrupt, which is not known: the wake-up came from code on a stack of the
	 * CPU while the task was in a system call. This code is the network stack, which the system
	 * call runs itself (each packet over loopback), or an interrupt.
	 */
	REC_WAKER_EITHER = 3,
};

/*
 * How Go's runtime ends a program: by a panic, by a fatal error, or by a signal that its signal
 * handler found to be fatal.
 */
enum rec_end { REC_END_PANIC = 1, REC_END_FATAL = 2, REC_END_SIGNAL = 3 };

/*
 * Steps of a recording of threads. BEGIN: every switch and wake-up from here on makes a record.
 * READ: user space has read the states of all threads from /proc. END: it has read them again, at
 * the end.
 */
enum rec_threads { REC_THREADS_BEGIN = 1, REC_THREADS_READ = 2, REC_THREADS_END = 3 };

/* Bits of REC_THREADS: options of the recording, and facts that this kernel does not provide. */
enum rec_threads_with {
	REC_WITH_SYSTEM = 1,		/* --system */
	/* the program's threads have ids of its PID namespace, other tasks ids of the machine */
	REC_WITH_INNER_IDS = 2,
	REC_WITHOUT_QUOTAS = 4,		/* the kernel lacks CONFIG_CFS_BANDWIDTH */
	REC_WITHOUT_DELAYS = 8,		/* the kernel lacks CONFIG_SCHED_INFO */
	REC_WITHOUT_PRESSURE = 16,	/* the kernel lacks PSI */
	/* throttled time is on a clock that stops while a CPU idles (kernels before 6.6) */
	REC_WITHOUT_QUOTA_CLOCK = 32,
	/* the queue to which a thread moves cannot be read (kernels since 7.3) */
	REC_WITHOUT_QUEUES = 64,
};

enum rec_resource { REC_RESOURCE_CPU = 1, REC_RESOURCE_MEMORY = 2, REC_RESOURCE_IO = 3 };

/*
 * The levels of --budget, in their order. Each level leaves out all that the previous levels leave
 * out.
 */
enum rec_level {
	REC_LEVEL_WHOLE = 0,
	REC_LEVEL_SHORT_STACKS = 1,
	REC_LEVEL_NO_STACKS = 2,
	REC_LEVEL_NO_EXTRAS = 3,  /* no probes of groups heap, sweep, stacks, spans, objects */
	REC_LEVEL_SLICES = 4,	  /* no probes at all during some slices of time */
	REC_LEVELS = 5,
};

enum rec_gap {
	REC_GAP_LOST = 1,	  /* too many records found no room */
	REC_GAP_REREAD = 2,	  /* records were lost before; user space reads all states again */
	REC_GAP_BUDGET = 3,	  /* --budget removed the probes */
};

enum rec_protocol { REC_TCP = 1, REC_UDP = 2, REC_UNIX = 3 };

/* In place of a goid: the goid of the last record of the same g. */
#define REC_ID_TOLD (~(__rec_u64)0)

enum rec_stop { REC_STOP_GOSCHED = 1, REC_STOP_PREEMPTED = 2 };

/* The caller of sweepone. The range in the trace depends on it. */
enum rec_sweep {
	REC_SWEEP_ONE = 1,
	REC_SWEEP_DEDUCT = 2,
	REC_SWEEP_CACHE = 3,
	REC_SWEEP_RECLAIM = 4,
};
enum { REC_SWEEP_FREED = 1, REC_SWEEP_CALL = 2 };	/* sub of REC_SWEEP_MARK */

enum rec_exit {
	REC_EXIT_SAME_P = 1,	/* the thread kept its P during the syscall */
	/*
	 * Code in the target made the record, in place of the runtime's hook for its own tracer
	 * (traceAcquireEnabled). A uprobe makes its record at the test of trace.enabled before the
	 * hook. While the code takes over from the uprobe, and the program's own tracer is on, a
	 * thread meets both, and each makes a record of the same exit.
	 */
	REC_EXIT_HOOK = 2,
};

enum rec_pstart {
	REC_PSTART_ACQUIRE = 0,	  /* by acquirep */
	/* Go 1.26 and later: the thread regained the P at the end of a syscall */
	REC_PSTART_EXITSYSCALL = 1,
	REC_PSTART_PROCRESIZE = 2,/* procresize replaced the P of the running goroutine */
};

/*
 * In a ring the kind shows whether the record is complete. If a probe set the kind early, user
 * space would read fields that are not filled yet. Therefore the kind is const for probes: only
 * rec_set_kind() in bpf/ring.h sets it, at the begin and at the end.
 */
#ifdef __bpf__
#define REC_KIND const __rec_u8
#else
#define REC_KIND __rec_u8
#endif

struct rec {
	__rec_u64 time;
	__rec_u32 tid;		/* kernel thread id, the M of the trace */
	REC_KIND kind;		/* enum rec_kind */
	__rec_u8 sub;		/* sub and the following members: columns of record.def */
	__rec_u16 flags;
	__rec_u64 id;
	__rec_u64 ptr;
};
#undef REC_KIND

struct rec_long {		/* a record with a stack or an argument */
	struct rec r;
	__rec_u64 stack;	/* key of a REC_STACK, 0 = none (stackkey.h) */
	__rec_u64 arg;
};

/*
 * The place in the runtime at which a stack was taken. The runtime's tracer skips a different
 * number of leaf frames at each place (user space knows the number by release), so the class is
 * part of the stack's key.
 */
enum stack_class {
	/* the caller of gopark passes the skip: read from m.waitTraceSkip */
	STACK_PARK = 1,
	STACK_STOP = 2,
	STACK_SYSCALL = 3,
	STACK_CREATE = 4,
	STACK_READY = 5,	/* the caller of ready() passes the skip */
	STACK_PREEMPT = 6,
	STACK_STW = 7,
	STACK_GC = 8,
	STACK_ASSIST = 9,
	STACK_SNAPSHOT = 10,	/* read from the process by user space */
	STACK_WAKE = 11,	/* injectglist or findRunnable makes the goroutine runnable */
	STACK_PROCS = 12,
	STACK_USER = 13,
	STACK_SWEEP = 15,
	STACK_CPU = 14,
	STACK_END = 16,		/* the place at which the program dies */
	STACK_ALLOC = 17,	/* an allocation that the runtime samples */
};

enum { REC_MAX_FRAMES = 128 };

/*
 * r.id = key, r.sub = enum stack_class, r.flags = skip where the class has one. r.ptr =
 * REC_STACK_PART: the stack had more frames when its key was made. The probe sends the stack again.
 */
enum { REC_STACK_PART = 1 };

struct rec_stack {
	struct rec r;
	__rec_u32 n;		/* number of frames in pcs */
	__rec_u32 room;		/* length of pcs */
	__rec_u64 pcs[];
};

/*
 * The texts of annotations follow the head: len[0] bytes, then len[1] bytes. r.sub: the texts that
 * the probe could not read. The record has room for these texts, and capture/texts fills them in:
 * r.sub is 0 in spool files. REC_PROGRAM_DIES has one text; in it REC_MISSING_SECOND means that the
 * probe could not read the Go string header of the text either, and ptr is the address of the
 * header.
 */
enum rec_missing { REC_MISSING_FIRST = 1, REC_MISSING_SECOND = 2 };

struct rec_user {
	struct rec r;
	__rec_u64 stack;
	__rec_u64 arg;
	__rec_u16 len[2];
	__rec_u32 room;		/* bytes of text[]: a multiple of 8, not 0 */
	char text[];
};

/* REC_USER_NONE: the room of a record without texts. */
enum { REC_USER_NONE = 8, REC_USER_MAX = 2048, REC_TEXT_MAX = 1024 };

/*
 * The text of REC_USER_LABELS and REC_SNAP_LABELS is an array of labels, in no order. Labels with
 * flags 0 are unused. If the probe could not read a key or a value, its first 8 bytes are the
 * address of the text, the flag REC_LABEL_*_MISSING is set, and r.sub is REC_MISSING_FIRST, until
 * capture/texts has filled in the text.
 */
enum rec_label_flags {
	REC_LABEL = 1,
	REC_LABEL_KEY_CUT = 2,		/* the end of the key is missing, or the whole key */
	REC_LABEL_VALUE_CUT = 4,
	REC_LABEL_KEY_MISSING = 8,
	REC_LABEL_VALUE_MISSING = 16,
};

enum { REC_LABEL_KEY = 44, REC_LABEL_VALUE = 80, REC_LABELS_MOST = 16 };

struct rec_label {
	__rec_u8 key_len, value_len;	/* bytes in key and value */
	__rec_u8 flags;			/* enum rec_label_flags */
	__rec_u8 unused;
	char key[REC_LABEL_KEY], value[REC_LABEL_VALUE];
};

enum { REC_BUSY = 0x80, REC_SKIP = 0x7f };	/* values of rec.kind in rings only (rings.h) */

/*
 * A sample that interrupted a Go function. @stack is from the chain of frame pointers. If the
 * function had no frame of its own at that instruction, the chain begins at the caller's caller,
 * and the return address into the caller is one of @words. User space decides by the function's
 * pcsp table, which a probe cannot read.
 */
struct rec_cpu {
	struct rec r;		/* flags: enum rec_cpu_flags */
	__rec_u64 stack;
	__rec_u64 ip;		/* the interrupted instruction */
	__rec_u64 words[2];	/* the top two words of the stack; or as REC_CPU_LINK says */
};

enum rec_cpu_flags {
	REC_CPU_AT_FRAME = 1,	/* bp == sp */
	REC_CPU_SYSTEM = 2,	/* on the system stack; REC_CPU_SAMPLE has this flag, too */
	/* the frame at bp could not be read: the function has callers, but @stack lacks them */
	REC_CPU_CUT = 4,
	/*
	 * arm64: @words are the register of the return address and the top word of the stack, and
	 * bp is one word below sp where REC_CPU_AT_FRAME is set
	 */
	REC_CPU_LINK = 8,
	/*
	 * bp is below sp, and not of the frame of the function: up to Go 1.25 compilers write a
	 * frame record there before a call of runtime.duffcopy or duffzero, with the address that
	 * the call returns to. The function is one of these two, or is about to call them.
	 */
	REC_CPU_RECORD_BELOW = 16,
};
/*
 * A thread of the program or another task gets a CPU, leaves it, or is woken. record.def has the
 * words of each kind.
 */
struct rec_thread {
	struct rec r;
	__rec_u64 stack;
	__rec_u64 arg;
	char comm[16];		/* the name of a task; without a NUL if it has 16 bytes */
};

/* Counts since the creation of the cgroup. */
struct rec_cgroup {
	struct rec r;
	__rec_u64 periods;
	__rec_u64 throttled;	/* periods in which it was throttled */
	__rec_u64 throttled_ns;	/* sum over all CPUs on which the cgroup was throttled */
	__rec_u64 unused;
};

struct rec_socket {
	struct rec r;
	__rec_u8 local[16], remote[16];	/* of IPv6; those of IPv4 are mapped (::ffff:a.b.c.d) */
};

/* How probes take stacks now. A short stack has SHORT_STACK frames (stackkey.h). */
enum { STACKS_WHOLE = 0, STACKS_SHORT = 1, STACKS_NONE = 2 };

/* r.id = p.id, r.ptr = p, r.tid = thread that holds the P (0: idle), r.sub = 1: in a syscall */
struct rec_snap_p {
	struct rec r;
	__rec_u64 unused[2];
};

/*
 * r.id = goid, r.ptr = g, r.sub = g.atomicstatus without the scan bit, r.flags = g.waitreason |
 * g.inMarkAssist << 8, r.tid = thread of the goroutine (0: none)
 */
struct rec_snap_g {
	struct rec r;
	__rec_u64 stack;
	__rec_u64 start_pc;
};

/*
 * The kinds in which a probe may put REC_ID_TOLD in place of the goid. Their numbers are below 64,
 * so that a probe needs one shift of a bit mask, and no switch.
 */
#define KIND(number, name, layout, family, id, ...) \
	| (__rec_u64)((number) < 64 && REC_WORD_##id == REC_WORD_GOID_OR_TOLD) << ((number) & 63)
static const __rec_u64 REC_KINDS_MAY_OMIT_GOID = 0
#include "record.def"
;
#undef KIND

static inline _Bool rec_may_omit_goid(__rec_u8 kind)
{
	return kind < 64 && REC_KINDS_MAY_OMIT_GOID >> kind & 1;
}

#ifndef __bpf__
#define KIND(number, name, layout, family, id, ...) \
	_Static_assert((number) > REC_NONE && (number) < REC_SKIP, \
		       #name ": the ring has other uses"); \
	_Static_assert((number) < 64 || REC_WORD_##id != REC_WORD_GOID_OR_TOLD, \
		       #name ": one of 64 bits");
#include "record.def"
#undef KIND

_Static_assert(sizeof(struct rec) == 32, "ring ABI");
_Static_assert(sizeof(struct rec_long) == 48, "ring ABI");
_Static_assert(sizeof(struct rec_stack) == 40, "ring ABI");
_Static_assert(sizeof(struct rec_user) == 56, "ring ABI");
_Static_assert(sizeof(struct rec_label) == 128 &&
		       REC_LABELS_MOST * sizeof(struct rec_label) <= REC_USER_MAX,
	       "ring ABI");
_Static_assert(sizeof(struct rec_cpu) == 64, "ring ABI");
_Static_assert(sizeof(struct rec_thread) == 64, "ring ABI");
_Static_assert(sizeof(struct rec_cgroup) == 64, "ring ABI");
_Static_assert(sizeof(struct rec_socket) == 64, "ring ABI");
_Static_assert(offsetof(struct rec, kind) == 12 && offsetof(struct rec, id) == 16, "ring ABI");

/* Bytes of the struct of a record of @kind, without the texts or frames after it; 0: not a kind. */
static inline size_t rec_head_size(uint8_t kind)
{
	switch (kind) {
#define KIND(number, name, layout, ...) case number: return sizeof(struct layout);
#include "record.def"
#undef KIND
	}
	return 0;
}

enum rec_layout {
	REC_LAYOUT_NONE, REC_LAYOUT_rec, REC_LAYOUT_rec_long, REC_LAYOUT_rec_stack,
	REC_LAYOUT_rec_user, REC_LAYOUT_rec_cpu, REC_LAYOUT_rec_snap_p, REC_LAYOUT_rec_snap_g,
	REC_LAYOUT_rec_thread, REC_LAYOUT_rec_cgroup, REC_LAYOUT_rec_socket,
};

static inline enum rec_layout rec_layout(uint8_t kind)
{
	switch (kind) {
#define KIND(number, name, layout, ...) case number: return REC_LAYOUT_##layout;
#include "record.def"
#undef KIND
	}
	return REC_LAYOUT_NONE;
}

static inline enum rec_family rec_family(uint8_t kind)
{
	switch (kind) {
#define KIND(number, name, layout, family, ...) case number: return REC_FAMILY_##family;
#include "record.def"
#undef KIND
	}
	return REC_FAMILY_NONE;
}

/*
 * Returns whether probes make records of this kind. The tid of such a record is the thread on which
 * the event happened, the M of the trace.
 */
static inline bool rec_is_of_thread(uint8_t kind)
{
	switch (rec_family(kind)) {
	case REC_FAMILY_NONE: case REC_FAMILY_TABLE: case REC_FAMILY_SNAPSHOT:
	case REC_FAMILY_CAPTURE: case REC_FAMILY_LINUX:
		return false;
	default:
		return true;
	}
}

/* Records of this kind are transitions of the goroutine that id and ptr name. */
static inline bool rec_is_of_goroutine(uint8_t kind)
{
	return rec_family(kind) == REC_FAMILY_GO || rec_family(kind) == REC_FAMILY_SYSCALL;
}

/* The words id and ptr of this kind name a P. */
static inline bool rec_is_of_p(uint8_t kind)
{
	switch (kind) {
#define KIND(number, name, layout, family, id, ...) \
	case number: return REC_WORD_##id == REC_WORD_P_ID;
#include "record.def"
#undef KIND
	}
	return false;
}

/* The word stack of this kind is the key of a stack. */
static inline bool rec_has_stack(uint8_t kind)
{
	switch (kind) {
#define KIND(number, name, layout, family, id, ptr, sub, flags, stack, arg) \
	case number: return REC_WORD_##stack == REC_WORD_STACK;
#include "record.def"
#undef KIND
	}
	return false;
}

/* A record of this kind measures memory. No other record depends on it (REC_LEVEL_NO_EXTRAS). */
static inline bool rec_is_extra(uint8_t kind)
{
	enum rec_family f = rec_family(kind);

	return f == REC_FAMILY_HEAP || f == REC_FAMILY_SWEEP || f == REC_FAMILY_MEMORY;
}

/* Bytes after the struct of @r. The whole struct must be readable. SIZE_MAX if @r is damaged. */
static inline size_t rec_tail_size(const struct rec *r)
{
	const struct rec_stack *s = (const struct rec_stack *)r;
	const struct rec_user *u = (const struct rec_user *)r;

	switch (rec_layout(r->kind)) {
	case REC_LAYOUT_rec_stack:
		return s->room > REC_MAX_FRAMES || s->n > s->room ? SIZE_MAX : 8 * s->room;
	case REC_LAYOUT_rec_user:
		return u->room > REC_USER_MAX || u->room % 8 ||
		       (uint32_t)u->len[0] + u->len[1] > u->room ? SIZE_MAX : u->room;
	default:
		return 0;
	}
}

/*
 * Bytes of a record, by its kind; 0: the record has frames or texts after its struct, or the number
 * is not a kind.
 */
#define KIND(number, name, layout, ...) \
	[number] = REC_LAYOUT_##layout == REC_LAYOUT_rec_stack || \
		   REC_LAYOUT_##layout == REC_LAYOUT_rec_user ? 0 : sizeof(struct layout),
static const __rec_u8 rec_plain_size[256] = {
#include "record.def"
};
#undef KIND

static inline size_t rec_size_with_tail(const struct rec *r, size_t avail)
{
	size_t head = rec_head_size(r->kind), tail;

	if (!head || head > avail)
		return 0;
	tail = rec_tail_size(r);
	return tail <= avail - head ? head + tail : 0;
}

/*
 * Bytes of the record at @r, of which @avail are readable; 0 if it is incomplete or its kind
 * unknown.
 */
static inline size_t record_size(const struct rec *r, size_t avail)
{
	size_t n;

	if (avail < sizeof(*r))
		return 0;
	n = rec_plain_size[r->kind];
	if (__builtin_expect(!n, 0))
		return rec_size_with_tail(r, avail);
	return n <= avail ? n : 0;
}
#endif

#endif
