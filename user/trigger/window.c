// SPDX-License-Identifier: Apache-2.0
/* window: see window.h. */
#include "trigger/window.h"

void window_count(struct window *w, bool hit)
{
	w->slices[w->newest].all++;
	w->slices[w->newest].hits += hit;
}

struct window_sum window_sum(const struct window *w)
{
	struct window_sum sum = {0};
	size_t i;

	for (i = 0; i < WINDOW_SLICES; i++) {
		sum.all += w->slices[i].all;
		sum.hits += w->slices[i].hits;
	}
	return sum;
}

bool window_is_due(const struct window *w, uint64_t time)
{
	return !w->begin || time >= w->begin + w->slice_ns;
}

void window_forget(struct window *w)
{
	*w = (struct window){ .slice_ns = w->slice_ns };
}

void window_turn(struct window *w, uint64_t time)
{
	if (!w->begin || time > w->begin + WINDOW_SLICES * w->slice_ns)
		*w = (struct window){ .slice_ns = w->slice_ns, .begin = time };
	for (; w->begin + w->slice_ns <= time; w->begin += w->slice_ns) {
		w->newest = (w->newest + 1) % WINDOW_SLICES;
		w->slices[w->newest] = (struct window_sum){0};
	}
}
