// SPDX-License-Identifier: Apache-2.0
/* gotap why: the critical path of a goroutine, task, region or the program. */
#include "cmd/why/why.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/joined.h"
#include "files/leftover.h"
#include "files/legacy.h"
#include "files/reread.h"
#include "cmd/options.h"
#include "cmd/parse.h"
#include "files/thread_file.h"
#include "files/trace_input.h"
#include "read/http.h"

struct why_input {
	struct reread trace;
	/* without the file of threads beside it, which is of another recording */
	bool no_threads;
};

struct why_options {
	struct why_show show;
	const char *out, *binary;
	bool json, has_percentile;
	/* no_threads of an input was set after its numbers had gone into the answer: begin again */
	bool again;
	bool failed;		/* a fault of a file of threads was printed */
	struct vec inputs;	/* struct why_input */
	struct joins_survey survey;
};

/* --- options --- */

/* The subject of the question can be said once. */
static const char *take_subject(struct why_question *q, enum why_of of, const char *arg)
{
	unsigned long id = 0;

	if (q->of != WHY_PROGRAM)
		return "is one too many: only one of --goroutine, "
		       "--func, --region, --task, --request and --route can be given";
	q->of = of;
	if (of == WHY_GOROUTINE && !parse_number(arg, 0, ULONG_MAX - 1, &id))
		return option_wrong("needs a number, not '%s'", arg);
	if (of == WHY_GOROUTINE || (of == WHY_TASK && parse_number(arg, 0, ULONG_MAX - 1, &id)))
		q->id = id;
	else
		q->name = arg;
	return NULL;
}

static const char *why_cmd_take_goroutine(void *question, const char *arg)
{
	return take_subject(question, WHY_GOROUTINE, arg);
}

static const char *why_cmd_take_func(void *question, const char *arg)
{
	return take_subject(question, WHY_FUNC, arg);
}

static const char *take_region(void *question, const char *arg)
{
	return take_subject(question, WHY_REGION, arg);
}

static const char *take_task(void *question, const char *arg)
{
	return take_subject(question, WHY_TASK, arg);
}

/* Ids of requests count from 2^62 on: the short form leaves that out. */
static const char *take_request(void *question, const char *arg)
{
	struct why_question *q = question;
	const char *wrong = take_subject(q, WHY_TASK, arg);

	if (wrong)
		return wrong;
	if (q->name)
		return option_wrong("needs the number of a request, as gotap requests lists it, "
				    "not '%s'; --route takes a name", arg);
	q->request = true;
	q->id |= HTTP_TASKS;
	return NULL;
}

static const char *take_route(void *question, const char *arg)
{
	struct why_question *q = question;
	const char *wrong = take_subject(q, WHY_TASK, q->of == WHY_PROGRAM ? "" : arg);

	q->name = arg;
	q->request = true;
	return wrong;
}

static const char *take_percentile(void *options, const char *arg)
{
	struct why_options *o = options;
	double *percentile = &o->show.question.percentile;
	char *end;

	errno = 0;
	*percentile = strtod(arg, &end);
	o->has_percentile = true;
	return errno || end == arg || *end || !(*percentile > 0 && *percentile <= 100) ?
	       option_wrong("needs a number above 0 up to 100, not '%s'", arg) : NULL;
}

#define QUESTION offsetof(struct why_options, show.question)

static const struct option_row why_rows[] = {
	OPTION('g', "goroutine", "N", OPTION_TAKE, QUESTION,
	  "the critical path of this goroutine", .take = why_cmd_take_goroutine),
	OPTION(0, "func", "NAME", OPTION_TAKE, QUESTION,
	  "of the slowest goroutine that began with this function", .take = why_cmd_take_func),
	OPTION(0, "region", "NAME", OPTION_TAKE, QUESTION, "of the slowest region of this type",
	  .take = take_region),
	OPTION(0, "task", "ID|NAME", OPTION_TAKE, QUESTION,
	  "of this task, or of the slowest one of this type", .take = take_task),
	OPTION(0, "request", "ID", OPTION_TAKE, QUESTION,
	  "of this request; the 2^62 with which numbers of requests begin may be left out",
	  .take = take_request),
	OPTION(0, "route", "NAME", OPTION_TAKE, QUESTION,
	  "of the slowest request of this route: 'GET /cart', or /cart with any method",
	  .take = take_route),
	OPTION(0, "label", "KEY=VALUE", OPTION_TAKE,
	  offsetof(struct why_options, show.question.label),
	  "of those with this profiler label alone; * and ? in VALUE are as in a shell",
	  .take = option_take_label),
	OPTION(0, "slowest", "N", OPTION_NUMBER,
	  offsetof(struct why_options, show.question.slowest),
	  "not of the slowest one alone, but of each of the N slowest ones",
	  .min = 1, .max = WHY_SLOWEST),
	OPTION(0, "percentile", "P", OPTION_TAKE, 0,
	  "not of the slowest one, but of the one at this percentile", .take = take_percentile),
	OPTION(0, "all", NULL, OPTION_FLAG, offsetof(struct why_options, show.question.all),
	  "of all from the percentile up (99), compared "
	  "with those of the middle: the causes of slow ones"),
	OPTION(0, "from", "TIME", OPTION_INSTANT, offsetof(struct why_options, show.question.from),
	  "of the goroutine, or the program, from this time "
	  "on, counted from the begin of the trace (1.5s)"),
	OPTION(0, "to", "TIME", OPTION_INSTANT, offsetof(struct why_options, show.question.to),
	  "and up to this time"),
	{ .kind = OPTION_TITLE, .help =
	  "Without -g, --func, --region, --task, --request and --route: that of the whole\n"
	  "program, back from the goroutine that runs last." },
	OPTION(0, "full", NULL, OPTION_FLAG, offsetof(struct why_options, show.full),
	  "show every step; by default the longest 40"),
	OPTION(0, "stacks", NULL, OPTION_FLAG, offsetof(struct why_options, show.stacks),
	  "show the stack of each step"),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct why_options, json), "one JSON object"),
	OPTION_OUTPUT(offsetof(struct why_options, out)),
	OPTION_BINARY(offsetof(struct why_options, binary)),
	{0},
};

