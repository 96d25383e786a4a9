// SPDX-License-Identifier: Apache-2.0
/* options: the command line of `gotap record`: from words to struct record_options, whole or refused. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/follow/follow.h"
#include "cmd/parse.h"
#include "cmd/record/record.h"
#include "flight/naming.h"
#include "plan/size_class.h"

static const char help[] =
	"usage: gotap record [OPTION...] -p PID | --container NAME | --name PATTERN\n"
	"       gotap record [OPTION...] [--] COMMAND [ARG...]\n"
	"\n"
	"Records a running Go program, or runs one and records it from its first\n"
	"goroutine on, into a Go execution trace for `go tool trace`. The program is neither\n"
	"stopped nor changed, but by --attach inline. Needs root, or CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE.\n"
	"\n"
	"COMMAND may be what execs the Go program in its own process: env, nice, a script\n"
	"that ends in exec. What it starts as another process takes --follow.\n"
	"\n"
	"  -p, --pid PID         the process to record\n"
	"      --container NAME  the Go program in that container: a name, an id or the start\n"
	"                        of one, a Kubernetes pod; of docker, containerd, podman,\n"
	"                        CRI-O, runc, crun\n"
	"      --name PATTERN    wait for a Go program whose file, or container, has that name ('web*'),\n"
	"                        and record it from its first goroutine on, or as it is if it runs already\n"
	"      --wait            with --name: record it again after each restart, each time in a new\n"
	"                        trace\n"
	"      --follow          record also the Go programs that the process, or COMMAND, starts: each\n"
	"                        in its own trace, from its first goroutine on (docs/follow.md)\n"
	"      --follow-max N    record at most N programs at a time (default 8)\n"
	"  -d, --duration TIME   stop after TIME (5s, 500ms, 2m); default: until Ctrl-C\n"
	"                        or the program ends. gotap then waits for COMMAND to end\n"
	"      --detach          when the recording is over, leave COMMAND running and return;\n"
	"                        the exit status is that of the recording\n"
	"  -o, --output FILE     the trace; '-' is stdout, and what COMMAND prints goes to\n"
	"                        stderr then (default trace.out). With --follow or --wait: a pattern,\n"
	"                        in which %p is the process id, %n a number, %t the time and %e\n"
	"                        the program (default trace.%n.%e.out)\n"
	FLIGHT_HELP
	"      --perfetto FILE   write a trace for Perfetto, too, or only that if there is no -o\n"
	"                        (docs/perfetto.md); '-' is stdout\n"
	"  -e, --events LIST     groups of events: see `gotap events` (default: most); +GROUP\n"
	"                        and -GROUP change the default\n"
	"      --system          with group linux: record every context switch of the machine, to\n"
	"                        show which programs had the CPUs (needs root)\n"
	"      --object-min N    of group objects: those that take N bytes or more (default 1024,\n"
	"                        which is the least)\n"
	"      --cpu-samples HZ  sample the CPU of every thread as well\n"
	"      --format VERSION  go1.22, go1.23, go1.25 (default) or go1.26; or what the tracers\n"
	"                        before wrote: gotrace (before Go 1.5), go1.8, go1.11, go1.19 or\n"
	"                        go1.21, of which the report says what it cannot hold\n"
	"      --stack-depth N   frames per stack, 0 to 127 (default 127)\n"
	"      --program NAME    where COMMAND execs several Go programs, the one whose file has\n"
	"                        that name; with --follow a pattern: '*.test'\n"
	"      --budget PERCENT  what the probes may cost the program, in percent of one CPU's\n"
	"                        time (100 is a whole CPU); when they would cost more, stacks get\n"
	"                        short, then are left out, then measures of memory, then\n"
	"                        slices of time; 'none' for no limit (default: 10 for each CPU\n"
	"                        that the program may run on)\n"
	"      --ring-size SIZE  buffer per CPU (default: 64M for all, at most 16M each)\n"
	"      --symbols SOURCE  names from pclntab (Go's own table, in every program), dwarf,\n"
	"                        or auto (default): pclntab, which is faster\n"
	"      --assume-go 1.NN  take the program for one of that release, if it is of one\n"
	"                        that gotap does not know\n"
	"      --attach METHOD   auto, multi (uprobe_multi, Linux 6.10+), perf, or inline: frequent\n"
	"                        probes become code in the program, at a fraction of the cost;\n"
	"                        the program is changed while it is recorded (docs/inline.md)\n"
	"      --spool FILE      keep the raw records too, for `gotap assemble`\n"
	"      --no-notes        leave out the log events of category gotap, which say at their\n"
	"                        time in the trace what is missing there\n"
	"      --container-tids  thread ids as the container sees them, not the host\n"
	"      --proc DIR        the host's /proc, where gotap runs in a container itself\n"
	"      --report          show on stdout what the trace says, as `gotap report` does\n"
	"      --strict          exit 1 if records were lost or the order was repaired\n"
	"      --json            report as JSON\n"
	"  -q, --quiet           no report, no progress\n"
	"  -v, --verbose         show what libbpf says\n"
	"\n"
	"The first SIGINT, SIGTERM, SIGHUP or SIGQUIT ends the recording, those within 2 s are\n"
	"taken for copies of it. FILE gets its name when it is whole; if gotap is killed,\n"
	"FILE.partial has what was written.\n"
	"\n"
	"Ctrl-C reaches COMMAND, too: the first one leaves the end of the recording to it. After the\n"
	"recording a Ctrl-C that COMMAND does not end from, 2 s later another, or any other signal\n"
	"to gotap ends the waiting for it: exit status 125, and COMMAND goes on.\n"
	"\n"
	"The report goes to stderr. Exit status: that of COMMAND, else 0; 1 when the\n"
	"recording failed, with a COMMAND 125 (without a Go program it keeps its own, if that\n"
	"is not 0), 126 if COMMAND cannot be executed, 127 if it is not there; 2 for wrong\n"
	"usage.\n";

enum { OPT_CPU = 512, OPT_FORMAT = 256, OPT_DEPTH, OPT_RING, OPT_ATTACH, OPT_SPOOL, OPT_STRICT, OPT_JSON,
       OPT_SYMBOLS, OPT_ASSUME, OPT_OBJECT_MIN, OPT_INNER_TIDS, OPT_NO_NOTES, OPT_BUDGET,
       OPT_PROGRAM, OPT_REPORT, OPT_SYSTEM, OPT_PERFETTO,
       OPT_FOLLOW, OPT_FOLLOW_MAX, OPT_NAME, OPT_WAIT, OPT_HELD_BY, OPT_DETACH };

static const struct option long_options[] = {
	PICK_LONG_OPTIONS,
	PICK_OWNER_OPTION,
	FLIGHT_LONG_OPTIONS,
	{ "budget", required_argument, NULL, OPT_BUDGET },
	{ "no-notes", no_argument, NULL, OPT_NO_NOTES },
	{ "container-tids", no_argument, NULL, OPT_INNER_TIDS },
	{ "program", required_argument, NULL, OPT_PROGRAM },
	{ "duration", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "perfetto", required_argument, NULL, OPT_PERFETTO },
	{ "events", required_argument, NULL, 'e' },
	{ "object-min", required_argument, NULL, OPT_OBJECT_MIN },
	{ "system", no_argument, NULL, OPT_SYSTEM },
	{ "cpu-samples", required_argument, NULL, OPT_CPU },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "stack-depth", required_argument, NULL, OPT_DEPTH },
	{ "ring-size", required_argument, NULL, OPT_RING },
	{ "symbols", required_argument, NULL, OPT_SYMBOLS },
	{ "assume-go", required_argument, NULL, OPT_ASSUME },
	{ "attach", required_argument, NULL, OPT_ATTACH },
	{ "spool", required_argument, NULL, OPT_SPOOL },
	{ "report", no_argument, NULL, OPT_REPORT },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "follow", no_argument, NULL, OPT_FOLLOW },
	{ "follow-max", required_argument, NULL, OPT_FOLLOW_MAX },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "wait", no_argument, NULL, OPT_WAIT },
	{ "held-by", required_argument, NULL, OPT_HELD_BY },	/* of cmd/follow/recorder.c alone */
	{ "detach", no_argument, NULL, OPT_DETACH },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* Applies one option; a text says what is wrong with its argument. */
