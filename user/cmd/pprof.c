// SPDX-License-Identifier: Apache-2.0
/* gotap pprof: profiles of traces (pprof/pprof.h). */
#include "pprof/pprof.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/show.h"
#include "cmd/cmd.h"
#include "files/leftover.h"
#include "files/legacy.h"
#include "files/output.h"
#include "cmd/parse.h"
#include "files/trace_input.h"

static const char usage[] =
	"usage: gotap pprof --type TYPE TRACE... [-o FILE] [OPTION...]\n"
	"\n"
	"Makes a profile of a Go execution trace of any release, in the form that `go tool pprof`\n"
	"and other tools read. Several traces are added up. TRACE and FILE may be - (standard\n"
	"input, output).\n"
	"\n"
	"  -t, --type TYPE       what is counted, by stack:\n"
	"       net              waits for the network    } the same as\n"
	"       sync             waits for channels, locks } `go tool trace -pprof=TYPE`\n"
	"       syscall          time in system calls      } of Go 1.27, sample by sample\n"
	"       sched            waits for a P             }\n"
	"       block            all waits of goroutines, with their reason as a label\n"
	"       waker            the same time at the stack of the goroutine that ended the wait\n"
	"       wall             all time of goroutines: running, runnable, in system calls, waiting\n"
	"       goroutine        the goroutines at one time, each where it was: see --at\n"
	"       gc               time in mark assists and sweeps\n"
	"       cpu              CPU samples, if the trace has some (record --cpu-samples)\n"
	"\n"
	"  -o, --output FILE     write to FILE instead of standard output\n"
	"      --folded          lines \"func;func VALUE\" for flame graph tools instead; times in ns\n"
	"  -g, --goroutine N     only this goroutine; may be given again\n"
	"      --func REGEXP     only goroutines that began with such a function\n"
	"      --from TIME       only from this time on, counted from the begin of the trace (1.5s)\n"
	"      --to TIME         only up to this time\n"
	"      --at TIME         for type goroutine: when (default: when the trace ends)\n"
	"      --as-runtime      write it as runtime/pprof does, for services that store profiles:\n"
	"                        goroutine, sync (its block profile), cpu (as of 100 samples/s)\n"
	"      --cpu-samples HZ  for type cpu: HZ samples per second were taken; adds the CPU time\n"
	"  -b, --binary PROGRAM  the traced program: names the stacks of traces before Go 1.7\n"
	"  -h, --help            show this\n"
	"\n"
	"Of a damaged trace the profile has what comes before the damage, and the exit status is 1.\n";

struct options {
	struct pprof_options profile;
	regex_t func;
	const char *out, *binary;
	unsigned long hz;		/* 0: not given */
	bool folded;
};

enum { OPT_FOLDED = 256, OPT_FUNC, OPT_FROM, OPT_TO, OPT_AT, OPT_AS_RUNTIME, OPT_CPU_SAMPLES };

