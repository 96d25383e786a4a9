/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings: the state of finding.c, and the interface of its families, one file findings_*.c each.
 * finding.c gives the spans of the trace to the families. When the trace has ended, each family
 * judges its sums and adds findings.
 *
 * A family keeps sums by place and by goroutine slot, never by event. Each table has a limit.
 */
#ifndef GOTAP_REPORT_FINDINGS_H
#define GOTAP_REPORT_FINDINGS_H

#include "base/map64.h"
#include "read/view.h"
#include "report/finding.h"

/* --- places (findings_place.c): a function and a line, found from a stack --- */

/*
 * A number of a place has 17 bits, so that a key of map64 has room for a place and further facts.
 * Places beyond the limit are place 0, which is unknown.
 */
enum { PLACES_MAX = (1 << 17) - 1 };

/*
 * Facts about a stack, from the library functions in its innermost frames: the frames before the
 * first frame of the program.
 */
enum stack_trait {
	STACK_LOCK = 1,		/* Mutex, RWMutex, Once, the lock of a file descriptor */
	STACK_NET = 2,		/* package net */
	STACK_FILE = 4,		/* package os, or a system call on a file */
	STACK_C = 8,		/* a call of C code */
	STACK_IDLE_CALL = 16,	/* a system call that may wait for work: read, wait4, poll */
	STACK_REQUEST = 32,	/* the client's side of the network: a dial, a look-up, a request */
	STACK_GC_CALL = 64,	/* runtime.GC, debug.FreeOSMemory */
	STACK_BROADCAST = 128,	/* sync.(*Cond).Broadcast */
	STACK_HANDLER = 256,	/* code of the program that a server of the library called */
	/* the server's side of the network: it reads the body of a request */
	STACK_BODY = 512,
	/* waits for a connection that is dialled, or returned to the pool */
	STACK_POOL = 4096,
	STACK_RECEIVES = 1024,	/* receives from a channel */
	STACK_ALLOCATES = 2048,
};

struct place {
	const char *func, *file;
	uint64_t line;
};

struct stack_facts {
	/* the innermost frame of the program; if there is none, of the library */
	uint32_t place;
	/* as @place, but for a deferred closure the function that contains it */
	uint32_t holder;
	uint32_t callee;	/* the frame of the library that @place calls; 0: none */
	uint16_t traits;
	/* enum why: the reason of a wait, if the innermost frames imply it */
	uint8_t why;
	bool program;		/* @place is in the program */
	bool known;
};

struct places {
	struct vec list;	/* struct place; number 1 is the first one */
	struct map64 by_key;
	struct vec facts;	/* struct stack_facts, by stack */
	/* uint8_t by frame: 0 not looked at yet, 1 of the program, 2 of the library */
	struct vec library;
};

struct findings;

struct stack_facts findings_stack(struct findings *f, uint32_t stack);
/* Returns the number of the place of @frame, and adds it if it is new; 0: no room. */
uint32_t findings_place_of(struct findings *f, const struct stack_frame *frame);
/*
 * Returns a place without a line, for stays without a stack: the function that @g began with. 0:
 * this function is not known, either.
 */
uint32_t findings_function(struct findings *f, const struct goroutine *g);
/* Returns a place; place 0 has empty texts. */
struct place findings_place(const struct findings *f, uint32_t place);
/* Appends the name of a place: "main.f (f.go:12)". */
void findings_name(const struct findings *f, struct buf *text, uint32_t place);

/* --- a set of the first goroutines that are concerned (findings_sums.c) --- */

enum { FEW = 16 };

struct few {
	uint64_t ids[FEW];
	uint32_t n;
};

/* Adds @id, unless @few has it already, or is full. */
void few_add(struct few *few, uint64_t id);

/* --- the value with the greatest weight: a majority vote, which needs no table --- */

struct vote {
	uint32_t value;
	double weight;
};

void vote_add(struct vote *v, uint32_t value, double weight);

