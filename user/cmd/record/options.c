// SPDX-License-Identifier: Apache-2.0
/*
 * options: the command line of `gotap record`: from words to struct record_options, whole or
 * refused.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arch.h"
#include "cmd/cmd.h"
#include "cmd/parse.h"
#include "cmd/record/record.h"
#include "flight/naming.h"
#include "plan/size_class.h"

static const char *take_attach(void *options, const char *arg)
{
	struct record_options *o = options;

	o->attach_inline = !strcmp(arg, "inline");
	if (o->attach_inline && strcmp(ARCH_NAME, "amd64"))
		return "takes auto, multi or perf: inline is for amd64 (docs/inline.md)";
	o->capture.bpf.method = !strcmp(arg, "multi") ? ATTACH_MULTI :
			!strcmp(arg, "perf")  ? ATTACH_PERF :
						ATTACH_AUTO;
	return strcmp(arg, "auto") && o->capture.bpf.method == ATTACH_AUTO && !o->attach_inline ?
	       "takes auto, multi, perf or inline" : NULL;
}

static const char *take_ring_size(void *size, const char *arg)
{
	return parse_ring_size(arg, size) ? NULL : "takes 4K to 1G, a power of two";
}

static const char *take_spool(void *path, const char *arg)
{
	*(const char **)path = arg;
	return strcmp(arg, "-") ? NULL : "takes a file, not stdout";
}

static const char *take_defer_max(void *size, const char *arg)
{
	return parse_size(arg, 1 << 20, 1ULL << 43, size) ? NULL :
		"takes a size like 500M or 4G, of 1M or more";
}

/* Also refuses "". */
static const char *record_options_take_name(void *name, const char *arg)
{
	*(const char **)name = arg;
	return strchr("*?[\\", *arg) || strchr(arg, '/') ?
		       "takes the name of a file, without its "
		       "folder, or of a container, no wildcard "
		       "first: web, web*" :
		       NULL;
}

static const char *record_options_take_region(void *options, const char *arg)
{
	struct record_options *o = options;
	const char *wrong = region_pattern_wrong(arg);

	if (wrong)
		return wrong;
	if (o->nregions == REGION_PATTERNS_MOST)
		return "is given too often: 32 times at most; a pattern matches several functions";
	o->regions[o->nregions++] = arg;
	return NULL;
}

static const char *take_held_by(void *fd, const char *arg)
{
	unsigned long n;
	struct stat st;

	if (!parse_number(arg, 3, 1 << 20, &n) || fstat((int)n, &st) || !S_ISSOCK(st.st_mode))
		return "is for gotap itself";
	*(int *)fd = (int)n;
	return NULL;
}

const struct option_row record_probe_rows[] = {
	OPTION_EVENTS(offsetof(struct record_options, groups)),
	OPTION(0, "stack-depth", "N", OPTION_COUNT,
	  offsetof(struct record_options, capture.bpf.stack_depth),
	  "frames per stack, 0 to 127 (default 127)", .max = 127),
	OPTION(0, "budget", "PERCENT", OPTION_TAKE, offsetof(struct record_options, capture.budget),
	  "what the probes may cost the program, in percent of one CPU's time (100 "
	  "is a whole CPU); when they would cost more, stacks get short, then are "
	  "left out, then measures of memory, then slices of time; 'none' for no "
	  "limit (default: 10 for each CPU that the program may run on)",
	  .take = option_take_budget),
	OPTION(0, "attach", "METHOD", OPTION_TAKE, 0,
	  "auto, multi (uprobe_multi, Linux 6.10+), perf, or inline: "
	  "frequent probes become code in the program, at a fraction of the "
	  "cost; the program is changed while it is recorded (docs/inline.md)",
	  .take = take_attach),
	OPTION_ASSUME(offsetof(struct record_options, assume_minor)),
	OPTION_BTF,
	{0},
};

#define FIELD(name) offsetof(struct record_options, name)
#define BPF_FIELD(name) FIELD(capture.bpf.name)

