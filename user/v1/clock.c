// SPDX-License-Identifier: Apache-2.0
/*
 * clock: ordered events with ticks come in; they leave with nanoseconds since
 * the first event, system call exits at the time when they really happened,
 * and the row that viewers give them.
 */
#include <errno.h>
#include <stdlib.h>

#include "v1/internal.h"
#include "v1/order.h"

static int exit_time(const struct map64 *blocked, struct v1_event *ev, struct error *err)
{
	int64_t ticks = (int64_t)ev->args[2];
	const uint64_t *block = map64_get(blocked, ev->g);

	if (!ticks)
		return 0;
	if (!block || !*block)
		return error_set(err, -EBADMSG, "stray syscall exit of goroutine %llu at offset "
				 "0x%llx", (unsigned long long)ev->g,
				 (unsigned long long)ev->offset);
	if (ticks < (int64_t)*block)
		return error_set(err, -EBADMSG, "time stamps out of order: goroutine %llu leaves a "
				 "syscall before it blocked, offset 0x%llx",
				 (unsigned long long)ev->g, (unsigned long long)ev->offset);
	ev->time = ticks;
	return 0;
}

/*
 * A GoSysExit is written when the thread has got a P, maybe long after the
 * exit. The order was found with the time of writing; only now can the exit
 * move to its own.
 */
static int set_exit_times(struct v1_trace *t, bool *moved, struct error *err)
{
	struct map64 blocked = {0};
	size_t i;
	int ret = 0;

	for (i = 0; i < t->events.len && !ret; i++) {
		struct v1_event *ev = v1_ev(t, i);

		if (ev->type == V1_GO_SYSBLOCK || ev->type == V1_GO_IN_SYSCALL)
			*map64_put(&blocked, ev->g, NULL) = (uint64_t)ev->time;
		if (ev->type != V1_GO_SYSEXIT)
			continue;
		ret = exit_time(&blocked, ev, err);
		*moved = true;
	}
	map64_free(&blocked);
	return ret;
}

static void sort_all(struct v1_trace *t)
{
	uint32_t *index = xcalloc(t->events.len, sizeof(*index));
	uint32_t i;

	for (i = 0; i < t->events.len; i++)
		index[i] = i;
	v1_sort_by_time(t, index, t->events.len);
	v1_permute(t, index);
	free(index);
}

/* Floating point as in Go, so that the last digit agrees. */
static void convert_times(struct v1_trace *t)
{
	uint64_t first = (uint64_t)v1_ev(t, 0)->time;
	double ns = 1e9 / (double)t->frequency;
	size_t i;

	for (i = 0; i < t->events.len; i++) {
		struct v1_event *ev = v1_ev(t, i);
		double time = (double)(int64_t)((uint64_t)ev->time - first) * ns;

		ev->time = time < 0 ? 0 : time < 9e18 ? (int64_t)time : INT64_MAX / 2;
	}
}

static void set_rows(struct v1_trace *t)
{
	size_t i;

	for (i = 0; i < t->events.len; i++) {
		struct v1_event *ev = v1_ev(t, i);

		if (ev->type == V1_GO_SYSEXIT)
			ev->row = V1_ROW_SYSCALL;
		else if (ev->type == V1_GO_UNBLOCK && map64_get(&t->timer_gs, ev->g))
			ev->row = V1_ROW_TIMER;
	}
}

int v1_clock(struct v1_trace *t, struct error *err)
{
	bool moved = false;
	int ret = 0;

	if (t->format.version >= 7)
		ret = set_exit_times(t, &moved, err);
	if (ret)
		return ret;
	if (moved)
		sort_all(t);
	convert_times(t);
	set_rows(t);
	return 0;
}
