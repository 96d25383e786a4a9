/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record: the records that probes send to user space, byte for byte. Compiled by both
 * sides, and the content of spool files. The table of kinds is record.def.
 *
 * Every record begins with struct rec. Its two words `id` and `ptr` name the
 * object: a goroutine (goid, address of its runtime.g) or a P (p.id, address
 * of its runtime.p). Records are a multiple of 8 bytes long; the length of
 * one follows from its kind (record_size()).
 *
 * Times are CLOCK_MONOTONIC nanoseconds, which is also what the runtime's
 * tracer reads (nanotime).
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
 * The kinds, from their table record.def. Their numbers are those of spool files and
 * mean nothing else: the predicates below tell families of kinds apart.
 */
enum rec_kind {
	REC_NONE = 0,		/* room in which no record is yet */
#define KIND(number, name, ...) REC_##name = number,
#include "record.def"
#undef KIND
};

/* Which part of the runtime, or of gotap, a record is about. */
enum rec_family {
	REC_FAMILY_NONE,	/* of a number that is no kind */
	REC_FAMILY_GO,		/* status of a goroutine */
	REC_FAMILY_SYSCALL,	/* the same, in and out of syscalls and C */
	REC_FAMILY_PROC,
	REC_FAMILY_MEMORY,	/* spans, stacks and objects */
	REC_FAMILY_WORLD,	/* stopped worlds, the collector, its assists */
	REC_FAMILY_HEAP,	/* size of the heap, and its goal */
	/* runtime/trace's annotations, labels, the message with which a program dies */
	REC_FAMILY_USER,
	REC_FAMILY_SWEEP,
	REC_FAMILY_SAMPLE,	/* CPU samples */
	REC_FAMILY_TABLE,	/* referred to by key from other records */
	REC_FAMILY_SNAPSHOT,	/* read from the process by user space */
	REC_FAMILY_CAPTURE,	/* about the recording itself */
	REC_FAMILY_LINUX,	/* threads on CPUs and off them, as the kernel has it */
};

/* The meaning of one word of a record; see the columns of record.def. */
enum rec_word {
	REC_WORD_NONE,
	REC_WORD_GOID,		/* 0: none, or it could not be read */
	REC_WORD_GOID_OR_TOLD,	/* or REC_ID_TOLD */
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
	REC_WORD_PART,		/* 1: the memory of the other frames could not be read */
	REC_WORD_TASK_IDS,	/* tid | process id << 32 */
	/* number; below 0 (64 bits): an exception or interrupt, not a system call */
	REC_WORD_SYSCALL,
	/* ns that the thread has run on CPUs since it was made (first number of its schedstat) */
	REC_WORD_RAN,
	/* ns that it has waited for CPUs since it was made (second number of its schedstat) */
	REC_WORD_WAITED,
	/* ns or periods in which a CPU quota kept tasks from running, since the cgroup was made */
	REC_WORD_THROTTLED,
	REC_WORD_QUOTA,		/* ns of CPU time in each period of a CPU quota */
	REC_WORD_PERIOD,	/* ns that such a period lasts */
	REC_WORD_PERIODS,	/* periods since the cgroup was made */
	/* ns in which some task waited for a resource, since the cgroup was made */
	REC_WORD_SOME,
	REC_WORD_ALL,		/* ns in which all tasks did */
	REC_WORD_PID,
	REC_WORD_OURS,		/* bool */
	REC_WORD_WITH,		/* enum rec_threads_with */
	/* sub */
	REC_WORD_WAIT_REASON,	/* runtime.waitReason of the target's release */
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
	/* flags */
	REC_WORD_WORKER_1,	/* 1 + p.gcMarkWorkerMode of a preempted goroutine, 0: not read */
	REC_WORD_GOID_BEFORE,	/* with id 0: the last bits of the goid that this g had before */
	REC_WORD_SPAN,		/* spanclass << 1, or 1: not the heap's */
	REC_WORD_CPU_FLAGS,	/* enum rec_cpu_flags */
	REC_WORD_END,		/* enum rec_end | number of the signal << 8 (REC_END_SIGNAL) */
	REC_WORD_SKIP,		/* leaf frames that the runtime's tracer leaves out */
	REC_WORD_G_WAIT,	/* g.waitreason | g.inMarkAssist << 8 */
	REC_WORD_MAY_WAIT,	/* bool */
	REC_WORD_UP,		/* levels of cgroups above that of the program */
	REC_WORD_MACHINE,	/* bool */
};

