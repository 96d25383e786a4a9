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
#include "cmd/options.h"
#include "cmd/push.h"
#include "files/trace_input.h"

struct options {
	struct pprof_options profile;
	struct push_options push;
	regex_t func;
	const char *out, *binary;
	unsigned long hz;		/* 0: not given */
	bool folded;
};

/* --- options --- */

static const char *no_type(const char *before)
{
	char list[256] = "";
	unsigned int i;

	for (i = 0; pprof_type_name(i); i++)
		snprintf(strchr(list, 0), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
			 pprof_type_name(i));
	return option_wrong("%s%s", before, list);
}

static const char *pprof_take_type(void *type, const char *arg)
{
	*(const struct pprof_type **)type = pprof_type_named(arg);
	return pprof_type_named(arg) ? NULL : no_type("takes ");
}

static const char *pprof_take_func(void *options, const char *arg)
{
	struct options *o = options;
	char why[128];
	int ret;

	if (o->profile.func)
		return "is given twice: a|b matches both";
	ret = regcomp(&o->func, arg, REG_EXTENDED | REG_NOSUB);
	if (!ret) {
		o->profile.func = &o->func;
		return NULL;
	}
	regerror(ret, &o->func, why, sizeof(why));
	return option_wrong("'%s': %s", arg, why);
}

static const struct option_row pprof_rows[] = {
	OPTION_OUTPUT(offsetof(struct options, out)),
	OPTION(0, "folded", NULL, OPTION_FLAG, offsetof(struct options, folded),
	  "lines \"func;func VALUE\" for flame graph tools instead; times in ns"),
	OPTION('g', "goroutine", "N", OPTION_TAKE, offsetof(struct options, profile.goroutines),
	  "only this goroutine; may be given again", .take = option_take_ids),
	OPTION(0, "func", "REGEXP", OPTION_TAKE, 0,
	  "only goroutines that began with such a function", .take = pprof_take_func),
	OPTION(0, "from", "TIME", OPTION_INSTANT, offsetof(struct options, profile.from),
	  "only from this time on, counted from the begin of the trace (1.5s)"),
	OPTION(0, "to", "TIME", OPTION_INSTANT, offsetof(struct options, profile.to),
	  "only up to this time"),
	OPTION(0, "at", "TIME", OPTION_INSTANT, offsetof(struct options, profile.at),
	  "for type goroutine: when (default: when the trace ends)"),
	OPTION(0, "as-runtime", NULL, OPTION_FLAG, offsetof(struct options, profile.as_runtime),
	  "write it as runtime/pprof does, for services that store profiles: "
	  "goroutine, sync (its block profile), cpu (as of 100 samples/s)"),
	OPTION(0, "cpu-samples", "HZ", OPTION_NUMBER, offsetof(struct options, hz),
	  "for type cpu: HZ samples per second were taken; adds the CPU time",
	  .min = 1, .max = 10000, .want = "takes samples per second, 1 to 10000"),
	OPTION_BINARY(offsetof(struct options, binary)),
	{0},
};

static const struct option_row pprof_type_rows[] = {
	OPTION('t', "type", "TYPE", OPTION_TAKE, offsetof(struct options, profile.type),
	  "what is counted, by stack:", .take = pprof_take_type),
	{ .kind = OPTION_TITLE, .help =
	  "       net              waits for the network    } the same as\n"
	  "       sync             waits for channels, locks } `go tool trace -pprof=TYPE`\n"
	  "       syscall          time in system calls      } of Go 1.27, sample by sample\n"
	  "       sched            waits for a P             }\n"
	  "       block            all waits of goroutines, with their reason as a label\n"
	  "       waker            the same, at the stack of the goroutine that ended the wait\n"
	  "       wall             all time: running, runnable, in system calls, waiting\n"
	  "       goroutine        the goroutines at one time, each where it was: see --at\n"
	  "       gc               time in mark assists and sweeps\n"
	  "       alloc            sampled allocations, scaled (record --events +alloc)\n"
	  "       cpu              CPU samples, if the trace has some (record --cpu-samples)" },
	{0},
};

/*
 * runtime/pprof takes 100 samples per second, and so does `gotap record` unless it gets another
 * number.
 */
