/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: the tables of G, M and P inside the model. Only user/sched includes
 * this. A P is bound to at most one M and a running or syscalling G to exactly
 * one; g_bind, p_bind and their opposites are the only code that changes both
 * ends.
 */
#ifndef GOTAP_SCHED_STATE_H
#define GOTAP_SCHED_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/vec.h"
#include "sched/model.h"
#include "trace/sink.h"
#include "trace/wait.h"
#include "tracev2.h"

/*
 * Go's reader computes a time from units of 64 ns in a float64 (internal/trace, frequency.mul),
 * which is exact up to 2^53 units. Two later times could come out equal, and the reader refuses
 * that of two generations. No machine is up for 18 years: a later time is damaged.
 */
#define TIME_MAX (1ULL << 59)
/* Readers count the wall clock in an int64_t. */
#define WALL_MAX (1ULL << 62)

enum {
	STATUS_UNKNOWN = 0,
	P_ID_MAX = 1 << 16,	/* more Ps than any machine has: such an id is damaged */
	FIT_NS = 1000000,	/* between two calls of opts.goroutines_fit */
};

struct M;

/* Which labels a goroutine has, is known */
enum labels_from {
	LABELS_UNKNOWN,
	LABELS_SNAPSHOT,	/* from the snapshot: unless a record says others */
	LABELS_RECORD,
};

/* A region of runtime/trace that a goroutine has begun and not ended. */
struct region {
	struct region *outer;
	uint64_t task;
	bool own;		/* gotap began it, and alone ends it */
	size_t len;
	char name[];
};

/* Profiler labels. Shared by the goroutines that inherit them. */
struct label_set {
	size_t refs, len;
	char text[];
};

/* The channels of a select: those of GO_SELECT records that came before a GO_PARK. */
struct selected {
	uint8_t n;
	uint64_t of[WAIT_CHANNELS];
};

struct G {
	uint64_t id;
	struct M *m;		/* while running or in a syscall */
	uint64_t seq;		/* of its last numbered event in this generation */
	uint64_t stack;		/* where it waits, or stopped last; 0 = not known */
	/* the runtime's text of why it waits; NULL: it does not, or not known */
	const char *waits;
	uint64_t object;	/* what it waits for (waits.h); 0: it does not, or not known */
	struct selected *selected;	/* the channels of its selects (waits.c); may be NULL */
	/* small fields side by side: a program may have a million of these */
	uint8_t status;		/* enum tracev2_gstatus or STATUS_UNKNOWN */
	uint8_t object_kind;	/* enum wait_kind */
	uint8_t labels_from;	/* enum labels_from */
	bool tell_labels;	/* the trace does not have the labels yet */
	bool assist;		/* inside a mark assist */
	bool gc_work;		/* labelled as one of the collector's workers */
	/* of gcBgMarkWorker: it has waited for a reason that only workers have */
	bool worker;
	uint64_t start_pc;	/* of its first function; 0 = not known */
	uint64_t assist_depth;	/* bytes of stack in use where it began */
	struct region *regions;	/* open ones, innermost first (annotations.c) */
	struct op *ops;		/* open ones, innermost first (ops.c) */
	struct child *child;	/* of a request (children.c); NULL: it is none */
	struct label_set *labels;	/* profiler labels (labels.c); NULL: none, or not known */
	/* where the labels are those of that goroutine, which are not known yet; 0: not so */
	uint64_t creator;
};

struct P {
	uint64_t id;
	uint8_t status;		/* enum tracev2_pstatus or STATUS_UNKNOWN */
	struct M *m;		/* while running or in a syscall */
	uint64_t seq;
	uint64_t ptr;
	uint8_t worker_mode;	/* p.gcMarkWorkerMode */
};

/* The sweep of a thread that is about to allocate (sweep.c). */
struct sweep {
	uint8_t place;		/* enum rec_sweep, 0: it does not */
	bool told;		/* the trace has its GCSweepBegin */
	uint64_t swept, reclaimed, last;
};

struct M {
	struct sweep sweep;
	uint64_t tid;
	struct G *g;
	struct P *p;
	uint64_t gen;		/* generation of its last event */
	bool unheard;		/* had no record of its own: it is as the snapshot saw it */
	bool left_syscall;	/* so said a record before its goroutine was known */
	bool uprobe_exit;	/* its last record was that of a uprobe at the end of a syscall */
	/* the goroutine, by the address of its g, that the select records of the thread are of */
	uint64_t selects;
	struct selected selected;
	uint64_t coro_exit;	/* goroutine that ended in a coroutine switch: a GO_DEAD follows */
};

