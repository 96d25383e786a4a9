/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window: how many of the things that ended in the last WINDOW_SLICES slices of time were of the
 * kind that a rule looks for: waits that were too long, requests that failed. Two counts for each
 * slice suffice: no histogram is needed.
 */
#ifndef GOTAP_TRIGGER_WINDOW_H
#define GOTAP_TRIGGER_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW_SLICES = 10 };

struct window_sum {
	uint64_t all, hits;
};

struct window {
	uint64_t slice_ns;	/* set by the owner; the rest is 0 at first */
	struct window_sum slices[WINDOW_SLICES];
	uint64_t begin;		/* of the newest slice; 0: there is none */
	size_t newest;
};

void window_count(struct window *w, bool hit);
struct window_sum window_sum(const struct window *w);
/* Has the newest slice ended at @time? Then a rule looks at the sum and calls window_turn(). */
bool window_is_due(const struct window *w, uint64_t time);
/* Begins the slice that @time is in. */
void window_turn(struct window *w, uint64_t time);
void window_forget(struct window *w);

#endif