/*
 * Returns the number of the item with @key in @items. A new key gets a new item (*@is_new) if there
 * are fewer than @max items, and otherwise shares item 0, which the owner has made.
 */
uint32_t findings_number(struct map64 *map, struct vec *items, size_t size, size_t max,
			 uint64_t key, bool *is_new);

/* --- stays (findings_stay.c): spans that finding.c shows to families --- */

/* Why a goroutine waits; WHY_NONE for other spans. */
enum why {
	WHY_NONE,
	WHY_LOCK,
	WHY_SEND,
	WHY_RECEIVE,
	WHY_SELECT,
	WHY_COND,
	WHY_JOIN,
	WHY_NET,
	WHY_SLEEP,
	WHY_FOREVER,
	WHY_GC,
	WHY_GC_CYCLE,
	WHY_GAP,
	WHY_OTHER,
	WHYS,
};

/* The data of the families about a live goroutine. */
struct goroutine_state {
	uint32_t past;			/* number of its last stay (findings_past.c) */
	/* findings_ps.c: */
	bool ready, running;		/* counted in struct ps as ready, running */
	double queue, full;		/* values of struct ps at the begin of its stay */
	/* findings_call.c: */
	/* place of its last system call; 0: it has waited since then */
	uint32_t calls_at;
	bool dialled;			/* the goroutine dialled: it is a client of the network */
	/*
	 * findings_wake.c: the wait that the last wake-up ended, and how the goroutine spent the
	 * time since then
	 */
	uint32_t woken_place, woken_from;
	uint8_t woken_why;
	bool woken_worked, woken_by_timer, woken_broadcast;
	bool woken_locked;		/* the goroutine released a lock */
	int64_t woken_at, woken_ran, woken_waited, last_run;
	/*
	 * findings_cpu.c: begin of the current run, time up to which it was looked at, and the ns
	 * without a CPU up to then
	 */
	int64_t off_from, off_upto;
	double off;
};

struct stay {
	const struct span *span;
	struct goroutine_state *state;
	uint8_t why;
	struct stack_facts facts;	/* of the span's stack */
	/*
	 * set by findings_cpu.c: ns without a CPU, waiting for a disk, asleep, and in an unknown
	 * state; 0 without a file of threads
	 */
	double off, io, asleep, unknown;
};

/* Is @g a goroutine of the program, and not of the runtime or its tracer? */
bool findings_is_own(const struct goroutine *g);
/*
 * Returns why the goroutine waits in @span; the stack of the span has @facts. The wait of a
 * goroutine that existed when the trace began has no reason in the trace: its stack implies one.
 */
uint8_t findings_why(struct findings *f, const struct span *span, const struct stack_facts *facts);

/* --- families: each has a file findings_*.c, and a row in finding.c --- */

struct world;
struct waits;
struct ps;
struct gc;
struct calls;
struct leaks;
struct wakes;
struct stucks;
struct cpu;

struct findings;
struct stay;

typedef void findings_stay_fn(struct findings *f, const struct stay *stay);

enum { FINDINGS_FAMILIES = 16 };	/* more than the number of families */

struct findings {
	struct spans *spans;
	/*
	 * the functions stay and runtime_stay of the families that have them; NULL ends each list
	 */
	findings_stay_fn *stays[FINDINGS_FAMILIES], *runtime_stays[FINDINGS_FAMILIES];
	struct places places;
	struct vec states;		/* struct goroutine_state, by slot */
	struct {
		const char *text;
		uint8_t why;
	} reasons[16];			/* the last reasons that were looked up, by address */
	/* gaps: ns of all gaps; gap_to: end of the last one */
	int64_t first, last, gaps, gap_to;
	struct vec list;		/* struct finding */
	/* of findings_out_of_memory(); NULL: it was not called */
	char *memory_text, *memory_function, *memory_file;
	uint64_t memory_line;
	double lost;			/* lost time of goroutines, ns */
	bool done;
	struct world *world;
	struct waits *waits;
	struct ps *ps;
	struct gc *gc;
	struct calls *calls;
	struct leaks *leaks;
	struct wakes *wakes;
	struct stucks *stucks;
	struct cpu *cpu;
};