/* A change of gcController.heapLive. */
struct heap_add {
	uint64_t time, value;
	uint64_t delta;		/* 0: set, not added to */
};

enum { HEAP_ADDS = 8 };

/* Spans, stacks of goroutines, and objects (memory.c, objects.c). */
struct memory {
	uint64_t base;		/* lowest address of the heap, 0: not known yet */
	/* thread that has the events of spans and stacks that exist, 0: not known */
	uint32_t tid;
	bool told;		/* the trace has the base */
	struct map64 spans, stacks;	/* by address; empty once the trace has begun */
	struct map64 types;	/* by address: struct object_type * */
	struct map64 type_ids;	/* by address: ids of this generation, which count from 1 */
};

/* Sampled allocations (allocs.c). */
struct allocs {
	struct map64 live;	/* by address: struct sample *, whose end is still to come */
	struct map64 types;	/* by key of a stack: the name of the type, owned */
	uint64_t collections;	/* that have begun */
	uint64_t doubtful;	/* no sample up to this time can be paired: records are missing */
	bool beyond;		/* a sample found no room since all were forgotten */
	/* ends of objects that a thread without a goroutine has swept: struct late_end, texts */
	struct buf late;
};

/* The conditions under which the model takes a record, by its kind: bits. */
enum model_check {
	CHECK_ID = 1,		/* the id is not 0 */
	CHECK_P = 2,		/* the id is below P_ID_MAX, and the address that of this P */
	CHECK_THREAD = 4,	/* the tid is not 0 */
	CHECK_SYSCALL = 8,	/* the goroutine enters system calls */
	CHECK_NUMBER = 16,	/* there is room for a further goroutine */
	CHECK_GAP = 32,		/* states are known, or collected */
	CHECK_OF_THREAD = 64,	/* no condition: the record has a thread */
	CHECK_SWEEP = 128,	/* no condition: a sweep of the thread has ended */
};

struct tables {
	struct map64 gs, ps, p_ptrs, ms;	/* as in struct model */
};

/*
 * Which tasks have begun. The runtime counts their ids up, so one bit for each of the last
 * TASKS of them is enough, however many never end (annotations.c).
 */
enum { TASKS = 1 << 16 };

enum { EXTRAS = 1 << 16 };

/*
 * The first generation keeps the ids of the goroutines that have ended in it. Their table is freed
 * when it turns.
 */
enum { DEAD_MOST = 1 << 18 };

/* Most records of a server are of fewer goroutines, threads and Ps at a time. */
enum { RECENT_GS = 1024, RECENT_MS = 64, RECENT_PS = 64 };

struct task_window {
	uint64_t last;			/* the highest id that has begun, 0 = none */
	uint64_t begun[TASKS / 64];	/* a bit for each id above last - TASKS, at id % TASKS */
};

/* A time of which nothing is known (gap.c). */
struct gap {
	bool open, collecting;
	uint8_t why;		/* enum rec_gap */
	uint64_t since;
	size_t born;		/* goroutines that the tables have and those from before do not */
};

