// SPDX-License-Identifier: Apache-2.0
/* v2_sync: see v2_sync.h. Input: bodies of two kinds of batches. Output: a clock, samples. */
#include "read/v2_sync.h"

static int read_numbers(struct cursor *c, uint64_t *v, int n, struct v2_place *place,
			struct v2_fault *fault)
{
	int i;

	for (i = 0; i < n; i++) {
		enum cursor_status status = cursor_uvarint(c, &v[i]);

		if (status != CURSOR_OK)
			return fault_set(fault, place, "reading its arguments: %s",
					 cursor_status_text(status));
	}
	return 0;
}

static int read_frequency(struct v2_clock *clock, struct cursor *c, struct v2_place *place,
			  struct v2_fault *fault)
{
	uint64_t freq;
	int ret;

	if (clock->has_freq)
		return fault_set(fault, place, "found multiple frequency events");
	ret = read_numbers(c, &freq, 1, place, fault);
	if (ret)
		return ret;
	clock->has_freq = true;
	clock->ns_per_unit = 1.0 / ((double)freq / 1e9);
	if (clock->ns_per_unit < 4096) {	/* 2^40 * 2^12 is exact in a double */
		clock->safe = 1ull << 40;
		clock->whole_ns = (int64_t)clock->ns_per_unit;
		if ((double)clock->whole_ns != clock->ns_per_unit)
			clock->whole_ns = 0;
	}
	return 0;
}

static int read_snapshot(struct v2_clock *clock, struct cursor *c, uint64_t *time,
			 struct v2_place *place, struct v2_fault *fault)
{
	uint64_t v[4];	/* dt, mono, sec, nsec */
	int ret;

	if (clock->has_snapshot)
		return fault_set(fault, place, "found multiple clock snapshot events");
	ret = read_numbers(c, v, 4, place, fault);
	if (ret)
		return ret;
	*time += v[0];
	clock->has_snapshot = true;
	clock->snap_time = *time;
	clock->snap_mono = v[1];
	clock->snap_sec = v[2];
	clock->snap_nsec = v[3];
	return 0;
}

int sync_read(struct v2_clock *clock, struct cursor *c, int version, uint64_t time,
	      struct v2_place *place, struct v2_fault *fault)
{
	uint8_t type;
	int ret = 0;

	while (!ret) {
		place->offset = cursor_offset(c);
		if (!cursor_byte(c, &type))
			break;
		if (type == EV_Frequency)
			ret = read_frequency(clock, c, place, fault);
		else if (type == EV_ClockSnapshot && version >= 25)
			ret = read_snapshot(clock, c, &time, place, fault);
		else
			ret = fault_set(fault, place,
					"expected frequency or clock snapshot event, got %u", type);
	}
	return ret;
}

static int read_sample(struct vec *samples, struct cursor *c, struct v2_place *place,
		       struct v2_fault *fault)
{
	struct v2_sample *sample;
	uint64_t v[5];	/* time, m, p, g, stack */
	uint8_t type = 0;
	int ret;

	place->offset = cursor_offset(c);
	cursor_byte(c, &type);
	if (type != EV_CPUSample)
		return fault_set(fault, place, "expected CPU sample event, got %u", type);
	ret = read_numbers(c, v, 5, place, fault);
	if (ret)
		return ret;
	sample = vec_push(samples, sizeof(*sample));
	*sample = (struct v2_sample){ .time = (int64_t)v[0], .m = v[1], .p = v[2],
				      .g = v[3] ? v[3] : TRACEV2_NO_ID, .stack = v[4],
				      .offset = place->offset };
	return 0;
}

int samples_read(struct vec *samples, struct cursor *c, struct v2_place *place,
		 struct v2_fault *fault)
{
	int ret = 0;

	while (!ret && cursor_left(c))
		ret = read_sample(samples, c, place, fault);
	return ret;
}

/* Samples with equal times remain in the order of the file: offsets are unique. */
static int v2_sync_by_time(const void *va, const void *vb)
{
	const struct v2_sample *a = va, *b = vb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void samples_finish(struct vec *samples, const struct v2_clock *clock)
{
	size_t i;

	for (i = 0; i < samples->len; i++) {
		struct v2_sample *sample = vec_at(samples, struct v2_sample, i);

		sample->time = clock_ns(clock, (uint64_t)sample->time);
	}
	vec_sort(samples, sizeof(struct v2_sample), v2_sync_by_time);
}
