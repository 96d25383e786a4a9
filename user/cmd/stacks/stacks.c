// SPDX-License-Identifier: Apache-2.0
/*
 * stacks: see stacks.h. Here: options, the process, messages about goroutines that are not shown.
 */
#define _GNU_SOURCE
#include "cmd/stacks/stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "live/corefile.h"
#include "live/memory.h"
#include "live/snapshot.h"
#include "live/still.h"

static const char *stacks_cmd_take_func(void *options, const char *arg)
{
	struct stacks_options *o = options;

	if (o->func)
		regfree(&o->func_regex);
	o->func = NULL;
	if (regcomp(&o->func_regex, arg, REG_EXTENDED | REG_NOSUB))
		return "takes a regular expression (POSIX, extended)";
	o->func = arg;
	return NULL;
}

static const char *stacks_take_by(void *field, const char *arg)
{
	bool *reachability = field;

	*reachability = !strcmp(arg, "reachability");
	return *reachability || !strcmp(arg, "runtime") ? NULL : "takes runtime or reachability";
}

static const struct option_row stacks_rows[] = {
	OPTION(0, "group", NULL, OPTION_FLAG, offsetof(struct stacks_options, group),
	  "goroutines of one stack together, as in pprof/goroutine?debug=1"),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct stacks_options, json),
	  "as JSON, one object"),
	OPTION(0, "pprof", NULL, OPTION_FLAG, offsetof(struct stacks_options, pprof),
	  "as a profile for `go tool pprof`, as pprof/goroutine?debug=0"),
	OPTION(0, "watch", "TIME", OPTION_DURATION, offsetof(struct stacks_options, watch),
	  "look for so long first (2s), and say which did not run meanwhile"),
	OPTION(0, "still", NULL, OPTION_FLAG, offsetof(struct stacks_options, still), "only those"),
	OPTION(0, "leaked", NULL, OPTION_FLAG, offsetof(struct stacks_options, leaked),
	  "only goroutines that are blocked for ever: that the runtime has found (Go 1.26 and "
	  "later), or --by reachability"),
	OPTION(0, "by", "HOW", OPTION_TAKE, offsetof(struct stacks_options, reachability),
	  "with --leaked: runtime (default), or reachability: gotap itself looks which ones "
	  "nothing can wake, in any release; the process must be stopped, or a core file, or "
	  "--image. With --core and --image the default is reachability",
	  .take = stacks_take_by),
	OPTION(0, "detect-leaks", NULL, OPTION_FLAG, offsetof(struct stacks_options, detect),
	  "have the next collection of the program look for them, and wait for it. "
	  "This writes a byte of the program's memory (docs/stacks.md)"),
	OPTION(0, "within", "TIME", OPTION_DURATION, offsetof(struct stacks_options, within),
	  "how long --detect-leaks waits (130s): the runtime collects at least each 2 minutes"),
	OPTION(0, "state", "LIST", OPTION_TEXT, offsetof(struct stacks_options, states),
	  "only goroutines in these states: \"chan receive,IO wait\""),
	OPTION(0, "func", "REGEX", OPTION_TAKE, 0,
	  "only with a function that matches (POSIX, extended) on the stack",
	  .take = stacks_cmd_take_func),
	OPTION(0, "goroutine", "N", OPTION_NUMBER, offsetof(struct stacks_options, goid),
	  "only that one", .min = 1, .max = UINT64_MAX, .want = "takes the number of a goroutine"),
	OPTION(0, "system", NULL, OPTION_FLAG, offsetof(struct stacks_options, system),
	  "those of the runtime itself, too"),
	OPTION(0, "no-labels", NULL, OPTION_FLAG, offsetof(struct stacks_options, no_labels),
	  "leave out the labels of runtime/pprof; only the runtime "
	  "of Go 1.27 prints them, and older tools do not expect them"),
	OPTION_ASSUME(offsetof(struct stacks_options, assume_minor)),
	{0},
};

