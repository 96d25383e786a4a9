/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rerun: executes the programs of a trace by a model of Go's scheduler: Ps with a place for the
 * goroutine that is to run next, one queue, slices of 10 ms, timers first. Nothing is random.
 *
 * There are two replays. They differ in the channels of which the trace lacks the capacity
 * (trace/wait.h). In RERUN_ORDER a channel holds nothing: who sends waits
 * for the receiver. In RERUN_FREE it holds everything. The truth lies between.
 *
 * Time: O(ops * log(Ps + timers)). Memory: 6 bytes for each op, 60 for each goroutine.
 */
#ifndef GOTAP_WHATIF_RERUN_H
#define GOTAP_WHATIF_RERUN_H

#include "whatif/programs.h"
#include "whatif/rounds.h"

/* ns: with all Ps idle the runtime waits in epoll_wait(2), for whole ms (netpoll_epoll.go). */
enum { POLLER_NS = 1000000 };

enum rerun_variant { RERUN_ORDER, RERUN_FREE, RERUN_VARIANTS };

/* What differs from the trace. Zeros: nothing. */
struct rerun_change {
	const float *factors;	/* by class: its time times this; NULL: all 1 */
	bool no_gc;
};

struct rerun_result {
	struct measured measured;
	bool ended;		/* false: it took too many steps, and was given up */
};

struct rerun_result rerun_run(const struct programs *p, const struct rounds *r,
			   enum rerun_variant variant, const struct rerun_change *change);

#endif
