/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record: what a probe sends to user space, byte for byte. Compiled by both
 * sides, and the content of spool files: kinds are explicit and append-only,
 * never renumber one.
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

enum rec_kind {
	REC_NONE = 0,

	/*
	 * goroutines: id = goid, ptr = g; id REC_ID_TOLD: the goid that the last record
	 * of that g has (or REC_SNAP_G, if there is none)
	 */
	REC_GO_START = 1,	  /* runnable -> running on this thread */
	REC_GO_PARK = 2,	  /* running -> waiting; sub = waitReason; stack */
	REC_GO_STOP = 3,	  /* running -> runnable; sub = enum rec_stop; stack */
	REC_GO_DEAD = 4,	  /* running -> gone */
	REC_GO_READY = 5,	  /* waiting -> runnable, by this thread; stack of the waker;
				   * sub = p.gcMarkWorkerMode if it was woken as a GC worker */
	REC_GO_CREATE = 6,	  /* new, runnable; id 0 = goid not assigned yet; stack of the
				   * creator; arg = start pc */
	REC_GO_CREATE_BLOCKED = 7,/* new, waiting (coroutines); as REC_GO_CREATE */
	REC_GO_PREEMPT_PARK = 8,  /* running -> waiting for a stack scan; stack */
	REC_GO_SWITCH = 9,	  /* coroutine switch away from id; arg = g of the next, stack =
				   * its goid, or REC_ID_TOLD */
	REC_GO_SWITCH_DEAD = 10,  /* the same, and id ends */

	/* syscalls: id = goid, ptr = g */
	REC_SYS_ENTER = 16,	  /* stack */
	REC_SYS_EXIT = 17,	  /* arg = p that the thread now has; sub = 1: m.syscalltick agrees
				   * with p.syscalltick, so the P was never taken away (Go 1.26+:
				   * or some REC_P_STEAL tells it) */
	REC_SYS_EXIT_NOP = 18,	  /* left the syscall without a P */
	REC_SYS_ENTER_BLOCK = 19, /* Go 1.26+: about to block, P given up next; stack */
	REC_EXTRA_ENTER = 20,	  /* needm: a C thread enters Go as g */
	REC_EXTRA_LEAVE = 21,	  /* dropm */

	/* procs: id = p.id, ptr = p */
	REC_P_START = 32,	  /* sub = enum rec_pstart */
	REC_P_STOP = 33,	  /* this thread gives up its P */
	REC_P_STEAL = 34,	  /* this thread takes P from a syscall; arg = m of the victim */
	REC_P_HANDOFF = 35,	  /* Go <= 1.25: P was just taken from a syscall, if it was in one */
	REC_PROCS = 36,		  /* procresize; id = new GOMAXPROCS */

	/* memory, of Go 1.23 and later; id = address */
	REC_GSTACK_ALLOC = 40,	  /* a stack for a goroutine; ptr = bytes */
	REC_GSTACK_FREE = 41,
	REC_SPAN_ALLOC = 42,	  /* ptr = pages, flags = spanclass << 1, or 1: not the heap's */
	REC_SPAN_FREE = 43,

	/* the world and the collector: id = goid of the goroutine concerned */
	REC_STW_BEGIN = 48,	  /* sub = stwReason; up to Go 1.20 arg = the first 8 bytes of
				   * m.preemptoff; stack */
	REC_STW_END = 49,
	REC_GC_BEGIN = 50,	  /* stack */
	REC_GC_END = 51,
	REC_ASSIST_BEGIN = 52,	  /* ptr = bytes of stack in use; stack */
	REC_ASSIST_END = 53,	  /* ptr = bytes of stack in use; fewer than at the begin */
	REC_HEAP_ALLOC = 54,	  /* arg = bytes, of which ptr are about to be added */
	REC_HEAP_GOAL = 55,	  /* arg = bytes; all ones: the collector is off */

	/* annotations of runtime/trace: struct rec_user; id = task, arg = parent task */
	REC_USER_TASK_BEGIN = 56, /* text: type */
	REC_USER_TASK_END = 57,
	REC_USER_REGION_BEGIN = 58, /* text: type */
	REC_USER_REGION_END = 59, /* text: type */
	REC_USER_LOG = 60,	  /* text: category, message */
	REC_SWEEP_SPAN = 62,	  /* sub = enum rec_sweep, id = bytes swept; stack: at the first */
	REC_SWEEP_MARK = 63,	  /* sub = REC_SWEEP_FREED: id = bytes; REC_SWEEP_CALL: another
				   * allocation begins */
	REC_CPU_SAMPLE = 61,	  /* id = goid or 0, ptr = p or 0; stack */
	REC_CPU_LEAF = 47,	  /* struct rec_cpu: the same, at an instruction in Go */

	/* tables */
	REC_STACK = 64,		  /* struct rec_stack */

