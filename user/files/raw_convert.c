// SPDX-License-Identifier: Apache-2.0
/* raw_convert: see raw_convert.h. */
#include "files/raw_convert.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "files/leftover.h"

int raw_not_same_file(const struct raw_source *source, const char *in, const char *out,
		      struct error *err)
{
	struct stat in_st, out_st;

	if (strcmp(out, "-") && !fstat(source->fd, &in_st) && !stat(out, &out_st) &&
	    S_ISREG(out_st.st_mode) && in_st.st_dev == out_st.st_dev &&
	    in_st.st_ino == out_st.st_ino)
		return error_set(err, -EINVAL, "'%s' is input and output", in);
	return 0;
}

static int run(raw_convert_fn *fn, const void *ctx, struct raw_source *source, const char *in,
	       const struct output *out, struct error *err)
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
	int ret = raw_not_same_file(source, in, path, err);

	if (!ret)
		ret = output_start(&out, path, form, err);
	if (ret)
		return ret;
	ret = run(fn, ctx, source, in, &out, err);
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
