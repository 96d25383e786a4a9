// SPDX-License-Identifier: Apache-2.0
/* trace_input: see trace_input.h. */
#include "files/trace_input.h"

#include "files/leftover.h"
#include "files/legacy.h"
#include "v1/reader.h"

static struct trace_reader *open_opened(struct v1_trace *t, const char *binary, struct error *err)
{
	if (binary && v1_trace_symbolize(t, binary, err))
		return NULL;
	return v1_reader_open(t, err);
}

static int open_old(struct trace_input *in, struct raw_source *source, const char *binary,
		    struct error *err)
{
	struct buf data = {0};
	struct v1_trace *t = NULL;
	int ret = source_take_all(source, &data, err);

	source_close(source);
	if (!ret)
		ret = v1_trace_open_cut(&t, data.data, data.len, &in->cut, err);
	if (!ret)
		in->reader = open_opened(t, binary, err);
	v1_trace_free(t);
	buf_free(&data);
	return ret || in->reader ? ret : err->code;
}

int trace_input_open_source(struct trace_input *in, struct raw_source *source, const char *binary,
			    struct error *err)
{
	*in = (struct trace_input){0};
	if (legacy_is(source))
		return open_old(in, source, binary, err);
	in->reader = trace_reader_open_source(source, err);
	return in->reader ? 0 : err->code;
}

int trace_input_open(struct trace_input *in, const char *path, const char *binary,
		     struct error *err)
{
	struct raw_source source;
	int ret = legacy_program(binary, err);

	if (!ret)
		ret = leftover_source_open(&source, path, err);
	if (!ret && trace_input_open_source(in, &source, binary, err))
		ret = error_prefix(err, "%s", path);
	return ret;
}

static int cut_error(const struct v1_cut *cut, struct error *err)
{
	error_set(err, cut->why.code, "%s%s", cut->why.text, cut->no_frequency ?
		  "; the speed of its clock is lost, times are shown in ticks" : "");
	if (cut->resumed)
		error_prefix(err, "damaged in %zu place%s, shown is what can be read", cut->places,
			     cut->places == 1 ? "" : "s");
	return err->code;
}

int trace_input_close(struct trace_input *in, const char *name, int ret, struct error *err)
{
	if (!ret && in->cut.is_cut)
		ret = cut_error(&in->cut, err);
	if (ret)
		error_prefix(err, "%s", name);
	trace_reader_close(in->reader);
	return ret;
}
