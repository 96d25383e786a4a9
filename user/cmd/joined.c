// SPDX-License-Identifier: Apache-2.0
/* joined: see joined.h. */
#include "cmd/joined.h"

#include <stdlib.h>

#include "cmd/cmd.h"

static int joined_open_input(struct trace_input *in, struct reread *file, const char *binary,
			     struct error *err)
{
	int ret = reread_rewind(file, err);

	if (!ret)
		ret = trace_input_open_source(in, &file->source, binary, err);
	return ret ? error_prefix(err, "%s", file->path) : 0;
}

int joined_survey(struct joins_survey *v, uint32_t number, struct reread *file, const char *binary,
		  struct error *err)
{
	struct trace_input in;
	int ret = joined_open_input(&in, file, binary, err);

	if (ret)
		return ret;
	ret = joins_survey_read(v, number, in.reader, err);
	return trace_input_close(&in, file->path, ret, err);
}

struct joined_facts {
	struct origin *origin;
	struct spans *s;
};

static void joined_take_origin(void *ctx, int64_t time, const char *text)
{
	struct joined_facts *f = ctx;

	origin_take(f->origin, text);
	if (f->origin->facts[ORIGIN_PID] && f->origin->facts[ORIGIN_PROGRAM])
		spans_stop(f->s);
}

void joined_origin(struct origin *ret, struct reread *file, const char *binary)
{
	struct joined_facts f = { ret, spans_new() };
	struct trace_input in;
	struct error err;
	int r;

	if (!joined_open_input(&in, file, binary, &err)) {
		spans_visit(f.s, &(struct spans_visitor){ .ctx = &f,
							  .origin = joined_take_origin });
		r = spans_read(f.s, in.reader, &err);
		trace_input_close(&in, file->path, r, &err);
	}
	spans_free(f.s);
}

int joined_open(struct joined *j, struct reread *file, const char *binary, struct error *err)
{
	struct trace_input *in = xcalloc(1, sizeof(*in));
	int ret = joined_open_input(in, file, binary, err);

	if (ret) {
		free(in);
		return ret;
	}
	j->inputs[j->n] = in;
	j->readers[j->n] = in->reader;
	j->paths[j->n++] = file->path;
	return 0;
}

bool joined_close_with(struct joined *j, const struct error *faults)
{
	bool failed = false;
	size_t i;

	for (i = 0; i < j->n; i++) {
		struct error err = faults ? faults[i] : (struct error){0};

		if (trace_input_close(j->inputs[i], j->paths[i], err.code, &err)) {
			cmd_fail(&err);
			failed = true;
		}
		free(j->inputs[i]);
	}
	j->n = 0;
	return failed;
}

bool joined_close(struct joined *j, const struct sides *b)
{
	struct error *faults = xcalloc(j->n + 1, sizeof(*faults));
	bool failed;
	size_t i;

	for (i = 0; b && i < j->n; i++)
		faults[i] = *sides_fault(b, i);
	failed = joined_close_with(j, faults);
	free(faults);
	return failed;
}
