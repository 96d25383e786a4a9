/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path: the steps of one critical path, from the end of the interval to its begin, and their sums
 * by cause. walk.c finds the steps. Each ns of the interval is in exactly one; path_check() says
 * whether that is so.
 */
#ifndef GOTAP_WHY_PATH_H
#define GOTAP_WHY_PATH_H

#include <stdbool.h>

#include "base/map64.h"
#include "spans/spans.h"
#include "threads/threads.h"
#include "why/store.h"

enum step_kind {
	STEP_RUNNING,
	STEP_ASSIST,		/* runs, but marks for the GC since it allocates */
	STEP_SWEEP,		/* runs, but sweeps since it allocates */
	STEP_STOPS,		/* runs, and has the world stopped */
	STEP_RUNNABLE,
	STEP_STOPPED,		/* runnable, while the world is stopped */
	STEP_WAITING,
	STEP_SYSCALL,
	STEP_SYSCALL_BARE,	/* its P was taken */
	STEP_GAP,		/* not recorded */
	STEP_UNKNOWN,		/* nothing in the trace says where the time was */
	STEP_NOT_THERE,		/* before its goroutine was created */
	STEP_ENDED,		/* after its goroutine has ended */
	STEP_KINDS,
};

/* Who ended the wait of a step of STEP_WAITING, or began the goroutine of STEP_NOT_THERE. */
enum step_by {
	BY_NONE,		/* of other kinds */
	BY_GOROUTINE,		/* of waits that are explained: roots, and what is in step.wait */
	BY_HOLDER,		/* the same: it unlocked a lock */
	BY_TIMER,
	BY_NETPOLL,
	BY_RUNTIME,		/* no goroutine that the trace names */
	BY_NOBODY,		/* it goes on when the trace ends */
	BY_UNKNOWN,		/* a goroutine of which the trace has nothing */
	BY_DEEP,		/* a chain that is too long to follow */
};

enum step_via { VIA_NONE, VIA_WOKE, VIA_CREATED };

enum { STEP_HOLDERS = 3 };

struct holder {
	const char *name;	/* of goroutines that began with this function */
	uint64_t ns;		/* of P time */
	uint64_t off;		/* of that with the thread not on a CPU */
};

/* A task of the machine that kept a thread from a CPU, or woke it. */
struct path_taker {
	const char *comm;	/* NULL: none, or not known */
	uint32_t tid, pid;
};

struct step {
	int64_t from, to;
	uint64_t g;
	const char *name;	/* the function that g began with; "" not known */
	const char *reason;
	/* where it waits or is in a system call, where a running one began */
	uint32_t stack;
	uint32_t end_stack;	/* where it was at @to, 0 not known */
	uint32_t p;		/* UINT32_MAX: none */
	/* 0: the goroutine of the interval; n: behind n that woke or created */
	uint32_t depth;
	uint32_t root;		/* cause of the step of depth 0 that this one explains */
	/* cause of the wait that this one explains, of the goroutine before in the chain */
	uint32_t wait;
	uint32_t wait_stack;	/* of that wait */
	uint8_t kind, by;
	uint8_t via;		/* its end is where it woke, created the goroutine before: */
	uint64_t via_g;
	uint32_t via_stack;
	/* Running, or in a system call, if there are records of threads: */
	uint8_t thread;		/* 1 + enum thread_state of its thread; 0: there are none */
	uint8_t queued;		/* enum queued_by, of QUEUED and THROTTLED */
	int32_t syscall;	/* as in struct thread_span */
	struct path_taker taker;
	/* STEP_RUNNABLE: who had the Ps meanwhile, the most first; @procs is the time of all Ps. */
	struct holder holders[STEP_HOLDERS];
	uint64_t procs, held;
	/* @held by the states of the threads, if there are records of threads */
	uint64_t threads[THREAD_STATES];
};

/* Steps that are alike. */
struct cause {
	uint8_t kind, by;
	uint8_t thread, queued;	/* as in struct step; queued only of QUEUED */
	const char *name, *reason;
	const char *comm;	/* of the task that has the CPU; NULL */
	uint32_t op, at;	/* frames: place.h */
};

/*
 * Steps of one cause that explain waits of one cause, and in the end those of the interval's own
 * goroutine.
 */
struct part {
	/* of causes; equal for steps of depth 0; root and wait for those of depth 1 */
	uint32_t root, wait, leaf;
	uint64_t ns, count;
	int64_t longest;
};

struct path {
	struct spans *s;
	int64_t from, to;
	/* struct step, the last one of the interval first; NULL: not kept */
	struct store *steps;
	uint32_t count;
	struct vec causes;	/* struct cause */
	struct vec parts;	/* struct part */
	struct map64 cause_index, part_index;
	struct vec places;	/* struct place by stack; at 0: not looked up */
	struct map64 frames;	/* hash of function, file and line -> the first such frame */
	int64_t until;		/* the next step must end here */
	bool broken;		/* one step did not end at @until: there is a hole in the path */
	/* For the time in which steps were runnable: */
	struct map64 holders;	/* name's address -> ns of P time, as far as there was room */
	struct map64 off;	/* likewise, of that with the thread not on a CPU */
	uint64_t runnable, procs, held;
	uint64_t threads[THREAD_STATES];	/* as in struct step */
	uint64_t cut_holders;	/* ns of P time of which is not known who had it: too many Ps */
	uint32_t deepest;
};

void path_init(struct path *p, struct spans *s, bool keeps_steps);
void path_free(struct path *p);
/* From now on it is of that interval; all sums go on unless they are emptied. */
void path_begin(struct path *p, int64_t from, int64_t to);
void path_empty(struct path *p);
/* The number of the cause that such a step has. */
uint32_t path_cause(struct path *p, const struct step *step);
/* @step's @from is what the next one's @to must be. */
void path_add(struct path *p, const struct step *step);
/* 0, or an error: the steps are not the interval, or could not be kept. */
int path_check(const struct path *p, struct error *err);

#endif
