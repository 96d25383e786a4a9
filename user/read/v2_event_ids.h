/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_event_ids: checks that the ids of strings and stacks in events are in the tables of their
 * generation (Go's readers refuse the trace otherwise). v2_reader.c calls it for each event that it
 * returns.
 */
#ifndef GOTAP_READ_V2_EVENT_IDS_H
#define GOTAP_READ_V2_EVENT_IDS_H

#include "read/v2_event.h"
#include "read/v2_fault.h"
#include "read/v2_table.h"

/*
 * An argument that no event has, so it is always 0: stands for an id that the event does not have.
 */
enum { NO_ARG = TRACEV2_MAX_ARGS - 1 };

/* The arguments of an event that are ids of stacks and strings. */
struct id_places {
	uint8_t stack;		/* the event's own stack */
	uint8_t other;		/* a string, or the stack of the goroutine that the event creates */
	bool is_stack;		/* @other is a stack */
	uint8_t third;		/* a string: only user annotations have three ids */
};

struct event_ids {
	struct id_places of[256];	/* by type of event */
	const struct raw_specs *specs;
	struct v2_fault *fault;
	/* the generation is incomplete, so tables may be missing: see event_ids_check() */
	bool drop_unknown;
	uint64_t dropped;	/* ids that were replaced by 0 */
};

/* The caller owns both, which must outlive @ids. */
void event_ids_init(struct event_ids *ids, const struct raw_specs *specs, struct v2_fault *fault);
/* event_ids_check() for the general case: ids that are not below all_below. */
bool event_ids_check_slowly(struct event_ids *ids, const struct v2_tables *t,
			    struct trace_event *ev);

/*
 * Returns true if @t has all ids of @ev, else false with the fault set. With drop_unknown it
 * returns true, and ids that @t lacks become 0.
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