/* Returns the state of @g. Called for each span of the trace. */
static inline struct goroutine_state *findings_state(struct findings *f, const struct goroutine *g)
{
	while (f->states.len <= g->slot)
		vec_push(&f->states, sizeof(struct goroutine_state));
	return vec_at(&f->states, struct goroutine_state, g->slot);
}

/*
 * The functions of a family; each may be NULL. @f has the data of this family, and of all others.
 */
struct findings_family {
	void (*new)(struct findings *f);
	void (*free)(struct findings *f);
	void (*trace_begin)(struct findings *f, int64_t time);
	/* a stay of a goroutine of the program has ended; runtime_stay: of the runtime */
	findings_stay_fn *stay;
	findings_stay_fn *runtime_stay;
	/*
	 * The last stay of a goroutine of the program. @ended: the goroutine ended; false: only the
	 * trace did.
	 */
	void (*last_stay)(struct findings *f, const struct stay *last, int64_t time, bool ended);
	void (*range)(struct findings *f, const struct range_span *r);
	void (*metric)(struct findings *f, const char *name, uint64_t value);
	/* The trace has ended: adds the findings. */
	void (*judge)(struct findings *f);
};

extern const struct findings_family findings_of_world;	/* who stops the world */
extern const struct findings_family findings_of_waits;	/* who makes others wait */
extern const struct findings_family findings_of_ps;	/* who has the Ps */
extern const struct findings_family findings_of_gc;	/* the cost of the garbage collector */
extern const struct findings_family findings_of_calls;	/* system calls, requests to the network */
extern const struct findings_family findings_of_leaks;	/* goroutines that never end */
extern const struct findings_family findings_of_wakes;	/* futile wake-ups */
extern const struct findings_family findings_of_stucks;	/* waits for goroutines that have ended */
/* threads without a CPU, and who has the CPU */
extern const struct findings_family findings_of_cpu;

/* --- judgement (findings_verdict.c) --- */

/* Returns the recorded time of the trace, ns, at least 1. */
double findings_wall(const struct findings *f);

/*
 * A finding without its text: @ns lost, the @place that is responsible, the goroutines that lose
 * time, the worst time.
 */
struct verdict {
	const char *kind;
	double ns;
	uint32_t place;
	const struct few *goroutines;
	int64_t from, to;
};

/* Adds a finding, and takes ownership of @text. */
void findings_add(struct findings *f, const struct verdict *v, struct buf *text);
/* Appends a duration: "1.2 s", "35 ms". */
void findings_time(struct buf *text, double ns);

/* --- findings_past.c: the last stays of goroutines --- */

/* State of a goroutine while another goroutine waited for it. */
enum cause {
	CAUSE_UNKNOWN,
	CAUSE_RAN,
	CAUSE_READY,
	CAUSE_SLEPT,
	CAUSE_NET,
	CAUSE_SYSCALL,
	CAUSE_WAITED,
	CAUSE_GC,
	CAUSE_GAP,
	/* waited for a lock, or to send: the goroutine that ended this wait is responsible */
	CAUSE_LOCKED,
	CAUSES,
};

struct past {
	int64_t from, to;
	/* number of the last stay before it of the same goroutine; 0: none */
	uint32_t before;
	uint32_t stack, site;	/* site: of findings_wait; 0: none */
	/* of a wait for one channel or lock: its word, as in struct trace_wait; 0: not known */
	uint64_t object;
	uint8_t cause;
	/*
	 * of a wait: a goroutine of the program ended it; release and by_* are about that goroutine
	 */
	bool by;
	uint32_t by_past;	/* its last stay before it ran */
	uint32_t release;	/* its stack when it ended the wait */
	int64_t by_from;	/* begin of its run */
	float by_off;		/* part of that run without a CPU for its thread */
	float off;		/* of CAUSE_RAN: part of the stay without a CPU for its thread */
};

