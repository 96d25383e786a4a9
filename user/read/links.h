/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: for each event in order, the earlier event that it ends or follows. `gotap text --events
 * --links` and libgotap show links. There are two rules (view.h has the kinds of events):
 *
 *	a transition	the event that brought the goroutine or P into the state that the transition
 *			ends: GoStart follows GoCreate, GoUnblock or GoStop; GoUnblock ends GoBlock;
 *			GoBlock ends GoStart
 *	an end		the begin of the range, region or task. For a range that was open when the
 *			trace began: the Active event. The end of a region ends the innermost one
 *
 * A status event without a change has no link, and no event links to it. Memory: the live
 * goroutines, the Ps, and the open ranges, regions and tasks.
 */
#ifndef GOTAP_READ_LINKS_H
#define GOTAP_READ_LINKS_H

#include "read/v2_event.h"

struct event_link {
	int64_t time;
	uint8_t type;	/* EV_*; 0: no link, or not known */
};

struct links;

struct links *links_new(void);
/* Accepts NULL. */
void links_free(struct links *l);
/* The link of @ev, which must be the next event of the reader. */
struct event_link links_next(struct links *l, const struct trace_event *ev);

#endif
