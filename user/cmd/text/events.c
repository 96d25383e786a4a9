// SPDX-License-Identifier: Apache-2.0
/* events: see events.h. */
#include "cmd/text/events.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "files/leftover.h"
#include "files/legacy.h"
#include "cmd/options.h"
#include "base/show.h"
#include "files/trace_input.h"
#include "read/view.h"

/* --- options --- */

void text_events_init(struct text_events_options *o)
{
	*o = (struct text_events_options){ .show.filter = EVENTS_ALL };
}

void text_events_free(struct text_events_options *o)
{
	events_filter_free(&o->show.filter);
	if (o->show.filter.func)
		regfree(&o->func);
}

static const char *take_kinds(void *filter, const char *arg)
{
	const char *bad;
	size_t len;

	if (events_add_types(filter, arg, &bad, &len))
		return NULL;
	return option_wrong(
		": there is no event '%.*s': use names as GoBlock, GoCreate, ProcStart, UserLog, "
		"or kinds as StateTransition, RangeBegin, Metric, Log",
		(int)len, bad);
}

static const char *text_events_take_func(void *options, const char *arg)
{
	struct text_events_options *o = options;
	char why[128];
	int ret;

	if (o->show.filter.func)
		return "is given twice: a|b matches both";
	ret = regcomp(&o->func, arg, REG_EXTENDED | REG_NOSUB);
	if (!ret) {
		o->show.filter.func = &o->func;
		return NULL;
	}
	regerror(ret, &o->func, why, sizeof(why));
	return option_wrong("'%s': %s", arg, why);
}

const struct option_row text_events_rows[] = {
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct text_events_options, show.json),
	  "one JSON object a line"),
	OPTION(0, "no-stacks", NULL, OPTION_FLAG,
	  offsetof(struct text_events_options, show.no_stacks),
	  "without stacks"),
	OPTION(0, "links", NULL, OPTION_FLAG, offsetof(struct text_events_options, show.links),
	  "behind each event the earlier one that it ends or follows: its time and name"),
	OPTION(0, "absolute", NULL, OPTION_FLAG,
	  offsetof(struct text_events_options, show.absolute),
	  "times of the trace's clock, not since its begin"),
	OPTION('g', "goroutine", "N", OPTION_TAKE,
	  offsetof(struct text_events_options, show.filter.goroutines),
	  "only what happens on this goroutine or moves it; may be given again, as --proc and "
	  "--thread", .take = option_take_ids),
	OPTION(0, "proc", "N", OPTION_TAKE, offsetof(struct text_events_options, show.filter.procs),
	  "only what happens on this P or moves it", .take = option_take_ids),
	OPTION(0, "thread", "N", OPTION_TAKE,
	  offsetof(struct text_events_options, show.filter.threads),
	  "only what happens on this thread", .take = option_take_ids),
	OPTION(0, "kind", "NAME,...", OPTION_TAKE,
	  offsetof(struct text_events_options, show.filter),
	  "only these events (GoBlock, UserLog) or kinds of them (StateTransition, RangeBegin, "
	  "Metric)", .take = take_kinds),
	OPTION(0, "func", "REGEXP", OPTION_TAKE, 0,
	  "only those with such a function in their stacks", .take = text_events_take_func),
	OPTION(0, "from", "TIME", OPTION_INSTANT,
	  offsetof(struct text_events_options, show.filter.from),
	  "only from this time on, counted from the begin (1.5s)"),
	OPTION(0, "to", "TIME", OPTION_INSTANT,
	  offsetof(struct text_events_options, show.filter.to),
	  "only up to this time"),
	{0},
};

/* --- traces --- */

/* Closes @in. */
static int write_events(struct trace_input *in, const char *name, const struct output *out,
			const struct events_options *o, struct error *err)
{
	struct error write_err;
	struct raw_sink sink;
	int ret;

	sink_open(&sink, out->fd, out->path);
	ret = trace_input_close(in, name, events_write(in->reader, o, &sink, err), err);
	if (!sink_close(&sink, &write_err))
		return ret;
	*err = write_err;
	return err->code;
}

static int text_events_write_output(struct trace_input *in, const char *name, const char *path,
			const struct events_options *o, struct error *err)
{
	struct error close_err;
	struct output out;
	int ret = output_start(&out, path, OUTPUT_TEXT, err);

	if (ret) {
		trace_reader_close(in->reader);
		return ret;
	}
	ret = write_events(in, name, &out, o, err);
	if (output_close(&out, !ret, &close_err) && !ret) {
		*err = close_err;
		ret = close_err.code;
	}
	return ret;
}

int text_events(const char *in, const char *out, const char *binary,
		const struct text_events_options *o, struct error *err)
{
	struct raw_source source;
	struct trace_input input;
	int ret = legacy_program(binary, err);

	if (!ret)
		ret = leftover_source_open(&source, in, err);
	if (ret)
		return ret;
	if (trace_input_open_source(&input, &source, binary, err))
		return error_prefix(err, "%s", in);
	return text_events_write_output(&input, in, out, &o->show, err);
}
