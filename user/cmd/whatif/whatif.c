// SPDX-License-Identifier: Apache-2.0
/* gotap whatif: how much more work would be done if a part of the program took less time. */
#include "cmd/whatif/whatif.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "files/leftover.h"
#include "files/thread_file.h"
#include "files/trace_input.h"

enum { TOP = 5, TOP_MAX = 24, ASKED_MOST = 16 };

struct whatif_options {
	const char *out, *binary, *trace, *unit;
	bool json, no_gc;
	unsigned long top;
	double by;
	struct whatif_change asked[ASKED_MOST];
	size_t nasked;
};

/* --- options --- */

static const char *whatif_cmd_take(void *options, enum whatif_kind kind, const char *arg)
{
	struct whatif_options *o = options;

	if (!*arg)
		return "needs the name of a function";
	if (o->nasked == ASKED_MOST)
		return option_wrong("is one too many: at most %d changes can be given", ASKED_MOST);
	o->asked[o->nasked++] = (struct whatif_change){ .kind = kind, .name = arg };
	return NULL;
}

static const char *whatif_cmd_take_function(void *options, const char *arg)
{
	return whatif_cmd_take(options, WHATIF_FUNCTION, arg);
}

static const char *whatif_cmd_take_sleep(void *options, const char *arg)
{
	return whatif_cmd_take(options, WHATIF_SLEEP, arg);
}

static const char *whatif_cmd_take_lock(void *options, const char *arg)
{
	return whatif_cmd_take(options, WHATIF_LOCK, arg);
}

static const char *whatif_cmd_take_network(void *options, const char *arg)
{
	return whatif_cmd_take(options, WHATIF_NETWORK, arg);
}

static const char *whatif_cmd_take_syscall(void *options, const char *arg)
{
	return whatif_cmd_take(options, WHATIF_SYSCALL, arg);
}

static const char *whatif_cmd_take_by(void *by, const char *arg)
{
	char *end;
	double percent;

	errno = 0;
	percent = strtod(arg, &end);
	if (errno || end == arg || (*end && strcmp(end, "%")) || !(percent > 0 && percent <= 100))
		return option_wrong("takes percent, above 0 up to 100, not '%s': the trace does "
				    "not show what would happen if something took longer", arg);
	*(double *)by = percent / 100;
	return NULL;
}

static const struct option_row whatif_rows[] = {
	OPTION(0, "function", "NAME", OPTION_TAKE, 0,
	  "if this function and what it calls ran for less time",
	  .take = whatif_cmd_take_function),
	OPTION(0, "lock", "NAME", OPTION_TAKE, 0,
	  "if this function, which unlocks what others wait for, took less time in all: running, "
	  "asleep, in system calls", .take = whatif_cmd_take_lock),
	OPTION(0, "sleep", "NAME", OPTION_TAKE, 0,
	  "if the sleeps in this function were shorter", .take = whatif_cmd_take_sleep),
	OPTION(0, "network", "NAME", OPTION_TAKE, 0,
	  "if the waits for the network in this function were shorter",
	  .take = whatif_cmd_take_network),
	OPTION(0, "syscall", "NAME", OPTION_TAKE, 0,
	  "if the system calls of this function were shorter",
	  .take = whatif_cmd_take_syscall),
	OPTION(0, "no-gc", NULL, OPTION_FLAG, offsetof(struct whatif_options, no_gc),
	  "without the garbage collector"),
	{ .kind = OPTION_TITLE, .help =
	  "Without these: what takes most time is tried, and the largest effects are shown." },
	OPTION(0, "by", "PERCENT", OPTION_TAKE, offsetof(struct whatif_options, by),
	  "how much shorter (default 50)", .take = whatif_cmd_take_by),
	OPTION(0, "unit", "NAME", OPTION_TEXT, offsetof(struct whatif_options, unit),
	  "the unit of work: a function, or a type of tasks or regions (default: that of "
	  "`gotap report`)"),
	OPTION(0, "top", "N", OPTION_NUMBER, offsetof(struct whatif_options, top),
	  "how many effects to show (default 5)", .min = 1, .max = TOP_MAX),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct whatif_options, json),
	  "one JSON object on one line"),
	OPTION_OUTPUT(offsetof(struct whatif_options, out)),
	OPTION_BINARY(offsetof(struct whatif_options, binary)),
	{0},
};

