// SPDX-License-Identifier: Apache-2.0
/* diff_say: the sentence for a change. See diff.h. */
#include <string.h>

#include "report/diff.h"
#include "report/findings.h"

static const char *const names[DIFF_KINDS] = {
	[DIFF_WAIT] = "wait",         [DIFF_SYSCALL] = "syscall",     [DIFF_RUNNING] = "running",
	[DIFF_RUNNABLE] = "runnable", [DIFF_ASSIST] = "assist",       [DIFF_REGION] = "region",
	[DIFF_TASK] = "task",         [DIFF_STOP] = "stop-the-world",
};

/* The verb after the name of the row; NULL: the sentence has the name only. */
static const char *const verbs[DIFF_KINDS] = {
	[DIFF_WAIT] = "waits", [DIFF_SYSCALL] = "is in the system call", [DIFF_RUNNING] = "runs",
	[DIFF_RUNNABLE] = "waits", [DIFF_ASSIST] = "assists the GC", [DIFF_REGION] = "takes",
	[DIFF_TASK] = "takes", [DIFF_STOP] = "takes",
};

const char *diff_kind_name(enum diff_kind kind)
{
	return names[kind];
}

static void put_subject(const struct diff_row *row, struct buf *text)
{
	if (row->kind == DIFF_STOP)
		buf_printf(text, "stop-the-world (%s)", *row->name ? row->name : "no reason given");
	else if (row->kind >= DIFF_REGION)
		buf_printf(text, "%s %s", names[row->kind], row->name);
	else
		buf_printf(text, "%s",
			   *row->name ? row->name : "(goroutines of no known function)");
}

/*
 * Appends the place: "at x.go:12" in the function that the goroutine began with, "at main.f
 * (x.go:12)" in another function.
 */
static void diff_say_put_place(const struct diff_row *row, const char *before, struct buf *text)
{
	const char *base = strrchr(row->file, '/');
	uint64_t line = row->side[1].line ? row->side[1].line : row->side[0].line;

	if (!*row->func && !*row->file)
		return;
	base = base ? base + 1 : row->file;
	if (row->func == row->name)
		buf_printf(text, "%s%s:%llu", before, base, (unsigned long long)line);
	else
		buf_printf(text, "%s%s (%s:%llu)", before, row->func, base,
			   (unsigned long long)line);
}

static void put_object(const struct diff_row *row, struct buf *text)
{
	if (row->kind == DIFF_RUNNABLE) {
		buf_printf(text, " for a P");
	} else if (row->kind == DIFF_RUNNING) {
		diff_say_put_place(row, " without a stop, from ", text);
		buf_printf(text, "%s", *row->func ? " on" : " without a stop");
	} else if (row->kind <= DIFF_ASSIST) {
		if (*row->what)
			buf_printf(text, " in %s", row->what);
		else if (row->kind == DIFF_WAIT)
			buf_printf(text, " for %s", *row->reason ? row->reason : "a coroutine");
		diff_say_put_place(row, " at ", text);
	}
}

static void put_quantiles(const struct diff_row *row, struct buf *text)
{
	static const struct {
		const char *name;
		double q;
	} which[] = { { "p50", 0.5 }, { "p99", 0.99 } };
	unsigned i;

	for (i = 0; i < 2; i++) {
		buf_printf(text, ", %s ", which[i].name);
		findings_time(text, (double)dist_quantile(&row->side[0].dist, which[i].q));
		buf_printf(text, " -> ");
		findings_time(text, (double)dist_quantile(&row->side[1].dist, which[i].q));
	}
}

/* Appends a number with as many digits as a reader needs: 0.034, 2.5, 1630. */
static void diff_say_put_number(struct buf *text, double n)
{
	buf_printf(text, n < 100 ? "%.3g" : "%.0f", n);
}

static void put_often(const struct diff *d, const struct diff_change *c, struct buf *text)
{
	const char *unit;
	double a = diff_often(d, c, 0, &unit), b = diff_often(d, c, 1, &unit);

	diff_say_put_number(text, a);
	buf_printf(text, " -> ");
	diff_say_put_number(text, b);
	buf_printf(text, " a %s", unit);
}

static void say_new(const struct diff *d, const struct diff_change *c, struct buf *text)
{
	const struct dist *dist = &c->row->side[c->slower].dist;
	const char *unit;
	double often = diff_often(d, c, c->slower, &unit);

	buf_printf(text, " %s%s", c->slower ? "now " : "no longer ", verbs[c->row->kind]);
	put_object(c->row, text);
	buf_printf(text, ": ");
	diff_say_put_number(text, often);
	buf_printf(text, " a %s, p50 ", unit);
	findings_time(text, (double)dist_quantile(dist, 0.5));
	buf_printf(text, ", p99 ");
	findings_time(text, (double)dist_quantile(dist, 0.99));
}

/* Appends the ratio: "3 times", "0.5 times", "1/116". */
static void put_ratio(const struct diff_change *c, struct buf *text)
{
	bool small = !c->slower && c->ratio >= 10;

	buf_printf(text, small ? "1/" : "");
	diff_say_put_number(text, c->slower || small ? c->ratio : 1 / c->ratio);
	buf_printf(text, small ? "" : " times");
}

void diff_say(const struct diff *d, const struct diff_change *c, struct buf *text)
{
	put_subject(c->row, text);
	if (c->way == DIFF_NEW) {
		say_new(d, c, text);
		return;
	}
	buf_printf(text, " %s ", verbs[c->row->kind]);
	put_ratio(c, text);
	buf_printf(text, " as %s", c->way == DIFF_LONGER ? "long" : "often");
	put_object(c->row, text);
	buf_printf(text, ": ");
	put_often(d, c, text);
	put_quantiles(c->row, text);
}
