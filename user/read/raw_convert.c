// SPDX-License-Identifier: Apache-2.0
/* raw_convert: see raw_convert.h. */
#include "read/raw_convert.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Opening the output would empty the input. */
static bool same_file(const struct raw_source *source, const char *out)
{
	struct stat in_st, out_st;

	return strcmp(out, "-") && !fstat(source->fd, &in_st) && !stat(out, &out_st) &&
	       S_ISREG(out_st.st_mode) && in_st.st_dev == out_st.st_dev &&
	       in_st.st_ino == out_st.st_ino;
}

static int convert_to(raw_convert_fn *fn, struct raw_source *source, const char *in,
		      const char *out, bool keep_part, struct error *err)
{
	struct raw_sink sink;
	struct error write_err;
	int ret = sink_open(&sink, out, err);

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
	if (same_file(&source, out))
		ret = error_set(err, -EINVAL, "'%s' is input and output", in);
	else
		ret = convert_to(fn, &source, in, out, keep_part, err);
	source_close(&source);
	return ret;
}