static const struct option_row target_rows[] = {
	OPTION(0, "name", "PATTERN", OPTION_TAKE, FIELD(name),
	  "wait for a Go program whose file, or container, has "
	  "that name ('web*'), and record it from its first "
	  "goroutine on, or as it is if it runs already", .take = record_options_take_name),
	OPTION(0, "wait", NULL, OPTION_FLAG, FIELD(wait),
	  "with --name: record it again after each restart, each time in a new trace"),
	OPTION(0, "follow", NULL, OPTION_FLAG, FIELD(follow),
	  "record also the Go programs that the process, or COMMAND, starts: "
	  "each in its own trace, from its first goroutine on (docs/follow.md)"),
	OPTION(0, "follow-max", "N", OPTION_NUMBER, FIELD(most),
	  "record at most N programs at a time (default 8)", .min = 1, .max = 64),
	OPTION(0, "program", "NAME", OPTION_TEXT, FIELD(program),
	  "where COMMAND execs several Go programs, the one whose "
	  "file has that name; with --follow a pattern: '*.test'"),
	OPTION('d', "duration", "TIME", OPTION_DURATION, FIELD(seconds),
	  "stop after TIME (5s, 500ms, 2m), for COMMAND from the begin of its Go runtime on; "
	  "default: until Ctrl-C or the program ends. gotap then waits for COMMAND to end"),
	OPTION(0, "detach", NULL, OPTION_FLAG, FIELD(detach),
	  "when the recording is over, leave COMMAND running "
	  "and return; the exit status is that of the recording"),
	OPTION('o', "output", "FILE", OPTION_TEXT, FIELD(output),
	  "the trace; '-' is stdout, and what COMMAND prints goes to stderr then (default "
	  "trace.out). With --follow, --wait or several -p: a pattern, in which %p is the process "
	  "id, %n a number, %t the time and %e the program (default trace.%n.%e.out)"),
	OPTION(0, "held-by", "FD", OPTION_TAKE, FIELD(held_by), NULL, .take = take_held_by),
	OPTION(0, "tell-begin", "FD", OPTION_TAKE, FIELD(tell_begin), NULL, .take = take_held_by),
	{0},
};

static const struct option_row trace_rows[] = {
	OPTION(0, "perfetto", "FILE", OPTION_TEXT, FIELD(perfetto),
	  "write a trace for Perfetto, too, or only that if "
	  "there is no -o (docs/perfetto.md); '-' is stdout"),
	OPTION(0, "tables", "DIR", OPTION_TEXT, FIELD(tables),
	  "turn the trace into tables in this folder as well, when it is whole (docs/tables.md)"),
	OPTION(0, "system", NULL, OPTION_FLAG, BPF_FIELD(every_switch),
	  "with group linux: record every context switch of the "
	  "machine, to show which programs had the CPUs (needs root)"),
	OPTION(0, "region", "FUNC", OPTION_TAKE, 0,
	  "record each call of this function as a region, as 'main.(*Cart).Total'; * and ? match "
	  "several; may be given more than once. Each call costs some 13 us more on amd64 "
	  "(docs/func.md)",
	  .take = record_options_take_region),
	OPTION(0, "region-args", NULL, OPTION_FLAG, FIELD(region_args),
	  "of --region: record arguments and results, too, where the program has DWARF data: "
	  "integers, booleans, the begin of strings, whether an error is nil. They may be private"),
	OPTION(0, "no-paths", NULL, OPTION_FLAG, BPF_FIELD(no_paths),
	  "of group http: leave out the paths of requests, which can name users"),
	OPTION(0, "sql-literals", NULL, OPTION_FLAG, BPF_FIELD(sql_literals),
	  "of group sql: keep the literals of statements, which are data of users"),
	OPTION(0, "object-min", "N", OPTION_NUMBER, FIELD(object_min),
	  "of group objects: those that take N bytes or more (default 1024, which is the least)",
	  .min = OBJECT_MIN, .max = 1UL << 40, .want = "takes bytes, 1024 or more"),
	OPTION(0, "cpu-samples", "HZ", OPTION_COUNT, BPF_FIELD(cpu_hz),
	  "sample the CPU of every thread as well",
	  .min = 1, .max = 10000, .want = "takes samples per second, 1 to 10000"),
	OPTION(0, "format", "VERSION", OPTION_TAKE, FIELD(version),
	  "go1.22, go1.23, go1.25 (default) or go1.26; or what the "
	  "tracers before wrote: gotrace (before Go 1.5), go1.8, go1.11, "
	  "go1.19 or go1.21, of which the report says what it cannot hold",
	  .take = option_take_format),
	OPTION(0, "ring-size", "SIZE", OPTION_TAKE, BPF_FIELD(ring_size),
	  "buffer per CPU (default: 64M for all, at most 16M each)", .take = take_ring_size),
	OPTION(0, "symbols", "SOURCE", OPTION_TAKE, FIELD(symbols),
	  "names from pclntab (Go's own table, in every "
	  "program), dwarf, or auto (default): pclntab, which is "
	  "faster", .take = option_take_symbols),
	OPTION(0, "spool", "FILE", OPTION_TAKE, FIELD(spool),
	  "keep the raw records too, for `gotap assemble`", .take = take_spool),
	OPTION(0, "defer", NULL, OPTION_FLAG, FIELD(defer),
	  "only keep raw records while the program is recorded, in memory or in the file of "
	  "--spool, and make the trace when the recording is over: for a machine that has no CPU "
	  "to spare (docs/defer.md)"),
	OPTION(0, "defer-max", "SIZE", OPTION_TAKE, FIELD(defer_max),
	  "with --defer: the recording ends when it has so much (default: 1G, or a quarter of the "
	  "free memory if that is less; 16G in a file)", .take = take_defer_max),
	OPTION(0, "no-notes", NULL, OPTION_FLAG, FIELD(no_notes),
	  "leave out the log events of category gotap, which "
	  "say at their time in the trace what is missing there"),
	OPTION(0, "no-command", NULL, OPTION_FLAG, FIELD(no_command),
	  "leave the command line of the program out of the trace"),
	OPTION(0, "container-tids", NULL, OPTION_FLAG, FIELD(inner_tids),
	  "thread ids as the container sees them, not the host"),
	OPTION(0, "report", NULL, OPTION_FLAG, FIELD(report),
	  "show on stdout what the trace says, as `gotap report` does"),
	OPTION(0, "strict", NULL, OPTION_FLAG, FIELD(strict),
	  "exit 1 if records were lost or the order was repaired"),
	OPTION(0, "json", NULL, OPTION_FLAG, FIELD(json), "report as JSON"),
	OPTION('q', "quiet", NULL, OPTION_FLAG, FIELD(quiet), "no report, no progress"),
	OPTION('v', "verbose", NULL, OPTION_FLAG, FIELD(verbose),
	  "report all counts: of each event, of what is missing and why, of probes"),
	OPTION(0, "libbpf", NULL, OPTION_FLAG, BPF_FIELD(verbose), "show the messages of libbpf"),
	{0},
};