static const char *why_line_check(void *options, char **operands)
{
	struct why_options *o = options;
	struct why_question *q = &o->show.question;
	bool chosen = q->of == WHY_FUNC || q->of == WHY_REGION || (q->of == WHY_TASK && q->name);

	o->show.traces = operands;
	if ((q->all || o->has_percentile || q->slowest || q->label) && !chosen)
		return option_wrong("%s needs --func, --region, --route or a type of --task",
				    q->all ? "--all" : q->slowest ? "--slowest" :
				    q->label ? "--label" : "--percentile");
	if (q->slowest && (q->all || o->has_percentile))
		return "--slowest excludes --all and --percentile";
	if ((q->from != INT64_MIN || q->to != INT64_MAX) && q->of != WHY_GOROUTINE &&
	    q->of != WHY_PROGRAM)
		return "--from and --to are for --goroutine, or the whole program";
	if (q->from != INT64_MIN && q->from >= q->to)
		return "--from must be before --to";
	if (q->all && !o->has_percentile)
		q->percentile = 99;
	return NULL;
}

static const struct command_line why_line = {
	.name = "why",
	.usage = "gotap why [OPTION...] TRACE...",
	.about =
		"Says where the time of a request, a goroutine, a task, a region or the whole\n"
		"program went: the critical path, from its end back to its begin. Where a\n"
		"goroutine waited for another one, the path goes on in the one that ended the\n"
		"wait. The sum is the time exactly. TRACE is a Go execution trace of any release,\n"
		"or - (standard input).\n"
		"\n"
		"Of several traces the first one is explained that has the goroutine, task or\n"
		"request; of a function, region or route the slowest instance in all traces. The\n"
		"path goes on in those that have the other ends of its connections\n"
		"(docs/joins.md).\n",
	.tables = { { why_rows, 0 } },
	.least = 1, .most = -1, .operands = "a trace is needed",
	.check = why_line_check,
};

/* --- traces --- */

static int open_input(struct why_input *in, const char *path, bool twice, struct error *err)
{
	int ret = reread_open(&in->trace, path, twice, err);

	/*
	 * A trace may have to be read again, if the file of threads beside it turns out to be of
	 * another recording. One from a pipe that needs to be read only once is read without such a
	 * file.
	 */
	in->no_threads = in->trace.fd < 0;
	return ret;
}

typedef int pass_fn(struct why *w, uint32_t trace, struct trace_reader *r, struct error *err);

/*
 * What is wrong with the trace goes to @damage, if that is the first fault; what can be read is
 * read.
 */
static int why_cmd_pass(struct why_options *o, struct why *w, uint32_t i, pass_fn *fn,
			struct error *damage)
{
	struct why_input *in = vec_at(&o->inputs, struct why_input, i);
	struct trace_input opened;
	struct error err;
	int ret = reread_rewind(&in->trace, &err);

	if (!ret && trace_input_open_source(&opened, &in->trace.source, o->binary, &err))
		ret = error_prefix(&err, "%s", in->trace.path);
	if (ret) {
		*damage = err;
		return ret;
	}
	ret = fn(w, i, opened.reader, &err);
	if (trace_input_close(&opened, in->trace.path, ret, &err) && !damage->code)
		*damage = err;
	return 0;
}

/* Opens the traces in which the path of trace @i can go on. */
static int why_cmd_open_others(struct why_options *o, uint32_t i, struct joined *others,
			       struct error *err)
{
	uint32_t k;
	int ret = 0;

	for (k = 0; k < o->inputs.len && k < JOINS_MEMBERS && i < JOINS_MEMBERS && !ret; k++)
		if (k != i && joins_survey_has(&o->survey, i, k))
			ret = joined_open(others,
					  &vec_at(&o->inputs, struct why_input, k)->trace,
					  o->binary, err);
	return ret;
}

