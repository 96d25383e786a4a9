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

void joined_survey(struct joins_survey *v, uint32_t number, struct reread *file, const char *binary)
{
	struct trace_input in;
	struct error err;
	int ret;

	if (joined_open_input(&in, file, binary, &err))
		return;
	ret = joins_survey_read(v, number, in.reader, &err);
	trace_input_close(&in, file->path, ret, &err);
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

bool joined_close(struct joined *j, const struct beside *b)
{
	bool failed = false;
	size_t i;

	for (i = 0; i < j->n; i++) {
		struct error err = b ? *beside_fault(b, i) : (struct error){0};

		if (trace_input_close(j->inputs[i], j->paths[i], err.code, &err)) {
			cmd_fail(&err);
			failed = true;
		}
		free(j->inputs[i]);
	}
	j->n = 0;
	return failed;
}
