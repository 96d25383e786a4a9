/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: what the consistency checks know about each goroutine and P while
 * they go through the events. Handlers are in check_go.c and check_proc.c,
 * check_state.c has the look-ups that they share, and check.c the dispatch
 * table. A handler gets the event (already in order) and returns 0, or -errno
 * with the rule in the error's text.
 *
 * What makes an event legal is an earlier one, so the rules also know which event leads to which:
 * uint32_t fields are numbers of events, 0 none, and links.c gathers the links.
 */
#ifndef GOTAP_V1_CHECK_H
#define GOTAP_V1_CHECK_H

#include "v1/internal.h"

enum check_g_state { CHECK_DEAD, CHECK_RUNNABLE, CHECK_RUNNING, CHECK_WAITING };

struct check_g {
	enum check_g_state state;
	bool exists;		/* seen in some event that creates or moves it */
	bool created;		/* by an event of the trace, not started since */
	uint8_t last;		/* type of what made it wait or go on, 0 none */
	uint32_t region;	/* innermost open region + 1 */
	uint32_t moved;		/* what made it wait or go on, until it starts */
	uint32_t ran, assist;	/* its GoStart, its open mark assist */
	uint64_t start;		/* stack that it begins with, if created */
};

struct check_p {
	bool running;
	uint32_t gc, stw, sweep;	/* what is open */
	uint64_t g;
};

struct check_region {
	uint64_t task, name;
	uint32_t outer;		/* + 1; of a free one, the next free one */
	uint32_t begin;
};

struct check {
	const struct v1_trace *t;
	struct error *err;
	bool gotrace;
	struct map64 g_index, p_index;
	struct vec gs, ps;	/* struct check_g, struct check_p */
	struct vec free_gs;	/* uint32_t: places in gs that are free again */
	struct map64 ended;	/* goroutine / 64 -> a bit for each that has ended: ids are dense */
	size_t nended;
	uint32_t gc, stw;	/* open ones of the whole program */
	struct map64 tasks;	/* id of an open one -> its begin */
	struct vec regions;	/* struct check_region */
	uint32_t free_region;	/* + 1 */
	uint32_t number;	/* of the event at hand, from 1 */
	uint32_t *links;	/* by number: that of the later event that it leads to; or NULL */
};

typedef int rule_fn(struct check *c, struct v1_event *ev);

/* --- check_state.c --- */

/* Pointers stay valid until the next look-up of the same kind. */
struct check_g *rule_g(struct check *c, uint64_t g);
/* @g has ended, and nothing of it is open: only its id is kept, which no other may have. */
void rule_g_end(struct check *c, uint64_t g);
struct check_p *rule_p(struct check *c, int64_t p);
/* The event of which *@from is the number, if it is not 0, leads to the one at hand. Clears it. */
void rule_link(struct check *c, uint32_t *from);
/* -EPROTO with the text and where the event is. */
int rule_fail(struct check *c, const struct v1_event *ev, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* --- check_proc.c --- */

/* Ends the innermost region of @g, which has one. */
void rule_region_pop(struct check *c, struct check_g *g);

/* --- check_repair.c --- */

/*
 * For a trace that was resumed after damage. rule_repair_begin() is called before each event.
 * rule_repair() is called for an event that broke a rule; true: the event is kept.
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