/* Why a thread is not on a CPU. */
enum rec_off {
	REC_OFF_UNKNOWN = 0,
	REC_OFF_RUNNABLE = 1,	/* another task got the CPU; by sched_yield(2), too */
	REC_OFF_THROTTLED = 2,	/* its cgroup has used up its CPU quota */
	REC_OFF_SLEEP = 3,	/* until it is woken, or a signal comes */
	REC_OFF_BLOCKED = 4,	/* uninterruptible */
	/* likewise, and the kernel counts it as a wait for a block device */
	REC_OFF_IO = 5,
	REC_OFF_STOPPED = 6,	/* by a signal */
	REC_OFF_TRACED = 7,	/* by a debugger */
	REC_OFF_FROZEN = 8,	/* by the freezer of its cgroup */
	REC_OFF_DEAD = 9,	/* it has ended */
};

enum rec_waker {
	REC_WAKER_UNKNOWN = 0,
	REC_WAKER_TASK = 1,
	/* a timer, a device: the task only happened to have the CPU */
	REC_WAKER_INTERRUPT = 2,
	/*
	 * Thread or interrupt, not known which: the wake-up came from code on a stack of the CPU
	 * while the task was in a system call. That is the network code that this call runs itself
	 * (each packet over loopback), or an interrupt.
	 */
	REC_WAKER_EITHER = 3,
};

/*
 * How Go's runtime ends a program: by a panic, a fatal error, or REC_END_SIGNAL: a signal that its
 * handler found to be fatal.
 */
enum rec_end { REC_END_PANIC = 1, REC_END_FATAL = 2, REC_END_SIGNAL = 3 };

/*
 * Steps of a capture of threads. BEGIN: every switch and wake-up from here on makes a record. READ:
 * the states of all threads have been read from /proc. END: they have been read once more, for the
 * end.
 */
enum rec_threads { REC_THREADS_BEGIN = 1, REC_THREADS_READ = 2, REC_THREADS_END = 3 };

/* Bits of REC_THREADS: options of the recording, and facts that this kernel does not provide. */
enum rec_threads_with {
	REC_WITH_SYSTEM = 1,		/* --system */
	/* the program's threads have the ids of its PID namespace, others those of the machine */
	REC_WITH_INNER_IDS = 2,
	REC_WITHOUT_QUOTAS = 4,		/* CONFIG_CFS_BANDWIDTH */
	REC_WITHOUT_DELAYS = 8,		/* CONFIG_SCHED_INFO */
	REC_WITHOUT_PRESSURE = 16,	/* PSI */
	/* throttled time is that of a clock which stands still while a CPU idles (before 6.6) */
	REC_WITHOUT_QUOTA_CLOCK = 32,
	/* the queue to which a thread is moved cannot be read (since 7.3) */
	REC_WITHOUT_QUEUES = 64,
};

enum rec_resource { REC_RESOURCE_CPU = 1, REC_RESOURCE_MEMORY = 2, REC_RESOURCE_IO = 3 };

/* The levels of --budget, one after the other; each leaves out all that the ones before it do. */
enum rec_level {
	REC_LEVEL_WHOLE = 0,
	REC_LEVEL_SHORT_STACKS = 1,
	REC_LEVEL_NO_STACKS = 2,
	REC_LEVEL_NO_EXTRAS = 3,  /* groups heap, sweep, stacks, spans, objects: no probes */
	REC_LEVEL_SLICES = 4,	  /* whole slices of time: no probes */
	REC_LEVELS = 5,
};

enum rec_gap {
	REC_GAP_LOST = 1,	  /* too many records found no room */
	REC_GAP_REREAD = 2,	  /* some were lost before: states are read anew */
	REC_GAP_BUDGET = 3,	  /* the probes were taken away: --budget */
};

#define REC_ID_TOLD (~(__rec_u64)0)

enum rec_stop { REC_STOP_GOSCHED = 1, REC_STOP_PREEMPTED = 2 };

/* The caller of sweepone: the range in the trace depends on it. */
enum rec_sweep {
	REC_SWEEP_ONE = 1,
	REC_SWEEP_DEDUCT = 2,
	REC_SWEEP_CACHE = 3,
	REC_SWEEP_RECLAIM = 4,
};
enum { REC_SWEEP_FREED = 1, REC_SWEEP_CALL = 2 };	/* REC_SWEEP_MARK */

