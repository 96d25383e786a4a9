// SPDX-License-Identifier: Apache-2.0
/* file: see file.h. */
#include "v1/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "v1/format.h"

enum { CHUNK = 256 * 1024 };

static int read_all(int fd, const char *path, struct buf *out, struct error *err)
{
	ssize_t n;

	do {
		buf_reserve(out, CHUNK);
		n = read(fd, out->data + out->len, CHUNK);
		if (n > 0)
			out->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return error_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	return 0;
}

int v1_file_read(const char *path, struct buf *out, struct error *err)
{
	_cleanup_close_ int own = -1;
	int fd = 0;

	if (strcmp(path, "-")) {
		fd = own = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return error_set(err, -errno, "cannot open '%s': %s", path,
					 strerror(errno));
	}
	return read_all(fd, path, out, err);
}

bool v1_file_is(const void *data, size_t n)
{
	int version;
	size_t size;

	return v1_header_parse(data, n, &version, &size, NULL) == 0;
}
