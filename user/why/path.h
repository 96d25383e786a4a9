/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path: the steps of one critical path, from the end of the interval to its begin, and their sums
 * by cause. walk.c finds the steps. Each ns of the interval belongs to exactly one step;
 * path_check() checks this.
 */
#ifndef GOTAP_WHY_PATH_H
#define GOTAP_WHY_PATH_H

#include <stdbool.h>

#include "base/map64.h"
#include "spans/spans.h"
#include "threads/threads.h"
#include "why/object.h"
#include "why/store.h"

enum step_kind {
	STEP_RUNNING,
	STEP_ASSIST,		/* runs, but marks for the GC because it allocates (mark assist) */
	STEP_SWEEP,		/* runs, but sweeps because it allocates */
	STEP_STOPS,		/* runs, and has stopped the world */
	STEP_RUNNABLE,
	STEP_STOPPED,		/* runnable, while the world is stopped */
	STEP_WAITING,
	STEP_SYSCALL,
	STEP_SYSCALL_BARE,	/* in a system call; its P was taken */
	STEP_GAP,		/* not recorded */
	STEP_UNKNOWN,		/* nothing in the trace says how the time was spent */
	STEP_NOT_THERE,		/* before its goroutine was created */
	STEP_ENDED,		/* after its goroutine has ended */
	STEP_KINDS,
};

/* Who ended the wait of a STEP_WAITING, or created the goroutine of a STEP_NOT_THERE. */
enum step_by {
	BY_NONE,		/* for other kinds of steps */
	/*
	 * a goroutine. Only causes in root and wait have it: the steps of that goroutine explain
	 * the wait
	 */
	BY_GOROUTINE,
	BY_HOLDER,		/* as BY_GOROUTINE, and it unlocked a lock */
	BY_TIMER,
	BY_NETPOLL,
	BY_RUNTIME,		/* no goroutine, or none that the trace names */
	BY_NOBODY,		/* the wait is open when the trace ends */
	BY_UNKNOWN,		/* a goroutine of which the trace has no events */
	BY_DEEP,		/* not followed: the chain of waits is too long */
	/* of a wait for the network, in traces that are read together (joins/joins.h): */
	BY_WRITE,		/* the other end has written; until its data came and was noticed */
	BY_SEVERAL,		/* the other end has answered several requests meanwhile */
};

enum step_via { VIA_NONE, VIA_WOKE, VIA_CREATED };

enum { STEP_HOLDERS = 3 };

struct holder {
	const char *name;	/* the function with which the goroutines began */
	uint64_t ns;		/* time with a P, ns */
	uint64_t off;		/* time of @ns with the thread not on a CPU */
};

/* Another task of the machine: it kept a thread from a CPU, or woke it. */
struct path_taker {
	const char *comm;	/* NULL: none, or not known */
	uint32_t tid, pid;
};

struct step {
	int64_t from, to;
	uint64_t g;
	const char *name;	/* the function that @g began with; "": not known */
	const char *reason;
	/* where it waits or is in a system call; where a running step began */
	uint32_t stack;
	uint32_t end_stack;	/* stack of @g at @to; 0: not known */
	uint32_t p;		/* UINT32_MAX: none */
	/*
	 * 0: the goroutine of the interval; n + 1: a goroutine that woke or created a goroutine of
	 * depth n
	 */
	uint32_t depth;
	uint32_t root;		/* cause of the step of depth 0 that this step explains */
	/* cause of the wait that this step explains, of a goroutine of depth @depth - 1 */
	uint32_t wait;
	uint32_t wait_stack;	/* stack of that wait, and what it was for */
	struct trail_object wait_object;
	struct trail_object object;	/* of a waiting step */
	uint8_t kind, by;
	/*
	 * event at the end of the step: @g woke or created goroutine @via_g, with the stack
	 * @via_stack
	 */
	uint8_t via;
	uint64_t via_g;
	uint32_t via_stack;
	/* of a goroutine at the other end of a connection, as in struct trail_join; NULL: none */
	const char *process, *request;
	uint64_t task;
	uint32_t side;		/* of @g; 0: the trace itself */
	/* For running steps and system calls, if there are records of threads: */
	/* 1 + enum thread_state of its thread; 0: there are no records of threads */
	uint8_t thread;
	uint8_t queued;		/* enum queued_by; of the states QUEUED and THROTTLED */
	int32_t syscall;	/* as in struct thread_span */
	struct path_taker taker;
	/*
	 * STEP_RUNNABLE: the functions that had most of the P time meanwhile, most first. @procs:
	 * the time of all Ps, ns; @held: the part of @procs with a goroutine, ns.
	 */
	struct holder holders[STEP_HOLDERS];
	uint64_t procs, held;
	/* @held by the states of the threads, ns, if there are records of threads */
	uint64_t threads[THREAD_STATES];
};

/* Fields of steps. Steps with equal fields have one cause. */
struct cause {
	uint8_t kind, by;
	uint8_t thread, queued;	/* as in struct step; queued only of QUEUED */
	const char *name, *reason;
	const char *comm;	/* of the task that has the CPU; NULL: none */
	/* as in struct step; NULL: the goroutine is not at the other end of a connection */
	const char *process, *request;
	uint32_t op, at;	/* frames, as in place.h */
};

/*
 * A sum over steps: those with the cause @leaf that explain a wait with the cause @wait, which in
 * turn explains a step of the interval's own goroutine with the cause @root.
 */
struct part {
	/* numbers of causes; all equal for steps of depth 0, root and wait equal for depth 1 */
	uint32_t root, wait, leaf;
	uint64_t ns, count;
	int64_t longest;
};

struct path {
	struct spans *s;
	int64_t from, to;
	/* struct step, the last one of the interval first; NULL: steps are not kept */
	struct store *steps;
	uint32_t count;
	struct vec causes;	/* struct cause */
	struct vec parts;	/* struct part */
	struct map64 cause_index, part_index;
	/* struct place by number of the stack; @at is 0: not looked up yet */
	struct vec places;
	struct map64 frames;	/* hash of function, file and line -> the first such frame */
	int64_t until;		/* the end that the next step must have */
	bool broken;		/* a step did not end at @until: there is a hole in the path */
	/* Sums over the runnable steps: */
	/* address of a name -> ns of P time, for as many names as there is room */
	struct map64 holders;
	/* address of a name -> ns of @holders with the thread not on a CPU */
	struct map64 off;
	uint64_t runnable, procs, held;
	uint64_t threads[THREAD_STATES];	/* as in struct step */
	uint64_t cut_holders;	/* ns of P time without a known holder: there were too many Ps */
	uint32_t deepest;
};

void path_init(struct path *p, struct spans *s, bool keeps_steps);
void path_free(struct path *p);
/* Begins the path of another interval. The sums continue until path_empty(). */
void path_begin(struct path *p, int64_t from, int64_t to);
void path_empty(struct path *p);
/* Returns the number of the cause of @step; 0: there are too many causes. */
uint32_t path_cause(struct path *p, const struct step *step);
/* Adds the step before the last one: its @to must be the @from of that step. */
void path_add(struct path *p, const struct step *step);
/* Returns 0, or -errno and an error: the steps do not fill the interval, or could not be kept. */
int path_check(const struct path *p, struct error *err);

#endif