struct model {
	struct sink sink;
	const size_t *gen_size;	/* of the sink: bytes of the open generation so far */
	uint8_t checks[256];	/* enum model_check, by kind of record */
	struct model_opts opts;
	/* the bound now (opts.most_goroutines, opts.goroutines_fit); SIZE_MAX: any number */
	size_t most_goroutines;
	uint64_t fit_asked;	/* when opts.goroutines_fit was called last; 0: never */
	struct map64 gs;	/* goid -> struct G * */
	struct map64 ps;	/* p.id -> struct P * */
	struct map64 p_ptrs;	/* address of the p -> struct P * */
	struct map64 ms;	/* tid -> struct M * */
	/* those that were looked up last, by the low bits of their ids; NULL: none */
	struct G *recent_gs[RECENT_GS];
	struct M *recent_ms[RECENT_MS];
	struct P *recent_ps[RECENT_PS];	/* by bits of their addresses, as in p_ptrs */
	/* the last one that any_speaker() found; may be NULL, or speak no more */
	struct M *speaker;
	/* calls of soon_speaker() that need not look at all threads again */
	size_t unheard;
	const char *block_reasons[256];	/* by waitReason, in this release */
	struct wait_form {
		uint8_t kind;		/* enum wait_kind */
		uint8_t offset;		/* from the object to the address in records */
	} wait_forms[256];		/* likewise */
	/* goid of the last SNAP_G, if that one counts and its goroutine waits; else 0 */
	uint64_t snapped;
	bool worker_waits[256];	/* by waitReason: only the collector's workers have it */
	struct map64 dead;	/* goids that ended before the second generation */
	/*
	 * goids of C threads that were in the trace: each callback makes them anew. A program has
	 * one for each C thread that calls it at the same time: those beyond EXTRAS are forged.
	 */
	struct map64 extras;
	bool started;
	uint64_t now;		/* time of the next event: strictly rising */
	uint64_t unit;		/* of times in the file, ns */
	bool stating;		/* a generation begins: all statuses */
	uint64_t gen, gen_begin;
	uint64_t due_time;	/* this generation ends then, */
	size_t due_size;	/* or when it has so many bytes */
	/*
	 * Until then the trace has begun, no gap is open, and the generation is not due but by its
	 * size. 0: one of these does not hold.
	 */
	uint64_t usual_until;
	uint64_t gomaxprocs;
	union {
		struct {
			/* ProcsChange is due; it needs a running goroutine */
			bool tell_procs;
			/* HeapAlloc and HeapGoal are due again; they need a thread with a P */
			bool tell_heap;
			bool tell_gc;		/* GCActive is due */
			/* a gap began in it, and no goroutine ran that could say its end */
			bool gc_left_open;
			/* opts.origin is due; it needs a running goroutine */
			bool tell_origin;
			bool tell_notes;	/* notes has some */
			bool tell_allocs;	/* allocs.late has some */
			/* enum rec_gap of a gap that waits for a thread that can log it, 0: none */
			uint8_t tell_gap;
		};
		uint64_t tells;		/* not 0: one of these events is due */
	};
	uint64_t procs_told;	/* GOMAXPROCS in the trace, 0 = none yet */
	uint64_t procs_stack;
	struct G *stw;		/* goroutine that stops the world, NULL = none */
	uint64_t stw_lost;	/* counts.lost when it began to */
	bool gc_running;	/* a mark phase */
	bool gc_known;		/* gc_running is by a record, not assumed */
	bool gc_told;		/* a reader knows of a cycle and not of its end */
	size_t ps_looked_at;	/* in this generation, for repairs (ensure.c) */
	size_t sweeps;		/* threads in a sweep that the trace has the begin of */
	uint64_t gc_seq;
	struct heap_add heap[HEAP_ADDS];	/* the last ones, a ring */
	unsigned int heap_n;
	uint64_t heap_goal;	/* the last one, 0: unknown */
	struct gap gap;
	struct tables aside;	/* in a gap: the states from before it */
	struct buf notes;	/* not yet written: texts, each with its 0 (notes.c) */
	uint64_t cost_probes, cost_own;	/* of REC_CAPTURE_END, ns per second; 0: not counted */
	uint64_t notes_left_out;	/* notes that NOTES_MOST left out since */
	struct task_window tasks;
	struct op *ops;		/* all that are open, without order (ops.c) */
	size_t open_ops;	/* their number */
	struct map64 free_ops;	/* those that no goroutine has, by key and kind: struct op * */
	struct map64 child_starts;	/* by first function (children.c) */
	struct map64 calling_conns, new_conns;	/* of op_http_call.c, by *persistConn */
	struct map64 handlers;	/* key of a stack -> name of the handler, owned (route.c) */
	uint64_t last_op;	/* number of the last task among them; 0: none */
	struct buf op_message;	/* of the log event of the last operation that ended (ops.c) */
	size_t region_bytes;	/* of regions that are open (annotations.c) */
	bool has_labels;	/* some goroutine has had some */
	struct memory memory;
	struct allocs allocs;
	struct map64 sockets;	/* descriptor -> struct wait_socket * (sockets.c) */
	bool sockets_opened;	/* each descriptor of the network poller has a SOCKET_OPENED */
	bool sockets_gap;	/* but for those in a gap that has been */
	uint64_t clock_mono, clock_wall;
	uint64_t last_wall, last_begin;	/* of the last generation that ended */
	struct model_counts counts;
	bool ended;		/* a REC_CAPTURE_END came */
	struct error *err;	/* of the running model_record() */
};

