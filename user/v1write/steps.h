/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps: the single steps of a v1 trace that is written: each writes its event and moves the state
 * as the parsers of Go 1.15 to 1.27 will (internal/trace/order.go and parser.go of 1.19), and for
 * gotrace that of before 1.5. Where the state does not allow a step, the steps that are missing
 * come before it, and are counted: what is written is accepted whatever the caller knows.
 *
 * Events get their own ticks, in the order of the calls, so that the order which a parser
 * finds is that one.
 */
#ifndef GOTAP_V1WRITE_STEPS_H
#define GOTAP_V1WRITE_STEPS_H

#include "base/map64.h"
#include "v1write/writer.h"

enum v1_left {
#define V1_LEFT(name, text) V1_LEFT_##name,
#define V1_ADDED(name, text) V1_ADDED_##name,
#include "v1write/left.def"
#undef V1_LEFT
#undef V1_ADDED
	V1_LEFT_KINDS
};

const char *v1_left_text(enum v1_left kind);
/*
 * True: @kind counts events that were added. False: it counts events or details that were left out.
 */
bool v1_left_is_added(enum v1_left kind);
/* True: @kind counts steps that no event showed, and that the trace needs. */
bool v1_left_is_repair(enum v1_left kind);

enum v1_go_state { V1_GO_RUNNABLE, V1_GO_RUNNING, V1_GO_WAITS };

struct v1_p;

struct v1_region {
	uint64_t task, name;
};

struct v1_g {
	uint64_t id;
	enum v1_go_state state;
	bool syscall;		/* it waits or runs in one */
	/*
	 * it has left the system call at exit_tick, and the GoSysExit is written at its next start
	 */
	bool left_call;
	uint64_t exit_tick;	/* 0: when it starts */
	bool assist;		/* mark assist begun */
	uint64_t seq;		/* traceseq */
	uint64_t created;	/* tick */
	struct v1_p *p;		/* while it runs */
	struct v1_p *last;	/* tracelastp: events of this one need no number */
	uint64_t start;		/* id of the stack that it begins with, while that is not known */
	struct vec regions;	/* struct v1_region */
};

struct v1_p {
	int32_t id;		/* V1_NO_P */
	struct v1_out *out;
	struct v1_g *g;		/* running, or in a system call */
	struct v1_g *started;	/* whose start is the last record, NULL if another is */
	uint8_t start_type;	/* of that record */
	bool runs;		/* had a ProcStart */
	bool sweeps;
	bool stw;		/* up to 1.9 */
	bool gc;		/* before 1.5 */
	uint64_t thread;
};

enum { V1_RECENT_GS = 256 };

struct v1_steps {
	struct v1_writer *w;
	int version;
	uint64_t now, last;	/* ticks: of the event at hand, of the latest one written */
	/*
	 * true: events of different Ps may have the same tick, as in the v1 trace that they come
	 * from
	 */
	bool ties;
	struct map64 gs;	/* id -> struct v1_g * */
	/* the goroutines that were used last, by id: most events are of one of these */
	struct v1_g *recent[V1_RECENT_GS];
	struct map64 ended;	/* id / 64 -> bits: no id may come again */
	struct map64 tasks;	/* open ones */
	struct vec ps;		/* struct v1_p *, by id + 1 */
	/* P numbers that mean something else in v1, and the numbers that these Ps get instead */
	struct map64 high_ps;
	uint64_t gc_seq, procs;
	bool gc;
	struct v1_p *gc_p;	/* the P where the last collection began */
	bool stw;		/* the world is stopped, from 1.10 on */
	uint64_t left[V1_LEFT_KINDS];
};

void v1_steps_init(struct v1_steps *s, struct v1_writer *w, int version);
void v1_steps_release(struct v1_steps *s);

/* Copies the counts of all that was left out and added so far to @left, of V1_LEFT_KINDS. */
void v1_steps_left(const struct v1_steps *s, uint64_t *left);

static inline void v1_leave_out(struct v1_steps *s, enum v1_left kind)
{
	s->left[kind]++;
}

/* Returns the P with any number @id. V1_ANY_P stands for events without a P. */
#define V1_ANY_P UINT64_MAX
struct v1_p *v1_p(struct v1_steps *s, uint64_t id);
/* Returns the goroutine; NULL: there is no such goroutine, or it has ended. */
struct v1_g *v1_g(struct v1_steps *s, uint64_t id);