static const struct option long_options[] = {
	{ "type", required_argument, NULL, 't' },
	{ "output", required_argument, NULL, 'o' },
	{ "folded", no_argument, NULL, OPT_FOLDED },
	{ "goroutine", required_argument, NULL, 'g' },
	{ "func", required_argument, NULL, OPT_FUNC },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },
	{ "at", required_argument, NULL, OPT_AT },
	{ "as-runtime", no_argument, NULL, OPT_AS_RUNTIME },
	{ "cpu-samples", required_argument, NULL, OPT_CPU_SAMPLES },
	{ "binary", required_argument, NULL, 'b' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* --- options --- */

static int no_type(const char *name)
{
	struct buf list = {0};
	unsigned int i;
	int status;

	for (i = 0; pprof_type_name(i); i++)
		buf_printf(&list, "%s%s", i ? ", " : "", pprof_type_name(i));
	buf_add_byte(&list, 0);
	if (name)
		status = cmd_usage("pprof", "there is no type '%s', but %s", name, (char *)list.data);
	else
		status = cmd_usage("pprof", "--type is needed: %s", (char *)list.data);
	buf_free(&list);
	return status;
}

static int set_type(struct options *o, const char *arg)
{
	o->profile.type = pprof_type_named(arg);
	return o->profile.type ? EXIT_OK : no_type(arg);
}

static int add_goroutine(struct options *o, const char *arg)
{
	unsigned long id;

	if (!parse_number(arg, 0, ULONG_MAX - 1, &id))
		return cmd_usage("pprof", "--goroutine needs a number, not '%s'", arg);
	map64_put(&o->profile.goroutines, id, NULL);
	return EXIT_OK;
}

static int set_func(struct options *o, const char *arg)
{
	char why[128];
	int ret;

	if (o->profile.func)
		return cmd_usage("pprof", "--func is given twice: a|b matches both");
	ret = regcomp(&o->func, arg, REG_EXTENDED | REG_NOSUB);
	if (ret) {
		regerror(ret, &o->func, why, sizeof(why));
		return cmd_usage("pprof", "--func '%s': %s", arg, why);
	}
	o->profile.func = &o->func;
	return EXIT_OK;
}

static int set_time(int64_t *ns, const char *name, const char *arg)
{
	double seconds;

	if (!parse_instant(arg, &seconds))
		return cmd_usage("pprof", "--%s needs a time like 1.5s or 200ms, not '%s'", name, arg);
	*ns = (int64_t)(seconds * 1e9);
	return EXIT_OK;
}

static int set_option(struct options *o, int opt, const char *arg, char **argv)
{
	switch (opt) {
	case 't':
		return set_type(o, arg);
	case 'g':
		return add_goroutine(o, arg);
	case OPT_FUNC:
		return set_func(o, arg);
	case OPT_FROM:
		return set_time(&o->profile.from, "from", arg);
	case OPT_TO:
		return set_time(&o->profile.to, "to", arg);
	case OPT_AT:
		return set_time(&o->profile.at, "at", arg);
	case OPT_AS_RUNTIME:
		o->profile.as_runtime = true;
		return EXIT_OK;
	case OPT_CPU_SAMPLES:
		return parse_number(arg, 1, 10000, &o->hz) ? EXIT_OK :
			cmd_usage("pprof", "--cpu-samples takes samples per second, 1 to 10000");
	case OPT_FOLDED:
		o->folded = true;
		return EXIT_OK;
	case 'o':
		o->out = arg;
		return EXIT_OK;
	case 'b':
		o->binary = arg;
		return EXIT_OK;
	default:
		return cmd_bad_option("pprof", opt, argv);
	}
}

/* runtime/pprof takes 100 samples per second, and so does `gotap record` unless it gets another number. */
static int settle_samples(struct options *o)
{
	enum { USUAL_HZ = 100 };
	bool cpu = o->profile.type == pprof_type_named("cpu");

	if (o->hz && !cpu)
		return cmd_usage("pprof", "--cpu-samples is for --type cpu");
	if (o->profile.as_runtime && !pprof_type_in_runtime(o->profile.type))
		return cmd_usage("pprof", "--as-runtime is for types goroutine, sync and cpu");
	if (cpu && (o->hz || o->profile.as_runtime))
		o->profile.sample_ns = 1000000000 / (o->hz ? o->hz : USUAL_HZ);
	return EXIT_OK;
}

static int check_options(struct options *o, int argc, char **argv)
{
	int i, inputs = 0;

	if (!o->profile.type)
		return no_type(NULL);
	if (settle_samples(o))
		return EXIT_USAGE;
	if (optind == argc)
		return cmd_usage("pprof", "at least one trace is needed");
	for (i = optind; i < argc; i++)
		inputs += !strcmp(argv[i], "-");
	if (inputs > 1)
		return cmd_usage("pprof", "- is given twice, and standard input can be read once");
	if (o->profile.from >= o->profile.to)
		return cmd_usage("pprof", "--to must be later than --from");
	if (o->profile.at != PPROF_END && o->profile.type != pprof_type_named("goroutine"))
		return cmd_usage("pprof", "--at is for --type goroutine; other types take --from and --to");
	return EXIT_OK;
}

/* 0 to go on, else the exit status + 1. */
static int parse(int argc, char **argv, struct options *o)
{
	int opt, status;

	while ((opt = getopt_long(argc, argv, ":t:o:g:b:h", long_options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		status = set_option(o, opt, optarg, argv);
		if (status)
			return 1 + status;
	}
	status = check_options(o, argc, argv);
	return status ? 1 + status : 0;
}

/* --- traces --- */

static int read_trace(struct pprof *p, const char *name, const struct options *o, struct error *err)
{
	struct raw_source source;
	struct trace_input in;
	int ret = leftover_source_open(&source, name, err);

	if (ret)
		return ret;
	if (trace_input_open_source(&in, &source, o->binary, err))
		return error_prefix(err, "%s", name);
	ret = pprof_read(p, in.reader, name, err);
	return trace_input_close(&in, name, ret, err);
}

static int write_profile(struct pprof *p, const struct options *o, struct output *out, struct error *err)
{
	struct raw_sink sink;
	int ret = output_begin(out, err);

	if (ret)
		return ret;
	sink_open(&sink, out->fd, out->path);
	(o->folded ? profile_write_folded : profile_write)(pprof_profile(p), &sink);
	return sink_close(&sink, err);
}

/* A fault in one trace: the others count, and so does what comes before it. */
static int read_all(struct pprof *p, int n, char **names, const struct options *o)
{
	int status = EXIT_OK, i;
	struct error err;

	for (i = 0; i < n; i++)
		if (read_trace(p, names[i], o, &err))
			status = cmd_fail(&err);
	pprof_finish(p);
	if (pprof_missing(p))
		show_printf(stderr, "gotap: what is not in the profile: %s\n",
			    pprof_missing(p));
	return status;
}

static int run(const struct options *o, int n, char **names)
{
	struct output out;
	struct error err;
	struct pprof *p;
	int status, ret;

	if (legacy_program(o->binary, &err) ||
	    output_open(&out, o->out, o->folded ? OUTPUT_TEXT : OUTPUT_BINARY, &err))
		return cmd_fail(&err);
	if (out.leftover)
		leftover_tell(out.leftover);
	p = pprof_new(&o->profile);
	status = read_all(p, n, names, o);
	ret = pprof_read_any(p) ? write_profile(p, o, &out, &err) : 0;
	if (ret)
		status = cmd_fail(&err);
	if (output_close(&out, !ret && pprof_read_any(p), &err) && !ret)
		status = cmd_fail(&err);
	pprof_free(p);
	return status;
}

int cmd_pprof(int argc, char **argv)
{
	struct options o = { .profile = { .to = INT64_MAX, .at = PPROF_END }, .out = "-" };
	int status = parse(argc, argv, &o);

	status = status ? status - 1 : run(&o, argc - optind, argv + optind);
	map64_free(&o.profile.goroutines);
	if (o.profile.func)
		regfree(&o.func);
	return status;
}
