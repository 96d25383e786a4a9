// SPDX-License-Identifier: Apache-2.0
/* columns: see columns.h. */
#include "top/columns.h"

#include <string.h>

const struct column_spec columns[COLUMNS] = {
	[COLUMN_GOROUTINES] = { "GOS", "goroutines", 6, "goroutines now" },
	[COLUMN_RUNNING] = { "RUN%", "running", 6, "how much they ran, in percent of one P" },
	[COLUMN_RUNNABLE] = { "RUNQ", "runnable", 6, "how many waited for a P, on average" },
	[COLUMN_SYSCALL] = { "SYSC", "syscall", 6, "how many were in system calls, on average" },
	[COLUMN_WAITING] = { "WAIT", "waiting", 6,
			     "how many wait now; for what is at the right, or below with Enter" },
	[COLUMN_CREATED] = { "NEW/s", "created", 6, "goroutines created per second" },
	[COLUMN_P99] = { "P99", "p99", 7, "99 % of the waits in the run queue were not longer" },
	[COLUMN_RATE] = { "REQ/s", "rate", 6, "requests that ended per second" },
	[COLUMN_FAILED] = { "FAIL%", "failed", 6,
			    "how many of them failed: status 500 and above, or no return" },
	[COLUMN_TOOK_P50] = { "P50", "p50", 8, "half of them did not take longer" },
	[COLUMN_TOOK_P99] = { "P99", "p99", 8, "99 % of them did not take longer" },
	[COLUMN_TOOK_MAX] = { "MAX", "max", 8, "the slowest one, which is at the right" },
	[COLUMN_BUSY] = { "BUSY", "busy", 8,
			  "time of those that ended, per second: how many were open, on average" },
	[COLUMN_NAME] = { "NAME", "name", 0,
			  "the function that they began with, labels, region; or the route" },
};

static bool column_is_of_requests(enum column c)
{
	return c >= COLUMN_RATE && c <= COLUMN_BUSY;
}

bool column_is_in(enum column c, bool by_route)
{
	return c == COLUMN_NAME || column_is_of_requests(c) == by_route;
}

enum column column_next(enum column c, int step, bool by_route)
{
	do
		c = (enum column)(((int)c + step + COLUMNS) % COLUMNS);
	while (!column_is_in(c, by_route));
	return c;
}

static struct short_text column_failed(const struct top_route *route)
{
	uint64_t n = route->took.count;

	return short_real(n ? (double)route->failed * 100 / (double)n : -1);
}

/* A duration of requests that ended; "-": none did. */
static struct short_text column_took(const struct top_route *route, uint64_t ns)
{
	return route->took.count ? short_time(ns) : short_real(-1);
}

static struct short_text column_text_of_route(enum column c, const struct top_sample *s,
					      const struct top_route *route)
{
	switch (c) {
	case COLUMN_RATE:
		return short_real(top_rate(s, route->took.count));
	case COLUMN_FAILED:
		return column_failed(route);
	case COLUMN_TOOK_P50:
		return column_took(route, route->took.p50);
	case COLUMN_TOOK_P99:
		return column_took(route, route->took.p99);
	case COLUMN_TOOK_MAX:
		return column_took(route, route->took.max);
	case COLUMN_BUSY:
		return short_real(top_mean(s, route->ns));
	default:
		return (struct short_text){ "" };
	}
}

struct short_text column_text(enum column c, const struct top_sample *s, const struct top_row *r)
{
	if (r->route)
		return column_text_of_route(c, s, r->route);
	switch (c) {
	case COLUMN_GOROUTINES:
		return short_count(top_total(&r->n));
	case COLUMN_RUNNING:
		return short_real(top_mean(s, r->n.ns[TOP_RUNNING]) * 100);
	case COLUMN_RUNNABLE:
		return short_real(top_mean(s, r->n.ns[TOP_RUNNABLE]));
	case COLUMN_SYSCALL:
		return short_real(top_mean(s, r->n.ns[TOP_SYSCALL]));
	case COLUMN_WAITING:
		return short_count(r->n.now[TOP_WAITING]);
	case COLUMN_CREATED:
		return short_real(top_rate(s, r->n.created));
	case COLUMN_P99:
		return r->n.sched.count ? short_time(r->n.sched.p99) : short_real(-1);
	default:
		return (struct short_text){ "" };
	}
}

static uint64_t columns_value_of_route(enum column c, const struct top_route *route)
{
	switch (c) {
	case COLUMN_RATE:
		return route->took.count;
	case COLUMN_FAILED:	/* the share, in millionths */
		return route->took.count ? route->failed * 1000000 / route->took.count : 0;
	case COLUMN_TOOK_P50:
		return route->took.p50;
	case COLUMN_TOOK_P99:
		return route->took.p99;
	case COLUMN_TOOK_MAX:
		return route->took.max;
	case COLUMN_BUSY:
		return route->ns;
	default:
		return 0;
	}
}

static uint64_t columns_value(enum column c, const struct top_row *r)
{
	if (r->route)
		return columns_value_of_route(c, r->route);
	switch (c) {
	case COLUMN_GOROUTINES:
		return top_total(&r->n);
	case COLUMN_RUNNING:
		return r->n.ns[TOP_RUNNING];
	case COLUMN_RUNNABLE:
		return r->n.ns[TOP_RUNNABLE];
	case COLUMN_SYSCALL:
		return r->n.ns[TOP_SYSCALL];
	case COLUMN_WAITING:
		return r->n.now[TOP_WAITING];
	case COLUMN_CREATED:
		return r->n.created;
	case COLUMN_P99:
		return r->n.sched.p99;
	default:
		return 0;
	}
}

int column_compare(enum column c, const struct top_row *a, const struct top_row *b)
{
	uint64_t x = columns_value(c, a), y = columns_value(c, b);
	int r;

	if (x != y)
		return x > y ? -1 : 1;
	r = strcmp(a->name, b->name);
	return r ? r : (a->key > b->key) - (a->key < b->key);
}

enum column column_named(const char *name, bool by_route)
{
	enum column c;

	for (c = 0; c < COLUMNS; c++)
		if (column_is_in(c, by_route) && !strcmp(columns[c].name, name))
			break;
	return c;
}