/* Finds out which traces have ends of the same connections. The passes report faults of a trace. */
static void why_cmd_survey(struct why_options *o)
{
	struct error err;
	uint32_t i;

	for (i = 0; o->inputs.len > 1 && i < o->inputs.len && i < JOINS_MEMBERS; i++)
		joined_survey(&o->survey, i, &vec_at(&o->inputs, struct why_input, i)->trace,
			      o->binary, &err);
}

/* The pass that answers, along with the file of threads. */
static int last_pass(struct why_options *o, struct why *w, uint32_t i, struct error *damage)
{
	struct why_input *in = vec_at(&o->inputs, struct why_input, i);
	struct oncpu *threads = NULL;
	struct joined others = {0};
	struct error err;
	int ret;

	if (!in->no_threads && thread_file_open(&threads, why_spans(w), in->trace.path, &err)) {
		cmd_fail(&err);
		o->failed = in->no_threads = true;
	}
	why_split(w, threads);
	ret = why_cmd_open_others(o, i, &others, damage);
	if (!ret && others.n)
		why_beside(w, others.readers, others.n);
	if (!ret)
		ret = why_cmd_pass(o, w, i, why_read, damage);
	o->failed |= joined_close(&others, why_besides(w));
	if (threads && !thread_file_check(threads, why_spans(w), in->trace.path, &o->failed))
		o->again = in->no_threads = true;
	why_split(w, NULL);
	spans_leave(why_spans(w), threads);
	oncpu_free(threads);
	return ret;
}

static int first_pass(struct why_options *o, struct why *w, struct error *err)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < o->inputs.len && !ret; i++)
		ret = why_cmd_pass(o, w, i, why_choose, err);
	return ret;
}

static int why_cmd_answer(struct why_options *o, struct why *w, struct error *damage)
{
	struct error err;
	uint32_t i;
	int ret = 0;

	if (why_chooses(w)) {
		if (first_pass(o, w, damage))
			return damage->code;
		if (why_chosen(w, &err)) {
			if (!damage->code)
				*damage = err;
			return err.code;
		}
	}
	for (i = 0; i < o->inputs.len && !ret; i++)
		if (why_needs(w, i))
			ret = last_pass(o, w, i, damage);
	if (!ret && why_check(w, &err)) {
		if (!damage->code)
			*damage = err;
		ret = err.code;
	}
	return ret;
}

/* --- output --- */

struct shown {
	struct why *why;
	const struct why_options *options;
};

static void why_cmd_print(FILE *f, const void *shown)
{
	const struct shown *s = shown;

	(s->options->json ? why_json : why_text)(f, s->why, &s->options->show);
}

static int print_to(struct why *w, const struct why_options *o, struct error *err)
{
	const struct shown shown = { w, o };

	return output_text(o->out ? o->out : "-", why_cmd_print, &shown, err);
}

static int why_cmd_run(struct why_options *o, struct error *err)
{
	struct why *w = NULL;
	struct error write_err;
	int ret;

	do {
		why_free(w);
		w = why_new(&o->show.question);
		why_see(o->show.seen, why_spans(w));
		o->again = false;
		*err = (struct error){0};
		ret = why_cmd_answer(o, w, err);
	} while (o->again);
	if (!ret && print_to(w, o, &write_err))
		*err = write_err;
	why_free(w);
	return err->code;
}

static int open_inputs(struct why_options *o, struct error *err)
{
	bool twice = o->show.traces[1] || (o->show.question.of != WHY_PROGRAM &&
					   o->show.question.of != WHY_GOROUTINE);
	char **path;
	int ret = legacy_program(o->binary, err);

	for (path = o->show.traces; *path && !ret; path++)
		ret = open_input(vec_push(&o->inputs, sizeof(struct why_input)), *path, twice, err);
	return ret;
}

static void close_inputs(struct why_options *o)
{
	size_t i;

	for (i = 0; i < o->inputs.len; i++)
		reread_close(&vec_at(&o->inputs, struct why_input, i)->trace);
	vec_free(&o->inputs);
	joins_survey_free(&o->survey);
}

int cmd_why(int argc, char **argv)
{
	struct why_seen seen = {0};
	struct why_options o = {
		.show.question = { .percentile = 100, .from = INT64_MIN, .to = INT64_MAX },
		.show.seen = &seen,
	};
	int status = command_line_read(&why_line, &o, argc, argv), ret;
	struct error err;

	if (status)
		return status - 1;
	ret = open_inputs(&o, &err);
	if (!ret) {
		why_cmd_survey(&o);
		ret = why_cmd_run(&o, &err);
	}
	close_inputs(&o);
	origin_free(&seen.origin);
	return ret ? cmd_fail(&err) : o.failed ? EXIT_FAIL : EXIT_OK;
}