struct pasts;

struct pasts *past_new(void);
void past_free(struct pasts *p);
/* Returns stay @number; NULL: there is none, or the ring does not have it any more. */
const struct past *past_at(const struct pasts *p, uint32_t number);
/*
 * Adds a stay of the goroutine with the last stay *@last, which becomes the new one. Valid until
 * the next call.
 */
struct past *past_add(struct pasts *p, uint32_t *last);

/* --- findings_wait.c: who makes others wait --- */

/* Returns the stay with @number, as past_at(). */
const struct past *waits_past(const struct findings *f, uint32_t number);
/*
 * Returns the place that released the lock of waits at @place most often; 0: no release was seen.
 */
uint32_t waits_holder(struct findings *f, uint32_t place);
/*
 * Did a wait for the lock @wait end after @time? Where it is not known which lock it is (NULL, or
 * WAIT_NOTHING), a wait for a lock at @place counts.
 */
bool waits_released(const struct findings *f, const struct trace_wait *wait, uint32_t place,
		    int64_t time);

/* The last wait for a lock or channel that a goroutine of the program ended. */
struct lock_state {
	int64_t released;	/* its end */
	uint64_t woken;		/* the goroutine that waited */
	/* stacks: where it waited, and of the goroutine that ended the wait */
	uint32_t waited, release;
};

/* @object: its word, as in struct trace_wait. NULL: none is known. */
const struct lock_state *waits_lock(const struct findings *f, uint64_t object);

/* The goroutines that ended the waits at one place for one reason. */
struct ended_by {
	struct few goroutines;
	const char *name;	/* the function that the last one of them began with */
	bool mixed;		/* other goroutines among them began with other functions */
	uint32_t place;		/* the place at which they ended most of the time */
};

struct ended_by waits_ended_by(struct findings *f, uint32_t place, uint8_t why);
/*
 * Returns a place at which @g, and no other goroutine, waited to send until one of @receivers
 * received; 0: none.
 */
uint32_t waits_sent_to(const struct findings *f, uint64_t g, const struct few *receivers);

/* --- findings_ps.c: who has the Ps --- */

/* @own: a goroutine of the program. */
void ps_begins(struct findings *f, const struct span *span, struct goroutine_state *state,
	       bool own);
void ps_ends(struct ps *p, int64_t time, struct goroutine_state *state);
/* Returns the ns that goroutines of the program waited for a P. */
double ps_waited(const struct findings *f);
/* Returns the current GOMAXPROCS, at least 1. */
uint64_t ps_now(const struct ps *p);
/*
 * Returns the number of the place where the goroutine ran in @span, from the stacks at its end and
 * begin; 0: not known.
 */
uint32_t ps_where(struct findings *f, const struct span *span);
/* Returns the largest GOMAXPROCS, at least 1. */
uint64_t ps_count(const struct ps *p);
/*
 * Were the Ps busy nearly all the time, or were on average as many goroutines ready as there are
 * Ps?
 */
bool ps_are_busy(const struct findings *f);
/* Returns the ns that goroutines were ready up to @time, summed over all. */
double ps_queue(struct ps *p, int64_t time);

/*
 * --- findings_cpu.c: running goroutines without a CPU for their threads, and which tasks have the
 * CPU ---
 */
/*
 * Sets off, io, asleep and unknown of @stay. To be called before the other families, which use
 * them. @own: a goroutine of the program.
 */
void cpu_stay(struct findings *f, struct stay *stay, bool own);
/*
 * Returns the part, 0 to 1, of the time from the begin of the run of @g to @to in which its thread
 * had no CPU. May be called often: each part of the run is walked once.
 */
double cpu_off_share(struct findings *f, const struct goroutine *g, int64_t to);

#endif
