/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits: what a goroutine waits for: from the words of records to the object of an event. Only
 * user/sched includes this.
 */
#ifndef GOTAP_SCHED_WAITS_H
#define GOTAP_SCHED_WAITS_H

#include "sched/state.h"

/*
 * @g parks on @m by the GO_PARK @l: sets and counts its object, and returns it as wait_of() does.
 */
const struct trace_wait *wait_park(struct model *s, struct M *m, struct G *g,
				   const struct rec_long *l, struct trace_wait *ret);
/* @g waits, as the SNAP_G @r says. Its object comes with the next records. */
void wait_snap(struct model *s, struct G *g, const struct rec *r);
/* @g, of before a gap, waits for the same as @from, the same goroutine after it. */
void wait_copy(struct G *g, const struct G *from);
/*
 * sockets.c: @g waits for the descriptor of g->object, since @time (0: since before the trace).
 */
void socket_wait(struct model *s, const struct G *g, uint64_t time);
/* Passes the sockets of this generation, which ends, to the sink. */
void sockets_tell(struct model *s);
/* Nothing is known of the program from now on: what was opened can be closed meanwhile. */
void sockets_gap(struct model *s);
void wait_sockets_free(struct model *s);
/* What @g waits for, in *@ret; NULL: not known. */
const struct trace_wait *wait_of(const struct G *g, struct trace_wait *ret);

#endif
