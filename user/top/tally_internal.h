/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally_internal: declarations that the files of the tally share. tally.c has the intervals,
 * tally_states.c goroutines and Ps, tally_waits.c waits by reason, tally_events.c the events that
 * move neither, tally_names.c the groups of goroutines, tally_sample.c the copies.
 */
#ifndef GOTAP_TOP_TALLY_INTERNAL_H
#define GOTAP_TOP_TALLY_INTERNAL_H

#include "base/strset.h"
#include "top/groups.h"
#include "top/reasons.h"
#include "top/routes.h"
#include "top/tally.h"
#include "trace/tap.h"

/* The visitor's data of a struct tap_go: the goroutine's state in the tally. */
struct tally_go {
	struct group *group;
	uint32_t reason;	/* of a wait: number of the reason */
	uint8_t before;		/* enum tap_state that it left last */
	bool system;
	uint64_t since;		/* begin of its state, ns; 0: not known */
	uint64_t assist;	/* begin of its mark assist; 0: none, or not known */
	char *labels;		/* in the form of read/labels.h; NULL: none */
	struct vec regions;	/* const char *: its open regions, the innermost one last */
};

static inline struct tally_go *tally_go_of(const struct tap_go *g)
{
	return (struct tally_go *)(uintptr_t)g->data;
}

enum proc_mode { PROC_AWAY, PROC_RUNS, PROC_IN_SYSCALL, PROC_HAS_THREAD, PROC_MODES };

/* The visitor's data of a struct tap_thread: the P of the thread. */
struct tally_proc {
	uint64_t id;
	struct tap_thread *m;	/* NULL: idle */
	enum proc_mode mode;
	uint64_t at;		/* ns[] is counted up to this time */
	uint64_t ns[PROC_MODES];
};

/* The waits for one reason, of goroutines that are not the runtime's own. */
struct tally_wait {
	uint64_t now, ns;
	uint64_t at;		/* @ns is counted up to this time */
	struct dist ended;	/* the waits that ended in the interval, if their begin is known */
};

/* A GC, or a stop of the world. */
struct tally_range {
	bool on;
	uint64_t since;		/* begin, or the last time up to which @ns is counted */
	uint64_t begun;		/* begin; 0: not known */
	uint64_t ns;
};

struct tally {
	struct tap *tap;
	struct tally_opts opts;
	bool begun;		/* the first event has come */
	bool in_gap;		/* no events come: losses, or the budget */
	uint64_t now, from;	/* of the interval: time up to which it is counted, and its begin */
	/*
	 * time of the last event that set a state after a gap: the begin of a stay up to this time
	 * is not its real begin
	 */
	uint64_t catch_up;
	bool catching_up;
	uint64_t number, unrecorded;
	struct groups groups;
	struct reasons reasons;
	struct vec waits;	/* struct tally_wait, by the number of the reason */
	struct top_routes *routes;	/* NULL: requests are not recorded */
	struct strset *regions;
	struct map64 functions;	/* key of a start function -> struct tally_function * */
	struct map64 procs;	/* id -> struct tally_proc * */
	/*
	 * the thread that a goroutine has left in the current event, until the goroutine enters its
	 * next state
	 */
	struct tap_thread *left;
	uint64_t runnable, runnable_max;
	uint64_t system;	/* number of goroutines of the runtime itself */
	struct tally_range gc, stw;
	uint64_t gc_cycles, stw_count, stw_longest;
	uint64_t assists, assist_ns;	/* those that ended in the interval */
	enum top_histogram_of stw_kind;	/* of the stop that goes on */
	struct top_histogram histograms[TOP_HISTOGRAMS];
	struct top_heap heap;
	uint64_t gomaxprocs;
	struct vec wanted;	/* uint64_t: keys of rows */
	bool want_all;
};

static inline enum top_state tally_state(const struct tap_go *g)
{
	static const uint8_t states[TAP_STATES] = {
		[TAP_RUNNABLE] = TOP_RUNNABLE,
		[TAP_RUNNING] = TOP_RUNNING,
		[TAP_SYSCALL] = TOP_SYSCALL,
		[TAP_WAITING] = TOP_WAITING,
	};

	return states[g->state];
}

/*
 * tally_states.c: goroutines and Ps in states. The first five are functions of the tap's visitor.
 */
void top_tally_born(void *tally, struct tap_go *g, const struct tap_step *s);
void top_tally_enter(void *tally, struct tap_go *g, const struct tap_step *s);
void top_tally_leave(void *tally, struct tap_go *g, uint64_t time, bool known);
void top_tally_gone(void *tally, struct tap_go *g, uint64_t time);
void top_tally_thread_gone(void *tally, struct tap_thread *m);
/* Moves the goroutine to another group, after a change of its labels or regions. */
void top_tally_go_regroup(struct tally *t, struct tap_go *g);
void top_tally_go_free(struct tap_go *g);
struct tally_proc *top_tally_proc(struct tally *t, uint64_t id);
/* Counts the P's state up to now. */
void top_tally_proc_settle(struct tally *t, struct tally_proc *p);
/* Gives the P the thread @m; NULL: the P is idle. */
void top_tally_proc_move(struct tally *t, struct tally_proc *p, struct tap_thread *m);
void top_tally_range_begin(struct tally_range *r, uint64_t time);
/* Returns the length of the range, ns; 0: its begin is not known. */
uint64_t top_tally_range_end(struct tally_range *r, uint64_t time);

/* tally_waits.c: a wait begins or ends now. @ns: how long it was; 0: not known. */
void top_tally_wait_begins(struct tally *t, uint32_t reason);
void top_tally_wait_ends(struct tally *t, uint32_t reason, uint64_t ns);
/* As group_settle(), groups_skip(), groups_turn() and groups_sample(). */
void top_tally_waits_settle(struct tally *t, uint64_t time);
void top_tally_waits_skip(struct tally *t, uint64_t time);
void top_tally_waits_turn(struct tally *t);
void top_tally_waits_sample(const struct tally *t, struct top_sample *s);
void top_tally_waits_free(struct tally *t);

/* tally_names.c: the groups of goroutines. */
bool top_tally_is_system(struct tally *t, uint64_t start);
struct group *top_tally_group_of(struct tally *t, const struct tap_go *g);
void top_tally_names_free(struct tally *t);

/* tally_events.c: counts an event. @m: its thread; NULL: none. */
void top_tally_event(struct tally *t, const struct sink_event *e, struct tap_thread *m);

/* tally_sample.c: makes a sample of the interval up to @to. */
struct top_sample *top_tally_sample(struct tally *t, uint64_t to);

#endif
