/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: for each event in order, the earlier one that it ends or follows. `gotap text --events
 * --links` and libgotap show it. Two rules (view.h says which events they are for):
 *
 *	a transition	the event that brought the goroutine or P into the state that it leaves:
 *			GoStart follows GoCreate, GoUnblock or GoStop, GoUnblock ends GoBlock, and
 *			GoBlock ends GoStart
 *	an end		the begin of that range, region or task. A range that was going on when
 *			the trace began has the event that says so; the end of a region ends the
 *			innermost one
 *
 * A status that changes nothing follows nothing, and is followed by nothing. The state is of the
 * goroutines that live, of Ps, and of the ranges, regions and tasks that are open.
 */
#ifndef GOTAP_READ_LINKS_H
#define GOTAP_READ_LINKS_H

#include "read/v2_event.h"

struct event_link {
	int64_t time;
	uint8_t type;	/* EV_*; 0: there is none, or it is not known */
};

struct links;

struct links *links_new(void);
/* Accepts NULL. */
void links_free(struct links *l);
/* The link of @ev, which is the next event that the reader has given. */
struct event_link links_next(struct links *l, const struct trace_event *ev);

#endif
