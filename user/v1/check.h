/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: what the consistency checks know about each goroutine and P while
 * they go through the events. Handlers are in check_go.c and check_proc.c;
 * check.c has the dispatch table. A handler gets the event (already in order)
 * and returns 0, or -errno with the rule in the error's text.
 */
#ifndef GOTAP_V1_CHECK_H
#define GOTAP_V1_CHECK_H

#include "v1/internal.h"

enum check_g_state { CHECK_DEAD, CHECK_RUNNABLE, CHECK_RUNNING, CHECK_WAITING };

struct check_g {
	enum check_g_state state;
	bool exists;		/* seen in some event that creates or moves it */
	bool created;		/* by an event of the trace, not started since */
	bool assist;
	uint8_t last;		/* type of what made it wait or go on, 0 none */
	uint32_t region;	/* innermost open region + 1 */
	uint64_t start;		/* stack that it begins with, if created */
};

struct check_p {
	bool running, gc, stw, sweep;
	uint64_t g;
};

struct check_region {
	uint64_t task, name;
	uint32_t outer;		/* + 1; of a free one, the next free one */
};

struct check {
	const struct v1_trace *t;
	struct error *err;
	bool gotrace;
	struct map64 g_index, p_index;
	struct vec gs, ps;	/* struct check_g, struct check_p */
	bool gc, stw;		/* open ones of the whole program */
	struct map64 tasks;	/* ids of open ones */
	struct vec regions;	/* struct check_region */
	uint32_t free_region;	/* + 1 */
};

typedef int rule_fn(struct check *c, struct v1_event *ev);

/* Pointers stay valid until the next look-up of the same kind. */
struct check_g *rule_g(struct check *c, uint64_t g);
struct check_p *rule_p(struct check *c, int32_t p);
/* Ends the innermost region of @g, which has one. */
void rule_region_pop(struct check *c, struct check_g *g);
/* -EPROTO with the text and where the event is. */
int rule_fail(struct check *c, const struct v1_event *ev, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Of a trace that goes on behind damage: before an event, and of one that broke a rule: does it stay? */
void rule_repair_begin(struct check *c, const struct v1_event *ev);
bool rule_repair(struct check *c, const struct v1_event *ev);

rule_fn rule_proc_start, rule_proc_stop;
rule_fn rule_gc_start, rule_gc_done, rule_stw_start, rule_stw_done;
rule_fn rule_sweep_start, rule_sweep_done, rule_assist_start, rule_assist_done;
rule_fn rule_task_create, rule_task_end, rule_region;

rule_fn rule_go_create, rule_go_start, rule_go_end, rule_go_sched, rule_go_block;
rule_fn rule_go_unblock, rule_go_waiting, rule_go_in_syscall;
rule_fn rule_go_syscall, rule_go_sysblock, rule_go_sysexit;

#endif
