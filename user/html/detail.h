/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detail: makes the timeline of the page from the spans in the spool, when the whole trace is
 * known: which Ps, threads and goroutines have tracks, down to which level of detail each track is
 * kept whole, and the windows of time in which all levels are kept. It also numbers the stacks of
 * the page.
 *
 * page.c calls it.
 */
#ifndef GOTAP_HTML_DETAIL_H
#define GOTAP_HTML_DETAIL_H

#include "html/collect.h"
#include "html/html.h"

enum {
	HEAT_BUCKETS = 480,
	DETAIL_PROCS = 512, DETAIL_THREADS = 512, DETAIL_GOROUTINES = 24000,
	DETAIL_STACKS = 40000,
};

struct detail {
	struct html *h;
	struct blocks blocks;
	struct levels levels;
	struct vec windows;		/* struct level_window */
	struct vec tracks[PLANES];	/* struct level_track */
	struct vec procs;		/* uint64_t: ids of the tracks of Ps */
	struct map64 proc_tracks;
	struct map64 goroutine_tracks;	/* serial -> number of the track + 1 */
	uint32_t *stack_numbers;	/* number in the page by number in spans/stack_set.h */
	/* uint32_t: number in spans/stack_set.h by number in the page */
	struct vec stacks;
	uint64_t stacks_dropped;
	/* ns by P and bucket: first of running stays, then of system calls */
	double *heat;
	struct vec slots, syscalls;
	int64_t time;
};

/* Makes the blocks. @room: the bytes that the blocks may take. */
void detail_make(struct detail *d, struct html *h, const struct html_about *about, size_t room);
/* Marks the blocks that the page gets, the most important first: as many as @room bytes hold. */
void detail_choose(struct detail *d, size_t room);
uint32_t detail_stack(struct detail *d, uint32_t stack);
void detail_free(struct detail *d);

#endif
