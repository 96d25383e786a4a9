// SPDX-License-Identifier: Apache-2.0
/*
 * v2_order: see v2_order.h. Input: one event of one thread. Output: a verdict and up to three
 * events. This file has the dispatch; the rules are in v2_advance_*.c, the tables of states in
 * v2_order_state.c.
 */
#include "read/v2_advance.h"

static enum advance advance_unknown(struct order *o, struct trace_event *ev)
{
	return advance_fail(o, ev, "bad event type found while ordering: %u", ev->type);
}

/* Each timed event has a row in v2_order.def. */
enum {
#define ORDER(name, handler) HAS_ORDER_##name,
#include "read/v2_order.def"
#undef ORDER
#define EV(number, name, version, class, args, stacks, strings) \
	TRACEV2_IF_TIMED(class, ORDER_OF_##name = HAS_ORDER_##name, )
#include "tracev2.def"
#undef EV
};

order_handler *const order_handlers[RAW_SPECS] = {
#define ORDER(name, handler) [EV_##name] = handler,
#include "read/v2_order.def"
#undef ORDER
#define EV(number, name, version, class, args, stacks, strings) \
	TRACEV2_IF_EXPERIMENT(class, [number] = advance_experiment, )
#include "tracev2.def"
#undef EV
};