static const char *apply_option(struct record_options *o, int c, const char *arg)
{
	unsigned long n;
	struct stat st;

	switch (c) {
	case OPT_BUDGET:
		return parse_budget(arg, &o->bpf.budget) ? NULL :
		       "--budget takes percent of a CPU, like 5 or 0.5, or none";
	case OPT_SYSTEM:
		o->bpf.every_switch = true;
		return NULL;
	case OPT_NO_NOTES:
		o->no_notes = true;
		return NULL;
	case OPT_PROGRAM:
		o->program = arg;
		return NULL;
	case OPT_REPORT:
		o->report = true;
		return NULL;
	case OPT_INNER_TIDS:
		o->inner_tids = true;
		return NULL;
	case 'd':
		return parse_duration(arg, &o->seconds) ? NULL :
		       "-d takes a time like 5s, 500ms or 2m, more than 0 and at most 10000h";
	case 'o':
		o->output = arg;
		return NULL;
	case OPT_PERFETTO:
		o->perfetto = arg;
		return NULL;
	case 'e':
		return groups_parse(arg, &o->groups) ? NULL :
		       "--events takes a list of the groups that `gotap events` shows";
	case OPT_OBJECT_MIN:
		if (!parse_number(arg, OBJECT_MIN, 1UL << 40, &o->object_min))
			return "--object-min takes bytes, 1024 or more";
		return NULL;
	case OPT_CPU:
		if (!parse_number(arg, 1, 10000, &n))
			return "--cpu-samples takes samples per second, 1 to 10000";
		o->bpf.cpu_hz = (unsigned int)n;
		return NULL;
	case OPT_FORMAT:
		return parse_format(arg, &o->version) ? NULL :
		       "--format takes " PARSE_FORMATS;
	case OPT_DEPTH:
		if (!parse_number(arg, 0, 127, &n))
			return "--stack-depth takes a number from 0 to 127";
		o->bpf.stack_depth = (unsigned int)n;
		return NULL;
	case OPT_RING:
		return parse_ring_size(arg, &o->bpf.ring_size) ? NULL :
		       "--ring-size takes 4K to 1G, a power of two";
	case OPT_ATTACH:
		o->attach_inline = !strcmp(arg, "inline");
		o->bpf.method = !strcmp(arg, "multi") ? ATTACH_MULTI :
				!strcmp(arg, "perf") ? ATTACH_PERF : ATTACH_AUTO;
		return strcmp(arg, "auto") && o->bpf.method == ATTACH_AUTO && !o->attach_inline ?
		       "--attach takes auto, multi, perf or inline" : NULL;
	case OPT_SYMBOLS:
		return parse_symbols(arg, &o->symbols) ? NULL :
		       "--symbols takes auto, dwarf or pclntab";
	case OPT_ASSUME:
		return parse_release(arg, &o->assume_minor) ? NULL :
		       "--assume-go takes a release like 1.27";
	case OPT_SPOOL:
		o->spool = arg;
		return strcmp(arg, "-") ? NULL : "--spool takes a file, not stdout";
	case OPT_STRICT:
		o->strict = true;
		return NULL;
	case OPT_JSON:
		o->json = true;
		return NULL;
	case OPT_FOLLOW:
		o->follow = true;
		return NULL;
	case OPT_FOLLOW_MAX:
		return parse_number(arg, 1, 64, &o->most) ? NULL : "--follow-max takes a number from 1 to 64";
	case OPT_NAME:
		o->name = arg;
		return strchr("*?[\\", *arg) || strchr(arg, '/') ?	/* also "" */
		       "--name takes the name of a file, without its folder, or of a container, no wildcard first: web, web*" :
		       NULL;
	case OPT_WAIT:
		o->wait = true;
		return NULL;
	case OPT_HELD_BY:
		if (!parse_number(arg, 3, 1 << 20, &n) || fstat((int)n, &st) || !S_ISSOCK(st.st_mode))
			return "--held-by is for gotap itself";
		o->held_by = (int)n;
		return NULL;
	case OPT_DETACH:
		o->detach = true;
		return NULL;
	case 'q':
		o->quiet = true;
		return NULL;
	case 'v':
		o->bpf.verbose = true;
		return NULL;
	}
	return c >= FLIGHT_FIRST && c < FLIGHT_END ? flight_option(&o->flight, c, arg) : pick_option(&o->pick, c, arg);
}

