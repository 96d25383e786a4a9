/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings: the state of finding.c and the interface of its families, one file findings_*.c each.
 * finding.c gives a family the spans that concern it; when the trace has ended, each judges and
 * adds its findings.
 *
 * A family keeps sums by place and by goroutine slot, never by event, and each table has a limit.
 */
#ifndef GOTAP_REPORT_FINDINGS_H
#define GOTAP_REPORT_FINDINGS_H

#include "base/map64.h"
#include "read/view.h"
#include "report/finding.h"

/* --- places (findings_place.c): a function and a line, found from a stack --- */

/*
 * A place has 17 bits: four facts in one key of map64. Places beyond are place 0, which is not
 * known.
 */
enum { PLACES_MAX = (1 << 17) - 1 };

/*
 * Facts of a stack, by the functions of the library that it ends in: its frames before the first
 * one of the program.
 */
enum stack_trait {
	STACK_LOCK = 1,		/* Mutex, RWMutex, Once, the lock of a file descriptor */
	STACK_NET = 2,		/* package net */
	STACK_FILE = 4,		/* package os, or a system call on a file */
	STACK_C = 8,		/* a call of C code */
	STACK_IDLE_CALL = 16,	/* a system call that may wait for work: read, wait4, poll */
	STACK_REQUEST = 32,	/* a client's side of the network: a dial, a look-up, a request */
	STACK_GC_CALL = 64,	/* runtime.GC, debug.FreeOSMemory */
	STACK_BROADCAST = 128,	/* sync.(*Cond).Broadcast */
	STACK_HANDLER = 256,	/* the program's code, called by a server of the library */
	STACK_BODY = 512,	/* a server's side of the network: the request that it reads */
	/* for a connection: one that is dialled, or comes back to the pool */
	STACK_POOL = 4096,
	STACK_RECEIVES = 1024,	/* from a channel */
	STACK_ALLOCATES = 2048,
};

struct place {
	const char *func, *file;
	uint64_t line;
};

struct stack_facts {
	/* the innermost frame of the program; where it has none, of the library */
	uint32_t place;
	/* the same, but for a deferred closure the function that it belongs to */
	uint32_t holder;
	uint32_t callee;	/* the frame of the library that the place calls; 0: none */
	uint16_t traits;
	/* enum why: what it waits for, if it waits and its innermost frames say so */
	uint8_t why;
	bool program;		/* @place is the program's */
	bool known;
};

struct places {
	struct vec list;	/* struct place; number 1 is the first */
	struct map64 by_key;
	struct vec facts;	/* struct stack_facts, by stack */
	/* uint8_t by frame: 0 not looked at, 1 the program's, 2 the library's */
	struct vec library;
};

struct findings;

struct stack_facts findings_stack(struct findings *f, uint32_t stack);
/* The number of the place of @frame; 0: no room. */
uint32_t findings_place_of(struct findings *f, const struct stack_frame *frame);
/*
 * A place without a line: the function that @g began with. For what has no stack; 0: that is not
 * known, either.
 */
uint32_t findings_function(struct findings *f, const struct goroutine *g);
/* Place 0 has empty texts. */
struct place findings_place(const struct findings *f, uint32_t place);
/* "main.f (f.go:12)". */
void findings_name(const struct findings *f, struct buf *text, uint32_t place);

/* --- a set of the first goroutines that something happens to (findings_sums.c) --- */

enum { FEW = 16 };

struct few {
	uint64_t ids[FEW];
	uint32_t n;
};

/* Adds @id unless it is in it, or it is full. */
void few_add(struct few *few, uint64_t id);

/* --- the value with the greatest weight: a majority vote, which needs no table --- */

struct vote {
	uint32_t value;
	double weight;
};

void vote_add(struct vote *v, uint32_t value, double weight);

/*
 * The number of the item of @key in @items, a new one (*is_new) while there are less than @max;
 * else 0. Item 0, which the owner made, takes what found no room.
 */
uint32_t findings_number(struct map64 *map, struct vec *items, size_t size, size_t max,
			 uint64_t key, bool *is_new);

/* --- stays (findings_stay.c): spans that finding.c shows to families --- */