	/* made by user space: what was found in the process, and what happened to the capture */
	REC_SNAP_P = 80,	  /* struct rec_snap_p */
	REC_SNAP_G = 81,	  /* struct rec_snap_g */
	REC_SNAP_END = 82,	  /* the trace begins at this time */
	REC_LOST = 83,		  /* id = cpu, arg = records lost since the last one, ptr = time of
				   * the first of them, stack = time of the last (0: not known) */
	REC_GOID = 84,		  /* id = goid that was read from the created g at ptr */
	REC_SNAP_GC = 86,	  /* sub = runtime.gcphase: 0 off, 1 mark, 2 mark termination */
	REC_SNAP_P_NAME = 85,	  /* which address has which id: id = p.id, ptr = p */
	REC_SNAP_MEMORY = 87,	  /* id = lowest address of the heap; tid = the first thread */
	REC_SNAP_GSTACK = 88,	  /* as REC_GSTACK_ALLOC */
	REC_SNAP_SPAN = 89,	  /* as REC_SPAN_ALLOC */
	REC_CAPTURE_END = 90,	  /* until then all was seen; not if the program has ended */

	REC_GAP = 96,		  /* sub = enum rec_gap; nothing is known from here to REC_RESUME.
				   * flags = 1: may begin later, when a goroutine runs that can
				   * tell it, but before a REC_GAP without it */
	REC_RESUME = 97,	  /* records are whole again; a snapshot and REC_SNAP_END follow */
	REC_BUDGET = 98,	  /* sub = enum rec_level that holds from now on; id = what the probes
				   * cost, arg = what they may cost: ns per second */
};

/* What --budget leaves out, one after the other; each leaves out what those before it do. */
enum rec_level {
	REC_LEVEL_WHOLE = 0,
	REC_LEVEL_SHORT_STACKS = 1,
	REC_LEVEL_NO_STACKS = 2,
	REC_LEVEL_NO_EXTRAS = 3,  /* groups heap, sweep, stacks, spans: no probes */
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

/* Who sweeps; sweepone says nothing by itself, who called it does. */
enum rec_sweep {
	REC_SWEEP_ONE = 1,
	REC_SWEEP_DEDUCT = 2,
	REC_SWEEP_CACHE = 3,
	REC_SWEEP_RECLAIM = 4,
};
enum { REC_SWEEP_FREED = 1, REC_SWEEP_CALL = 2 };	/* REC_SWEEP_MARK */

enum rec_pstart {
	REC_PSTART_ACQUIRE = 0,	  /* acquirep */
	REC_PSTART_EXITSYSCALL = 1, /* Go 1.26+: regained at the end of a syscall */
	REC_PSTART_PROCRESIZE = 2,/* swapped under the running goroutine */
};

/*
 * In a ring the kind says whether the record is whole: a probe that sets it
 * gives away what it has not filled yet. So probes cannot; rec_set_kind() in
 * bpf/ring.h does, at the begin and at the end.
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
	__rec_u8 sub;
	__rec_u16 flags;	/* preempted: 1 + p.gcMarkWorkerMode, 0: not read; creations
				 * without an id: the last bits of the one before in this g */
	__rec_u64 id;
	__rec_u64 ptr;
};
#undef REC_KIND

struct rec_long {		/* records with a stack or an argument */
	struct rec r;
	__rec_u64 stack;	/* key of a REC_STACK, 0 = none */
	__rec_u64 arg;
};

/*
 * Which place a stack was taken at. The runtime's tracer skips a different
 * number of leaf frames at each (user space knows how many per release), so
 * the class is part of the stack's identity.
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
};

enum { REC_MAX_FRAMES = 128 };

/* r.id = key, r.sub = enum stack_class, r.flags = skip where the class has one */
struct rec_stack {
	struct rec r;
	__rec_u32 n;		/* frames in pcs */
	__rec_u32 room;		/* length of pcs */
	__rec_u64 pcs[];
};

/* Annotations carry their texts behind the head: len[0] bytes, then len[1]. */
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
 * Records travel in a ring per CPU, in memory that both sides share. A ring is
 * a power of two of chunks. No record lies in two: one that does not fit into
 * the rest of a chunk begins the next, behind REC_SKIP if that fits. Room that
 * is free is zero, and the kind has REC_BUSY until the record is whole.
 */
enum { RING_CHUNK = 4096, RING_UNIT = 8 };	/* bytes */
enum { REC_BUSY = 0x80, REC_SKIP = 0x7f };	/* in rec.kind, in rings only */

/* What a CPU and user space tell each other; a cache line each. */
struct ring_state {
	/*
	 * Where the next record begins, << 32 | where the oldest one does that was not
	 * read: units, which count on through the laps of the ring. In one word, so
	 * that user space can set both to 0 when all is read: records then come into
	 * memory that is in the caches.
	 */
	__rec_u64 position;
	__rec_u32 first_chunk;
	__rec_u32 chunks;	/* 0: this CPU has no ring */
	__rec_u64 hits;		/* of probes, whether a record came of them or not */
	__rec_u64 lost;		/* records that found no room, since the start */
	__rec_u64 lost_first, lost_last; /* times; user space takes the first away when it has
					  * told of them */
	__rec_u64 unused[2];
};

