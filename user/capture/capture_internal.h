/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_internal: what capture.c (the rings, the queue) shares with keeper.c
 * (whoever reads states anew while the recording runs).
 */
#ifndef GOTAP_CAPTURE_CAPTURE_INTERNAL_H
#define GOTAP_CAPTURE_CAPTURE_INTERNAL_H

#include <pthread.h>

#include "capture/budget_meter.h"
#include "capture/capture.h"
#include "capture/keeper.h"
#include "capture/losses.h"
#include "capture/sampler.h"
#include "capture/unreadable.h"

enum {
	CHUNKS = 64,			/* in circulation */
};

enum gap_form {
	GAP_SOON,	/* REC_GAP that may begin later */
	GAP_NOW,
	GAP_AND_RESUME,	/* REC_RESUME right after REC_GAP: one moment */
};

struct capture {
	const struct plan *plan;
	struct process *proc;
	struct bpf_side *bpf;
	struct sampler sampler;		/* of the drain thread once that runs */
	struct roots roots;
	struct stop_request stop_reading;	/* of the target's memory: a signal, or the end */
	unsigned int stack_depth;
	double ceiling;			/* ns per second that the probes may cost, 0: any */
	pthread_t thread;
	bool thread_runs;
	struct keeper keeper;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct chunk chunks[CHUNKS];
	struct chunk *free_list[CHUNKS], *queue[CHUNKS];
	size_t n_free, head, n_queued, queued_bytes;
	struct chunk *taken;		/* by the caller */
	struct buf extra;		/* records of user space for the next chunk */
	struct vec unnamed;		/* struct unnamed: creations whose goid is still to come */
	uint8_t gap;			/* enum rec_gap: the next chunk says REC_GAP, */
	enum gap_form form;
	struct budget_meter meter;
	bool stop, done;
	bool fits;			/* the target's memory is what the plan says */
	enum capture_end end;
	uint64_t watermark;
	uint64_t lived_until;	/* the program was found alive then, and running the same file */
	uint64_t true_until;		/* no plugin was there then: all of its code had probes */
	struct losses losses;		/* of the drain thread */
	struct unreadable unreadable;	/* likewise */
};

/* Puts @records into the stream. */
void capture_hand_over(struct capture *cap, const void *records, size_t n);
/*
 * The stream tells a gap from some time on, and in the last form that every
 * record is there from the same time on: returns when that has come. False if
 * the capture ends.
 */
bool capture_gap(struct capture *cap, enum rec_gap why, enum gap_form form);
/* The states of everything, once threads have arrived behind the probes they passed. */
int capture_read_states(struct capture *cap, struct buf *records, struct snapshot_counts *counts,
			struct error *err);
/* They are handed over; @lost: bpf_names_lost() before they were read. */
void capture_names_known(struct capture *cap, const struct snapshot_counts *counts, uint64_t lost);

#endif