enum rec_exit {
	REC_EXIT_SAME_P = 1,	/* the P was kept through the syscall */
	/*
	 * Code in the target made the record where the program's own tracer is on, so that the
	 * runtime tests its flag and gets to that code without gotap. While that code takes over
	 * from the probe before it, both see such an exit, and each makes a record.
	 */
	REC_EXIT_ASKED = 2,
};

enum rec_pstart {
	REC_PSTART_ACQUIRE = 0,	  /* acquirep */
	REC_PSTART_EXITSYSCALL = 1, /* Go 1.26+: regained at the end of a syscall */
	REC_PSTART_PROCRESIZE = 2,/* swapped under the running goroutine */
};

/*
 * In a ring the kind says whether the record is whole: a probe that sets it early lets user space
 * read fields that are not filled yet. So probes cannot; rec_set_kind() in bpf/ring.h does, at the
 * begin and at the end.
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
	__rec_u8 sub;		/* this and the following: columns of record.def */
	__rec_u16 flags;
	__rec_u64 id;
	__rec_u64 ptr;
};
#undef REC_KIND

struct rec_long {		/* records with a stack or an argument */
	struct rec r;
	__rec_u64 stack;	/* key of a REC_STACK, 0 = none (stackkey.h) */
	__rec_u64 arg;
};

/*
 * The place at which a stack was taken. The runtime's tracer skips a different number of leaf
 * frames at each (user space knows how many per release), so the class is part of the stack's
 * identity.
 */
enum stack_class {
	STACK_PARK = 1,		/* skip was passed to gopark: read from m.waitTraceSkip */
	STACK_STOP = 2,
	STACK_SYSCALL = 3,
	STACK_CREATE = 4,
	STACK_READY = 5,	/* skip was passed to ready() */
	STACK_PREEMPT = 6,
	STACK_STW = 7,
	STACK_GC = 8,
	STACK_ASSIST = 9,
	STACK_SNAPSHOT = 10,	/* read from the process by user space */
	STACK_WAKE = 11,	/* unblocked by injectglist or findRunnable */
	STACK_PROCS = 12,
	STACK_USER = 13,
	STACK_SWEEP = 15,
	STACK_CPU = 14,
	STACK_END = 16,		/* the program dies there */
};

enum { REC_MAX_FRAMES = 128 };

/*
 * r.id = key, r.sub = enum stack_class, r.flags = skip where the class has one. r.ptr =
 * REC_STACK_PART: there were more frames when the key was made. The stack is sent again.
 */
enum { REC_STACK_PART = 1 };

struct rec_stack {
	struct rec r;
	__rec_u32 n;		/* frames in pcs */
	__rec_u32 room;		/* length of pcs */
	__rec_u64 pcs[];
};

/*
 * Annotations carry their texts behind the head: len[0] bytes, then len[1]. r.sub: the texts that
 * the probe could not read. The record has room for them, and capture/texts fills them in: r.sub is
 * 0 in spool files. REC_PROGRAM_DIES has one text; REC_MISSING_SECOND means there that the Go
 * string of the text could not be read either, and ptr is the address of that string.
 */
enum rec_missing { REC_MISSING_FIRST = 1, REC_MISSING_SECOND = 2 };

struct rec_user {
	struct rec r;
	__rec_u64 stack;
	__rec_u64 arg;
	__rec_u16 len[2];
	__rec_u32 room;		/* bytes of text: 128, 512 or 2048 */
	char text[];
};

enum { REC_USER_MAX = 2048, REC_TEXT_MAX = 1024 };

/*
 * The text of REC_USER_LABELS and REC_SNAP_LABELS is an array of labels, in no order; those with
 * flags 0 are unused. If the probe could not read a key or a value, its first 8 bytes are the
 * address of the text, the flag REC_LABEL_*_MISSING is set, and r.sub is REC_MISSING_FIRST, until
 * capture/texts has filled it in.
 */
enum rec_label_flags {
	REC_LABEL = 1,
	REC_LABEL_KEY_CUT = 2,		/* its end is missing, or all of it */
	REC_LABEL_VALUE_CUT = 4,
	REC_LABEL_KEY_MISSING = 8,
	REC_LABEL_VALUE_MISSING = 16,
};

enum { REC_LABEL_KEY = 44, REC_LABEL_VALUE = 80, REC_LABELS_MOST = 16 };

