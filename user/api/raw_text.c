// SPDX-License-Identifier: Apache-2.0
/* raw_text: converts a file to text and back, see gotap/raw.h. */
#include "gotap/raw.h"

#include <errno.h>

#include "api/api.h"
#include "read/text_write.h"
#include "v1/file.h"
#include "v1/format.h"
#include "v1/text.h"

typedef int raw_text_fn(struct raw_source *source, struct raw_sink *sink, const char *binary,
			struct error *err);

static int raw_text_of(struct raw_source *source, struct raw_sink *sink, const char *binary,
		   struct error *err)
{
	source_need(source, V1_HEADER);
	if (v1_file_is(source->pos, source_left(source)))
		return v1_text_of_source(source, binary, sink, err);
	return text_write(source, sink, err);
}

static int raw_text_back(struct raw_source *source, struct raw_sink *sink, const char *unused,
		     struct error *err)
{
	return v1_wire_write(source, sink, err);
}

/* Runs @fn. Its output before an error is written, too. */
static int raw_text_run(raw_text_fn *fn, const struct gotap_input *in, int fd, const char *binary,
			struct gotap_error *gerr)
{
	struct raw_source source;
	struct raw_sink sink;
	struct error err, late;
	int ret;

	if (fd < 0) {
		error_set(&err, -EBADF, "cannot write: %d is no descriptor", fd);
		return api_error(gerr, &err);
	}
	ret = api_source(&source, in, &err);
	if (ret)
		return api_error(gerr, &err);
	sink_open(&sink, fd, NULL);
	ret = fn(&source, &sink, binary, &err);
	source_close(&source);
	if (sink_close(&sink, &late))
		return api_error(gerr, &late);
	return ret ? api_error(gerr, &err) : 0;
}

int gotap_raw_to_text(const struct gotap_input *in, int fd, const char *binary,
		      struct gotap_error *err)
{
	return raw_text_run(raw_text_of, in, fd, binary, err);
}

int gotap_raw_from_text(const struct gotap_input *in, int fd, struct gotap_error *err)
{
	return raw_text_run(raw_text_back, in, fd, NULL, err);
}
