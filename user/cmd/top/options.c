// SPDX-License-Identifier: Apache-2.0
/* options: the command line of `gotap top`. See top.h. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/name_pattern.h"
#include "cmd/cmd.h"
#include "cmd/parse.h"
#include "cmd/top/top.h"
#include "plan/size_class.h"

static const char help[] =
	"usage: gotap top [OPTION...] -p PID | --container NAME\n"
	"\n"
	"Shows a running Go program at work: its Ps, run queue, garbage collector and heap, and its goroutines\n"
	"by start function, labels or region: how many run, wait for a P, wait for what. The program is\n"
	"recorded as by `gotap record`, which needs the same rights and costs it as much. Key ? shows the keys.\n"
	"\n"
	"  -p, --pid PID         the process\n"
	"      --container NAME  the Go program in that container (as for gotap record)\n"
	"  -i, --interval TIME   each number is about the last TIME (default 1s)\n"
	"  -n, --count N         end after N intervals\n"
	"      --once            print one interval as text, and end\n"
	"      --json            a line of JSON for each interval (docs/top.md), also with --once\n"
	"      --by GROUP        what a row is: function (default), label, label:KEY or region\n"
	"      --sort COLUMN     goroutines, running (default), runnable, syscall, waiting, created,\n"
	"                        p99 or name\n"
	"      --reverse         the other way round\n"
	"      --filter TEXT     only rows with that text in their name\n"
	"      --flight TIME     a snapshot (key s) has the last TIME (default 10s)\n"
	"  -o, --output PATTERN  the name of snapshots, with %n for their number\n"
	"                        (default gotap-%p-%t-%n.trace)\n"
	"  -e, --events LIST     groups of events, as for gotap record (default: those, and labels)\n"
	"      --budget PERCENT  what the probes may cost the program, as for gotap record\n"
	"      --stack-depth N   frames per stack, 0 to 127 (default 127)\n"
	"      --attach METHOD   auto, multi, perf or inline, as for gotap record\n"
	"      --assume-go 1.NN  take the program for one of that release (as for gotap record)\n"
	"      --proc DIR        the host's /proc, where gotap runs in a container itself\n"
	"\n"
	"NO_COLOR in the environment turns colors off. The second line shows losses and times without a recording.\n";

enum { OPT_ONCE = 256, OPT_JSON, OPT_BY, OPT_SORT, OPT_REVERSE, OPT_FILTER, OPT_FLIGHT, OPT_BUDGET, OPT_DEPTH, OPT_ATTACH,
       OPT_ASSUME };

static const struct option long_options[] = {
	PICK_LONG_OPTIONS,
	{ "interval", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, 'n' },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "by", required_argument, NULL, OPT_BY },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "reverse", no_argument, NULL, OPT_REVERSE },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "flight", required_argument, NULL, OPT_FLIGHT },
	{ "output", required_argument, NULL, 'o' },
	{ "events", required_argument, NULL, 'e' },
	{ "budget", required_argument, NULL, OPT_BUDGET },
	{ "stack-depth", required_argument, NULL, OPT_DEPTH },
	{ "attach", required_argument, NULL, OPT_ATTACH },
	{ "assume-go", required_argument, NULL, OPT_ASSUME },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const char *take_by(struct top_options *o, const char *arg)
{
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
	return "--by takes function, label, label:KEY or region";
}

static const char *take_attach(struct record_options *r, const char *arg)
{
	r->attach_inline = !strcmp(arg, "inline");
	r->bpf.method = !strcmp(arg, "multi") ? ATTACH_MULTI : !strcmp(arg, "perf") ? ATTACH_PERF : ATTACH_AUTO;
	return strcmp(arg, "auto") && r->bpf.method == ATTACH_AUTO && !r->attach_inline ?
	       "--attach takes auto, multi, perf or inline" : NULL;
}

/* Of the probes; a text says what is wrong. */
static const char *take_record_option(struct record_options *r, int c, const char *arg)
{
	unsigned long n;

	switch (c) {
	case 'e':
		return groups_parse(arg, &r->groups) ? NULL :
		       "--events takes a list of the groups that `gotap events` shows";
	case OPT_BUDGET:
		return parse_budget(arg, &r->bpf.budget) ? NULL :
		       "--budget takes percent of a CPU, like 5 or 0.5, or none";
	case OPT_DEPTH:
		if (!parse_number(arg, 0, 127, &n))
			return "--stack-depth takes a number from 0 to 127";
		r->bpf.stack_depth = (unsigned int)n;
		return NULL;
	case OPT_ATTACH:
		return take_attach(r, arg);
	case OPT_ASSUME:
		return parse_release(arg, &r->assume_minor) ? NULL : "--assume-go takes a release like 1.27";
	default:
		return pick_option(&r->pick, c, arg);
	}
}

static const char *take_option(struct top_options *o, int c, const char *arg)
{
	switch (c) {
	case 'i':
		return parse_duration(arg, &o->interval) && o->interval >= 0.1 && o->interval <= 3600 ? NULL :
		       "-i takes a time from 100ms to 1h";
	case 'n':
		return parse_number(arg, 1, 1UL << 40, &o->count) ? NULL : "-n takes a number of intervals";
	case OPT_ONCE:
		o->once = true;
		return NULL;
	case OPT_JSON:
		o->json = true;
		return NULL;
	case OPT_BY:
		return take_by(o, arg);
	case OPT_SORT:
		o->sort = column_named(arg);
		return o->sort < COLUMNS ? NULL :
		       "--sort takes goroutines, running, runnable, syscall, waiting, created, p99 or name";
	case OPT_REVERSE:
		o->reverse = true;
		return NULL;
	case OPT_FILTER:
		o->filter = arg;
		return strlen(arg) < UI_FILTER ? NULL : "--filter takes a text of less than 64 bytes";
	case OPT_FLIGHT:
		return parse_duration(arg, &o->flight) ? NULL : "--flight takes a time like 10s";
	case 'o':
		o->pattern = arg;
		return name_pattern_has(arg, 'n') ? NULL : "-o takes a pattern with %n in it";
	default:
		return take_record_option(&o->record, c, arg);
	}
}

static const char *check(const struct top_options *o, bool more)
{
	if (more || !o->record.pick.pid == !o->record.pick.container)
		return "give one process (-p) or container";
	if (o->once && o->count > 1)
		return "--once is one interval, -n several: give one of them";
	if (o->by == BY_LABEL && !(o->record.groups & 1u << GROUP_LABELS))
		return "--by label needs the group labels: give --events +labels, too";
	return NULL;
}

int top_read_options(struct top_options *o, int argc, char **argv)
{
	const char *wrong = NULL;
	int c;

	*o = (struct top_options){
		.record = RECORD_OPTIONS_DEFAULT,
		.interval = 1, .sort = COLUMN_RUNNING, .flight = 10, .pattern = "gotap-%p-%t-%n.trace",
	};
	o->record.groups |= 1u << GROUP_LABELS;
	o->record.bpf.object_min = size_class_round(OBJECT_MIN);
	while (!wrong && (c = getopt_long(argc, argv, ":p:i:n:o:e:h", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help, stdout);
			return EXIT_OK + 1;
		}
		if (c == '?' || c == ':')
			return cmd_bad_option("top", c, argv) + 1;
		wrong = take_option(o, c, optarg);
	}
	if (!wrong)
		wrong = check(o, optind < argc);
	if (!wrong && o->once)
		o->count = 1;
	return wrong ? cmd_usage("top", "%s", wrong) + 1 : 0;
}