static const char *stacks_check(void *options, char **operands)
{
	const struct stacks_options *o = options;

	const char *why = pick_one_or_core(&o->pick);

	if (why)
		return why;
	if ((o->pick.core || o->pick.image) && (o->watch || o->detect))
		return "a core file, or an image, does not run: without --watch and --detect-leaks";
	if (o->reachability && !o->leaked)
		return "--by takes --leaked";
	if (o->reachability && o->detect)
		return "--detect-leaks has the runtime look: without --by reachability";
	if (o->still && !o->watch)
		return "--still takes --watch TIME";
	if (o->pprof && (o->group || o->json))
		return "--pprof is a form of its own: without --group and --json";
	if (o->pprof && isatty(STDOUT_FILENO))
		return "--pprof writes binary data, not to a terminal: send it to a file or a pipe";
	return NULL;
}

static const struct command_line stacks_line = {
	.name = "stacks",
	.usage = "gotap stacks [OPTION...] -p PID | --container NAME | --core FILE",
	.about =
		"Prints all goroutines of a running Go process with their stacks, as the runtime\n"
		"prints them on SIGQUIT: but without a signal, and without stopping the process.\n"
		"It is read from the process's memory: that takes the right to trace it\n"
		"(ptrace), no root for one's own.\n",
	.tables = { { pick_rows, offsetof(struct stacks_options, pick) },
		    { pick_core_rows, offsetof(struct stacks_options, pick) },
		    { pick_image_rows, offsetof(struct stacks_options, pick) },
		    { pick_hold_rows, offsetof(struct stacks_options, pick) },
		    { pick_owner_rows, offsetof(struct stacks_options, pick) },
		    { stacks_rows, 0 } },
	.after =
		"Minutes in a state are the runtime's estimate: since the garbage collection\n"
		"before the one that first saw the goroutine there. --json also has what is\n"
		"sure, and --watch measures.\n",
	.operands = "give one process (-p), container or core file (--core)",
	.check = stacks_check,
};

/* --- the process --- */

static int open_process(struct stacks *s, struct error *err)
{
	int r = look_open(&s->look, &s->o->pick, s->o->assume_minor, err);

	return r ? r : plan_describe(&s->plan, s->look.bin, err);
}

static int check_fit(struct stacks *s, struct error *err)
{
	if (snapshot_fits(&s->plan, &s->look.proc, NULL))
		return 0;
	if (memory_is_silent(&s->look.proc))
		return memory_error(&s->look.proc, NULL, "goroutines", err);
	if (s->look.core)
		return error_set(err, -EINVAL, "'%s' has no goroutines where a program of %s has "
				 "them: '%s' is not its program, the file was cut, or the field "
				 "offsets (%s) do not fit", corefile_path(s->look.core),
				 s->plan.go_version, gobin_path(s->look.bin),
				 s->plan.offsets_source);
	return error_set(err, -EINVAL,
			 "process %d has no goroutines where a program of %s has them: it is just "
			 "starting, or the field offsets (%s) do not fit this program",
			 s->look.proc.pid, s->plan.go_version, s->plan.offsets_source);
}

/*
 * All that is read is read before anything is printed, so that a process that ends has no half a
 * list.
 */
static int read_goroutines(struct stacks *s, struct error *err)
{
	struct goroutines_opts opts = {
		.plan = &s->plan, .proc = &s->look.proc, .roots = &s->roots,
		.symbols = s->look.symbols,
	};
	struct still still = {0};
	int r = s->o->reachability ? still_look(&s->look.proc, &still, err) : 0;

	if (!r)
		r = roots_find(&s->plan, &s->look.proc, NULL, &s->roots, err);

	if (!r)
		r = check_fit(s, err);
	if (!r && s->o->watch) {
		r = watch_run(&s->watch, &opts, (uint64_t)(s->o->watch * 1e9), err);
		opts.watch = &s->watch;
	}
	if (!r)
		r = goroutines_read(&s->gs, &opts, err);
	if (!r && s->o->reachability)
		r = stacks_find_leaks(s, err);
	if (!r && s->o->reachability)
		r = still_check(&s->look.proc, &still, err);
	return r;
}

/* --- what is not in the list --- */

