// SPDX-License-Identifier: Apache-2.0
/* reader: see v1/reader.h. */
#define _GNU_SOURCE
#include "v1/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "v1/convert.h"

enum { FORMAT = 22 };	/* the header of the converted trace, as `gotap convert` writes it */

struct trace_reader *v1_reader_open(const struct v1_trace *t, struct error *err)
{
	int fd = memfd_create("gotap", MFD_CLOEXEC);
	struct raw_source source;

	if (fd < 0) {
		error_set(err, -errno, "cannot make a temporary file: %s", strerror(errno));
		return NULL;
	}
	if (v1_convert(t, fd, FORMAT, NULL, err)) {
		close(fd);
		return NULL;
	}
	lseek(fd, 0, SEEK_SET);
	source_open_fd(&source, fd, true);
	return trace_reader_open_source(&source, err);
}