/* --- Ps; their times may be earlier than those of other Ps --- */
void v1_proc_start(struct v1_steps *s, struct v1_p *p, uint64_t thread);
void v1_proc_stop(struct v1_steps *s, struct v1_p *p);
void v1_gomaxprocs(struct v1_steps *s, struct v1_p *p, uint64_t procs, uint64_t stack);
void v1_sweep_start(struct v1_steps *s, struct v1_p *p, uint64_t stack);
void v1_sweep_done(struct v1_steps *s, struct v1_p *p, uint64_t swept, uint64_t reclaimed);

/* --- goroutines --- */
/*
 * Creates a goroutine. NULL if the id is none that v1 can have, or was used before; that is
 * counted.
 */
struct v1_g *v1_go_create(struct v1_steps *s, struct v1_p *p, uint64_t id, uint64_t start,
			  uint64_t stack);
/* Both only right after the creation of @g: it waits, or is in a system call. */
void v1_go_waiting(struct v1_steps *s, struct v1_p *p, struct v1_g *g);
void v1_go_in_syscall(struct v1_steps *s, struct v1_p *p, struct v1_g *g);
void v1_go_start(struct v1_steps *s, struct v1_p *p, struct v1_g *g);
/* The label of @g, which has just been started. */
void v1_go_label(struct v1_steps *s, struct v1_g *g, const char *label, size_t n);
/* @type: an event that begins a wait; V1_GO_STOP ends the goroutine. */
void v1_go_block(struct v1_steps *s, struct v1_p *p, struct v1_g *g, unsigned int type,
		 uint64_t stack);
/* V1_GO_SCHED or V1_GO_PREEMPT */
void v1_go_yield(struct v1_steps *s, struct v1_p *p, struct v1_g *g, unsigned int type,
		 uint64_t stack);
void v1_go_end(struct v1_steps *s, struct v1_p *p, struct v1_g *g);
void v1_go_unblock(struct v1_steps *s, struct v1_p *p, struct v1_g *g, uint64_t stack);
void v1_go_syscall(struct v1_steps *s, struct v1_p *p, struct v1_g *g, uint64_t stack);
/* The P of @g goes on without @g. */
void v1_go_sysblock(struct v1_steps *s, struct v1_g *g);
/*
 * @g has left the system call now; its GoSysExit is written at its next start. @starts: @g starts
 * at once.
 */
void v1_go_left_syscall(struct v1_steps *s, struct v1_g *g, bool starts);
/* Writes the GoSysExit, and no other step. */
void v1_go_sysexit(struct v1_steps *s, struct v1_p *p, struct v1_g *g, uint64_t tick);
/*
 * Brings @g, off its P, into @state, in a system call or not, by the steps that are missing. Each
 * of these steps counts as a repair.
 */
void v1_go_settle(struct v1_steps *s, struct v1_g *g, enum v1_go_state state, bool syscall);

/* --- the program --- */
void v1_gc_start(struct v1_steps *s, struct v1_p *p, uint64_t stack);
void v1_gc_done(struct v1_steps *s, struct v1_p *p);
/* False: left out, as the format has no number for the reason, or another one is open. */
bool v1_stw_start(struct v1_steps *s, struct v1_p *p, const char *reason, size_t n);
void v1_stw_done(struct v1_steps *s, struct v1_p *p);
/* V1_HEAP_ALLOC, V1_HEAP_GOAL */
void v1_heap(struct v1_steps *s, struct v1_p *p, unsigned int type, uint64_t bytes);
/* V1_ASSIST_START, V1_ASSIST_DONE, of the goroutine that runs */
void v1_assist(struct v1_steps *s, struct v1_p *p, unsigned int type, uint64_t stack);

/* --- what the program says of itself --- */
struct v1_text {
	const char *s;
	size_t n;
};

void v1_task_create(struct v1_steps *s, struct v1_p *p, uint64_t task, uint64_t parent,
		    struct v1_text name, uint64_t stack);
void v1_task_end(struct v1_steps *s, struct v1_p *p, uint64_t task, uint64_t stack);
void v1_region_begin(struct v1_steps *s, struct v1_p *p, uint64_t task, struct v1_text name,
		     uint64_t stack);
void v1_region_end(struct v1_steps *s, struct v1_p *p, uint64_t task, struct v1_text name,
		   uint64_t stack);
void v1_log(struct v1_steps *s, struct v1_p *p, uint64_t task, struct v1_text key,
	    struct v1_text text, uint64_t stack);
void v1_futile(struct v1_steps *s, struct v1_p *p);
/* At @tick; @p and @g as they are named in the file. */
void v1_sample(struct v1_steps *s, uint64_t tick, uint64_t p, uint64_t g, uint64_t stack);

#endif
