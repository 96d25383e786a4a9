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
	[COLUMN_NAME] = { "NAME", "name", 0,
			  "the function that they began with, their labels, or their region" },
};

struct short_text column_text(enum column c, const struct top_sample *s, const struct top_row *r)
{
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

static uint64_t columns_value(enum column c, const struct top_row *r)
{
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

enum column column_named(const char *name)
{
	enum column c;

	for (c = 0; c < COLUMNS && strcmp(columns[c].name, name); c++)
		;
	return c;
}
