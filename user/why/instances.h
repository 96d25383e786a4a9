/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instances: finds again, in the second reading of a trace, the intervals that were chosen after
 * the first one: lives of goroutines, regions, tasks, and rounds of a goroutine's loop. The trail
 * (trail.h) is kept while at least one of them is open. When an instance ends, its owner gets the
 * piece of the goroutine from which walk_back() finds the critical path.
 *
 * 	instances_init(&i, spans, trail, ctx, ends);
 * 	... vec_push(&i.picked, ...) ...
 * 	instances_sort(&i);
 * 	instances_trace(&i, number);		before each spans_read()
 * 	instances_free(&i);
 */
#ifndef GOTAP_WHY_INSTANCES_H
#define GOTAP_WHY_INSTANCES_H

#include "why/trail.h"

enum why_of {
	WHY_PROGRAM,
	WHY_GOROUTINE,
	WHY_FUNC,
	WHY_TASK,
	WHY_REGION,
	/*
	 * of a goroutine that comes back to one place to wait: from the end of a wait to the begin
	 * of the next one, and to its end
	 */
	WHY_ROUND,
	WHY_CYCLE,
	WHY_WAIT,		/* one wait of a goroutine, from its begin to its end */
	WHY_PART,		/* a goroutine from one time to another; one at a time */
};

/*
 * The begin identifies an instance in its trace, except for goroutines that were found when the
 * trace began.
 */
struct instance {
	int64_t from, ns;
	uint64_t g;		/* goid; of a task its id */
	uint32_t trace;		/* number of the trace, from 0 on */
	uint16_t group;		/* of chosen instances: a number of the owner */
	uint8_t of;		/* enum why_of */
};

/* @at is the piece of the goroutine at the end of @in. */
typedef void instance_fn(void *ctx, const struct instance *in, const struct trail_rec *at);

struct instances {
	struct spans *s;
	struct trail *trail;
	void *ctx;
	instance_fn *ends;
	struct vec picked;	/* struct instance, in the order of trace and begin */
	/* key of an instance that has begun -> index in picked */
	struct map64 open;
	size_t next;		/* index in picked; earlier ones have begun */
	size_t left;		/* instances of this trace that have not ended yet */
	uint32_t trace;
	uint32_t stack;		/* stack at the end of the last region */
	const struct instance *part;	/* of WHY_PART, while it is open; NULL: none */
};

/* Adds the visitors to @s, behind that of @trail. */
void instances_init(struct instances *i, struct spans *s, struct trail *trail, void *ctx,
		    instance_fn *ends);
void instances_free(struct instances *i);
/* To be called when all instances are in @picked. */
void instances_sort(struct instances *i);
/* Returns the number of chosen instances of a trace. */
size_t instances_in(const struct instances *i, uint32_t trace);
/* Another trace will be read. When its last instance has ended, spans_stop() ends the reading. */
void instances_trace(struct instances *i, uint32_t trace);

#endif