static const char *settle_samples(struct options *o)
{
	enum { USUAL_HZ = 100 };
	bool cpu = o->profile.type == pprof_type_named("cpu");

	if (o->push.url && pprof_type_in_runtime(o->profile.type))
		o->profile.as_runtime = true;
	if (o->hz && !cpu)
		return "--cpu-samples is for --type cpu";
	if (o->profile.as_runtime && !pprof_type_in_runtime(o->profile.type))
		return "--as-runtime is for types goroutine, sync and cpu";
	if (cpu && (o->hz || o->profile.as_runtime))
		o->profile.sample_ns = 1000000000 / (o->hz ? o->hz : USUAL_HZ);
	return NULL;
}

static const char *pprof_check(void *options, char **operands)
{
	struct options *o = options;
	const char *wrong;
	int inputs = 0;

	if (!o->profile.type)
		return no_type("--type is needed: ");
	wrong = settle_samples(o);
	if (!wrong)
		wrong = push_check(&o->push);
	if (wrong)
		return wrong;
	if (o->push.url && (o->folded || o->out))
		return "--push sends the profile: it excludes -o and --folded";
	if (!*operands)
		return "at least one trace is needed";
	for (; *operands; operands++)
		inputs += !strcmp(*operands, "-");
	if (inputs > 1)
		return "- is given twice, and standard input can be read once";
	if (o->profile.from >= o->profile.to)
		return "--to must be later than --from";
	if (o->profile.at != PPROF_END && o->profile.type != pprof_type_named("goroutine"))
		return "--at is for --type goroutine; other types take --from and --to";
	return NULL;
}

static const struct command_line pprof_line = {
	.name = "pprof",
	.usage = "gotap pprof --type TYPE TRACE... [-o FILE | --push URL] [OPTION...]",
	.about =
		"Makes a profile of a Go execution trace of any release, in the form that\n"
		"`go tool pprof` and other tools read. Several traces are added up. TRACE and\n"
		"FILE may be - (standard input, output).\n",
	.tables = { { pprof_type_rows, 0 }, { pprof_rows, 0 },
		    { push_rows, offsetof(struct options, push) } },
	.after =
		"Of a damaged trace the profile has what comes "
		"before the damage, and the exit status is 1. It is 1, too, if a server\n"
		"did not take the profile.\n",
	.most = -1,
	.check = pprof_check,
};

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

static int write_profile(struct pprof *p, const struct options *o, struct output *out,
			 struct error *err)
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
static int pprof_read_all(struct pprof *p, int n, char **names, const struct options *o)
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

/* A profile of a part of a trace would be taken for the whole one: it is not sent. */
static int pprof_push(const struct options *o, int n, char **names)
{
	struct error err = {0};
	struct pprof *p;
	int status;

	if (legacy_program(o->binary, &err) || push_ready(&o->push, &err))
		return cmd_fail(&err);
	p = pprof_new(&o->profile);
	status = pprof_read_all(p, n, names, o);
	if (status == EXIT_OK && push_send(&o->push, pprof_profile(p), &err))
		status = cmd_fail(&err);
	pprof_free(p);
	return status;
}

static int pprof_run(const struct options *o, int n, char **names)
{
	struct output out;
	struct error err;
	struct pprof *p;
	int status, ret;

	if (legacy_program(o->binary, &err) ||
	    output_open(&out, o->out ? o->out : "-", o->folded ? OUTPUT_TEXT : OUTPUT_BINARY, &err))
		return cmd_fail(&err);
	if (out.leftover)
		leftover_tell(out.leftover);
	p = pprof_new(&o->profile);
	status = pprof_read_all(p, n, names, o);
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
	struct options o = { .profile = { .to = INT64_MAX, .at = PPROF_END },
			     .push = PUSH_DEFAULT };
	int status = command_line_read(&pprof_line, &o, argc, argv);

	if (status)
		status--;
	else
		status = (o.push.url ? pprof_push : pprof_run)(&o, argc - optind, argv + optind);
	map64_free(&o.profile.goroutines);
	if (o.profile.func)
		regfree(&o.func);
	return status;
}