struct rec_label {
	__rec_u8 key_len, value_len;	/* bytes that are here */
	__rec_u8 flags;			/* enum rec_label_flags */
	__rec_u8 unused;
	char key[REC_LABEL_KEY], value[REC_LABEL_VALUE];
};

enum { REC_BUSY = 0x80, REC_SKIP = 0x7f };	/* in rec.kind, in rings only (rings.h) */

/*
 * A sample that interrupted a Go function. The frame pointer chain gives @stack: it begins
 * at the caller's caller if the function had no frame of its own at that instruction. Then
 * the return address into its caller is one of @words. User space decides by the function's
 * pcsp table, which a probe cannot read.
 */
struct rec_cpu {
	struct rec r;		/* flags: enum rec_cpu_flags */
	__rec_u64 stack;
	__rec_u64 ip;		/* the interrupted instruction */
	__rec_u64 words[2];	/* on top of the stack */
};

enum rec_cpu_flags {
	REC_CPU_AT_FRAME = 1,	/* bp == sp */
	REC_CPU_SYSTEM = 2,	/* on the system stack; also of REC_CPU_SAMPLE */
	/* the frame at bp could not be read: there are callers, but no stack */
	REC_CPU_CUT = 4,
};
/*
 * A thread of the program or another task goes on a CPU, leaves it, or is woken; record.def has the
 * words of each kind.
 */
struct rec_thread {
	struct rec r;
	__rec_u64 stack;
	__rec_u64 arg;
	char comm[16];		/* the name of a task; no NUL behind one of 16 bytes */
};

/* Counts since the cgroup was made. */
struct rec_cgroup {
	struct rec r;
	__rec_u64 periods;
	__rec_u64 throttled;	/* periods in which it was throttled */
	__rec_u64 throttled_ns;	/* sum over the CPUs on which its tasks were kept from running */
	__rec_u64 unused;
};

/* How stacks are taken now; a short one has SHORT_STACK frames (stackkey.h). */
enum { STACKS_WHOLE = 0, STACKS_SHORT = 1, STACKS_NONE = 2 };

/* r.id = p.id, r.ptr = p, r.tid = thread that holds it (0: idle); r.sub = 1: in a syscall */
struct rec_snap_p {
	struct rec r;
	__rec_u64 unused[2];
};

/*
 * r.id = goid, r.ptr = g, r.sub = g.atomicstatus without the scan bit, r.flags =
 * g.waitreason | g.inMarkAssist << 8, r.tid = its thread (0: none)
 */
struct rec_snap_g {
	struct rec r;
	__rec_u64 stack;
	__rec_u64 start_pc;
};

/*
 * The kinds, of numbers below 64, in which a probe may put REC_ID_TOLD for the goid. Bits,
 * and not a switch: a program finds out by one shift.
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
_Static_assert(offsetof(struct rec, kind) == 12 && offsetof(struct rec, id) == 16, "ring ABI");

/* Bytes of the struct of a record of @kind, without what stands behind it; 0: no kind. */
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
	REC_LAYOUT_rec_thread, REC_LAYOUT_rec_cgroup,
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
 * A probe in the program made it: its tid is the thread on which that happened, the M of the trace.
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

/* A transition of the goroutine that id and ptr name. */
static inline bool rec_is_of_goroutine(uint8_t kind)
{
	return rec_family(kind) == REC_FAMILY_GO || rec_family(kind) == REC_FAMILY_SYSCALL;
}

/* id and ptr name a P. */
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

/* Its word `stack` is the key of a stack. */
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

/* A measure of memory: no other record depends on it (REC_LEVEL_NO_EXTRAS). */
static inline bool rec_is_extra(uint8_t kind)
{
	enum rec_family f = rec_family(kind);

	return f == REC_FAMILY_HEAP || f == REC_FAMILY_SWEEP || f == REC_FAMILY_MEMORY;
}

/* Bytes after the struct of @r, which can be read whole; SIZE_MAX if @r is damaged. */
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

/* Bytes of the record at @r, of which @avail can be read; 0 if it is not whole or no kind. */
static inline size_t record_size(const struct rec *r, size_t avail)
{
	size_t head, tail;

	if (avail < sizeof(*r))
		return 0;
	head = rec_head_size(r->kind);
	if (!head || head > avail)
		return 0;
	tail = rec_tail_size(r);
	return tail <= avail - head ? head + tail : 0;
}
#endif

#endif
