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

/* Event indexes; V1_NO_LINK where there is none. */
struct check_g {
	enum check_g_state state;
	bool exists;		/* seen in some event that creates or moves it */
	uint32_t last;		/* what the next event of its kind links to */
	uint32_t start;		/* GoStart of the current run */
	uint32_t create;	/* GoCreate until the first GoStart */
	uint32_t assist;
	uint32_t region;	/* innermost open region, chained in check.outer */
};

struct check_p {
	bool running;
	uint64_t g;
	uint32_t gc, stw, sweep;
};

struct check {
	struct v1_trace *t;
	struct error *err;
	bool gotrace;
	struct map64 g_index, p_index;
	struct vec gs, ps;	/* struct check_g, struct check_p */
	uint32_t gc, stw;	/* open ones of the whole program */
	struct map64 tasks;	/* id -> event index */
	struct map64 outer;	/* region start -> region around it */
};

typedef int check_fn(struct check *c, struct v1_event *ev);

/* Pointers stay valid until the next look-up of the same kind. */
struct check_g *check_g(struct check *c, uint64_t g);
struct check_p *check_p(struct check *c, int32_t p);
uint32_t check_index(const struct check *c, const struct v1_event *ev);
/* Sets the link of event @from (may be V1_NO_LINK) to @to. */
void check_link(struct check *c, uint32_t from, const struct v1_event *to);
/* -EBADMSG with the text and where the event is. */
int check_fail(struct check *c, const struct v1_event *ev, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

check_fn check_proc_start, check_proc_stop;
check_fn check_gc_start, check_gc_done, check_stw_start, check_stw_done;
check_fn check_sweep_start, check_sweep_done, check_assist_start, check_assist_done;
check_fn check_task_create, check_task_end, check_region;

check_fn check_go_create, check_go_start, check_go_end, check_go_sched, check_go_block;
check_fn check_go_unblock, check_go_waiting, check_go_in_syscall;
check_fn check_go_syscall, check_go_sysblock, check_go_sysexit;

#endif
