/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gaps: the thread that takes probes away and puts them back, and reads all states
 * again after each gap. It waits for the kernel and for the target's memory; the drain
 * thread, which empties the rings and ends the recording, must wait for neither.
 *
 * Three reasons for a gap. Records were lost: the states that follow from the
 * stream are wrong until every goroutine concerned has moved again, and some never
 * do. So when the losses are over (or once a second, if they do not end) all states
 * are read anew, as at the attach. Or the budget wants a slice of time without
 * probes. Or nobody reads: the queue and then the rings are full, so that probes
 * cost the target's time and record nothing; then they are taken away until there
 * is room again.
 *
 * After each gap: from some time on all records are there (REC_RESUME), then
 * everything is read, and the model goes on from that (REC_SNAP_END).
 */
#ifndef GOTAP_CAPTURE_GAPS_H
#define GOTAP_CAPTURE_GAPS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/budget_control.h"
#include "capture/chunk_queue.h"
#include "capture/reread.h"
#include "capture/states.h"

struct gaps {
	struct probes *probes;
	struct chunk_queue *queue;
	struct states *states;
	struct user_records *records;
	struct ring_set *rings;
	struct budget_control budget;
	pthread_t thread;
	pthread_mutex_t lock;		/* of stop and begun */
	pthread_cond_t changed;
	bool runs, stop;
	bool begun;			/* the first states are in the stream */
	uint64_t begin;			/* ns; when the thread was started */
	bool inline_wanted;		/* code in the target is to take over from probes */
	/* of the thread: */
	uint64_t inline_until;		/* gotap tries it until then; 0: not tried yet */
	bool away;			/* the reason why there are no probes now: */
	enum rec_gap why;
	uint64_t not_before;		/* an attempt to put them back has failed */
	bool unread;			/* nobody reads */
	uint64_t lost_with_room;	/* records lost while the queue had room */
	struct reread reread;
};

void gaps_init(struct gaps *g);
/* Starts the thread, once the probes are active. From then on it keeps the budget. */
int gaps_start(struct gaps *g, struct error *err);
/* The caller says that the first states are in the stream: from now on there may be gaps. */
void gaps_allow(struct gaps *g);
/* Asks the thread to end; does not wait. */
void gaps_stop(struct gaps *g);
/*
 * Waits for the thread's end; the thread may still read memory. Does nothing if there is no thread.
 */
void gaps_join(struct gaps *g);
void gaps_destroy(struct gaps *g);

#endif
