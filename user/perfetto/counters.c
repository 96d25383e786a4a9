// SPDX-License-Identifier: Apache-2.0
/* counters: see counters.h. */
#include "perfetto/counters.h"

static const char *const names[COUNTERS] = {
	[COUNTER_GOROUTINES] = "goroutines",
	[COUNTER_RUNNABLE] = "runnable goroutines",
	[COUNTER_RUNNING] = "running goroutines",
};

static const char about[] = "Values that last less than 0.1 ms may be left out.";

void counters_begin(struct counters *c, struct packets *packets, struct tracks *tracks)
{
	int i;

	*c = (struct counters){ .packets = packets, .last = INT64_MIN };
	for (i = 0; i < COUNTERS; i++) {
		c->tracks[i] = tracks_add_counter(tracks, names[i], UNIT_COUNT, about);
		c->written[i] = UINT64_MAX;
	}
}

void counters_end(struct counters *c)
{
	int i;

	if (!c->pending)
		return;
	for (i = 0; i < COUNTERS; i++) {
		if (c->values[i] == c->written[i])
			continue;
		packets_count(c->packets, c->tracks[i], c->changed, c->values[i]);
		c->written[i] = c->values[i];
	}
	c->pending = false;
	c->last = c->changed;
}

void counters_change(struct counters *c, enum counter counter, int step, int64_t time)
{
	if (c->pending && time != c->changed && (uint64_t)time - (uint64_t)c->last >= COUNTERS_NS)
		counters_end(c);
	c->values[counter] += (uint64_t)(int64_t)step;
	c->changed = time;
	c->pending = true;
}