/* Why a goroutine waits; of a span that is no wait WHY_NONE. */
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

/* What families know of a goroutine that lives. */
struct goroutine_state {
	uint32_t past;			/* findings_past: its last stay */
	/* findings_ps: */
	bool ready, running;		/* is counted as such */
	double queue, full;		/* of struct ps, when its stay began */
	/* findings_call: */
	uint32_t calls_at;		/* place of its last system call; 0: it has waited since */
	bool dialled;			/* it is a client of the network */
	/* findings_wake: the wait that it was woken from last, and how it spent the time since */
	uint32_t woken_place, woken_from;
	uint8_t woken_why;
	bool woken_worked, woken_by_timer, woken_broadcast;
	bool woken_locked;		/* it let others have a lock */
	int64_t woken_at, woken_ran, woken_waited, last_run;
	/* findings_cpu: of the run since off_from, ns without a CPU, up to off_upto */
	int64_t off_from, off_upto;
	double off;
};

struct stay {
	const struct span *span;
	struct goroutine_state *state;
	uint8_t why;
	struct stack_facts facts;	/* of the span's stack */
	/*
	 * findings_cpu: ns that its thread had no CPU, waited for a disk, slept, was in a state not
	 * known; 0 without a file of threads
	 */
	double off, io, asleep, unknown;
};

/* Is it the program's, and not the runtime's or its tracer's? */
bool findings_is_own(const struct goroutine *g);
/*
 * Why the goroutine waits in @span, whose stack has @facts. A goroutine that was there when the
 * trace began has no reason: its stack begins where it waits.
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

enum { FINDINGS_FAMILIES = 16 };	/* more than there are */

struct findings {
	struct spans *spans;
	/* The functions stay and runtime_stay of the families that have one; NULL ends each. */
	findings_stay_fn *stays[FINDINGS_FAMILIES], *runtime_stays[FINDINGS_FAMILIES];
	struct places places;
	struct vec states;		/* struct goroutine_state, by slot */
	struct {
		const char *text;
		uint8_t why;
	} reasons[16];			/* those of late, by address */
	/* gaps: ns in all; gap_to: the end of the last one */
	int64_t first, last, gaps, gap_to;
	struct vec list;		/* struct finding */
	double lost;			/* ns of goroutines */
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

/* Each span of the trace asks for it. */
static inline struct goroutine_state *findings_state(struct findings *f, const struct goroutine *g)
{
	while (f->states.len <= g->slot)
		vec_push(&f->states, sizeof(struct goroutine_state));
	return vec_at(&f->states, struct goroutine_state, g->slot);
}

/*
 * The functions that finding.c calls; NULL: the family has no use for it. @f has the data of the
 * family itself, and of the others.
 */
struct findings_family {
	void (*new)(struct findings *f);
	void (*free)(struct findings *f);
	void (*trace_begin)(struct findings *f, int64_t time);
	/* A stay of a goroutine of the program has ended; of the runtime. */
	findings_stay_fn *stay;
	findings_stay_fn *runtime_stay;
	/* The last stay of a goroutine of the program; @ended: it did, and not only the trace. */
	void (*last_stay)(struct findings *f, const struct stay *last, int64_t time, bool ended);
	void (*range)(struct findings *f, const struct range_span *r);
	void (*metric)(struct findings *f, const char *name, uint64_t value);
	/* The trace has ended: adds the findings. */
	void (*judge)(struct findings *f);
};

extern const struct findings_family findings_of_world;	/* who stops the world */
extern const struct findings_family findings_of_waits;	/* who lets others wait */
extern const struct findings_family findings_of_ps;	/* who holds the Ps */
extern const struct findings_family findings_of_gc;	/* what the garbage collector takes */
extern const struct findings_family findings_of_calls;	/* system calls, requests to the network */
extern const struct findings_family findings_of_leaks;	/* who never comes back */
extern const struct findings_family findings_of_wakes;	/* who is woken for nothing */
extern const struct findings_family findings_of_stucks;	/* who waits for those that are gone */
extern const struct findings_family findings_of_cpu;	/* threads without a CPU, and who has it */

/* --- judgement (findings_verdict.c) --- */

/* ns of the trace that were recorded, at least 1. */
double findings_wall(const struct findings *f);

/* A finding without its text: @ns lost, @place to blame, those that suffered, the worst time. */
struct verdict {
	const char *kind;
	double ns;
	uint32_t place;
	const struct few *goroutines;
	int64_t from, to;
};

/* Adds it with @text, which is taken. */
void findings_add(struct findings *f, const struct verdict *v, struct buf *text);
/* "1.2 s", "35 ms". */
void findings_time(struct buf *text, double ns);

/* findings_past.c: the last stays. */

/* What a goroutine did, as who waited for it sees it. */
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
	CAUSE_LOCKED, /* it waited for a lock, or to send: who ended that did it */
	CAUSES,
};

