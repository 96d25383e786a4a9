/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states: reads the state of every goroutine and P from the program's memory and puts it into
 * the stream: at the start, and after each gap. Used by the thread that starts the capture, then
 * by the thread of gaps.c. Decides, too, whether the program's memory has the structures of
 * the plan.
 */
#ifndef GOTAP_CAPTURE_STATES_H
#define GOTAP_CAPTURE_STATES_H

#include <stdbool.h>

#include "attach/bpf.h"
#include "base/error.h"
#include "capture/user_records.h"
#include "live/process.h"
#include "live/roots.h"
#include "live/snapshot.h"
#include "live/stop_request.h"
#include "plan/plan.h"

struct states {
	const struct plan *plan;
	struct process *proc;
	struct bpf_side *bpf;
	struct user_records *records;
	struct roots roots;
	unsigned int stack_depth;
	bool stop;		/* wanted by states_stop() */
	struct stop_request stop_reading;	/* that, or a signal */
	bool checked;		/* a snapshot has found that the plan describes the program */
	bool fits;		/* the program's memory has the structures of the plan */
	uint64_t not_before;	/* when to compare them next */
};

/*
 * Finds where the program's memory has the states, and reads the names of Ps. Called before the
 * probes are active. In a launched program there is nothing to find yet.
 */
int states_begin(struct states *s, struct error *err);
/* Reads all states for the first time; a launched program has none yet. */
int states_read_first(struct states *s, struct error *err);
/*
 * Puts the end of a gap, for @why, into the stream, then reads all states, again if records were
 * lost meanwhile. *@lost: how many records had been lost when that began. False if nothing could be
 * read: the program has most likely ended.
 */
bool states_read_anew(struct states *s, enum rec_gap why, uint64_t *lost);
/*
 * Returns whether the states can be read. In a launched program they cannot at first: gotap finds
 * the goroutines later.
 */
bool states_known(struct states *s);
/* The same from another thread, as far as the states were found. */
bool states_were_found(const struct states *s);
/*
 * Compares the memory of a launched program with the structures of a plan that was made with
 * --assume-go, once: before the program ran there was nothing to compare.
 */
void states_look_whether_it_fits(struct states *s);
/* From any thread: is it? */
bool states_fit(const struct states *s);
/* Ends the reading that is under way; no further one begins. From any thread. */
void states_stop(struct states *s);

#endif