/* A flight recording has no file of its own: -o names its snapshots. NULL, or what does not go with it. */
static const char *settle_flight(struct record_options *o)
{
	struct flight_args *a = &o->flight;

	if (!a->time)
		return a->only ? "--before, --after, --cooldown, --keep, --keep-bytes, --exec, --socket and --on are for --flight TIME" : NULL;
	if (o->spool || o->perfetto || o->report)
		return "--flight keeps the last seconds alone: --spool, --perfetto and --report are for a whole recording";
	if (o->version < 22)
		return "--flight needs --format go1.22 or later: the other formats are written when the recording ends";
	if (o->output && !strcmp(o->output, "-"))
		return "-o is a pattern for the snapshots of --flight, as in 'DIR/%p-%t-%n.trace': they do not go to stdout";
	o->groups |= on_groups(&a->on);
	a->pattern = o->output ? o->output : "gotap-%p-%t-%n.trace";
	o->output = BESIDE_NOWHERE;
	return NULL;
}

int record_read_options(struct record_options *o, int argc, char **argv)
{
	struct error err;
	const char *wrong;
	int c;

	*o = (struct record_options)RECORD_OPTIONS_DEFAULT;
	while ((c = getopt_long(argc, argv, "+:p:d:o:e:qvh", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help, stdout);
			return EXIT_OK + 1;
		}
		if (c == '?' || c == ':')
			return cmd_bad_option("record", c, argv) + 1;
		wrong = apply_option(o, c, optarg);
		if (wrong)
			return cmd_usage("record", "%s", wrong) + 1;
		follow_pass_on(o, long_options, c, optarg);
	}
	if (optind < argc)
		o->command = argv + optind;
	if (follow_check(o))
		return EXIT_USAGE + 1;
	wrong = settle_flight(o);
	if (wrong)
		return cmd_usage("record", "%s", wrong) + 1;
	if (o->flight.time && naming_check(o->flight.pattern, &err))
		return cmd_usage("record", "%s", err.text) + 1;
	if (!o->output)
		o->output = o->perfetto ? BESIDE_NOWHERE : "trace.out";
	if (o->perfetto && o->version < 22)
		return cmd_usage("record", "--perfetto needs --format go1.22 or later: the other formats are "
				 "written when the recording ends") + 1;
	if (o->version < 23 && (o->groups & (1u << GROUP_STACKS | 1u << GROUP_SPANS | 1u << GROUP_OBJECTS)))
		return cmd_usage("record", "the events of stacks, spans and objects need --format go1.23 "
				 "or later") + 1;
	if (o->object_min && !(o->groups & 1u << GROUP_OBJECTS))
		return cmd_usage("record", "--object-min is for objects: give --events +objects, too") + 1;
	if (o->bpf.every_switch && !(o->groups & 1u << GROUP_LINUX))
		return cmd_usage("record", "--system is for group linux: give --events +linux, too") + 1;
	o->bpf.object_min = size_class_round(o->object_min ? o->object_min : OBJECT_MIN);
	if (!o->bpf.cpu_hz && (o->groups & 1u << GROUP_CPU))
		o->bpf.cpu_hz = 100;
	if (!o->pick.pid && !o->pick.container && !o->command && !o->name)
		return cmd_usage("record", "nothing to record: give -p PID or a command") + 1;
	if (o->program && !o->command && !o->follow)
		return cmd_usage("record", "--program is for a command, or for --follow") + 1;
	if (o->detach && !o->command)
		return cmd_usage("record", "--detach is for a command: a process of -p is left running in any case") + 1;
	if (!!o->pick.pid + !!o->pick.container + !!o->command > 1)
		return cmd_usage("record", "give -p PID or a command, not both") + 1;
	return 0;
}