struct past {
	int64_t from, to;
	uint32_t before;	/* number of the stay before it; 0: none */
	uint32_t stack, site;	/* site: of findings_wait; 0: none */
	uint8_t cause;
	bool by;		/* of a wait: a goroutine of the program ended it, ... */
	uint32_t by_past;	/* ... its last stay before it ran, ... */
	uint32_t release;	/* ... its stack, ... */
	int64_t by_from;	/* ... since when it ran, ... */
	float by_off;		/* ... and the part of that for which its thread had no CPU */
	float off;		/* of CAUSE_RAN: likewise */
};

struct pasts;

struct pasts *past_new(void);
void past_free(struct pasts *p);
/* NULL: there is none, or it is too long ago. */
const struct past *past_at(const struct pasts *p, uint32_t number);
/*
 * The next one of the goroutine with the last one *@last, which becomes this. Valid until the next
 * call.
 */
struct past *past_add(struct pasts *p, uint32_t *last);

/* findings_wait.c: who lets others wait. */

/* The stay of that number, as past_at(). */
const struct past *waits_past(const struct findings *f, uint32_t number);
/*
 * The place that most often released the lock that is waited for at @place; 0: none was seen.
 */
uint32_t waits_holder(struct findings *f, uint32_t place);
/* Did a wait for a lock at @place end after @time? */
bool waits_released_since(struct findings *f, uint32_t place, int64_t time);

/* The goroutines that ended the waits at @place for @why. */
struct ended_by {
	struct few goroutines;
	const char *name;	/* the function that they began with, ... */
	bool mixed;		/* ... of the last one: there were others */
	uint32_t place;		/* where they did so most of the time */
};

struct ended_by waits_ended_by(struct findings *f, uint32_t place, uint8_t why);
/*
 * A place at which @g and no other waited to send, until one of @receivers received; 0: there is
 * none.
 */
uint32_t waits_sent_to(const struct findings *f, uint64_t g, const struct few *receivers);

/* findings_ps.c: who holds the Ps. */

/* @own: it is of the program. */
void ps_begins(struct findings *f, const struct span *span, struct goroutine_state *state,
	       bool own);
void ps_ends(struct ps *p, int64_t time, struct goroutine_state *state);
/* ns that goroutines of the program waited for a P. */
double ps_waited(const struct findings *f);
/* The GOMAXPROCS of now, at least 1. */
uint64_t ps_now(const struct ps *p);
/*
 * The number of the place where the goroutine ran in @span, by the stacks at its end and begin; 0:
 * not known.
 */
uint32_t ps_where(struct findings *f, const struct span *span);
/* The greatest GOMAXPROCS, at least 1. */
uint64_t ps_count(const struct ps *p);
/* Were the Ps busy nearly all the time, or as many goroutines as there are Ps ready on average? */
bool ps_are_busy(const struct findings *f);
/* ns that goroutines were ready up to @time, in all. */
double ps_queue(struct ps *p, int64_t time);

/* findings_cpu.c: running goroutines whose threads have no CPU, and which tasks have it. */
/*
 * Sets off, io, asleep and unknown of @stay: to be called before the other families, which use
 * them. @own: a goroutine of the program.
 */
void cpu_stay(struct findings *f, struct stay *stay, bool own);
/*
 * @g runs: returns for which part of the time since it began to, up to @to, its thread had no CPU:
 * 0 to 1. May be called often: each part of the run is walked once.
 */
double cpu_off_share(struct findings *f, const struct goroutine *g, int64_t to);

#endif