static void say_watched(struct stacks *s)
{
	size_t i, n = 0, all = 0;

	if (!s->o->watch)
		return;
	for (i = 0; i < s->gs.all.len; i++) {
		const struct goroutine *g = vec_at(&s->gs.all, struct goroutine, i);

		if (!s->o->system && shown_is_system(&s->gs, s->plan.minor, g))
			continue;
		all++;
		n += g->still > STILL_MOVED;
	}
	fprintf(stderr, "gotap: %zu of %zu goroutines did not run in %.1f s (%u looks)\n", n, all,
		(double)(s->watch.end - s->watch.begin) / 1e9, s->watch.looks + 1);
}

static void say_unknown(const struct stacks *s)
{
	if (s->gs.moved)
		fprintf(stderr,
			"gotap: the stacks of %zu goroutines are not known: they ran each time "
			"that they were read\n",
			s->gs.moved);
	if (s->gs.unreadable)
		fprintf(stderr, "gotap: %zu goroutines could not be read\n", s->gs.unreadable);
}

static bool has_goroutine(const struct stacks *s, uint64_t goid)
{
	size_t i;

	for (i = 0; i < s->gs.all.len; i++)
		if (vec_at(&s->gs.all, struct goroutine, i)->goid == goid)
			return true;
	return false;
}

static void say_none_leaked(const struct stacks *s)
{
	size_t i;

	if (!s->o->leaked)
		return;
	for (i = 0; i < s->gs.all.len; i++)
		if (shown_is_leaked(s->plan.minor, vec_at(&s->gs.all, struct goroutine, i)))
			return;
	if (s->o->reachability)
		fprintf(stderr, "gotap: no goroutine is leaked: whatever each one waits for can be "
				"reached\n");
	else if (s->o->detect)
		fprintf(stderr, "gotap: the collection found no leaked goroutine\n");
	else
		fprintf(stderr, "gotap: no goroutine is marked as leaked: --detect-leaks has the "
				"next collection look for them\n");
}

static int stacks_cmd_print(struct stacks *s)
{
	struct error err;

	if (s->o->goid && !has_goroutine(s, s->o->goid)) {
		error_set(&err, -ENOENT, "process %d has no goroutine %llu", s->look.proc.pid,
			  (unsigned long long)s->o->goid);
		return cmd_fail(&err);
	}
	if (s->o->pprof) {
		if (stacks_write_profile(s, &err))
			return cmd_fail(&err);
	} else if (s->o->json) {
		stacks_print_json(s);
	} else if (s->o->group) {
		stacks_print_groups(s);
	} else {
		stacks_print(s);
	}
	say_watched(s);
	say_unknown(s);
	say_none_leaked(s);
	stacks_say_graph(s);
	return EXIT_OK;
}

static void close_all(struct stacks *s)
{
	size_t i;

	for (i = 0; i < s->texts.texts.len; i++)
		buf_free(vec_at(&s->texts.texts, struct buf, i));
	vec_free(&s->texts.texts);
	vec_free(&s->matches);
	goroutines_free(&s->gs);
	watch_free(&s->watch);
	plan_release(&s->plan);
	look_close(&s->look);
}

int cmd_stacks(int argc, char **argv)
{
	struct stacks_options o = { .within = 130 };
	struct stacks s = { .o = &o, .look = LOOK_CLOSED };
	struct error err = {0};
	int r, status = command_line_read(&stacks_line, &o, argc, argv);

	if (status)
		return status - 1;
	o.leaked |= o.detect;
	o.reachability |= o.leaked && (o.pick.core || o.pick.image);
	r = open_process(&s, &err);
	if (!r && o.leaked && !o.reachability)
		r = stacks_check_leaks(&s, &err);
	if (!r && o.detect)
		r = stacks_detect_leaks(&s, &err);
	if (!r)
		r = read_goroutines(&s, &err);
	r = look_fate(&s.look, r, &err);
	if (!r)
		r = pick_check(&o.pick, &s.look.proc, &err);
	status = r ? cmd_fail(&err) : stacks_cmd_print(&s);
	close_all(&s);
	if (o.func)
		regfree(&o.func_regex);
	return status;
}
