/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_event_ids: the ids of strings and stacks that events carry must be in the tables of their
 * generation (readers of Go refuse the trace otherwise). v2_reader.c asks for each event that it
 * gives.
 */
#ifndef GOTAP_READ_V2_EVENT_IDS_H
#define GOTAP_READ_V2_EVENT_IDS_H

#include "read/v2_event.h"
#include "read/v2_fault.h"
#include "read/v2_table.h"

/* An argument that no event has, so always 0: the place of an id that is not there. */
enum { NO_ARG = TRACEV2_MAX_ARGS - 1 };

/* Which arguments of an event are ids of its stacks and strings. */
struct id_places {
	uint8_t stack;		/* its own */
	uint8_t other;		/* a string, or the stack of the goroutine that it creates */
	bool is_stack;		/* the other one is a stack */
	uint8_t third;		/* a string: only user annotations have so many ids */
};

struct event_ids {
	struct id_places of[256];	/* by type of event */
	const struct raw_specs *specs;
	struct v2_fault *fault;
	/* the generation breaks off, so tables may be missing: see event_ids_check() */
	bool drop_unknown;
	uint64_t dropped;	/* ids that were replaced by 0 */
};

/* Both stay the caller's and must outlive @ids. */
void event_ids_init(struct event_ids *ids, const struct raw_specs *specs, struct v2_fault *fault);
/* event_ids_check() for ids that are not among the first, without a gap, that the tables have. */
bool event_ids_check_slowly(struct event_ids *ids, const struct v2_tables *t,
			    struct trace_event *ev);

/*
 * Does @t have them all? False with the fault set; with drop_unknown those that it lacks become 0.
 */
static inline bool event_ids_check(struct event_ids *ids, const struct v2_tables *t,
				   struct trace_event *ev)
{
	const struct id_places *at = &ids->of[ev->type];

	return (ev->args[at->stack] < t->stack_ids.all_below &&
		ev->args[at->other] < (at->is_stack ? t->stack_ids.all_below :
				       t->string_ids.all_below) &&
		at->third == NO_ARG) || event_ids_check_slowly(ids, t, ev);
}

#endif
