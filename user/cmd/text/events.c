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
#include "cmd/parse.h"
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

static int add_id(struct map64 *ids, const char *name, const char *arg)
{
	unsigned long id;

	if (!parse_number(arg, 0, ULONG_MAX - 1, &id))
		return cmd_usage("text", "--%s needs a number, not '%s'", name, arg);
	map64_put(ids, id, NULL);
	return EXIT_OK;
}

static int add_kinds(struct events_filter *f, const char *arg)
{
	const char *bad;
	size_t len;

	if (events_add_types(f, arg, &bad, &len))
		return EXIT_OK;
	return cmd_usage("text", "there is no event '%.*s': use names as GoBlock, GoCreate, ProcStart, "
			 "UserLog, or kinds as StateTransition, RangeBegin, Metric, Log", (int)len, bad);
}

static int set_func(struct text_events_options *o, const char *arg)
{
	char why[128];
	int ret;

	if (o->show.filter.func)
		return cmd_usage("text", "--func is given twice: a|b matches both");
	ret = regcomp(&o->func, arg, REG_EXTENDED | REG_NOSUB);
	if (ret) {
		regerror(ret, &o->func, why, sizeof(why));
		return cmd_usage("text", "--func '%s': %s", arg, why);
	}
	o->show.filter.func = &o->func;
	return EXIT_OK;
}

static int set_time(int64_t *ns, const char *name, const char *arg)
{
	double seconds;

	if (!parse_instant(arg, &seconds))
		return cmd_usage("text", "--%s needs a time like 1.5s or 200ms, not '%s'", name, arg);
	*ns = (int64_t)(seconds * 1e9);
	return EXIT_OK;
}

int text_events_option(struct text_events_options *o, int opt, const char *name, const char *arg)
{
	struct events_filter *f = &o->show.filter;

	o->given = name;
	switch (opt) {
	case TEXT_OPT_JSON:
		o->show.json = true;
		return EXIT_OK;
	case TEXT_OPT_ABSOLUTE:
		o->show.absolute = true;
		return EXIT_OK;
	case TEXT_OPT_NO_STACKS:
		o->show.no_stacks = true;
		return EXIT_OK;
	case 'g':
		return add_id(&f->goroutines, name, arg);
	case TEXT_OPT_PROC:
		return add_id(&f->procs, name, arg);
	case TEXT_OPT_THREAD:
		return add_id(&f->threads, name, arg);
	case TEXT_OPT_KIND:
		return add_kinds(f, arg);
	case TEXT_OPT_FUNC:
		return set_func(o, arg);
	default:
		return set_time(opt == TEXT_OPT_FROM ? &f->from : &f->to, name, arg);
	}
}

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

static int write_output(struct trace_input *in, const char *name, const char *path,
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
	return write_output(&input, in, out, &o->show, err);
}
