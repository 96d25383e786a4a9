// SPDX-License-Identifier: Apache-2.0
/* raw_convert: see raw_convert.h. */
#include "read/raw_convert.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

int raw_convert_source(raw_convert_fn *fn, struct raw_source *source, const char *in,
		       const char *out, bool keep_part, struct error *err)
{
	struct raw_sink sink;
	struct error write_err;
	int ret = raw_not_same_file(source, in, out, err);

	if (!ret)
		ret = sink_open(&sink, out, err);
	if (ret)
		return ret;
	ret = fn(source, &sink, err);
	if (ret)
		error_prefix(err, "%s", in);
	if (sink_close(&sink, !ret || keep_part, &write_err) && !ret) {
		*err = write_err;
		ret = write_err.code;
	}
	return ret;
}

int raw_convert(raw_convert_fn *fn, const char *in, const char *out, bool keep_part,
		struct error *err)
{
	struct raw_source source;
	int ret = source_open(&source, in, err);

	if (ret)
		return ret;
	ret = raw_convert_source(fn, &source, in, out, keep_part, err);
	source_close(&source);
	return ret;
}
