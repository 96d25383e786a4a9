// SPDX-License-Identifier: Apache-2.0
/* raw_convert: see raw_convert.h. */
#include "files/raw_convert.h"

#include "files/leftover.h"

static int raw_convert_run(raw_convert_fn *fn, const void *ctx, struct raw_source *source,
			   const char *in, const struct output *out, struct error *err)
{
	struct raw_sink sink;
	struct error write_err;
	int ret;

	sink_open(&sink, out->fd, out->path);
	ret = fn(source, &sink, ctx, err);
	if (ret)
		error_prefix(err, "%s", in);
	if (!sink_close(&sink, &write_err))
		return ret;
	*err = write_err;
	return err->code;
}

int raw_convert_source(raw_convert_fn *fn, const void *ctx, struct raw_source *source,
		       const char *in, const char *path, enum output_form form, struct error *err)
{
	struct error close_err;
	struct output out;
	int ret = output_start(&out, path, form, err);

	if (ret)
		return ret;
	ret = raw_convert_run(fn, ctx, source, in, &out, err);
	if (output_close(&out, !ret, &close_err) && !ret) {
		*err = close_err;
		ret = close_err.code;
	}
	return ret;
}

int raw_convert(raw_convert_fn *fn, const void *ctx, const char *in, const char *out,
		struct error *err)
{
	struct raw_source source;
	int ret = leftover_source_open(&source, in, err);

	if (ret)
		return ret;
	ret = raw_convert_source(fn, ctx, &source, in, out, OUTPUT_BINARY, err);
	source_close(&source);
	return ret;
}
