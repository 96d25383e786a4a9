/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs: the graph that is replayed. Each goroutine of a trace is a program, a list of ops: it
 * runs, wakes or creates another goroutine, waits, is in a system call. A wait that another
 * goroutine ended and the op that ended it name each other: these are the edges of the graph.
 * gather.c makes the programs from the spans of a trace, rerun.c executes them.
 *
 * Memory: OPS_MOST ops of 40 bytes, and those that peers.c adds. If a trace has more, the programs
 * have its beginning, up to @until.
 */
#ifndef GOTAP_WHATIF_PROGRAMS_H
#define GOTAP_WHATIF_PROGRAMS_H

#include "spans/spans.h"
#include "whatif/classes.h"

enum { OPS_MOST = 2000000, PROGRAMS_MOST = 500000 };

enum op_kind {
	OP_RUN,
	OP_POST,	/* ends the wait @partner */
	OP_CREATE,	/* creates the goroutine of program @partner */
	OP_WAIT,
	OP_SYSCALL,
	OP_YIELD,
	OP_END,		/* @partner: a wait that is for this end, too; 0: none */
	OP_MARK,	/* a task or region begins or ends here: @partner counts its marks */
};

/* Who ended a wait. */
enum op_by {
	ENDED_NEVER,		/* the trace ended, or the programs did */
	ENDED_POST,		/* the op @partner */
	ENDED_TIMER,		/* a duration: it begins when the wait does */
	ENDED_CLOCK,		/* an instant of a ticker, which no goroutine of the trace moves */
	ENDED_NETWORK,		/* a duration: somebody else answers */
	ENDED_RUNTIME,
};

/* What a post is to: a channel that holds nothing, or some values. In op.by of a post. */
enum op_holds { HOLDS_UNKNOWN, HOLDS_NOTHING, HOLDS_SOME };

/*
 * OP_OF_CHANNEL: the post is a send, a receive, or a select. OP_ASSIST: marks for the collector.
 * OP_OF_GC: the wait would not be there without the collector. OP_FOUND: the wait was there when
 * the goroutine became known. OP_BLOCKED: the system call lost its P. OP_LATE: no P was idle when
 * the wait ended. OP_OF_NETWORK: the post is a write to a connection. OP_OF_LOCK: it is an unlock.
 */
enum {
	OP_OF_CHANNEL = 1, OP_ASSIST = 2, OP_OF_GC = 4, OP_FOUND = 8, OP_BLOCKED = 16, OP_LATE = 32,
	OP_OF_NETWORK = 64, OP_OF_LOCK = 128,
};

/* Values of op.latency that are no latency. */
enum { LATENCY_UNKNOWN = INT32_MIN };

struct op {
	int64_t time;		/* its begin in the trace, ns */
	int64_t ns;		/* its duration, ns; of posts and creations 0 */
	uint32_t next;		/* the next op of the goroutine; 0: none */
	uint32_t partner;
	uint32_t class;		/* of runs, waits and system calls (classes.h); 0: none */
	uint32_t stack;		/* of waits, posts, creations and system calls */
	/*
	 * how long the goroutine was ready after the end of the wait, ns, if a P was idle then and
	 * another P than that of the waker took it. -1 - ns: the waker's own P took it.
	 * LATENCY_UNKNOWN: no P was idle.
	 */
	int32_t latency;
	uint8_t kind, flags, by;
	uint8_t joins;		/* of a wait: so many goroutines must have ended, too */
};

struct program {
	uint64_t g;
	const char *name;	/* the function that the goroutine began with */
	uint32_t first, last;	/* ops; 0: none */
	int64_t since;		/* its begin, or the time from which on it is known */
	int32_t latency;	/* of its first start, as in struct op */
	bool created;		/* by an op; false: it begins at @since */
	bool system;		/* of the runtime */
};

/* A begin or an end of a region or of a task. */
struct mark {
	const char *type;
	uint64_t task;		/* of a task its id; 0: a region */
	uint32_t op;
	bool begins;
};

struct programs {
	struct vec ops;		/* struct op; the first one is unused */
	struct vec list;	/* struct program */
	struct vec marks;	/* struct mark */
	struct classes classes;
	int64_t begin, end;	/* of the trace, ns */
	int64_t until;		/* the programs end here; @end unless there were too many ops */
	uint64_t procs;		/* the last GOMAXPROCS */
	bool procs_change;
	/* ns, of wake-ups while a P was idle: by another goroutine, by a timer or the network */
	int64_t latency, timer_latency, switch_latency;
	/* facts for refusals */
	int64_t gap;		/* ns of goroutines that were not recorded */
	uint64_t notes;		/* of the recorder about losses */
	const char *note;	/* the first one, NULL: none */
	/* ns with an idle P beside a ready goroutine, beyond what a thread takes to wake */
	int64_t starved;
	/* ns of runs, with a thread that waited for a CPU; of all runs that are known */
	int64_t queued, known;
	uint64_t events;
	uint64_t linked;	/* waits for the network that a goroutine of the program ended */
};

static inline struct op *op_at(const struct programs *p, uint32_t op)
{
	return vec_at(&p->ops, struct op, op);
}

static inline struct program *program_at(const struct programs *p, uint32_t i)
{
	return vec_at(&p->list, struct program, i);
}

void programs_free(struct programs *p);

#endif
