// SPDX-License-Identifier: Apache-2.0
/* options: the command line of `gotap top`. See top.h. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "base/name_pattern.h"
#include "cmd/cmd.h"
#include "cmd/parse.h"
#include "cmd/top/top.h"
#include "plan/size_class.h"

static const char *take_interval(void *seconds, const char *arg)
{
	double *interval = seconds;

	return parse_duration(arg, interval) && *interval >= 0.1 && *interval <= 3600 ? NULL :
	       "takes a time from 100ms to 1h";
}

static const char *take_by(void *options, const char *arg)
{
	struct top_options *o = options;
	enum group_by by;

	o->label = NULL;
	if (!strncmp(arg, "label:", 6) && arg[6]) {
		o->label = arg + 6;
		arg = "label";
	}
	for (by = 0; by < GROUP_BYS; by++)
		if (!strcmp(arg, group_by_names[by])) {
			o->by = by;
			return NULL;
		}
	return "takes function, label, label:KEY, region or route";
}

/* The columns of which table: --by may follow. */
static const char *check_sort(struct top_options *o)
{
	bool by_route = o->by == BY_ROUTE;

	o->sort = column_named(o->sort_name ? o->sort_name : by_route ? "rate" : "running",
			       by_route);
	if (o->sort < COLUMNS)
		return NULL;
	return by_route ? "--sort takes rate, failed, p50, p99, max, busy or name with --by route" :
			  "--sort takes goroutines, running, runnable, syscall, waiting, created, "
			  "p99 or name";
}

static const char *take_filter(void *filter, const char *arg)
{
	*(const char **)filter = arg;
	return strlen(arg) < UI_FILTER ? NULL : "takes a text of less than 64 bytes";
}

static const char *take_pattern(void *pattern, const char *arg)
{
	*(const char **)pattern = arg;
	return name_pattern_has(arg, 'n') ? NULL : "takes a pattern with %n in it";
}

#define FIELD(name) offsetof(struct top_options, name)

static const struct option_row top_rows[] = {
	OPTION('i', "interval", "TIME", OPTION_TAKE, FIELD(interval),
	  "each number is about the last TIME (default 1s)", .take = take_interval),
	OPTION('n', "count", "N", OPTION_NUMBER, FIELD(count),
	  "end after N intervals",
	  .min = 1, .max = 1UL << 40, .want = "takes a number of intervals"),
	OPTION(0, "once", NULL, OPTION_FLAG, FIELD(once), "print one interval as text, and end"),
	OPTION(0, "json", NULL, OPTION_FLAG, FIELD(json),
	  "a line of JSON for each interval (docs/top.md), also with --once"),
	OPTION(0, "brief", NULL, OPTION_FLAG, FIELD(brief),
	  "with --json: without units of work and rows, at a smaller cost"),
	OPTION(0, "by", "GROUP", OPTION_TAKE, 0,
	  "the rows: function (default), label, label:KEY, region or route (of requests)",
	  .take = take_by),
	OPTION(0, "sort", "COLUMN", OPTION_TEXT, FIELD(sort_name),
	  "goroutines, running (default), runnable, syscall, waiting, created, p99 or name; "
	  "by route: rate (default), failed, p50, p99, max, busy or name"),
	OPTION(0, "reverse", NULL, OPTION_FLAG, FIELD(reverse), "the other way round"),
	OPTION(0, "filter", "TEXT", OPTION_TAKE, FIELD(filter),
	  "only rows with that text in their name", .take = take_filter),
	OPTION(0, "no-paths", NULL, OPTION_FLAG, FIELD(record.capture.bpf.no_paths),
	  "of requests: leave out their paths, which can name users"),
	OPTION(0, "flight", "TIME", OPTION_DURATION, FIELD(flight),
	  "a snapshot (key s) has the last TIME (default 10s)"),
	OPTION('o', "output", "PATTERN", OPTION_TAKE, FIELD(pattern),
	  "the name of snapshots, with %n for their number (default gotap-%p-%t-%n.trace)",
	  .take = take_pattern),
	{0},
};

static const char *top_check(void *options, char **operands)
{
	struct top_options *o = options;
	const char *wrong = check_sort(o);

	if (wrong)
		return wrong;
	if (!o->record.pick.pid == !o->record.pick.container)
		return "give one process (-p) or container";
	if (o->once && o->count > 1)
		return "--once is one interval, -n several: give one of them";
	if (o->brief && !o->json)
		return "--brief is about --json";
	if (o->by == BY_LABEL && !(o->record.groups & 1u << GROUP_LABELS))
		return "--by label needs the group labels: give --events +labels, too";
	if (o->once)
		o->count = 1;
	if (o->by == BY_ROUTE)
		o->record.groups |= 1u << GROUP_HTTP;
	if (o->record.capture.bpf.no_paths && !(o->record.groups & 1u << GROUP_HTTP))
		return "--no-paths is about requests: give --by route or --events +http, too";
	return NULL;
}

static const struct command_line top_line = {
	.name = "top",
	.usage = "gotap top [OPTION...] -p PID | --container NAME",
	.about =
		"Shows a running Go program at work: its units of work with rate and p99, what\n"
		"goroutines wait for, its Ps, run queue, garbage collector and heap, and its\n"
		"goroutines by start function, labels or region: how many run, wait for a P, or\n"
		"wait and for which reason; or the requests that it serves (--by route). The\n"
		"program is recorded as by `gotap record`, which needs the same rights and costs\n"
		"it as much. Key ? shows the keys. The group labels is recorded by default, too;\n"
		"--by route adds http.\n",
	.tables = { { pick_rows, FIELD(record.pick) }, { top_rows, 0 },
		    { record_probe_rows, FIELD(record) } },
	.after =
		"NO_COLOR in the environment turns colors off. The second line shows losses and\n"
		"times without a recording.\n",
	.operands = "give one process (-p) or container",
	.check = top_check,
};

int top_read_options(struct top_options *o, int argc, char **argv)
{
	*o = (struct top_options){
		.record = RECORD_OPTIONS_DEFAULT,
		.interval = 1,
		.flight = 10,
		.pattern = "gotap-%p-%t-%n.trace",
	};
	o->record.groups |= 1u << GROUP_LABELS;
	o->record.capture.bpf.object_min = size_class_round(OBJECT_MIN);
	return command_line_read(&top_line, o, argc, argv);
}
