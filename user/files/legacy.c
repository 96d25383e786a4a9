// SPDX-License-Identifier: Apache-2.0
/* legacy: see legacy.h. */
#include "files/legacy.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "files/claims.h"
#include "files/raw_convert.h"
#include "v1/file.h"
#include "v1/text.h"
#include "v1/trace.h"
#include "v1/view.h"

int legacy_program(const char *binary, struct error *err)
{
	if (!binary)
		return 0;
	if (!access(binary, R_OK))
		return claims_input_file(binary, err);
	return error_set(err, -errno, "cannot open '%s': %s", binary, strerror(errno));
}

bool legacy_is(struct raw_source *source)
{
	source_need(source, V1_HEADER);
	return v1_file_is(source->pos, source_left(source));
}

/* --- text --- */

static int to_text(struct raw_source *source, struct raw_sink *sink, const void *binary,
		   struct error *err)
{
	return v1_text_of_source(source, binary, sink, err);
}

int legacy_text(struct raw_source *source, const char *in, const char *out, const char *binary,
		struct error *err)
{
	return raw_convert_source(to_text, binary, source, in, out, OUTPUT_TEXT, err);
}

static int to_links(struct raw_source *source, struct raw_sink *sink, const void *ctx,
		    struct error *err)
{
	struct buf data = {0};
	struct v1_trace *t = NULL;
	int ret = source_take_all(source, &data, err);

	if (!ret)
		ret = v1_trace_open(&t, data.data, data.len, err);
	if (!ret)
		ret = v1_view_text(t, sink, err);
	v1_trace_free(t);
	buf_free(&data);
	return ret;
}

int legacy_links(struct raw_source *source, const char *in, const char *out, struct error *err)
{
	return raw_convert_source(to_links, NULL, source, in, out, OUTPUT_TEXT, err);
}
