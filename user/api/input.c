// SPDX-License-Identifier: Apache-2.0
/*
 * input: turns the caller's input into a source of the inner rooms, and inner errors into the
 * caller's.
 */
#include <errno.h>

#include "api/api.h"

int api_source(struct raw_source *source, const struct gotap_input *caller, struct error *err)
{
	struct gotap_input in;

	api_take(&in, sizeof(in), caller, caller->size);
	if (in.path)
		return source_open(source, in.path, err);
	if (in.read)
		source_open_function(source, in.read, in.ctx);
	else if (in.data)
		source_open_memory(source, in.data, in.len);
	else if (in.fd >= 0)
		source_open_fd(source, in.fd, false);
	else
		return error_set(err, -EBADF, "cannot read: %d is no descriptor", in.fd);
	return 0;
}

int api_error(struct gotap_error *err, const struct error *from)
{
	if (err)
		memcpy(err, api_error_view(from), sizeof(*err));
	return from->code;
}