/* The parts of g_get(), m_get() and p_by_ptr() for those that were not looked up lately. */
struct G *g_find(struct model *s, uint64_t goid);
struct M *m_find(struct model *s, uint64_t tid);
struct P *p_find(struct model *s, uint64_t ptr);

/* NULL if unknown */
static inline struct G *g_get(struct model *s, uint64_t goid)
{
	struct G *g = s->recent_gs[goid % RECENT_GS];

	return g && g->id == goid ? g : g_find(s, goid);
}

struct G *g_new(struct model *s, uint64_t goid);	/* with STATUS_UNKNOWN */
/* The goroutine, a new one if it is unknown. */
static inline struct G *g_put(struct model *s, uint64_t goid)
{
	struct G *g = g_get(s, goid);

	return g ? g : g_new(s, goid);
}

void g_end_region(struct model *s, struct G *g);	/* the innermost one, which there is */
void g_drop(struct model *s, struct G *g);		/* it ended */
/* @new of the live goroutines are in the trace for the first time. */
void count_goroutines(struct model *s, uint64_t new);
struct P *p_get(struct model *s, uint64_t id);
struct P *p_put(struct model *s, uint64_t id, uint64_t ptr);
/* runtime.p takes 8 KiB or more */
static inline struct P **p_recent(struct model *s, uint64_t ptr)
{
	return &s->recent_ps[(ptr >> 13) % RECENT_PS];
}

static inline struct P *p_by_ptr(struct model *s, uint64_t ptr)
{
	struct P *p = *p_recent(s, ptr);

	return p && p->ptr == ptr ? p : p_find(s, ptr);
}

/* NULL if unknown */
static inline struct M *m_get(struct model *s, uint64_t tid)
{
	struct M *m = s->recent_ms[tid % RECENT_MS];

	return m && m->tid == tid ? m : m_find(s, tid);
}

struct M *m_new(struct model *s, uint64_t tid);
static inline struct M *m_put(struct model *s, uint64_t tid)
{
	struct M *m = m_get(s, tid);

	return m ? m : m_new(s, tid);
}

/*
 * True if the thread runs a goroutine with a P: readers take events of goroutines, and of the whole
 * program, from such threads only.
 */
static inline bool m_speaks(const struct M *m)
{
	return m && m->g && m->g->status == G_RUNNING && m->p;
}
/* Any thread that does, or NULL. */
struct M *any_speaker(struct model *s);
/*
 * Likewise, for callers that ask at each record: once no thread did, it looks at all of them again
 * only after as many calls as there are threads, so that a program with many threads makes no
 * record cost more.
 */
struct M *soon_speaker(struct model *s);
void m_drop(struct model *s, struct M *m);
/* Nothing of the tables is remembered beside them: they are about to be others. */
void state_forget(struct model *s);

/* What @m held before waits, or is idle: only before the trace begins can there be something. */
/* runnable or waiting */
static inline void g_unbind(struct G *g, uint8_t status)
{
	if (g->m)
		g->m->g = NULL;
	g->m = NULL;
	g->status = status;
}

/* running or syscall on m */
static inline void g_bind(struct G *g, struct M *m, uint8_t status)
{
	if (g->m && g->m != m)
		g->m->g = NULL;
	if (m->g && m->g != g)
		g_unbind(m->g, G_WAITING);
	g->m = m;
	m->g = g;
	g->status = status;
}

void p_bind(struct P *p, struct M *m, uint8_t status);
void p_unbind(struct P *p);				/* idle */

/* A goroutine no longer has the labels. Accepts NULL. */
void labels_release(struct label_set *l);

void repair(struct model *s, enum repair kind);

/* Every live item of a table, in no order. */
#define map64_each(map, i) \
	for (i = 0; i < (map)->cap; i++) if ((map)->slots[i].used)
#define map64_ptr(map, i, type) ((type *)(uintptr_t)(map)->slots[i].value)

/* Frees all Gs, Ps and Ms. */
void state_clear(struct model *s);

#endif