/*
 * Where a sample interrupts Go, frame pointers know the callers of the function's
 * caller; whether the function itself has set up its frame, its tables know
 * (pcsp), so that the return address into its caller may be among @words. @stack
 * has the rest.
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
};
/* Stacks as they are taken now; the second has SHORT_STACK frames and bit 62 in its key. */
enum { STACKS_WHOLE = 0, STACKS_SHORT = 1, STACKS_NONE = 2 };
enum { SHORT_STACK = 8 };

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
 * Class of a call site: what the return address of a probed function's caller
 * says. BPF looks it up by SITE_KEY; a site that is not in the table is of no
 * interest.
 */
struct site_class {
	__rec_u8 kind;		/* enum rec_kind */
	__rec_u8 sub;
	__rec_u16 stack;	/* enum stack_class, 0 = none */
};

/*
 * The classes lie in a table without collisions: user space picks a multiplier
 * for which every key has a slot of its own, so that a look-up is one multiply
 * and one compare (a hash map costs 30 ns more per transition).
 */
enum { SITE_SLOTS = 1024 };

struct site_slot {
	__rec_u64 key;		/* 0: empty */
	struct site_class class;
	__rec_u32 unused;
};

#define SITE_SLOT(key, multiplier) (((__rec_u64)(key) * (multiplier)) >> 54)

/* User addresses have 47 bits (57 with LA57, which Go does not use for text). */
#define SITE_KEY(pc, old, new_) \
	((__rec_u64)(pc) | (__rec_u64)((old) & 0xff) << 48 | (__rec_u64)((new_) & 0xff) << 56)

#ifndef __bpf__
_Static_assert(sizeof(struct rec) == 32, "ring ABI");
_Static_assert(sizeof(struct rec_long) == 48, "ring ABI");
_Static_assert(sizeof(struct rec_stack) == 40, "ring ABI");
_Static_assert(sizeof(struct rec_user) == 56, "ring ABI");
_Static_assert(sizeof(struct rec_cpu) == 64, "ring ABI");
_Static_assert(sizeof(struct ring_state) == 64, "ring ABI");
_Static_assert(offsetof(struct rec, kind) == 12 && offsetof(struct rec, id) == 16, "ring ABI");

/* Bytes of the record at @r, of which @avail can be read; 0 if it is not whole or unknown. */
static inline size_t record_size(const struct rec *r, size_t avail)
{
	size_t n;

	if (avail < sizeof(*r))
		return 0;
	switch (r->kind) {
	case REC_STACK:
		if (avail < sizeof(struct rec_stack) ||
		    ((const struct rec_stack *)r)->room > REC_MAX_FRAMES ||
		    ((const struct rec_stack *)r)->n > ((const struct rec_stack *)r)->room)
			return 0;
		n = sizeof(struct rec_stack) + 8 * ((const struct rec_stack *)r)->room;
		break;
	case REC_USER_TASK_BEGIN: case REC_USER_TASK_END: case REC_USER_REGION_BEGIN:
	case REC_USER_REGION_END: case REC_USER_LOG:
		if (avail < sizeof(struct rec_user) ||
		    ((const struct rec_user *)r)->room > REC_USER_MAX ||
		    ((const struct rec_user *)r)->room % 8 ||
		    ((const struct rec_user *)r)->len[0] + ((const struct rec_user *)r)->len[1] >
			    (int)((const struct rec_user *)r)->room)
			return 0;
		n = sizeof(struct rec_user) + ((const struct rec_user *)r)->room;
		break;
	case REC_GO_START: case REC_GO_DEAD: case REC_SYS_EXIT_NOP: case REC_EXTRA_ENTER:
	case REC_EXTRA_LEAVE: case REC_P_START: case REC_P_STOP: case REC_P_HANDOFF:
	case REC_STW_END: case REC_GC_END: case REC_ASSIST_END: case REC_SWEEP_MARK: case REC_SNAP_END:
	case REC_SNAP_P_NAME: case REC_SNAP_GC: case REC_GSTACK_ALLOC: case REC_GSTACK_FREE:
	case REC_SPAN_ALLOC: case REC_SPAN_FREE: case REC_SNAP_MEMORY: case REC_SNAP_GSTACK:
	case REC_SNAP_SPAN: case REC_CAPTURE_END: case REC_GAP:
	case REC_RESUME:
		n = sizeof(struct rec);
		break;
	case REC_CPU_LEAF:
		n = sizeof(struct rec_cpu);
		break;
	case REC_NONE:
		return 0;
	default:
		n = sizeof(struct rec_long);
	}
	return n <= avail ? n : 0;
}
#endif

#endif