/*
 * A flight recording has no file of its own: -o names its snapshots. NULL, or what does not go
 * with it.
 */
static const char *settle_flight(struct record_options *o)
{
	struct flight_args *a = &o->flight;

	if (!a->time)
		return a->only ? "--before, --after, --cooldown, --keep, --keep-bytes, --exec, "
				 "--socket, --peers, --peer-token, --on and --on-label are for "
				 "--flight TIME" :
				 NULL;
	if (a->peer_token && !a->peers)
		return "--peer-token is about --peers";
	if (o->spool || o->perfetto || o->tables || o->report)
		return "--flight keeps the last seconds alone: --spool, --perfetto, --tables "
		       "and --report are for a whole recording";
	if (o->defer)
		return "--flight looks at the trace while the program is recorded: --defer makes "
		       "it later";
	if (o->version < 22)
		return "--flight needs --format go1.22 or later: the "
		       "other formats are written when the recording ends";
	if (o->output && !strcmp(o->output, "-"))
		return "-o is a pattern for the snapshots of --flight, as "
		       "in 'DIR/%p-%t-%n.trace': they do not go to stdout";
	if (on_check(&a->on))
		return on_check(&a->on);
	o->groups |= on_groups(&a->on);
	a->pattern = o->output ? o->output : "gotap-%p-%t-%n.trace";
	o->output = BESIDE_NOWHERE;
	return NULL;
}

