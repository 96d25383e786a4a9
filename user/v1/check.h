/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: the state of each goroutine and P while the rules go through the events. Handlers are in
 * check_go.c and check_proc.c, shared look-ups in check_state.c, the dispatch table in check.c. A
 * handler gets the events in order and returns 0, or -errno with the broken rule in the error's
 * text.
 *
 * An event is legal because of an earlier one, so the rules also know which event leads to which:
 * members of type uint32_t are numbers of events, 0: none. rule_link() stores a link for view.c.
 */
#ifndef GOTAP_V1_CHECK_H
#define GOTAP_V1_CHECK_H

#include "v1/internal.h"

enum check_g_state { CHECK_DEAD, CHECK_RUNNABLE, CHECK_RUNNING, CHECK_WAITING };

struct check_g {
	enum check_g_state state;
	bool exists;		/* an event creates it or changes its state */
	bool created;		/* an event of the trace creates it, and it has not started since */
	uint8_t last;		/* type of the event that blocked it or made it runnable, 0: none */
	uint32_t region;	/* innermost open region + 1 */
	uint32_t moved;		/* number of that event, until the goroutine starts */
	uint32_t ran, assist;	/* its GoStart; its open mark assist */
	uint64_t start;		/* stack of its start, if an event creates it */
};

struct check_p {
	bool running;
	uint32_t gc, stw, sweep;	/* open ranges */
	uint64_t g;
};

struct check_region {
	uint64_t task, name;
	/* index of the outer region + 1; in a free one, of the next free one */
	uint32_t outer;
	uint32_t begin;
};

struct check {
	const struct v1_trace *t;
	struct error *err;
	bool gotrace;
	struct map64 g_index, p_index;
	struct vec gs, ps;	/* struct check_g; struct check_p */
	struct vec free_gs;	/* uint32_t: free indices of gs */
	/* goroutine / 64 -> a bit for each ended goroutine: ids have few holes */
	struct map64 ended;
	size_t nended;
	uint32_t gc, stw;	/* open ranges of the whole program */
	struct map64 tasks;	/* id of an open task -> number of its begin */
	struct vec regions;	/* struct check_region */
	uint32_t free_region;	/* first free index + 1 */
	uint32_t number;	/* number of the current event, from 1 */
	/* by number: number of the later event to which it leads; or NULL */
	uint32_t *links;
};

typedef int rule_fn(struct check *c, struct v1_event *ev);

/* --- check_state.c --- */

/*
 * Look-ups add new goroutines and Ps. A pointer is valid until the next look-up of the same kind.
 */
struct check_g *rule_g(struct check *c, uint64_t g);
/*
 * Frees the state of @g, which has ended and has no open range. Its id is kept: no other goroutine
 * may have it.
 */
void rule_g_end(struct check *c, uint64_t g);
struct check_p *rule_p(struct check *c, int64_t p);
/* Notes that event *@from, if it is not 0, leads to the current event. Sets *@from to 0. */
void rule_link(struct check *c, uint32_t *from);
/* Returns -EPROTO with the formatted text and the place of the event in c->err. */
int rule_fail(struct check *c, const struct v1_event *ev, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* --- check_proc.c --- */

/* Ends the innermost region of @g, which must have one. */
void rule_region_pop(struct check *c, struct check_g *g);

/* --- check_repair.c --- */

/*
 * For a trace that continues after damage. rule_repair_begin() is called before each event.
 * rule_repair() is called for an event that breaks a rule; true: the event is kept.
 */
void rule_repair_begin(struct check *c, const struct v1_event *ev);
bool rule_repair(struct check *c, const struct v1_event *ev);

/* --- the handlers --- */

rule_fn rule_proc_start, rule_proc_stop;
rule_fn rule_gc_start, rule_gc_done, rule_stw_start, rule_stw_done;
rule_fn rule_sweep_start, rule_sweep_done, rule_assist_start, rule_assist_done;
rule_fn rule_task_create, rule_task_end, rule_region, rule_sample;

rule_fn rule_go_create, rule_go_start, rule_go_end, rule_go_sched, rule_go_block;
rule_fn rule_go_unblock, rule_go_waiting, rule_go_in_syscall;
rule_fn rule_go_syscall, rule_go_sysblock, rule_go_sysexit, rule_futile_wakeup;

#endif