static const char *whatif_check(void *options, char **operands)
{
	((struct whatif_options *)options)->trace = operands[0];
	return NULL;
}

static const struct command_line whatif_line = {
	.name = "whatif",
	.usage = "gotap whatif [OPTION...] TRACE",
	.about =
		"Experimental. Predicts how often the unit of work of a program would be done,\n"
		"and how long it would take, if a part of the program took less time: it replays\n"
		"the trace with that part shortened. It gives a range, and refuses with a reason\n"
		"where the trace does not show enough. TRACE is a Go execution trace of any\n"
		"release, or - (standard input). docs/whatif.md explains it.\n",
	.tables = { { whatif_rows, 0 } },
	.least = 1, .most = 1, .operands = "a trace is needed",
	.check = whatif_check,
};

/* --- the command --- */

struct whatif_shown {
	const struct whatif_options *options;
	const struct whatif_answer *answer;
};

static void whatif_cmd_put(FILE *f, const void *shown)
{
	const struct whatif_shown *s = shown;

	(s->options->json ? whatif_json : whatif_text)(f, s->answer, s->options->trace);
}

static int whatif_cmd_read(const struct whatif_options *o, struct spans *s, struct error *err)
{
	struct trace_input in;
	int ret = trace_input_open(&in, o->trace, o->binary, err);

	if (ret)
		return ret;
	ret = spans_read(s, in.reader, err);
	return trace_input_close(&in, o->trace, ret, err);
}

/* The trace, along with the file of threads beside it. False: that is damaged. */
static bool whatif_cmd_read_both(const struct whatif_options *o, struct spans *s, struct units *u,
				 struct whatif *w, struct error *err)
{
	struct oncpu *threads = NULL;
	bool failed = false;

	*err = (struct error){0};
	if (thread_file_open(&threads, s, o->trace, err)) {
		cmd_fail(err);
		failed = true;
		*err = (struct error){0};
	}
	whatif_collect(w, threads);
	units_collect(u, s);
	whatif_cmd_read(o, s, err);
	if (!thread_file_check(threads, s, o->trace, &failed))
		whatif_forget_threads(w);
	spans_leave(s, threads);
	oncpu_free(threads);
	return !failed;
}

static void whatif_cmd_predict(const struct whatif_options *o, struct whatif *w)
{
	size_t i;

	whatif_base(w);
	for (i = 0; i < o->nasked; i++) {
		struct whatif_change change = o->asked[i];

		change.by = o->by;
		whatif_predict(w, &change);
	}
	if (o->no_gc)
		whatif_predict(w, &(struct whatif_change){ WHATIF_GC, NULL, 1 });
	if (!o->nasked && !o->no_gc)
		whatif_guess(w, o->by, o->top);
}

/* What comes before the damage of a trace counts, and the status says that there is some. */
static int whatif_cmd_answer(const struct whatif_options *o, struct spans *s, struct units *u,
			     struct whatif *w)
{
	struct whatif_shown shown = { o, whatif_answer(w) };
	struct error err;
	int status = EXIT_OK;

	if (!whatif_cmd_read_both(o, s, u, w, &err))
		status = EXIT_FAIL;
	if (err.code) {
		if (!spans_last(s))
			return cmd_fail(&err);
		status = cmd_fail(&err);
	}
	units_collected(u);
	if (!units_choose(u, o->unit) && o->unit) {
		error_set(&err, -ENOENT, "%s: no function, task or region %s was seen", o->trace,
			  o->unit);
		return cmd_fail(&err);
	}
	whatif_cmd_predict(o, w);
	return output_text(o->out, whatif_cmd_put, &shown, &err) ? cmd_fail(&err) : status;
}

int cmd_whatif(int argc, char **argv)
{
	struct whatif_options o = { .out = "-", .top = TOP, .by = 0.5 };
	int status = command_line_read(&whatif_line, &o, argc, argv);
	struct spans *s;
	struct units *u;
	struct whatif *w;

	if (status)
		return status - 1;
	s = spans_new();
	u = units_new();
	w = whatif_new(s, u);
	status = whatif_cmd_answer(&o, s, u, w);
	whatif_free(w);
	units_free(u);
	spans_free(s);
	return status;
}