/* Options that need another one, or exclude it. */
static const char *check_together(const struct record_options *o)
{
	unsigned int new_events = 1u << GROUP_STACKS | 1u << GROUP_SPANS | 1u << GROUP_OBJECTS;

	if (o->defer_max && !o->defer)
		return "--defer-max is for --defer";
	if (o->perfetto && o->version < 22)
		return "--perfetto needs --format go1.22 or later: the "
		       "other formats are written when the recording ends";
	if (o->tables && !strcmp(o->tables, "-"))
		return "--tables is a folder: tables are many files";
	if (o->version < 23 && o->groups & new_events)
		return "the events of stacks, spans and objects need --format go1.23 or later";
	if (o->capture.bpf.no_paths && !(o->groups & 1u << GROUP_HTTP))
		return "--no-paths is for group http: give --events +http, too";
	if (o->capture.bpf.sql_literals && !(o->groups & 1u << GROUP_SQL))
		return "--sql-literals is for group sql: give --events +sql, too";
	if (o->region_args && !o->nregions)
		return "--region-args is for --region";
	if (o->object_min && !(o->groups & 1u << GROUP_OBJECTS))
		return "--object-min is for objects: give --events +objects, too";
	if (o->capture.bpf.every_switch && !(o->groups & 1u << GROUP_LINUX))
		return "--system is for group linux: give --events +linux, too";
	if (!o->pick.pid && !o->pick.container && !o->command && !o->name)
		return "nothing to record: give -p PID or a command";
	if (o->program && !o->command && !o->follow)
		return "--program is for a command, or for --follow";
	if (o->detach && !o->command)
		return "--detach is for a command: a process of -p is left running in any case";
	if (!!o->pick.pid + !!o->pick.container + !!o->command > 1)
		return "give -p PID or a command, not both";
	return NULL;
}

static const char *record_check(void *options, char **operands)
{
	struct record_options *o = options;
	const char *wrong;
	struct error err;

	o->command = *operands ? operands : NULL;
	wrong = record_options_check_follow(o);
	if (!wrong)
		wrong = settle_flight(o);
	if (wrong)
		return wrong;
	if (o->flight.time && naming_check(o->flight.pattern, &err))
		return option_wrong("%s", err.text);
	if (!o->output)
		o->output = o->perfetto ? BESIDE_NOWHERE : "trace.out";
	wrong = check_together(o);
	o->capture.bpf.object_min = size_class_round(o->object_min ? o->object_min : OBJECT_MIN);
	if (!o->capture.bpf.cpu_hz && (o->groups & 1u << GROUP_CPU))
		o->capture.bpf.cpu_hz = 100;
	return wrong;
}

static void record_given(void *options, const struct option_row *row, const char *arg)
{
	struct record_options *o = options;

	flight_given(&o->flight, row);
	if (!strcmp(row->name, "pid"))
		*(pid_t *)vec_push(&o->pids, sizeof(pid_t)) = o->pick.pid;
	record_options_pass_on(o, row, arg);
}

static const struct command_line record_line = {
	.name = "record",
	.usage = "gotap record [OPTION...] -p PID... | --container NAME | --name PATTERN\n"
		 "       gotap record [OPTION...] [--] COMMAND [ARG...]",
	.about = "Records a running Go program, or runs one and records it from its first\n"
		 "goroutine on, into a Go execution trace for `go tool trace`. The program is\n"
		 "neither stopped nor changed, but by --attach inline. Needs root, or CAP_BPF,\n"
		 "CAP_PERFMON, CAP_SYS_PTRACE.\n"
		 "\n"
		 "COMMAND may be what execs the Go program in its own process: env, nice, a\n"
		 "script that ends in exec. --follow records what it starts as other processes.\n",
	.tables = { { pick_rows, FIELD(pick) }, { target_rows, 0 }, { flight_rows, FIELD(flight) },
		    { record_probe_rows, 0 }, { trace_rows, 0 }, { pick_owner_rows, FIELD(pick) } },
	.after =
		"Several -p record several processes at once, each into a trace of its own;\n"
		"`gotap why`, requests and perfetto read them together (docs/joins.md).\n"
		"\n"
		"The first SIGINT, SIGTERM, SIGHUP or SIGQUIT ends the recording, those within\n"
		"2 s are taken for copies of it. FILE gets its name when it is whole; if gotap\n"
		"is killed, FILE.partial has what was written.\n"
		"\n"
		"Ctrl-C reaches COMMAND, too: the first one leaves the end of the recording to\n"
		"it. After the recording a Ctrl-C that COMMAND does not end from, 2 s later\n"
		"another, or any other signal to gotap ends the waiting for it: exit status 125,\n"
		"and COMMAND goes on.\n"
		"\n"
		"The report goes to stderr. Exit status: that of COMMAND, else 0; 1 when the\n"
		"recording failed, with a COMMAND 125 (without a Go program it keeps its own, if\n"
		"that is not 0), 126 if COMMAND cannot be executed, 127 if it is not there; 2\n"
		"for wrong usage.\n",
	.most = -1, .program = true,
	.check = record_check, .given = record_given,
};

int record_read_options(struct record_options *o, int argc, char **argv)
{
	*o = (struct record_options)RECORD_OPTIONS_DEFAULT;
	return command_line_read(&record_line, o, argc, argv);
}
