// SPDX-License-Identifier: Apache-2.0
/* old_format: see old_format.h. */
#include "files/old_format.h"

#include <stdlib.h>

#include "base/vec.h"
#include "files/trace_pipe.h"
#include "v1/format.h"

struct old_format {
	struct trace_pipe *pipe;	/* the bytes of the v2 trace; NULL: it is finished */
	const struct output *out;
	struct convert_options options;
	struct convert_result result;
	uint64_t generations;	/* of the v2 trace */
	int ret;
};

/* --- the thread --- */

static int old_format_run(void *ctx, struct trace_pipe *pipe, struct error *err)
{
	struct old_format *o = ctx;
	struct raw_source source;

	source_open_function(&source, trace_pipe_read, pipe);
	return convert_trace(&source, o->out->fd, &o->options, &o->result, err);
}

/* --- the others --- */

int old_format_start(struct old_format **ret, const struct output *out, int version,
		     struct error *err)
{
	struct old_format *o;
	int e;

	*ret = NULL;
	if (version >= 22)
		return 0;
	o = xcalloc(1, sizeof(*o));
	o->out = out;
	o->options.rewrite.format = version;
	o->options.rewrite.name = out->path;
	o->options.rewrite.to = INT64_MAX;
	e = trace_pipe_start(&o->pipe, old_format_run, o, err);
	if (e)
		free(o);
	else
		*ret = o;
	return e;
}

static void old_format_written(void *ctx, const struct tracefile_generation *g)
{
	struct old_format *o = ctx;

	o->generations += g->number != 0;
}

void old_format_observe(struct old_format *o, struct observers *to)
{
	static const struct observer_ops ops = { .written = old_format_written };

	if (!o)
		return;
	observers_add(to, &ops, o);
	trace_pipe_observe(o->pipe, to);
}

bool old_format_failed(const struct old_format *o)
{
	return o && o->pipe && trace_pipe_is_gone(o->pipe);
}

int old_format_finish(struct old_format *o, struct error *err)
{
	struct error ignored;
	bool matters;

	if (!o || !o->pipe)
		return 0;
	/* that a trace without a generation cannot be converted is no error, a full disk is one */
	matters = o->generations || old_format_failed(o);
	o->ret = trace_pipe_finish(o->pipe, matters ? err : &ignored);
	o->pipe = NULL;
	return matters ? o->ret : 0;
}

bool old_format_has_trace(const struct old_format *o)
{
	return o && !o->pipe && o->generations && !o->ret;
}

const struct convert_result *old_format_result(const struct old_format *o)
{
	return o ? &o->result : NULL;
}

void old_format_free(struct old_format *o)
{
	struct error ignored;

	old_format_finish(o, &ignored);
	free(o);
}
